# SPDX-License-Identifier: MIT
"""gpufilter-client on several files: names, order, the state after a failure and after a signal, the progress bar."""
import json
import os
import pty
import signal
import struct
import subprocess
import unittest

from support import CLIENT, TIMEOUT, PicturesCase, png, png_chunk, ppm, setUpModule, tearDownModule
from processes import children


class Batch(PicturesCase):
    """Nine pictures."""

    N = 9

    def refused(self, code, text, *args):
        """Errors in the names are found before any work."""
        self.bad(code, text, "box", *args)
        self.assertEqual(self.outputs(), [])


class Names(Batch):
    def test_stem_and_ext(self):
        for jobs in ["1", "4"]:
            self.good("box", "--size", "3x1", *self.inputs, "-j", jobs, "-o", "out/{stem}.new{ext}")
            self.assertEqual(self.outputs(), [n.replace(".ppm", ".new.ppm") for n in self.names])
            for name in self.names:
                self.assertEqual(self.read("out/" + name.replace(".", ".new.")), self.want[name])

    def test_number_has_the_digits_of_the_last(self):
        self.good("box", *self.inputs, "-o", "out/{n}.pgm.png")
        self.assertEqual(self.outputs(), ["%d.pgm.png" % i for i in range(1, 10)])
        self.good("box", *self.inputs, "in/p1.ppm", "-o", "out/x{n}.png")
        self.assertEqual([n for n in self.outputs() if n[0] == "x"], ["x%02d.png" % i for i in range(1, 11)])

    def test_dir_and_braces_and_one_file(self):
        self.good("box", "in/p1.ppm", "-o", "{dir}/{{{stem}}}.png")
        self.assertTrue(os.path.exists(self.path("in/{p1}.png")))
        os.chdir(self.path("in"))
        self.write("plain.ppm", self.read("in/p1.ppm"))
        self.good("box", "plain.ppm", "-o", "{dir}/out/{stem}{ext}")
        self.good("box", "plain.ppm", "-o", "out/same.ppm")
        self.assertEqual(self.outputs(), ["plain.ppm", "same.ppm"])
        self.assertEqual(self.read("out/plain.ppm"), self.read("out/same.ppm"))

    def test_names_without_extension(self):
        self.write("in/.hidden", self.read("in/p1.ppm"))
        self.write("in/bare", self.read("in/p1.ppm"))
        self.good("box", "in/.hidden", "in/bare", "-o", "out/{stem}{ext}.png")
        self.assertEqual(self.outputs(), [".hidden.png", "bare.png"])

    def test_unknown_placeholder(self):
        self.refused(64, "{name} is not a placeholder; the placeholders are {dir}, {stem}, {ext} and {n}", "in/p1.ppm", "-o", "out/{name}.png")
        self.refused(64, "out/{stem.png: single {;", "in/p1.ppm", "-o", "out/{stem.png")
        self.refused(64, "out/stem}.png: single };", "in/p1.ppm", "in/p2.ppm", "-o", "out/stem}.png")

    def test_two_of_one_name(self):
        self.refused(64, "in/p1.ppm and in/p2.ppm would both be written to out/x.png", *self.inputs[:2], "-o", "out/x.png")
        self.write("p1.ppm", self.read("in/p1.ppm"))
        self.refused(64, "would both be written to out/p1.png", "in/p1.ppm", "p1.ppm", "-o", "out/{stem}.png")
        os.symlink("out", self.path("link"))
        self.refused(64, "would both be written to", "in/p1.ppm", "in/p1.ppm", "-o", "{dir}/../link/{stem}.png")

    def test_over_an_input(self):
        before = self.read("in/p1.ppm")
        self.refused(64, "in/p1.ppm would be replaced by its result", "in/p1.ppm", "in/p2.ppm", "-o", "in/{stem}.ppm")
        self.write("in/1.ppm", before)
        self.refused(64, "the result of in/p2.ppm would overwrite in/1.ppm", "in/p2.ppm", "in/1.ppm", "-o", "in/{n}.ppm")
        os.link(self.path("in/p3.ppm"), self.path("in/hard.ppm"))
        os.symlink("p1.ppm", self.path("in/soft.ppm"))
        self.refused(64, "would be replaced", "in/soft.ppm", "in/p2.ppm", "-o", "in/{stem}{ext}")
        self.assertEqual(self.read("in/p1.ppm"), before)

    def test_in_place_where_that_is_asked(self):
        for inputs in self.inputs, self.inputs[::-1]:  # the first that was given
            says = inputs[0] + " would be replaced by its result; name another output, or give --in-place"
            self.refused(64, says, *inputs, "-o", "{dir}/{stem}{ext}")
        self.good("box", "--size", "3x1", "--in-place", *self.inputs)
        for name in self.names:
            self.assertEqual(self.read("in/" + name), self.want[name])
        self.assertEqual(sorted(os.listdir(self.path("in"))), self.names)

    def test_formats_and_directories_are_checked_first(self):
        self.refused(64, "is not a format that can be written", *self.inputs, "-o", "out/{stem}.xcf")
        self.refused(73, "nosuch/p1.png: cannot be created: No such file or directory", *self.inputs, "-o", "nosuch/{stem}.png")
        self.refused(64, "standard input has none", "-", "in/p1.ppm", "-o", "out/{stem}.png")
        self.refused(64, "standard output takes only one picture", *self.inputs, "--format", "png", "-o", "-")
        self.refused(64, "--jobs 0; allowed: 1..32", *self.inputs, "-o", "out/{stem}.png", "--jobs", "0")
        self.refused(64, "--timing, --explain, --trace and --otlp are for one file", *self.inputs, "-o", "out/{stem}.png", "--timing")

    def test_an_operation_with_a_parameter_of_that_name(self):
        self.good("sobel", "--output", "dx", "--offset", "128", "--dtype", "u8", *self.inputs, "-o", "out/{stem}.ppm")
        self.good("sobel", "--output", "dx", "--offset", "128", "--dtype", "u8", "in/p1.ppm", "--output-file", "out/x.ppm")
        self.assertEqual(self.read("out/p1.ppm"), self.read("out/x.ppm"))

    def test_operations_of_two_inputs_take_two(self):
        self.good("combine", "--mode", "max", "in/p1.ppm", "in/p1.ppm", "-o", "out/x.ppm")
        self.assertEqual(self.read("out/x.ppm"), self.read("in/p1.ppm"))
        self.bad(64, "one operand too many", "combine", "in/p1.ppm", "in/p1.ppm", "in/p1.ppm", "-o", "out/y.ppm")


