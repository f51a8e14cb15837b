# SPDX-License-Identifier: MIT
"""gpufilter-patterns: its ladders, emulated without a GPU, and messages about wrong arguments."""
import json
import os
import subprocess
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import skips  # noqa: E402,F401  pylint: disable=unused-import,wrong-import-position

PATTERNS = os.environ["GF_PATTERNS"]
NO_DAEMON = {"GPUFILTER_SOCKET": "/nowhere/socket"}
USAGE, UNAVAILABLE = 64, 69


def run(*args, env=NO_DAEMON):
    return subprocess.run([PATTERNS, *args], capture_output=True, text=True, check=False, env=dict(os.environ, **env))


def ladders():
    return json.loads(run("--list", "--json").stdout)["ladders"]


class Lists(unittest.TestCase):
    def test_every_rung_has_a_name_and_a_sentence(self):
        found = ladders()
        names = [ladder["name"] + "/" + rung["name"] for ladder in found for rung in ladder["rungs"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len({ladder["name"] for ladder in found}), len(found))
        for ladder in found:
            self.assertTrue(ladder["title"] and ladder["rungs"], ladder["name"])
            for rung in ladder["rungs"]:
                self.assertRegex(rung["name"], r"^[a-z0-9]+(-[a-z0-9]+)*$")
                self.assertGreater(len(rung["about"]), 10, rung["name"])
                self.assertLessEqual(len(rung["name"]), 26, rung["name"])

    def test_as_text(self):
        done = run("--list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for ladder in ladders():
            self.assertIn(ladder["name"] + ": " + ladder["title"] + "\n", done.stdout)
            for rung in ladder["rungs"]:
                self.assertIn("  " + rung["name"] + " ", done.stdout)


class Refusals(unittest.TestCase):
    def refused(self, *args, text):
        done = run(*args)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_unknown_names(self):
        self.refused("first-step", text="there is no ladder or rung first-step; did you mean first-steps?")
        self.refused("first-steps/adds", text="did you mean first-steps/add?")
        self.refused("first-steps/", text="there is no ladder or rung first-steps/")
        self.refused("zzzzzzzzzzzz", text="there is no ladder or rung zzzzzzzzzzzz; --list prints them")
        self.refused("", text="there is no ladder or rung ")

    def test_sizes(self):
        for size in ("0", "-1", "", "many", "1e6", "18446744073709551616"):
            self.refused("--cpu", "--size", size, text="--size %s: must be a whole number, 1 or more" % size)
        self.refused("--cpu", "--size", "1048577", "first-steps",
                     text="first-steps: 1048577 elements are too many; at most 1048576 are allowed with --cpu")
        self.refused("--cpu", "--size", text="option '--size' requires an argument")

    def test_options(self):
        self.refused("--fast", text="unrecognized option '--fast'")

    def test_help(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("usage: gpufilter-patterns "))


class Runs(unittest.TestCase):
    def test_without_a_gpu(self):
        done = run("first-steps")
        if done.returncode == 0:
            self.skipTest("there is a GPU")
        self.assertEqual((done.returncode, done.stdout), (UNAVAILABLE, ""))
        self.assertRegex(done.stderr, "^gpufilter-patterns: no GPU: .+; --list prints the ladders, --cpu runs them emulated\n$")

    def test_one_rung_at_a_size(self):
        done = run("--cpu", "--json", "--size", "777", "first-steps/set")
        rows = json.loads(done.stdout)["rungs"]
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(row["ladder"], row["rung"], row["size"], row["wrong"], row["of"]) for row in rows],
                         [("first-steps", "set", 777, 0, 777)])
        self.assertEqual((rows[0]["result"], rows[0]["seconds"]), ("matches the reference", None))

    def test_without_a_daemon_the_last_rung_is_not_run(self):
        done = run("--cpu", "--json", "--size", "10", "reduction/product")
        row, = json.loads(done.stdout)["rungs"]
        self.assertEqual(done.returncode, UNAVAILABLE)
        self.assertTrue(row["result"].startswith("not run: "), row)
        self.assertIn("/nowhere/socket", row["result"])
        self.assertEqual(row["program"], "reduce op=sum")

    def test_counted_rungs_are_not_timed(self):
        row, = json.loads(run("--cpu", "--json", "--size", "100", "reuse-1d/mask-5-tile-8").stdout)["rungs"]
        self.assertEqual((row["program"], row["seconds"]), (None, None))
        # 12 tiles of 8 with 4 around them, one of 4 with 4, without the 4 outside; 494 taps are inside.
        self.assertEqual(row["result"], "matches the reference; 148 loads, each for 3.34 taps, in theory 3.33")

    def test_all_rungs_match_the_reference_emulated(self):
        socket = os.environ.get("GPUFILTER_SOCKET")
        self.assertTrue(socket, "with_daemon.sh starts a daemon for this test")
        done = run("--cpu", "--json", env={})
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        expected = {(ladder["name"], rung["name"]) for ladder in ladders() for rung in ladder["rungs"]}
        self.assertEqual({(row["ladder"], row["rung"]) for row in answer["rungs"]}, expected)
        for row in answer["rungs"]:
            if row["result"] != "not run: it runs only on a GPU":
                self.assertRegex(row["result"], "^matches the reference($|; )")
                self.assertEqual(row["wrong"], 0, row)


if __name__ == "__main__":
    unittest.main()
