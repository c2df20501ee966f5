/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which class the rules in configs/ give to programs. Runs in the top folder. */
#include "shipped.h"

/*
 * The class of a process by the shipped rules. "no class" means that a rule without a class matches, which ends
 * inheritance.
 */
#define INTERACTIVE "QOS_USER_INTERACTIVE"
#define KEPT	    ", kept while hidden"

/* The arguments of Wine's loader when it starts a program, and after the program has changed them. */
#define WINE(...)	 PROCESS("/usr/lib/wine/wine64", "wine64", "/usr/lib/wine/wine64\0" __VA_ARGS__)
#define WINE_RUNS(...)	 PROCESS("/usr/lib/wine/wine64", "game.exe", __VA_ARGS__)
#define PROTON_BIN	 "/home/me/.steam/steam/steamapps/common/Proton 9.0/files/bin/"
#define PROTON(...)                                                                                        \
	PROCESS(PROTON_BIN "wine64-preloader", "wine64-preloade",                                          \
		PROTON_BIN "wine64-preloader\0" PROTON_BIN "wine64\0" __VA_ARGS__, .sandboxed = true)

/* Programs under the names that Wine, Electron and sandboxes give them; see the comments in the files. */
static struct program {
	struct process process;
	const char *want;
} desktop_programs[] = {
	/* Windows programs, with any path and loader, except those of mono. */
	{ WINE("/home/me/games/Foo.exe"), INTERACTIVE },
	{ WINE("Z:\\home\\me\\games\\FOO.EXE\0-windowed"), INTERACTIVE },
	{ WINE_RUNS("Z:\\home\\me\\games\\Foo.exe"), INTERACTIVE },
	{ PROTON("C:\\Program Files (x86)\\Foo\\Foo.exe"), INTERACTIVE },
	{ PROCESS("/opt/wine-staging/bin/wine-preloader", "wine-preloader", "/opt/wine-staging/bin/wine-preloader\0wine\0Foo.exe"),
	  INTERACTIVE },
	{ PROCESS("/usr/bin/mono-sgen", "mono", "mono\0/usr/lib/mono/4.5/mcs.exe"), "no rule" },
	{ PROCESS("/usr/bin/foo.exe", "foo.exe", "foo.exe"), "no rule" },
	/* Wine's own programs. */
	{ WINE("C:\\windows\\system32\\services.exe"), "no class" },
	{ WINE("C:\\windows\\system32\\explorer.exe\0/desktop"), "no class" },
	{ WINE_RUNS("C:\\windows\\system32\\svchost.exe\0-k\0LocalServiceNetworkRestricted"), "no class" },
	{ WINE_RUNS("C:\\WINDOWS\\system32\\rpcss.exe"), "no class" },
	{ WINE_RUNS("start.exe\0/exec"), "no class" },
	{ WINE("explorer\0/desktop=Foo,1280x720\0Foo.exe"), "no class" },
	{ WINE("cmd\0/c\0run.bat"), "no class" },
	{ PROTON("c:\\windows\\system32\\steam.exe\0/home/me/games/Foo.exe"), "no class" },
	{ PROTON("C:\\windows\\system32\\tabtip.exe"), "no class" },
	/* Servers of games, and compilers. */
	{ WINE("/srv/game/PalServer-Win64-Shipping-Cmd.exe"), "no class" },
	{ WINE("Z:\\opt\\msvc\\bin\\cl.exe\0/c"), "QOS_BACKGROUND" },
	{ PROCESS("/usr/lib/wine/wineserver64", "wineserver64", "/usr/lib/wine/wineserver64\0-p0"), INTERACTIVE },
	{ PROCESS(PROTON_BIN "wineserver", "wineserver", PROTON_BIN "wineserver", .sandboxed = true), INTERACTIVE },
	/* Programs of Electron, Flatpak and Snap. */
	{ PROCESS("/usr/lib/electron34/electron", "electron", "/usr/bin/electron34\0/usr/lib/foo/app.asar"), INTERACTIVE },
	{ PROCESS("/usr/lib/electron34/electron", "electron", "/proc/self/exe\0--type=zygote"), INTERACTIVE },
	{ PROCESS("/app/bin/Telegram", "Telegram", "Telegram\0--", .sandboxed = true), INTERACTIVE KEPT },
	{ PROCESS("/app/discord/Discord", "Discord", "/app/discord/Discord\0--type=gpu-process", .sandboxed = true), INTERACTIVE KEPT },
	{ PROCESS("/snap/slack/164/usr/lib/slack/slack", "slack", "/snap/slack/164/usr/lib/slack/slack\0--type=zygote"),
	  INTERACTIVE KEPT },
	/* Calls and recordings go on behind other windows. */
	{ PROCESS("/opt/zoom/zoom", "zoom", "zoom"), INTERACTIVE KEPT },
	{ PROCESS("/usr/bin/obs", "obs", "obs"), INTERACTIVE KEPT },
	{ PROCESS("/usr/bin/steam", "steam", "steam"), INTERACTIVE KEPT },
	{ PROCESS("/usr/bin/plasmashell", "plasmashell", "plasmashell"), INTERACTIVE KEPT },
	{ PROCESS("/usr/bin/firefox", "firefox", "firefox"), INTERACTIVE },
	{ PROCESS("/usr/bin/bwrap", "bwrap", "bwrap\0--args\00042\0--\0Telegram"), "no rule" },
	{ PROCESS("/usr/libexec/rtkit-daemon", "rtkit-daemon", "/usr/libexec/rtkit-daemon"), "QOS_USER_INITIATED" },
	{ PROCESS("/home/me/rtkit-daemon", "rtkit-daemon", "/usr/libexec/rtkit-daemon"), "no rule" },
};

TEST(programs_of_a_desktop_are_known)
{
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	for (size_t i = 0; i < COUNT(desktop_programs); i++) {
		struct program *program = &desktop_programs[i];
		int error;
		const struct rule *rule = process_match(config, &program->process, &error);
		const char *qos = rule && rule->qos ? rule->qos : rule ? "no class" : "no rule";
		char found[64];

		assert_int_equal(error, 0);
		snprintf(found, sizeof(found), "%s%s", qos, rule && rule->keeps_hidden ? KEPT : "");
		if (strcmp(found, program->want) != 0)
			fail_msg("number %zu, %s: %s by \"%s\"", i, program->process.exe, found, rule ? rule->pattern : "");
	}
	config_free(config);
}

/* ---- agents, containers, packages, and programs beside them ---- */

#define BACKGROUND  "QOS_BACKGROUND"
#define UTILITY	    "QOS_UTILITY"
#define MAINTENANCE "QOS_MAINTENANCE"