class Failures(Batch):
    def setUp(self):
        super().setUp()
        head = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
        self.write("in/bomb.png", b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"IDAT", b"x" * 64) + png_chunk(b"IEND", b""))
        self.write("in/cut.png", png(4, 4, 3, bytes(48))[:-30])
        self.mixed = [*self.inputs[:2], "in/bomb.png", "in/nosuch.png", *self.inputs[2:4], "in/cut.png"]

    def test_the_first_error_stops(self):
        r = self.run_client("box", *self.mixed, "-j", "1", "-o", "out/{stem}.png")
        self.assertEqual(r.returncode, 65)
        lines = r.stderr.decode().splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("in/bomb.png: ", lines[0])
        self.assertEqual(lines[1], "gpufilter-client: box: 2 of 7 files are done")
        self.assertEqual(self.outputs(), ["p1.png", "p2.png"])

    def test_keep_going(self):
        for jobs in ["1", "3"]:
            r = self.run_client("box", *self.mixed, "-k", "-j", jobs, "-o", "out/{stem}.png")
            self.assertEqual(r.returncode, 2)
            lines = r.stderr.decode().splitlines()
            self.assertEqual([n for n in ["bomb", "nosuch", "cut"] for line in lines[:3] if n in line], ["bomb", "nosuch", "cut"])
            self.assertEqual(lines[3:], ["gpufilter-client: box: 4 of 7 files are done"])
            self.assertEqual(self.outputs(), ["p%d.png" % i for i in range(1, 5)])
            self.assertEqual([n for n in os.listdir(self.path("out")) if n.startswith(".")], [])

    def test_json_has_a_line_for_each_in_order(self):
        r = self.run_client("box", *self.mixed, "-k", "-q", "--json", "-j", "3", "-o", "out/{stem}.png")
        self.assertEqual(r.returncode, 2)
        got = [json.loads(line) for line in r.stdout.splitlines()]
        self.assertEqual([g["input"]["path"] for g in got], self.mixed)
        self.assertEqual([g.get("error", {}).get("status") for g in got], [None, None, "DATA", "NO_INPUT", None, None, "DATA"])
        self.assertEqual([g["output"]["path"] for g in got if "output" in g], ["out/p%d.png" % i for i in range(1, 5)])
        self.assertEqual(r.stderr.decode().count("\n"), 3)

    def test_no_daemon_is_one_error(self):
        self.env["GPUFILTER_SOCKET"] = self.path("nosuch.sock")
        self.bad(69, "nosuch.sock", "box", *self.inputs, "-j", "3", "-o", "out/{stem}.png")
        self.assertEqual(self.outputs(), [])

    def test_errors_of_the_daemon_name_the_file(self):
        r = self.run_client("box", *self.inputs[:2], "--device", "nosuch", "-k", "-o", "out/{stem}.png")
        self.assertEqual(r.returncode, 69)
        lines = r.stderr.decode().splitlines()
        self.assertEqual([line.split(": ")[:3] for line in lines[:2]], [["gpufilter-client", "box", n] for n in self.inputs[:2]])

    def test_a_signal_leaves_whole_files_and_says_how_many(self):
        os.mkfifo(self.path("in/never.ppm"))
        args = ["box", "--size", "3x1", *self.inputs[:3], "in/never.ppm", "in/p9.ppm", "-j", "1", "-o", "out/{stem}{ext}"]
        process = subprocess.Popen([CLIENT, *args], cwd=self.dir, env=self.env, stderr=subprocess.PIPE)
        with open(self.path("in/never.ppm"), "wb"):  # it is being read: the two before the one at hand are done
            process.send_signal(signal.SIGINT)
            text = process.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(text, "gpufilter-client: ended by a signal, 2 of 5 files are done\n")
        self.assertEqual(self.outputs(), ["p1.ppm", "p2.ppm"])
        self.assertEqual(self.read("out/p2.ppm"), self.want["p2.ppm"])

    def test_a_signal_ends_the_first_process_of_a_container(self):
        """Process 1 survives the default action of signals; it must exit with the status that a shell shows for
        them."""
        apart = ["unshare", "--pid", "--fork", "--kill-child"]
        if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no process namespaces here")
        os.mkfifo(self.path("in/never.ppm"))
        args = [*apart, CLIENT, "box", "in/p1.ppm", "in/never.ppm", "-j", "1", "-o", "out/{stem}{ext}"]
        process = subprocess.Popen(args, cwd=self.dir, env=self.env, stderr=subprocess.PIPE)
        with open(self.path("in/never.ppm"), "wb"):
            os.kill(*children(process.pid), signal.SIGTERM)
            text = process.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual((process.returncode, text), (128 + signal.SIGTERM, "gpufilter-client: ended by a signal, 0 of 2 files are done\n"))
        self.assertEqual(self.outputs(), [])


