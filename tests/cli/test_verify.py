# SPDX-License-Identifier: MIT
"""--verify and --explain: results of another device are compared with the CPU, and the device and times are
reported."""
import json
import os
import shutil
import tempfile
import unittest

from support import GREY, Daemon, DaemonCase, fnv1a64, png

# Adds 1 to each byte for every operation, like a broken device.
WORKERS = """#!/bin/sh
[ "$2" = cpu ] && exec "%s" "$@"
exec "%s" "$@"
""" % (os.environ["GF_WORKER"], os.environ["GF_FAKE_WORKER"])

PLUS_1 = bytes(v + 1 for v in GREY)
PLUS_2 = bytes(v + 2 for v in GREY)


class Verify(DaemonCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="gf-cli-")
        cls.addClassCleanup(shutil.rmtree, folder)
        script = os.path.join(folder, "worker")
        with open(script, "w") as f:
            f.write(WORKERS)
        os.chmod(script, 0o700)
        DaemonCase.daemon = Daemon("cpu,cuda:0", "--worker", script)
        cls.addClassCleanup(DaemonCase.daemon.stop)

    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))

    def stderr_of(self, *args):
        r = self.run_client(*args)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        return r.stderr.decode()

    def test_what_is_the_same(self):
        for args in [["map", "--offset=1", "in.png", "out.raw"], ["pipe", "in.png", "map offset=1", "-o", "out.raw"]]:
            told = self.stderr_of(*args, "--device", "cuda:0", "--verify")
            self.assertEqual(told, "verified: cpu gives the same\n")
            self.assertEqual(self.read("out.raw"), PLUS_1)
            self.assertEqual(self.stderr_of(*args, "--device", "cpu", "--verify"), "verified: cpu gives the same\n")
            self.assertEqual(self.stderr_of(*args, "--verify", "-q"), "")
            report = json.loads(self.good(*args, "--verify", "--json", "--device", "cuda:0"))
            self.assertEqual((report["device"], report["verified"]), ("cuda:0", "cpu"))
            self.assertNotIn("verified", json.loads(self.good(*args, "--json")))

    def test_what_differs_is_not_written(self):
        text = "cuda:0 and cpu differ in output 0 of step 1: %s and %s" % (fnv1a64(PLUS_1), fnv1a64(PLUS_2))
        for args in [["map", "--offset=2", "in.png", "out.raw"], ["pipe", "in.png", "map offset=2", "-o", "out.raw"]]:
            self.bad(70, text, *args, "--device", "cuda:0", "--verify")
            self.assertFalse(os.path.exists(self.path("out.raw")))
            r = self.run_client(*args, "--device", "cuda:0", "--verify", "--json")
            self.assertEqual((r.returncode, json.loads(r.stdout)["error"]), (70, {"status": "INTERNAL", "text": text}))
            self.good(*args, "--device", "cuda:0")
            self.assertEqual(self.read("out.raw"), PLUS_1)
            os.remove(self.path("out.raw"))

    def test_every_result_counts(self):
        """Step 1 is correct here. The values that a step reports are results, too."""
        self.bad(70, "differ in output 0 of step 2", "pipe", "in.png", "map offset=1 | map offset=1", "-o", "1:one.raw",
                 "-o", "2:two.raw", "--device", "cuda:0", "--verify")
        self.bad(70, "differ in output 0 of step 1", "histogram", "in.png", "--device", "cuda:0", "--verify", "-q")

    def test_a_converted_result(self):
        self.good("sobel", "in.png", "out.png", "--device", "cpu", "--verify", "-q")
        self.good("pipe", "in.png", "sobel", "-o", "out.png", "--device", "cpu", "--verify", "-q")

    def test_explain_tells_the_plan_then_how_it_went(self):
        for args in [["map", "--offset=1", "in.png", "out.raw"], ["pipe", "in.png", "map offset=1", "-o", "out.raw"]]:
            lines = self.stderr_of(*args, "--device", "cuda:0", "--explain").splitlines()
            self.assertIn("device         cuda:0", lines)
            self.assertEqual(lines[-3], "ran_on         cuda:0")
            self.assertRegex(lines[-2], r"^why            cuda:0 [0-9.e-]+ ms \(as requested\)$")
            self.assertRegex(lines[-1], r"^stages         queue [0-9.]+, copy in 0.000, kernel 0.001, copy out 0.000, "
                                        r"daemon total [0-9.]+ ms$")
            report = json.loads(self.good(*args, "--device", "cpu", "--explain", "--json"))
            self.assertRegex(report["why"], r"^cpu [0-9.e-]+ ms \(as requested\)$")

    def test_sessions_do_not_take_it(self):
        self.bad(64, "--verify cannot be used in a session, whose data is on one device", "session", "-", "--verify")


if __name__ == "__main__":
    unittest.main()