/* As seen with claude 2.1, codex 0.171, gemini 0.61, opencode 1.18 and aider 0.86. */
#define NPM "/usr/lib/node_modules/"
static struct process claude = PROCESS(NPM "@anthropic-ai/claude-code/bin/claude.exe", "claude", "claude\0-p\0build it"),
		      codex = PROCESS(NPM "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex", "codex",
				      NPM "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex\0exec"),
		      codex_in_sandbox = PROCESS("/opt/codex/bin/codex", "codex", "codex-linux-sandbox\0--\0/bin/bash\0-c\0make",
						 .sandboxed = true),
		      gemini = PROCESS("/usr/bin/node", "node", "/usr/bin/node\0--max-old-space-size=12052\0/usr/bin/gemini\0--yolo"),
		      opencode = PROCESS(NPM "opencode-ai/bin/opencode.exe", "opencode", "opencode\0run\0build it"),
		      copilot = PROCESS(NPM "@github/copilot-linux-x64/copilot", "MainThread", NPM "@github/copilot-linux-x64/copilot"),
		      aider = PROCESS("/usr/bin/python3.11", "aider", "/home/me/aider/bin/python3\0/home/me/.local/bin/aider"),
		      ollama = PROCESS("/usr/bin/ollama", "ollama", "ollama\0run\0--experimental\0x"),
		      snapd = PROCESS("/usr/lib/snapd/snapd", "snapd", "/usr/lib/snapd/snapd"),
		      webui_sh = PROCESS("/usr/bin/bash", "webui.sh", "bash\0./webui.sh"),
		      goose = PROCESS("/home/me/.local/bin/goose", "goose", "goose\0session"),
		      cursor_agent = PROCESS("/home/me/.local/share/cursor-agent/versions/2026.06.01-abc/node", "MainThread",
					     "/home/me/.local/bin/agent\0/home/me/.local/share/cursor-agent/versions/2026.06.01-abc/index.js"),
		      other_agent = PROCESS("/opt/datadog-agent/bin/agent/agent", "agent", "/opt/datadog-agent/bin/agent/agent\0run"),
		      kimi = PROCESS("/usr/bin/python3.13", "Kimi Code", "Kimi Code"),
		      openclaw = PROCESS("/usr/bin/node", "openclaw-gatewa", "openclaw-gateway"),
		      codex_acp = PROCESS("/home/me/.local/share/zed/codex-acp", "codex-acp", "/home/me/.local/share/zed/codex-acp"),
		      in_terminal = PROCESS("/usr/bin/bash", "bash", "-bash"), xterm = PROCESS("/usr/bin/xterm", "xterm", "xterm"),
		      code = PROCESS("/usr/share/code/code", "code", "/usr/share/code/code\0--type=utility"),
		      apt = PROCESS("/usr/bin/apt", "apt", "apt\0install\0vim"), dockerd = PROCESS("/usr/bin/dockerd", "dockerd", "dockerd"),
		      make = PROCESS("/usr/bin/make", "make", "make\0-j8"), zypper = PROCESS("/usr/bin/zypper", "zypper", "zypper\0dup"),
		      pacman = PROCESS("/usr/bin/pacman", "pacman", "pacman\0-Syu"),
		      cargo = PROCESS("/usr/bin/cargo", "cargo", "cargo\0run"), shell_of_agent = PROCESS("/usr/bin/bash", "bash", "bash\0-c\0vim x");