class Reports(Batch):
    def test_tables_name_their_files(self):
        alone = [self.good("stats", name).decode() for name in self.inputs]
        got = self.good("stats", *self.inputs, "-j", "3").decode()
        self.assertEqual(got, "".join("%s:\n%s" % pair for pair in zip(self.inputs, alone)))

    def test_hashes_name_their_files(self):
        got = self.good("box", *self.inputs, "--hash", "-o", "out/{stem}.png").decode().splitlines()
        alone = [self.good("box", name, "--hash", "out/x.png").decode().strip() for name in self.inputs]
        self.assertEqual(got, ["%s  %s" % pair for pair in zip(alone, self.inputs)])

    def test_verify(self):
        r = self.run_client("box", *self.inputs[:2], "--verify", "-o", "out/{stem}.png")
        self.assertEqual((r.returncode, r.stderr.decode().count("verified")), (0, 2))

    def test_drawings(self):
        self.good("histogram", *self.inputs, "-q", "-o", "out/{stem}.npy", "--plot", "out/{stem}.svg")
        self.assertEqual(self.outputs(), sorted(n.replace("ppm", e) for n in self.names for e in ["npy", "svg"]))
        self.bad(64, "would both be written", "histogram", *self.inputs, "--plot", "out/x.svg")
        # A pattern of the shell may match one file.
        self.good("histogram", "in/p1.ppm", "-q", "--plot", "out/one-{stem}.svg")
        self.good("pipe", "in/p1.ppm", "histogram", "-q", "--plot", "out/two-{stem}.svg")
        self.assertTrue({"one-p1.svg", "two-p1.svg"} <= set(os.listdir(self.path("out"))))

    def test_bar(self):
        def run(*args):
            mine, theirs = pty.openpty()
            process = subprocess.Popen(
                [CLIENT, "box", *self.inputs, "-o", "out/{stem}.png", *args],
                cwd=self.dir,
                env={**self.env, "TERM": "xterm"},
                stderr=theirs,
            )
            os.close(theirs)
            text = b""
            try:
                while True:
                    text += os.read(mine, 4096)
            except OSError:  # the other end is closed
                pass
            os.close(mine)
            self.assertEqual(process.wait(TIMEOUT), 0)
            return text.decode()

        shown = run()
        self.assertIn("] 0 of 9", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)
        self.assertEqual(run("-q"), "")


