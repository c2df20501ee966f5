# SPDX-License-Identifier: GPL-2.0-only
"""The scenario io: what fio prints, which disks are meant, and that they get their I/O schedulers back."""

import shutil
import unittest
from unittest import mock

from case import Folder, context, options
from schedqos_bench import block
from schedqos_bench.process import Failure
from schedqos_bench.scenarios import io

# As fio 3.33 printed it for 24 reads, without what is not looked at.
PRINTED = """\
fio: this platform does not support something
{
  "fio version" : "fio-3.33",
  "timestamp" : 1795179076,
  "jobs" : [
    {
      "jobname" : "reader",
      "error" : 0,
      "read" : {
        "io_bytes" : 98304,
        "bw_bytes" : 19660800,
        "iops" : 4800.000000,
        "runtime" : 5,
        "slat_ns" : { "min" : 0, "max" : 0, "mean" : 0.000000, "stddev" : 0.000000, "N" : 0 },
        "clat_ns" : { "min" : 53321, "max" : 1561669, "mean" : 198775.083333, "stddev" : 299529.994094, "N" : 24 },
        "lat_ns" : {
          "min" : 53351,
          "max" : 1561853,
          "mean" : 198876.500000,
          "stddev" : 299561.664290,
          "N" : 24,
          "percentile" : {
            "50.000000" : 129536,
            "99.000000" : 1564672,
            "99.900000" : 1564672
          },
          "bins" : {
            "53504" : 1,
            "54528" : 3,
            "129536" : 12,
            "288768" : 7,
            "1564672" : 1
          }
        }
      },
      "write" : { "io_bytes" : 0 }
    }
  ]
}
fio: file hash not empty on exit
"""

PROC_IO = """\
rchar: 323934931
wchar: 323929600
syscr: 632687
syscw: 632675
read_bytes: 0
write_bytes: 323932160
cancelled_write_bytes: 0
"""


class Disks(Folder):
    def disk(self, name, text="none [mq-deadline] bfq\n"):
        """A disk in a sysfs of our own."""
        disk = self.folder / "sys" / "devices" / name
        (disk / "queue").mkdir(parents=True)
        (disk / "queue" / "scheduler").write_text(text)
        return disk


class Parsing(unittest.TestCase):
    def test_result(self):
        found = io.parse(PRINTED)
        # The middle of the last bin is beyond the greatest value.
        self.assertEqual(found["metrics"], {"p50": 129.536, "p99": 1561.853, "p99.9": 1561.853, "max": 1561.853})
        self.assertEqual(found["distribution"]["points"],
                         [[53.760, 1], [54.784, 3], [130.048, 12], [290.816, 7], [1572.864, 1]])
        self.assertEqual(found["printed"], {"samples": 24, "min": 53.351, "mean": 198.8765, "iops": 4800.0})

    def test_no_result(self):
        for text in ("", "fio: /x: No such file or directory\n", "{}", '{"jobs": []}',
                     PRINTED.replace('"bins"', '"sums"'), PRINTED.replace('"N" : 24', '"N" : 0')):
            with self.assertRaises(Failure):
                io.parse(text)

    def test_written(self):
        self.assertEqual(io.parse_written(PROC_IO), 323932160)


class Options(Disks):
    def options(self, *arguments):
        return options((io,), *arguments, folder=self.folder)

    def test_what_is_missing_is_said(self):
        with mock.patch.object(shutil, "which", return_value=None):
            self.assertEqual([tuple(each) for each in io.needs(self.options())], [("fio", "package fio")])
        with mock.patch.object(shutil, "which", return_value="fio"), \
                mock.patch.object(io, "_engines", return_value=["psync"]), \
                mock.patch.object(block, "disks", return_value=[]):
            self.assertEqual([each.what for each in io.needs(self.options())],
                             ["fio's engine libaio", "a disk with I/O schedulers"])
            self.assertEqual(len(io.needs(self.options("--io-writer", "buffered"))), 1)
        with mock.patch.object(shutil, "which", return_value="fio"), \
                mock.patch.object(io, "_engines", return_value=["libaio"]), \
                mock.patch.object(block, "disks", return_value=[self.disk("sda")]):
            self.assertEqual(io.needs(self.options()), [])
            self.assertEqual([each.what for each in io.needs(self.options("--io-schedulers", "bfq,kyber"))],
                             ["the I/O scheduler kyber"])


class Rounds(Disks):
    """With a fio that prints at once."""

    def round(self, seed=1, fails=False):
        disk = self.disk(f"disk{seed}", "none [mq-deadline] bfq\n")
        self.used = []

        def measure(given, cell):
            self.used.append((cell.name, (disk / "queue" / "scheduler").read_text()))
            if fails:
                raise Failure("fio fails")
            return io.parse(PRINTED), 123.0
        with mock.patch.object(block, "disks", return_value=[disk]), mock.patch.object(io, "_measure", measure):
            given = context(options((io,), "--io-schedulers", "none,bfq,mq-deadline", "--io-priorities", "class,be0:idle",
                                    folder=self.folder))
            try:
                found = io.run_round(given._replace(seed=seed))
            finally:
                self.assertEqual((disk / "queue" / "scheduler").read_text(), "mq-deadline")
            self.assertEqual(set(found.metrics), set(io.metrics(given.options)))
        return found

    def test_a_failure_puts_the_scheduler_back(self):
        with self.assertRaises(Failure):
            self.round(fails=True)