static struct program programs[] = {
	/* Commands of agents. */
	{ PROCESS("/usr/bin/bash", "bash", "/bin/bash\0-c\0source x.sh; eval 'frobnicate'", .parent = &claude), BACKGROUND },
	{ PROCESS("/usr/bin/zsh", "zsh", "/bin/zsh\0-c\0-l\0frobnicate", .parent = &claude), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "/bin/bash\0-c\0frobnicate", .parent = &codex), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0-lc\0frobnicate", .parent = &codex), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "/bin/bash\0-c\0make", .parent = &codex_in_sandbox, .sandboxed = true), BACKGROUND },
	{ PROCESS("/opt/codex/bin/codex", "codex-linux-san", "/tmp/arg0/codex-linux-sandbox\0--\0rg\0x", .parent = &codex), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "/usr/bin/bash\0-c\0shopt -u promptvars", .parent = &gemini), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "/bin/bash\0-c\0npm test", .parent = &opencode), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "/bin/bash\0--norc\0--noprofile\0-c\0make", .parent = &copilot), BACKGROUND },
	{ PROCESS("/usr/bin/dash", "sh", "/bin/sh\0-c\0pytest", .parent = &aider), BACKGROUND },
	{ PROCESS("/usr/bin/fish", "fish", "fish\0-c\0make", .parent = &goose), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "/bin/bash\0-O\0extglob\0-c\0snap=$(command cat <&3)", .parent = &cursor_agent), BACKGROUND },
	{ PROCESS("/home/me/.local/share/cursor-agent/versions/2026.06.01-abc/cursorsandbox", "cursorsandbox",
		  "/home/me/.local/share/cursor-agent/versions/2026.06.01-abc/cursorsandbox\0--policy\0x", .parent = &cursor_agent), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0-c\0make", .parent = &kimi), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0-c\0make", .parent = &openclaw), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0-lc\0make", .parent = &codex_acp), BACKGROUND },
	/* Interfaces of agents, shells that somebody types into, editors, and programs with windows. */
	{ PROCESS("/usr/bin/dash", "sh", "/bin/sh\0-c\0check", .parent = &other_agent), "no rule" },
	{ PROCESS("/home/me/.local/share/cursor-agent/versions/2026.06.01-abc/node", "MainThread",
		  "/home/me/.local/bin/agent\0/home/me/.local/share/cursor-agent/versions/2026.06.01-abc/index.js", .parent = &in_terminal), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "Kimi Code", "Kimi Code", .parent = &in_terminal), "no rule" },
	{ PROCESS("/usr/bin/node", "openclaw-gatewa", "openclaw-gateway"), "no rule" },
	{ PROCESS(NPM "@anthropic-ai/claude-code/bin/claude.exe", "claude", "claude", .parent = &in_terminal), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/bin/codex", .parent = &in_terminal), "no rule" },
	{ PROCESS("/opt/codex/bin/codex", "codex", "/opt/codex/bin/codex", .parent = &in_terminal), "no rule" },
	{ PROCESS("/opt/codex/bin/codex", "codex", "/opt/codex/bin/codex\0app-server", .parent = &codex), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/bin/gemini", .parent = &in_terminal), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "/usr/bin/node\0/usr/bin/gemini", .parent = &gemini), "no rule" },
	{ PROCESS(NPM "opencode-ai/bin/opencode.exe", "opencode", "opencode", .parent = &in_terminal), "no rule" },
	{ PROCESS("/usr/bin/python3.11", "aider", "python3\0/usr/bin/aider", .parent = &in_terminal), "no rule" },
	{ PROCESS("/home/me/.local/bin/goose", "goose", "goose\0session", .parent = &in_terminal), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0/opt/server/index.js", .parent = &claude), "no rule" },
	{ PROCESS("/usr/bin/bash", "bash", "bash", .parent = &claude), "no rule" },
	{ PROCESS("/usr/bin/bash", "bash", "-bash", .parent = &codex), "no rule" },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0-i", .parent = &opencode), "no rule" },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0-il", .parent = &opencode), "no rule" },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0--norc", .parent = &copilot), "no rule" },
	{ PROCESS("/usr/bin/zsh", "zsh", "-zsh", .parent = &xterm), "no rule" },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0-c\0vim x", .parent = &in_terminal), "no rule" },
	{ PROCESS("/usr/bin/dash", "sh", "sh\0-c\0gcc x.c", .parent = &code), "no rule" },
	{ PROCESS("/usr/bin/ssh", "ssh", "ssh\0-c\0aes128-ctr\0host", .parent = &claude), "QOS_USER_INITIATED" },
	{ PROCESS("/usr/bin/vim.basic", "vim", "vim\0x", .parent = &shell_of_agent), INTERACTIVE },
	{ PROCESS("/usr/bin/vim.basic", "vim", "vim\0x", .parent = &shell_of_agent, .elsewhere = true), "no class" },
	{ PROCESS("/usr/bin/nvim", "nvim", "nvim\0x", .parent = &claude, .elsewhere = true), "no class" },
	{ PROCESS("/usr/bin/kak", "kak", "kak\0x", .parent = &shell_of_agent), "no class" },
	{ PROCESS("/usr/bin/emacsclient", "emacsclient", "emacsclient\0x", .parent = &claude), "no class" },
	{ PROCESS("/usr/bin/less", "less", "less", .parent = &shell_of_agent), "no class" },
	{ PROCESS("/usr/bin/dash", "xdg-open", "/bin/sh\0/usr/bin/xdg-open\0https://x", .parent = &claude), "no class" },
	{ PROCESS("/usr/bin/wish8.6", "gitk", "wish\0/usr/bin/gitk", .parent = &shell_of_agent), "no class" },
	{ PROCESS("/usr/bin/xterm", "xterm", "xterm", .parent = &make), INTERACTIVE },
	{ PROCESS("/usr/bin/kitty", "kitty", "kitty", .parent = &make, .elsewhere = true), "no class" },
	{ PROCESS("/usr/bin/tmux", "tmux: server", "tmux", .parent = &claude, .elsewhere = true), "no class" },
	{ PROCESS("/usr/lib/firefox/firefox", "firefox", "firefox\0https://x", .parent = &claude), INTERACTIVE },
	{ PROCESS("/usr/lib/chromium/chromium", "chromium", "/usr/lib/chromium/chromium\0--type=zygote", .parent = &codex), INTERACTIVE },
	{ PROCESS("/opt/zen/zen-bin", "zen-bin", "/opt/zen/zen-bin\0https://x", .parent = &claude), "no class" },
	{ PROCESS("/usr/bin/whiptail", "whiptail", "whiptail\0--yesno\0x", .parent = &apt), "no class" },
	{ PROCESS("/usr/bin/ccmake", "ccmake", "ccmake\0-S.\0-Bbuild", .parent = &make), "no class" },
	{ PROCESS("/src/linux/scripts/kconfig/mconf", "mconf", "scripts/kconfig/mconf\0Kconfig", .parent = &make), "no class" },
	{ PROCESS("/usr/bin/qemu-system-x86_64", "qemu-system-x86", "qemu-system-x86_64\0-display\0gtk", .parent = &make), "no class" },

	/* Builds of images, and running containers. */
	{ PROCESS("/usr/bin/buildah", "buildah", "buildah\0bud\0-t\0x\0."), BACKGROUND },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0build\0-t\0x\0."), BACKGROUND },
	{ PROCESS("/usr/bin/buildkitd", "buildkitd", "buildkitd\0--oci-worker=true"), BACKGROUND },
	{ PROCESS("/usr/bin/runc", "runc", "runc\0--log\0x\0run\0--bundle\0/var/lib/docker/buildkit/executor/abc\0abc", .parent = &dockerd),
	  BACKGROUND },
	{ PROCESS("/usr/bin/runc", "runc", "runc\0--log\0x\0run\0--bundle\0/var/lib/buildkit/runc-overlayfs/executor/abc\0--keep\0abc"),
	  BACKGROUND },
	{ PROCESS("/usr/bin/buildkit-runc", "buildkit-runc", "buildkit-runc\0run\0--bundle\0/x/abc\0abc"), BACKGROUND },
	{ PROCESS("/usr/bin/runc", "runc", "runc\0--root\0/run/docker/runtime\0create\0--bundle\0/run/containerd/x\0x"), "no rule" },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0build\0--target\0run\0."), BACKGROUND },
	{ PROCESS("/usr/bin/buildah", "buildah", "buildah\0bud\0--target\0run\0."), BACKGROUND },
	{ PROCESS("/usr/bin/dockerd", "exe", "docker-untar\0/\0/var/lib/docker/x"), BACKGROUND },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0restart\0build"), "no class" },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0run\0-it\0debian"), "no class" },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0run\0-it\0image\0build"), "no class" },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0exec\0-it\0x\0bash"), "no class" },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0system\0service"), "no rule" },
	{ PROCESS("/usr/bin/podman", "exe", "storage-untar\0/\0/var/lib/containers/storage/overlay/x"), BACKGROUND },
	{ PROCESS("/usr/bin/buildah", "exe", "buildah-copier"), BACKGROUND },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0load\0-i\0x.tar"), "no rule" },
	{ PROCESS("/usr/bin/conmon", "conmon", "conmon\0-c\0abc"), "no rule" },
	{ PROCESS("/usr/bin/buildah", "buildah", "buildah\0unshare"), "no class" },
	{ PROCESS("/usr/bin/busybox", "sleep", "/bin/busybox\0sleep\00012"), "no rule" },
	{ PROCESS("/usr/bin/docker", "docker", "docker\0build\0."), "no rule" },
	{ PROCESS("/usr/bin/dockerd", "dockerd", "dockerd"), "no rule" },
	{ PROCESS("/usr/bin/containerd", "containerd", "containerd"), "no rule" },
	{ PROCESS("/usr/bin/containerd-shim-runc-v2", "containerd-shim",
		  "/usr/bin/containerd-shim-runc-v2\0-namespace\0buildkit\0-id\0abc"),
	  BACKGROUND },
	{ PROCESS("/usr/bin/containerd-shim-runc-v2", "containerd-shim", "/usr/bin/containerd-shim-runc-v2\0-namespace\0moby\0-id\0abc"), "no rule" },
	{ PROCESS("/usr/bin/podman", "podman", "podman\0push\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/buildah", "buildah", "buildah\0push\0x"), BACKGROUND },
	{ PROCESS("/kaniko/executor", "executor", "/kaniko/executor\0--dockerfile=x"), BACKGROUND },
	{ PROCESS("/opt/airflow/executor", "executor", "/opt/airflow/executor"), "no rule" },
	{ PROCESS("/cnb/lifecycle/lifecycle", "lifecycle", "/cnb/lifecycle/creator\0-app=/workspace"), BACKGROUND },
	{ PROCESS("/cnb/lifecycle/launcher", "launcher", "/cnb/process/web"), "no rule" },
	{ PROCESS("/usr/bin/img", "img", "img\0build\0-t\0x\0."), BACKGROUND },
	{ PROCESS("/usr/bin/apptainer", "apptainer", "apptainer\0build\0x.sif\0x.def"), BACKGROUND },
	{ PROCESS("/usr/bin/apptainer", "apptainer", "apptainer\0run\0x.sif\0build"), "no class" },
	{ PROCESS("/usr/bin/nerdctl", "nerdctl", "nerdctl\0build\0."), "no rule" },
	{ PROCESS("/usr/bin/flatpak-builder", "flatpak-builder", "flatpak-builder\0--force-clean\0build\0x.yml"), BACKGROUND },
	{ PROCESS("/usr/bin/flatpak-builder", "flatpak-builder", "flatpak-builder\0--run\0build\0x.yml\0x"), "no class" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0/src/bitbake/bin/bitbake-server\0decafbad"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0/src/bitbake/bin/bitbake\0x"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "/usr/bin/python3\0/usr/libexec/mock/mock\0-r\0fedora-43-x86_64\0x.src.rpm"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "/usr/bin/python3\0/usr/libexec/mock/mock\0-r\0fedora-43-x86_64\0--shell"), "no class" },
	{ PROCESS("/usr/bin/bash", "bash", "/bin/bash\0/usr/lib/portage/python3.12/ebuild.sh\0compile"), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "/bin/bash\0/usr/lib/portage/python3.12/ebuild.sh\0config"), "no class" },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0./xbps-src\0pkg\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0./xbps-src\0chroot"), "no class" },
	{ PROCESS("/usr/bin/bash", "bash", "/bin/sh\0/usr/bin/abuild\0-r"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.12", "python3.12", "/usr/bin/python3.12\0/usr/lib/python-exec/python3.12/emerge\0--ask\0@world"), "no rule" },

	/* Languages. */
	{ PROCESS("/usr/lib/go-1.19/pkg/tool/linux_amd64/compile", "compile", "compile\0-o\0x"), BACKGROUND },
	{ PROCESS("/opt/go1.26/pkg/tool/linux_arm64/link", "link", "link\0-o\0x"), BACKGROUND },
	{ PROCESS("/home/me/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.25.linux-amd64/pkg/tool/linux_amd64/asm", "asm", "asm"), BACKGROUND },
	{ PROCESS("/usr/local/go/bin/go", "go", "go\0test\0./..."), BACKGROUND },
	{ PROCESS("/usr/local/go/bin/go", "go", "go\0run\0."), "no class" },
	{ PROCESS("/usr/local/go/bin/go", "go", "go\0env"), "no rule" },
	{ PROCESS("/home/me/bin/compile", "compile", "compile"), "no rule" },
	{ PROCESS("/home/me/pkg/tool/link", "link", "link"), "no rule" },
	/* "cargo run" becomes the program. */
	{ PROCESS("/usr/bin/cargo", "cargo", "/usr/bin/cargo\0test\0--offline"), BACKGROUND },
	{ PROCESS("/usr/bin/cargo", "cargo", "cargo\0run\0--release"), "no class" },
	{ PROCESS("/src/target/release/game", "game", "target/release/game", .parent = &in_terminal), "no rule" },
	{ PROCESS("/src/target/debug/build/x-cbbc28263bc1c701/build-script-build", "build-script-bu",
		  "/src/target/debug/build/x-cbbc28263bc1c701/build-script-build", .parent = &cargo), BACKGROUND },
	{ PROCESS("/usr/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld", "rust-lld", "rust-lld\0-flavor\0gnu"), BACKGROUND },
	{ PROCESS("/usr/bin/bazel", "bazel", "bazel\0run\0//:app"), "no class" },
	{ PROCESS("/root/.cache/bazel/_bazel_me/install/1f/embedded_tools/jdk/bin/java", "java", "bazel(src)\0-jar\0A-server.jar"), BACKGROUND },
	{ PROCESS("/usr/lib/ghc/bin/ghc-9.4.7", "ghc-9.4.7", "/usr/lib/ghc/bin/ghc\0-B/usr/lib/ghc\0--interactive"), "no class" },
	/* As seen with gradle 4.4 and Maven 3.8: the client, the daemon, and programs that a build starts. */
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-Dorg.gradle.appname=gradle\0-classpath\0"
		  "/usr/share/gradle/lib/gradle-launcher-4.4.1.jar\0org.gradle.launcher.GradleMain\0--offline\0build"), "no rule" },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "/usr/lib/jvm/17/bin/java\0-Xmx1024m\0-cp\0/usr/share/gradle/lib/gradle-launcher-4.4.1.jar\0"
		  "org.gradle.launcher.daemon.bootstrap.GradleDaemon\0004.4.1"), BACKGROUND },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "/usr/lib/jvm/17/bin/java\0-Dfile.encoding=UTF-8\0-cp\0/src/build/classes\0A"), "no rule" },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-classpath\0/usr/share/maven/boot/plexus-classworlds-2.x.jar\0"
		  "org.codehaus.plexus.classworlds.launcher.Launcher\0package"), BACKGROUND },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-classpath\0/usr/share/maven/boot/plexus-classworlds-2.x.jar\0"
		  "org.codehaus.plexus.classworlds.launcher.Launcher\0spring-boot:run"), "no class" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-Xmx4g\0-cp\0gradle-daemon-main-8.10.jar\0"
		  "org.gradle.launcher.daemon.bootstrap.GradleDaemon\0008.10"), BACKGROUND },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-cp\0x.jar\0worker.org.gradle.process.internal.worker.GradleWorkerMain\0Gradle Test"),
	  BACKGROUND },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-Dsbt.script=/usr/bin/sbt\0-jar\0/usr/share/sbt/bin/sbt-launch.jar\0--detach-stdio"),
	  BACKGROUND },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-jar\0/usr/share/sbt/bin/sbt-launch.jar"), "no rule" },
	/* As seen with sbt 1.10. */
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-Xmx1g\0-Denv=test\0-jar\0/usr/share/sbt/bin/sbt-launch.jar"), "no rule" },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-Xmx1g\0-Denv=test\0-jar\0/usr/share/sbt/bin/sbt-launch.jar\0test"), BACKGROUND },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-Xmx1g\0-Denv=test\0-jar\0/usr/share/sbt/bin/sbt-launch.jar\0core/test"), BACKGROUND },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-Xmx1g\0-Denv=test\0-jar\0/usr/share/sbt/bin/sbt-launch.jar\0compile\0shell"), "no class" },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-Xmx1g\0-Denv=test\0-jar\0/usr/share/sbt/bin/sbt-launch.jar\0compile\0core/run"), "no class" },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-Xmx1g\0-Denv=test\0-jar\0/usr/share/sbt/bin/sbt-launch.jar\0~test"), "no rule" },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "java\0-Xmx1g\0-Denv=test\0-jar\0/usr/share/sbt/bin/sbt-launch.jar\0project core"), "no rule" },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "/usr/lib/jvm/17/bin/java\0-classpath\0/src/target/test-classes:/src/target/classes\0"
		  "sbt.ForkMain\00039945"), BACKGROUND },
	{ PROCESS("/usr/lib/jvm/17/bin/java", "java", "/usr/lib/jvm/17/bin/java\0-classpath\0/src/target/classes\0A"), "no rule" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-cp\0gradle-wrapper.jar\0org.gradle.wrapper.GradleWrapperMain\0build"), "no rule" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-Xmx32g\0-jar\0/srv/shop/shop.jar"), "no rule" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-cp\0/usr/share/tomcat/bin/bootstrap.jar\0org.apache.catalina.startup.Bootstrap\0start"),
	  "no rule" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-Xms8g\0org.elasticsearch.bootstrap.Elasticsearch"), "no rule" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-cp\0x\0kafka.Kafka\0server.properties"), "no rule" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-cp\0x\0play.core.server.ProdServerStart"), "no rule" },
	{ PROCESS("/opt/idea/jbr/bin/java", "java", "java\0-cp\0x\0com.intellij.idea.Main"), "no class" },
	{ PROCESS("/usr/bin/node", "node", "node\0/srv/app/server.js"), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/vite\0build"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/vite"), UTILITY },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/webpack\0--mode\0production"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/webpack\0serve"), UTILITY },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/tsc\0--watch"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/share/code/resources/app/tsserver.js"), "no rule" },
	{ PROCESS("/x/node_modules/@esbuild/linux-x64/bin/esbuild", "esbuild", "esbuild\0--service=0.28.2\0--ping"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.11", "pytest", "/usr/bin/python3\0/usr/bin/pytest\0-q", .parent = &code), BACKGROUND },
	{ PROCESS("/usr/bin/python3.11", "python3", "python3\0-m\0pytest\0--pdb"), "no class" },
	{ PROCESS("/usr/bin/python3.11", "python3", "python3"), "no rule" },
	{ PROCESS("/usr/bin/python3.11", "python3", "python3\0manage.py\0runserver"), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/jest\0--watchAll"), "no class" },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/jest/bin/jest.js\0--watchAll=false"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/vitest\0run"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "/usr/bin/node\0node_modules/vitest/vitest.mjs\0--ui"), "no class" },
	{ PROCESS("/usr/bin/node", "node", "/usr/bin/node\0node_modules/webpack/bin/webpack.js"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "webpack", "webpack"), BACKGROUND },
	{ PROCESS("/src/node_modules/@typescript/typescript-linux-x64/lib/tsc", "tsc",
		  "/src/node_modules/@typescript/typescript-linux-x64/lib/tsc\0--noEmit"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "/usr/bin/python3\0/usr/bin/meson\0devenv\0-C\0x"), "no class" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "/usr/bin/python3\0/usr/bin/meson\0compile"), BACKGROUND },
	{ PROCESS("/usr/bin/dash", "dash", "/bin/sh\0./configure\0--prefix=/usr"), BACKGROUND },
	{ PROCESS("/usr/bin/perl", "perl", "/usr/bin/perl\0/usr/bin/autoreconf\0-fi"), BACKGROUND },
	{ PROCESS("/usr/bin/buck2", "buck2", "buck2d[src]\0--isolation-dir\0v2\0daemon"), BACKGROUND },
	{ PROCESS("/usr/bin/buck2", "buck2", "buck2\0run\0//:app"), "no rule" },
	{ PROCESS("/opt/cuda/bin/nvcc", "nvcc", "nvcc\0-c\0x.cu"), BACKGROUND },
	{ PROCESS("/opt/cuda/nvvm/bin/cicc", "cicc", "cicc\0--c++17"), BACKGROUND },
	{ PROCESS("/opt/cuda/bin/ptxas", "ptxas", "ptxas\0-arch=sm_90"), BACKGROUND },
	{ PROCESS("/usr/bin/clang-tidy", "clang-tidy", "clang-tidy\0x.cc"), BACKGROUND },
	{ PROCESS("/usr/bin/clang-format", "clang-format", "clang-format\0--assume-filename=x.cc"), "no rule" },
	{ PROCESS("/usr/lib/ghc/bin/ghc-9.4.7", "ghc-9.4.7", "/usr/lib/ghc/bin/ghc\0-x\0hs\0-e\0:main\0x.hs"), "no class" },
	{ PROCESS("/usr/bin/cabal", "cabal", "cabal\0build\0all"), BACKGROUND },
	{ PROCESS("/usr/bin/cabal", "cabal", "cabal\0run\0x"), "no class" },
	{ PROCESS("/usr/bin/stack", "stack", "stack\0test"), BACKGROUND },
	{ PROCESS("/usr/bin/stack", "stack", "stack\0exec\0--\0x\0build"), "no class" },
	{ PROCESS("/usr/bin/dune", "dune", "dune\0build"), BACKGROUND },
	{ PROCESS("/usr/bin/dune", "dune", "dune\0ocaml-merlin\0--no-print-directory"), "no class" },
	{ PROCESS("/usr/bin/swift-build", "swift-build", "/usr/bin/swift-build\0-c\0release"), BACKGROUND },
	{ PROCESS("/usr/bin/swift-run", "swift-run", "/usr/bin/swift-run\0x"), "no rule" },
	{ PROCESS("/usr/bin/zig", "zig", "zig\0build"), BACKGROUND },
	{ PROCESS("/usr/bin/zig", "zig", "zig\0build-exe\0x.zig"), BACKGROUND },
	{ PROCESS("/usr/bin/zig", "zig", "zig\0build\0run"), "no class" },
	{ PROCESS("/usr/bin/zig", "zig", "zig\0ast-check\0x.zig"), "no rule" },
	{ PROCESS("/usr/lib/erlang/erts-15/bin/beam.smp", "beam.smp",
		  "/usr/lib/erlang/erts-15/bin/beam.smp\0--\0-noshell\0-extra\0/usr/bin/mix\0test"),
	  BACKGROUND },
	{ PROCESS("/usr/lib/erlang/erts-15/bin/beam.smp", "beam.smp",
		  "/usr/lib/erlang/erts-15/bin/beam.smp\0--\0-noshell\0-extra\0/usr/bin/rebar3\0ct"),
	  BACKGROUND },
	{ PROCESS("/usr/lib/erlang/erts-15/bin/beam.smp", "beam.smp",
		  "/usr/lib/erlang/erts-15/bin/beam.smp\0--\0-noshell\0-extra\0/usr/bin/mix\0phx.server"),
	  "no rule" },
	{ PROCESS("/usr/lib/erlang/erts-15/bin/beam.smp", "beam.smp",
		  "/usr/lib/erlang/erts-15/bin/beam.smp\0--\0-extra\0--no-halt\0-S\0mix\0test"),
	  "no rule" },
	{ PROCESS("/usr/lib/erlang/erts-15/bin/beam.smp", "beam.smp",
		  "/usr/lib/erlang/erts-15/bin/beam.smp\0-W\0w\0--\0-boot\0start_sasl\0-rabbit"),
	  "no rule" },
	{ PROCESS("/opt/flutter/dart", "dart", "dart\0--packages=x\0/opt/flutter/bin/cache/flutter_tools.snapshot\0build\0apk"), BACKGROUND },
	{ PROCESS("/opt/flutter/dart", "dart", "dart\0--packages=x\0/opt/flutter/bin/cache/flutter_tools.snapshot\0run"), "no class" },
	{ PROCESS("/opt/flutter/dart", "dart", "dart\0language-server"), "no rule" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java",
		  "java\0-classpath\0.mvn/wrapper/maven-wrapper.jar\0-Dx=y\0org.apache.maven.wrapper.MavenWrapperMain\0package"),
	  BACKGROUND },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java",
		  "java\0-classpath\0.mvn/wrapper/maven-wrapper.jar\0org.apache.maven.wrapper.MavenWrapperMain\0spring-boot:run"),
	  "no class" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java",
		  "java\0-cp\0x\0org.jetbrains.kotlin.preloading.Preloader\0-cp\0y\0org.jetbrains.kotlin.cli.jvm.K2JVMCompiler\0x.kt"),
	  BACKGROUND },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java",
		  "java\0-cp\0x\0org.jetbrains.kotlin.preloading.Preloader\0-cp\0y\0org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"),
	  "no rule" },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-jar\0x/junit-platform-console-standalone-1.11.jar\0execute"), BACKGROUND },
	{ PROCESS("/usr/lib/jvm/21/bin/java", "java", "java\0-jar\0x.jar\0test"), "no rule" },
	{ PROCESS("/usr/bin/dotnet", "dotnet", "dotnet\0build\0-c\0Release"), BACKGROUND },
	{ PROCESS("/usr/bin/dotnet", "dotnet", "dotnet\0test"), BACKGROUND },
	{ PROCESS("/usr/bin/dotnet", "dotnet", "/usr/bin/dotnet\0exec\0/usr/share/dotnet/sdk/9.0.100/vstest.console.dll"), BACKGROUND },
	{ PROCESS("/usr/bin/dotnet", "dotnet", "dotnet\0watch\0test"), "no class" },
	{ PROCESS("/usr/bin/dotnet", "dotnet", "dotnet\0run"), "no class" },
	{ PROCESS("/usr/bin/dotnet", "dotnet", "/usr/bin/dotnet\0/srv/shop/Shop.dll"), "no rule" },
	{ PROCESS("/usr/share/dotnet/sdk/10.0.100/Roslyn/bincore/VBCSCompiler", "VBCSCompiler", "VBCSCompiler\0-pipename:x"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/next\0build"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/next\0start"), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/next\0dev"), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/ng\0serve"), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/astro\0build"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/eslint\0."), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/eslint\0--stdin"), "no class" },
	{ PROCESS("/src/node_modules/x/lib/tsgo", "tsgo", "tsgo\0--noEmit"), BACKGROUND },
	{ PROCESS("/src/node_modules/x/lib/tsgo", "tsgo", "tsgo\0--lsp\0--stdio"), "no class" },
	{ PROCESS("/src/node_modules/@turbo/linux-64/bin/turbo", "turbo", "turbo\0run\0test"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/nx\0run-many\0-t\0build"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/nx\0serve\0x"), "no class" },
	{ PROCESS("/usr/bin/node", "node", "node\0--test"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/playwright\0test"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0node_modules/.bin/playwright\0test\0--ui"), "no class" },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/bin/pyright-langserver\0--stdio"), "no rule" },
	{ PROCESS("/usr/bin/deno", "deno", "deno\0test"), BACKGROUND },
	{ PROCESS("/usr/bin/deno", "deno", "deno\0task\0test"), "no class" },
	{ PROCESS("/usr/bin/deno", "deno", "deno\0lsp"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0manage.py\0test"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0manage.py\0shell"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0-m\0build"), BACKGROUND },
	{ PROCESS("/home/me/bin/build", "build", "build"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0setup.py\0build_ext"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0setup.py\0--version"), "no rule" },
	{ PROCESS("/usr/bin/php8.3", "php8.3", "php\0vendor/bin/phpstan\0analyse"), BACKGROUND },
	{ PROCESS("/usr/bin/php8.3", "php8.3", "php\0artisan\0serve"), "no rule" },

	/* Package managers, and their programs that ask questions. */
	{ PROCESS("/usr/bin/dpkg-deb", "dpkg-deb", "dpkg-deb\0--fsys-tarfile\0x.deb"), BACKGROUND },
	{ PROCESS("/usr/bin/dpkg", "dpkg", "/usr/bin/dpkg\0--status-fd\00020\0--unpack\0x.deb", .parent = &apt), BACKGROUND },
	{ PROCESS("/usr/bin/dpkg", "dpkg", "/usr/bin/dpkg\0--status-fd\00020\0--configure\0--pending", .parent = &apt), "no rule" },
	{ PROCESS("/usr/lib/apt/methods/store", "store", "/usr/lib/apt/methods/store", .parent = &apt), BACKGROUND },
	{ PROCESS("/usr/bin/apt", "apt", "apt\0install\0vim"), "no rule" },
	{ PROCESS("/usr/bin/apt", "apt", "apt\0full-upgrade"), "no rule" },
	{ PROCESS("/usr/bin/apt-get", "apt-get", "apt-get\0dist-upgrade"), "no rule" },
	{ PROCESS("/usr/bin/perl", "frontend", "perl\0-w\0/usr/share/debconf/frontend\0/var/lib/dpkg/info/x.postinst"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "dnf", "/usr/bin/python3\0/usr/bin/dnf\0upgrade\0-y"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "dnf", "/usr/bin/python3\0/usr/bin/dnf\0upgrade"), "no rule" },
	{ PROCESS("/usr/bin/dnf5", "dnf5", "dnf\0upgrade\0--security"), "no rule" },
	{ PROCESS("/usr/bin/pacman", "pacman", "pacman\0-Syu\0--noconfirm"), BACKGROUND },
	{ PROCESS("/usr/bin/pacman", "pacman", "pacman\0-Syu"), "no rule" },
	{ PROCESS("/usr/bin/apt-get", "apt-get", "apt-get\0-y\0install\0vim"), BACKGROUND },
	{ PROCESS("/usr/bin/apt", "apt", "apt\0update"), BACKGROUND },
	{ PROCESS("/usr/bin/bash", "bash", "/usr/bin/bash\0-c\0. /tmp/alpm_IpYl5X/.INSTALL; post_install 1-1", .parent = &pacman),
	  BACKGROUND },
	{ PROCESS("/usr/bin/zypper", "zypper", "zypper\0dup"), "no rule" },
	{ PROCESS("/usr/bin/zypper", "zypper", "zypper\0--non-interactive\0dup"), BACKGROUND },
	{ PROCESS("/usr/bin/repo2solv", "repo2solv", "repo2solv\0-o\0/var/cache/zypp/solv/t/solv", .parent = &zypper), BACKGROUND },
	{ PROCESS("/usr/bin/rpm", "rpm", "rpm\0--root\0/\0-U\0--percent\0--\0x.rpm", .parent = &zypper), BACKGROUND },
	{ PROCESS("/usr/bin/rpm", "rpm", "rpm\0-qa", .parent = &in_terminal), "no rule" },
	{ PROCESS("/usr/bin/flatpak", "flatpak", "flatpak\0run\0org.gimp.GIMP\0update\0-y"), "no class" },
	{ PROCESS("/usr/bin/flatpak", "flatpak", "flatpak\0update"), "no rule" },
	{ PROCESS("/usr/bin/flatpak", "flatpak", "flatpak\0--user\0upgrade\0-y"), BACKGROUND },
	{ PROCESS("/usr/bin/flatpak", "flatpak", "flatpak\0build\0dir\0apt\0-y"), "no class" },
	{ PROCESS("/usr/bin/flatpak", "flatpak", "flatpak\0build-export\0repo\0dir"), BACKGROUND },
	{ PROCESS("/usr/libexec/flatpak-system-helper", "flatpak-system-", "/usr/libexec/flatpak-system-helper"), BACKGROUND },
	/* As seen with snapd 2.57; where the snap of snapd is installed, they are in that. */
	{ PROCESS("/usr/lib/snapd/snapd", "snapd", "/usr/lib/snapd/snapd"), UTILITY },
	{ PROCESS("/snap/snapd/1/usr/lib/snapd/snapd", "snapd", "/snap/snapd/1/usr/lib/snapd/snapd"), UTILITY },
	{ PROCESS("/usr/bin/unsquashfs", "unsquashfs", "unsquashfs\0-n\0-i\0-d\0/tmp/read-file1/unpack\0/var/lib/snapd/snaps/x.snap\0meta/snap.yaml",
		  .parent = &snapd), BACKGROUND },
	{ PROCESS("/usr/lib/snapd/snap-seccomp", "snap-seccomp", "/usr/lib/snapd/snap-seccomp\0version-info", .parent = &snapd), BACKGROUND },
	{ PROCESS("/usr/sbin/apparmor_parser", "apparmor_parser", "/usr/sbin/apparmor_parser\0--preprocess", .parent = &snapd), BACKGROUND },
	{ PROCESS("/usr/bin/mksquashfs", "mksquashfs", "mksquashfs\0.\0/src/x_1_all.snap\0-noappend\0-comp\0xz"), BACKGROUND },
	{ PROCESS("/usr/bin/snap", "snap", "snap\0install\0x"), "no rule" },
	{ PROCESS("/usr/bin/bash", "rpm-tmp.a8Fj2k", "/bin/sh\0/var/tmp/rpm-tmp.a8Fj2k\0001"), BACKGROUND },
	{ PROCESS("/usr/bin/nix", "nix-daemon", "nix-daemon\00012345"), BACKGROUND },
	{ PROCESS("/usr/bin/nix", "nix", "nix\0develop"), "no class" },
	{ PROCESS("/usr/bin/nix", "nix-shell", "nix-shell\0-p\0x"), "no rule" },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0/tmp/nix-shell-29192-0/rc"), "no rule" },
	{ PROCESS("/nix/store/a-bash-5.2/bin/bash", "bash", "bash\0-e\0/nix/store/b-source-stdenv.sh\0/nix/store/c-default-builder.sh"),
	  BACKGROUND },
	{ PROCESS("/usr/bin/node", "npm", "node\0/usr/bin/npm\0ci"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "npm", "node\0/usr/bin/npm\0start"), "no class" },
	{ PROCESS("/usr/bin/node", "npm", "node\0/usr/bin/npm\0init"), "no rule" },
	{ PROCESS("/usr/bin/node", "npm run build", "npm run build"), "no rule" },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/bin/npx\0tsc"), "no rule" },
	{ PROCESS("/usr/bin/python3.11", "python", "python\0-m\0pip\0install\0."), BACKGROUND },
	{ PROCESS("/usr/bin/pipewire", "pipewire", "/usr/bin/pipewire"), INTERACTIVE },
	{ PROCESS("/home/me/.local/bin/uv", "uv", "uv\0sync"), BACKGROUND },
	{ PROCESS("/home/me/.local/bin/uv", "uv", "uv\0run\0app.py"), "no class" },
	{ PROCESS("/home/me/.bun/bin/bun", "bun", "bun\0test"), BACKGROUND },
	{ PROCESS("/home/me/.bun/bin/bun", "bun", "bun\0server.ts"), "no rule" },
	{ PROCESS("/usr/bin/apt-get", "apt-get", "apt-get\0-qqy\0install\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/apt-get", "apt-get", "apt-get\0install\0-yq\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/apt-get", "apt-get", "apt-get\0--assume-yes\0upgrade"), BACKGROUND },
	{ PROCESS("/usr/bin/apt-get", "apt-get", "apt-get\0-q\0upgrade"), "no rule" },
	{ PROCESS("/usr/bin/aptitude", "aptitude", "aptitude\0-y\0upgrade"), BACKGROUND },
	{ PROCESS("/usr/bin/aptitude", "aptitude", "aptitude"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "/usr/bin/python3\0/usr/bin/nala\0upgrade"), "no rule" },
	{ PROCESS("/usr/bin/dnf5", "dnf5", "dnf5\0-qy\0install\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/microdnf", "microdnf", "microdnf\0install\0-y\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/yay", "yay", "yay\0-Syu\0--noconfirm"), BACKGROUND },
	{ PROCESS("/usr/bin/yay", "yay", "yay\0-Syu"), "no rule" },
	{ PROCESS("/usr/bin/pamac-daemon", "pamac-daemon", "/usr/bin/pamac-daemon"), BACKGROUND },
	{ PROCESS("/usr/bin/xbps-install", "xbps-install", "xbps-install\0-Suy"), BACKGROUND },
	{ PROCESS("/usr/bin/xbps-install", "xbps-install", "xbps-install\0-Su\0--memory-sync"), "no rule" },
	{ PROCESS("/sbin/apk", "apk", "apk\0upgrade"), BACKGROUND },
	{ PROCESS("/sbin/apk", "apk", "apk\0add\0-i\0x"), "no class" },
	{ PROCESS("/usr/bin/ruby", "ruby", "ruby\0-W1\0--\0/home/linuxbrew/.linuxbrew/Homebrew/Library/Homebrew/brew.rb\0install\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/ruby", "ruby", "ruby\0-W1\0--\0/home/linuxbrew/.linuxbrew/Homebrew/Library/Homebrew/brew.rb\0list"), "no rule" },
	{ PROCESS("/usr/bin/nix", "nix", "nix\0flake\0check"), BACKGROUND },
	{ PROCESS("/usr/bin/nix", "nix", "nix\0store\0gc"), MAINTENANCE },
	{ PROCESS("/usr/bin/nix", "nix", "nix-store\0--gc"), MAINTENANCE },
	{ PROCESS("/usr/bin/nix", "nix", "nix\0run\0nixpkgs#x\0--\0flake"), "no class" },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0/usr/bin/grub2-mkconfig\0-o\0x"), BACKGROUND },
	{ PROCESS("/home/me/.local/bin/uv", "uv", "/home/me/.local/bin/uv\0tool\0uvx\0ipython"), "no class" },
	{ PROCESS("/home/me/.local/bin/uv", "uv", "uv\0tool\0install\0x"), BACKGROUND },
	{ PROCESS("/home/me/.bun/bin/bun", "bun", "bunx\0shadcn\0add\0button"), "no class" },
	{ PROCESS("/home/me/.bun/bin/bun", "bun", "bun\0x\0shadcn\0add\0button"), "no class" },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/bin/pnpm\0dlx\0shadcn\0add\0button"), "no class" },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/bin/yarn\0dlx\0shadcn\0add\0button"), "no class" },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/bin/yarn\0add\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0/src/.yarn/releases/yarn-4.6.0.cjs\0install"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/lib/node_modules/npm/bin/npm-cli.js\0install"), BACKGROUND },
	{ PROCESS("/usr/bin/node", "node", "node\0/usr/lib/node_modules/npm/bin/npm-cli.js\0run\0dev"), "no class" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0/usr/bin/poetry\0install"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0/usr/bin/poetry\0run\0x"), "no class" },
	{ PROCESS("/usr/bin/pixi", "pixi", "pixi\0shell"), "no class" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0/opt/conda/bin/conda\0install\0-y\0x"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0/opt/conda/bin/conda\0install\0x"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0-m\0pip\0wheel\0."), BACKGROUND },
	{ PROCESS("/usr/bin/php8.3", "php8.3", "php\0/usr/bin/composer\0install\0--no-interaction"), BACKGROUND },
	{ PROCESS("/usr/bin/php8.3", "php8.3", "php\0/usr/bin/composer\0require\0x"), "no rule" },
	{ PROCESS("/usr/bin/ruby3.3", "ruby3.3", "ruby\0/usr/bin/bundle\0install"), BACKGROUND },
	{ PROCESS("/usr/bin/ruby3.3", "ruby3.3", "ruby\0/usr/bin/bundle\0exec\0rails\0server"), "no class" },

	/* Models, indexes and sync clients. */
	{ PROCESS("/usr/bin/ollama", "ollama", "/usr/bin/ollama\0serve"), UTILITY },
	{ PROCESS("/usr/bin/ollama", "ollama", "ollama\0start"), UTILITY },
	{ PROCESS("/usr/bin/ollama", "ollama", "/usr/bin/ollama\0runner\0--ollama-engine\0--model\0/x/blobs/sha256-1\0--port\00040001"), UTILITY },
	{ PROCESS("/usr/bin/bash", "bash", "bash\0-c\0make", .parent = &ollama), BACKGROUND },
	{ PROCESS("/usr/bin/ollama", "ollama", "ollama\0run\0llama3"), "no class" },
	{ PROCESS("/usr/bin/llama-server", "llama-server", "llama-server\0-m\0x.gguf"), UTILITY },
	/* As seen with llama.cpp 0.7: it starts itself for each model. */
	{ PROCESS("/usr/bin/llama-server", "llama-server", "/usr/bin/llama-server\0--models-dir\0/m"), UTILITY },
	{ PROCESS("/usr/bin/llama-server", "llama-server", "/usr/bin/llama-server\0--host\000127.0.0.1\0--port\00055187\0--alias\0x\0"
		  "--model\0/m/x.gguf"), UTILITY },
	{ PROCESS("/usr/bin/llama-cli", "llama-cli", "llama-cli\0-m\0x.gguf"), UTILITY },
	{ PROCESS("/usr/bin/com.docker.llama-server", "com.docker.llam", "com.docker.llama-server\0-m\0x"), UTILITY },
	{ PROCESS("/usr/bin/python3.11", "python3.11", "python3\0-m\0vllm.entrypoints.openai.api_server\0--model\0x"), UTILITY },
	{ PROCESS("/usr/bin/python3.11", "python3.11", "python3\0-m\0sglang.launch_server\0--model\0x"), UTILITY },
	{ PROCESS("/opt/koboldcpp/koboldcpp-linux-x64", "koboldcpp-linux", "./koboldcpp-linux-x64\0--model\0x"), UTILITY },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0koboldcpp.py"), "no rule" },
	{ PROCESS("/home/me/.lmstudio/llmster/0.0.12-1/llmster", "llmster", "/home/me/.lmstudio/llmster/0.0.12-1/llmster"), UTILITY },
	{ PROCESS("/home/me/.lmstudio/.internal/utils/node", "node", "/home/me/.lmstudio/.internal/utils/node\0-e\0x"), UTILITY },
	{ PROCESS("/home/me/.lmstudio/bin/lms", "lms", "lms\0server\0start"), UTILITY },
	{ PROCESS("/home/me/.lmstudio/bin/lms", "lms", "lms\0chat"), "no class" },
	{ PROCESS("/opt/LM-Studio/lm-studio", "lm-studio", "/opt/LM-Studio/lm-studio"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0/home/me/ComfyUI/main.py\0--listen"), UTILITY },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0/srv/app/main.py"), "no rule" },
	{ PROCESS("/home/me/text-generation-webui/installer_files/env/bin/python3.11", "python3.11", "python\0server.py\0--api"), UTILITY },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0server.py"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0-u\0launch.py", .parent = &webui_sh), UTILITY },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0launch.py"), "no rule" },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "/usr/bin/python3\0/usr/bin/open-webui\0serve"), "no rule" },
	{ PROCESS("/usr/bin/python3.11", "python3", "python3\0-m\0llama_cpp.server\0--model\0x.gguf"), UTILITY },
	{ PROCESS("/usr/bin/python3.11", "VLLM::EngineCor", "VLLM::EngineCore"), UTILITY },
	{ PROCESS("/usr/bin/recollindex", "recollindex", "recollindex\0-m"), MAINTENANCE },
	{ PROCESS("/usr/bin/recoll", "recoll", "recoll"), "no rule" },
	{ PROCESS("/usr/bin/onedrive", "onedrive", "onedrive\0--monitor"), BACKGROUND },
	{ PROCESS("/usr/libexec/tracker-miner-fs", "tracker-miner-f", "/usr/libexec/tracker-miner-fs"), MAINTENANCE },
	{ PROCESS("/usr/lib/duplicati/duplicati-server", "duplicati-serve", "/usr/lib/duplicati/duplicati-server"), MAINTENANCE },
	{ PROCESS("/usr/bin/mono-sgen", "mono-sgen", "mono\0/usr/lib/duplicati/Duplicati.Server.exe"), MAINTENANCE },
	{ PROCESS("/usr/lib/duplicati/duplicati", "duplicati", "/usr/lib/duplicati/duplicati"), UTILITY },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0-Es\0/usr/share/backintime/common/backintime.py\0backup-job"), MAINTENANCE },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "python3\0-Es\0/usr/share/backintime/common/backintime.py\0restore"), "no rule" },
	{ PROCESS("/usr/bin/proxmox-backup-client", "proxmox-backup-", "proxmox-backup-client\0backup\0x"), MAINTENANCE },
	{ PROCESS("/usr/bin/proxmox-backup-client", "proxmox-backup-", "proxmox-backup-client\0mount\0x"), "no rule" },
	{ PROCESS("/usr/bin/rclone", "rclone", "rclone\0sync\0x\0y:mount/z"), BACKGROUND },
	{ PROCESS("/usr/bin/rclone", "rclone", "rclone\0mount\0x:\0/mnt"), "no class" },
	{ PROCESS("/usr/bin/rclone", "rclone", "rclone\0config"), "no class" },
	{ PROCESS("/usr/bin/unison", "unison", "unison\0-batch\0home"), BACKGROUND },
	{ PROCESS("/usr/bin/unison", "unison", "unison\0home"), "no rule" },
	{ PROCESS("/usr/bin/lsyncd", "lsyncd", "lsyncd\0/etc/x"), BACKGROUND },
	{ PROCESS("/usr/bin/rsync", "rsync", "rsync\0-a\0x\0y"), "no rule" },
	{ PROCESS("/usr/bin/btrfs", "btrfs", "btrfs\0scrub\0start\0/"), MAINTENANCE },
	{ PROCESS("/usr/bin/btrfs", "btrfs", "btrfs\0subvolume\0list\0/"), "no rule" },
	{ PROCESS("/usr/bin/duperemove", "duperemove", "duperemove\0-dr\0/"), MAINTENANCE },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "/usr/bin/python3\0/usr/lib/update-notifier/apt-check"), BACKGROUND },
	{ PROCESS("/usr/bin/python3.13", "python3.13", "/usr/bin/python3\0/usr/bin/do-release-upgrade"), "no rule" },
	{ PROCESS("/usr/bin/fwupdmgr", "fwupdmgr", "fwupdmgr\0update"), "no rule" },

	/* Servers. */
	{ PROCESS("/usr/sbin/nginx", "nginx", "nginx: worker process"), "no rule" },
	{ PROCESS("/usr/lib/postgresql/15/bin/postgres", "postgres", "/usr/lib/postgresql/15/bin/postgres\0-D\0/x"), "no rule" },
	{ PROCESS("/usr/sbin/mysqld", "mysqld", "mysqld"), "no rule" },
	{ PROCESS("/usr/bin/redis-server", "redis-server", "redis-server"), "no rule" },
	{ PROCESS("/usr/sbin/sshd", "sshd", "sshd: me [priv]"), "no class" },
};