class Pipes(Batch):
    def test_several_outputs_and_another_file(self):
        self.write("in/a.ppm", ppm(3, 20, bytes(range(180))))
        self.write("in/b.ppm", ppm(3, 20, bytes(range(20, 200))))
        program = "box size=3x1 | combine other=@in/p1.ppm mode=absdiff"
        self.good("pipe", "in/a.ppm", "in/b.ppm", program, "-o", "1:out/{stem}.box.ppm", "-o", "out/{stem}{ext}")
        self.assertEqual(self.outputs(), ["a.box.ppm", "a.ppm", "b.box.ppm", "b.ppm"])
        for name in ["a", "b"]:
            self.good("pipe", "in/%s.ppm" % name, program, "-o", "1:one.ppm", "-o", "two.ppm")
            self.assertEqual(self.read("one.ppm"), self.read("out/%s.box.ppm" % name))
            self.assertEqual(self.read("two.ppm"), self.read("out/%s.ppm" % name))

    def test_many_at_a_time(self):
        self.good("pipe", *self.inputs, "box size=3x1", "-j", "2", "-o", "out/{stem}{ext}")
        for name in self.names:
            self.assertEqual(self.read("out/" + name), self.want[name])

    def test_taps_and_fits(self):
        lines = self.good("pipe", *self.inputs, "--json", "sobel | stats", "-o", "out/{stem}.png", "-j", "3").splitlines()
        got = [json.loads(line) for line in lines]
        self.assertEqual([g["inputs"][0]["path"] for g in got], self.inputs)
        self.assertEqual([g["outputs"][0]["path"] for g in got], ["out/p%d.png" % i for i in range(1, 10)])
        self.assertEqual([g["taps"][0]["channels"][0]["count"] for g in got], [(3 + i) * (20 - i) for i in range(9)])
        text = self.good("pipe", "in/p1.ppm", "in/p2.ppm", "stats").decode()
        self.assertEqual([line for line in text.splitlines() if line.endswith(":")], ["in/p1.ppm:", "in/p2.ppm:"])

    def test_another_file_that_is_the_first_one_too(self):
        for i, name in enumerate(["a", "b", "c"]):
            self.write("in/%s.ppm" % name, ppm(2, 1, bytes([50 + i] * 6)))
        names = ["in/a.ppm", "in/b.ppm", "in/c.ppm"]
        self.good("pipe", *names, "combine other=@in/a.ppm mode=absdiff", "-j", "1", "-o", "out/{stem}.raw")
        self.assertEqual([self.read("out/%s.raw" % name) for name in "abc"], [bytes([i] * 6) for i in range(3)])

    def test_wrong_text_is_one_error(self):
        self.bad(64, "column 1", "pipe", *self.inputs, "nosuch", "-o", "out/{stem}.png")
        self.bad(64, "would both be written", "pipe", *self.inputs, "box", "-o", "out/x.png")
        self.assertEqual(self.outputs(), [])

    def test_a_difference_is_told(self):
        self.write("in/same.ppm", self.read("in/p1.ppm"))
        program = "compare b=@in/p1.ppm"
        self.assertEqual(self.run_client("pipe", "in/p1.ppm", "in/same.ppm", program).returncode, 0)
        self.write("in/other.ppm", self.read("in/p1.ppm")[:-1] + b"\xff")
        self.assertEqual(self.run_client("pipe", "in/p1.ppm", "in/other.ppm", program).returncode, 1)


if __name__ == "__main__":
    unittest.main()
