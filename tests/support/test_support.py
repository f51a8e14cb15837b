# SPDX-License-Identifier: MIT
"""What several folders of tests share: data of processes that end meanwhile, and why tests were skipped."""
import builtins
import io
import os
import subprocess
import unittest
from unittest import mock

import processes
import skips  # noqa: F401  pylint: disable=unused-import


class Processes(unittest.TestCase):
    """Processes that end before /proc is read, or between the opening and the reading of a file."""

    def setUp(self):
        self.child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        self.addCleanup(self.child.stdin.close)
        self.addCleanup(self.end)
        self.pid = self.child.pid

    def end(self):
        self.child.kill()
        self.child.wait()

    def test_one_that_lives(self):
        self.assertEqual(processes.threads(self.pid), [self.pid])
        self.assertIn(self.pid, processes.processes())
        self.assertEqual(processes.children(self.pid), [])
        self.assertIn("pipe:", processes.fd_names(self.pid)[0])
        # Parent, group and session: the other fields change while the program starts.
        self.assertEqual(processes.stat_of(self.pid)[1:4], processes.stat_of(self.pid, self.pid)[1:4])
        self.assertEqual(processes.stat_of(self.pid)[1], str(os.getpid()))
        self.assertEqual(processes.status_of(self.pid)["Pid"], str(self.pid))

    def test_one_that_has_ended(self):
        self.end()
        self.assertEqual(processes.read_proc(self.pid, "maps"), "")
        self.assertEqual(processes.threads(self.pid), [])
        self.assertNotIn(self.pid, processes.processes())
        self.assertEqual(processes.children(self.pid), [])
        self.assertEqual(processes.comm(self.pid), "")
        self.assertEqual(processes.cmdline(self.pid), [""])
        self.assertEqual(processes.stat_of(self.pid), [])
        self.assertEqual(processes.stat_of(self.pid, self.pid), [])
        self.assertEqual(processes.status_of(self.pid), {})
        self.assertEqual(processes.fd_names(self.pid), [])

    def test_one_that_ends_while_it_is_read(self):
        opens = builtins.open

        def open_and_end(*args, **options):
            opened = opens(*args, **options)
            self.end()
            return opened

        with mock.patch("builtins.open", open_and_end):
            self.assertEqual(processes.read_proc(self.pid, "task/%d/wchan" % self.pid), "")


class Skips(unittest.TestCase):
    """unittest prints why tests were skipped, without being asked for it."""

    def test_reasons_are_lines(self):
        @unittest.skip("needs root")
        class All(unittest.TestCase):
            def test_one(self):
                pass

            def test_two(self):
                pass

        class Some(unittest.TestCase):
            def test_passes(self):
                pass

            def test_needs_a_program(self):
                self.skipTest("no program\nhere")

        suite = unittest.TestSuite([All("test_one"), Some("test_passes"), Some("test_needs_a_program"), All("test_two")])
        stream = io.StringIO()
        result = unittest.TextTestRunner(stream).run(suite)
        self.assertTrue(result.wasSuccessful())
        self.assertEqual([line for line in stream.getvalue().splitlines() if line.startswith("skipped")],
                         ["skipped: needs root (2 tests)", "skipped: no program here"])


if __name__ == "__main__":
    unittest.main()