TEST(programs_that_people_run_have_their_classes)
{
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	for (size_t i = 0; i < COUNT(programs); i++) {
		struct program *program = &programs[i];
		int error;
		const struct rule *rule = process_match(config, &program->process, &error);
		const char *found = rule && rule->qos ? rule->qos : rule ? "no class" : "no rule";

		assert_int_equal(error, 0);
		if (strcmp(found, program->want) != 0)
			fail_msg("number %zu, %s: %s by \"%s\"", i, program->process.exe, found, rule ? rule->pattern : "");
	}
	config_free(config);
}

/* Programs that a build may open do not inherit its class, with or without a user at a seat. */
TEST(terminals_and_editors_end_inheritance)
{
	static const char *const names[] = { "xterm", "kitty", "tmux", "vim", "nvim", "emacs", "code", "cursor", "kak", "gnome-terminal",
					     "xdg-open", "less", "screen", "sshd", "tabby", "warp", "zeditor", "zen" };
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	for (size_t i = 0; i < 2 * COUNT(names); i++) {
		struct process process = { .exe = names[i / 2], .elsewhere = i % 2 };
		int error;
		const struct rule *rule = process_match(config, &process, &error);

		if (!rule || rule->inherit != INHERIT_NO)
			fail_msg("%s%s", names[i / 2], i % 2 ? ", elsewhere" : "");
	}
	config_free(config);
}

