# SPDX-License-Identifier: GPL-2.0-only
"""
The announcement's own example: thread rules for a real browser, run by an ordinary user. Its threads are born of
others with another class, set their own nice value, and then their name, in any order.
"""

import contextlib
import fnmatch
import http.server
import os
import shutil
import threading

from attributes import BATCH, MS, NORMAL, base_slices, fair, get_attr
from harness import LiveTest, main
from tasks import comm, descendants, tids
from waiting import PATIENCE, wait_for

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
NOBODY = 65534

# Nice values and slices that no browser chooses, so that a leftover can be recognised.
CLASSES = {"QOS_MAIN": fair(NORMAL, -3, 9 * MS), "QOS_HELP": fair(NORMAL, -5, 13 * MS),
           "QOS_WORK": fair(BATCH, 3, 17 * MS), "QOS_REST": fair(BATCH, 6, 21 * MS),
           "QOS_DEFAULT": fair(BATCH, 7, 25 * MS)}
THREADS = {"chrom*": "QOS_MAIN", "Compositor*": "QOS_MAIN", "VizCompositorTh": "QOS_MAIN", "Chrome_*": "QOS_HELP",
           "ThreadPoolForeg": "QOS_WORK", "ThreadPoolServi": "QOS_REST", "ThreadPoolSingl": "QOS_REST",
           "MemoryInfra": "QOS_REST"}

PAGE = b"""<!doctype html><title>page</title><canvas id=c></canvas><script>
const code = "setInterval(() => { for (let i = 0; i < 1e5; i++); }, 50)";
for (let i = 0; i < 3; i++)
	new Worker(URL.createObjectURL(new Blob([code])));
const draw = document.getElementById("c").getContext("2d");
let frames = 0;
function frame() {
	draw.fillRect(frames % 100, 0, 1, 1);
	if (++frames == 60)
		fetch("/settled");
	requestAnimationFrame(frame);
}
frame();
</script>"""


class Site(http.server.BaseHTTPRequestHandler):
    """A page with workers and animations that reports when it has run for a while."""

    def do_GET(self):
        body = PAGE if self.path == "/" else b""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if self.path == "/settled":
            self.server.settled.set()

    def log_message(self, *args):
        pass


def class_of(name):
    """The longer pattern is the better one."""
    patterns = [pattern for pattern in THREADS if fnmatch.fnmatchcase(name, pattern)]
    return CLASSES[THREADS[max(patterns, key=len)] if patterns else "QOS_DEFAULT"]


def as_configured(attr):
    return {"sched_policy": "SCHED_BATCH" if attr.policy == BATCH else "SCHED_NORMAL", "sched_nice": attr.nice,
            "sched_runtime": attr.slice, "sched_util_max": 1024}


class Browser(LiveTest):
    def browser(self):
        path = next(filter(None, map(shutil.which, BROWSERS)), None)
        if not path:
            self.skipTest("no " + ", ".join(BROWSERS))
        return path

    def page(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        server.settled = threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def browse(self, path):
        """A browser of an ordinary user that shows the page. Returns the process."""
        home, server = self.path("home"), self.page()
        os.mkdir(home)
        os.chown(home, NOBODY, NOBODY)
        log = os.open(self.path("browser"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.addCleanup(os.close, log)
        browser = self.run_program(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
             "--user-data-dir=" + home, "http://127.0.0.1:%d/" % server.server_address[1]],
            user=NOBODY, group=NOBODY, extra_groups=[], stdout=log, stderr=log, cwd=home,
            env={"HOME": home, "TMPDIR": home, "XDG_RUNTIME_DIR": home, "PATH": os.environ["PATH"], "LC_ALL": "C"})
        if not server.settled.wait(2 * PATIENCE):
            with open(self.path("browser"), encoding="utf-8", errors="replace") as file:
                self.skipTest("the browser shows no page here: " + file.read()[-500:])
        return browser

    @staticmethod
    def threads(browser):
        """All of the browser's threads: {tid: (name, attributes)}; but not those of what it only is started by."""
        found = {}
        for pid in [browser.pid, *descendants(browser.pid)]:
            for tid in tids(pid):
                name, attr = comm(tid).decode("latin-1"), get_attr(tid)
                if attr and name == comm(tid).decode("latin-1"):
                    found[tid] = name, attr
        return found

    def is_browsers(self, tid):
        with contextlib.suppress(OSError):
            return fnmatch.fnmatchcase(os.path.basename(os.readlink("/proc/%d/exe" % tid)), "chrom*")
        return False

    def look(self, daemon, browser):
        """
        Threads that carry something else than their class, in words, but those that only chose a nice value, which is
        all that a browser ever sets; how many these are; and how many of them status counts.
        """
        wrong, changed = [], 0
        for tid, (name, attr) in self.threads(browser).items():
            want = class_of(name) if self.is_browsers(tid) else CLASSES["QOS_DEFAULT"]
            if attr == want:
                continue
            # One without a rule that chose before it got its name is left alone.
            if want == CLASSES["QOS_DEFAULT"] and attr.nice and attr == fair(nice=attr.nice):
                continue
            changed += 1
            if attr._replace(nice=want.nice) != want:
                wrong.append("%d %r carries %s, not %s" % (tid, name, attr, want))
        counted = daemon.status()["tasks_by_reason"].get("changed-by-others", 0)
        return wrong, changed, counted

    def test_every_thread_carries_its_class(self):
        path = self.browser()
        rule = {"thread_qos": THREADS}
        daemon = self.daemon({**{name: as_configured(attr) for name, attr in CLASSES.items()},
                              **dict.fromkeys(("chrome", "chromium", "chromium-browser"), rule)})
        counted_before = daemon.status()["tasks_by_reason"].get("changed-by-others", 0)
        browser = self.browse(path)
        daemon.sync()
        threads = self.threads(browser)
        # Otherwise this test would show nothing.
        self.assertGreater(len(threads), 40)
        self.assertGreater(len({class_of(name) for name, _ in threads.values()}), 3)
        seen = []

        def is_right():
            seen[:] = self.look(daemon, browser)
            return not seen[0] and seen[2] - counted_before >= seen[1]

        def what():
            wrong, changed, counted = seen
            return "%d of %d threads carry what is neither their class's nor their choice:\n%s\n" \
                "%d differ from their class, %d are counted as changed by others" \
                % (len(wrong), len(self.threads(browser)), "\n".join(wrong), changed, counted - counted_before)

        wait_for(is_right, what, 5)
        print("  note: %d threads of a browser, %d of them with a nice value of their own" % (len(threads), seen[1]))
        daemon.stop()
        nices = {attr.nice for attr in CLASSES.values()}
        for tid, (name, attr) in self.threads(browser).items():
            self.assertIn(attr.slice, base_slices(), "%d %r: %s" % (tid, name, attr))
            self.assertEqual(attr.policy, NORMAL, "%d %r: %s" % (tid, name, attr))
            self.assertNotIn(attr.nice, nices, "%d %r: %s" % (tid, name, attr))


if __name__ == "__main__":
    main()