/* ---- every rule ---- */

#define WORD_MAX 256
#define ARGV_MAX 2048

/* Returns a text that the pattern matches: "x" for a star or a question mark, the first character of brackets. */
static const char *made_up(const char *pattern, char word[WORD_MAX])
{
	char *to = word;

	if (!pattern_is_glob(pattern))
		return pattern;
	for (; *pattern; pattern++) {
		assert_true(to < word + WORD_MAX - 1);
		if (*pattern == '[') {
			*to++ = pattern[1];
			pattern = strchr(pattern, ']');
			assert_non_null(pattern);
		} else if (*pattern == '\\') {
			*to++ = *++pattern;
		} else {
			*to++ = (char)(strchr("*?", *pattern) ? 'x' : *pattern);
		}
	}
	*to = '\0';
	return word;
}

static void add_argument(struct process *process, char argv[ARGV_MAX], const char *argument)
{
	const size_t size = strlen(argument) + 1;

	assert_true(process->argv_size + size <= ARGV_MAX);
	memcpy(argv + process->argv_size, argument, size);
	process->argv_size += size;
}

/* Returns whether a program of the rule's name, in a made-up folder and meeting all conditions, takes the rule. */
static bool takes_own(const struct config *config, const struct rule *rule, const char *parent_pattern, bool elsewhere)
{
	const struct rule_match *match = rule->match;
	char name[WORD_MAX], path[2 * WORD_MAX], place[WORD_MAX], parent_name[WORD_MAX], word[WORD_MAX], argv[ARGV_MAX];
	struct process parent = { .exe = made_up(parent_pattern, parent_name) };
	struct process process = { .comm = "made-up", .argv = argv, .elsewhere = elsewhere, .parent = &parent };
	int error;

	made_up(rule->pattern, name);
	snprintf(path, sizeof(path), "%s", strchr(rule->pattern, '/') ? made_up(rule->pattern, name) : "");
	if (!*path)
		snprintf(path, sizeof(path), "%s/%s", match && match->exe ? made_up(match->exe, place) : "/opt/made up/bin",
			 made_up(rule->pattern, name));
	process.exe = path;
	add_argument(&process, argv, path);
	add_argument(&process, argv, "--made-up=1");
	for (size_t i = 0; match && i < match->n_argv; i++)
		add_argument(&process, argv, made_up(match->argv[i], word));
	add_argument(&process, argv, "another");
	parent.argv = parent.exe;
	parent.argv_size = strlen(parent.exe) + 1;
	return process_match(config, &process, &error) == rule && !error;
}

/* Some rules are for users at a seat, and the next one of the list for others. */
static void assert_takes_own(const struct config *config, const struct rule *rule, const char *parent)
{
	if (!takes_own(config, rule, parent, false) && !takes_own(config, rule, parent, true))
		fail_msg("%s, line %u of %s: no program of that name takes it, parent %s", rule->pattern, rule->source.line,
			 config->files[rule->source.file], parent);
}

TEST(every_rule_matches_a_program_of_its_name)
{
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	for (size_t i = 0; i < config->rules->n_lists; i++) {
		for (const struct rule *rule = config->rules->lists[i]; rule; rule = rule->next) {
			const size_t n = rule->match ? rule->match->n_parents : 0;

			for (size_t k = 0; k < n; k++)
				assert_takes_own(config, rule, rule->match->parents[k]);
			if (!n)
				assert_takes_own(config, rule, "init");
		}
	}
	config_free(config);
}
