# SPDX-License-Identifier: MIT
"""gpufilter-client on lists of files, on parts of a list, and on files that are done, as several machines run it, and
run it again."""
import json
import os
import signal
import socket
import subprocess
import threading
import unittest

from support import CLIENT, TIMEOUT, PicturesCase, ppm, setUpModule, tearDownModule


class Lists(PicturesCase):
    """Seven pictures, and a list of them."""

    N = 7

    def setUp(self):
        super().setUp()
        self.lines = "".join(name + "\n" for name in self.inputs).encode()
        self.write("list", self.lines)

    def right(self, names):
        """Checks that exactly these results exist and that each is right."""
        self.assertEqual(self.outputs(), sorted(names))
        for name in names:
            self.assertEqual(self.read("out/" + name), self.want[name])

    def empty(self):
        for name in self.outputs():
            os.remove(self.path("out/" + name))

    def box(self, *args, **options):
        return self.run_client("box", "--size", "3x1", *args, **options)

    def told(self, text, *args, **options):
        """Runs a command that must succeed, with empty standard output and this one line on standard error."""
        r = self.box(*args, **options)
        self.assertEqual((r.returncode, r.stdout, r.stderr.decode()), (0, b"", text and "gpufilter-client: box: %s\n" % text))

    def refused(self, code, text, *args, **options):
        self.bad(code, text, "box", *args, **options)
        self.assertEqual(self.outputs(), [])


class Reading(Lists):
    def test_forms_of_lists(self):
        n = b"\n".join(i.encode() for i in self.inputs)
        forms = {
            "lines": n + b"\n",
            "no last newline": n,
            "CRLF": n.replace(b"\n", b"\r\n") + b"\r\n",
            "CR at the end": n.replace(b"\n", b"\r\n") + b"\r",
            "empty lines": b"\n\n" + n.replace(b"\n", b"\n\n") + b"\r\n\n",
            "mark of UTF-8": b"\xef\xbb\xbf" + n,
            "NUL": n.replace(b"\n", b"\0") + b"\0",
            "NUL without the last": n.replace(b"\n", b"\0"),
            "empty names": b"\0" + n.replace(b"\n", b"\0\0"),
        }
        for form, data in forms.items():
            with self.subTest(form):
                self.write("list", data)
                self.told("", "--files-from", "list", "-o", "out/")
                self.right(self.names)
                self.empty()
                self.told("", "--files-from", "-", "out", stdin=data)
                self.right(self.names)
                self.empty()

    def test_names_are_taken_as_they_are(self):
        odd = ["-v.ppm", " blank .ppm", "#7.ppm", "'q'.ppm", "back\\n.ppm", "{stem}.ppm", "cr\r.ppm", "*.ppm"]
        for name in odd:
            self.write(name, self.read("in/p1.ppm"))
        self.told("", "--files-from", "-", "-o", "out/", stdin="\n".join(odd).encode())
        self.assertEqual(self.outputs(), sorted(odd))
        self.empty()
        odd += ["new\nline.ppm", "end.ppm\r"]
        for name in odd[-2:]:
            self.write(name, self.read("in/p1.ppm"))
        self.told("", "--files-from", "-", "-o", "out/{stem}.ppm", stdin="\0".join(odd).encode())
        self.assertEqual(self.outputs(), sorted(odd[:-1] + ["end.ppm"]))

    def test_names_for_results(self):
        self.told("", "--files-from", "list", "out/{stem}.new{ext}")
        self.assertEqual(self.outputs(), [n.replace(".", ".new.") for n in self.names])
        self.empty()
        self.told("", "--files-from", "list", "--parents", "-j", "3", "-o", "out/deep/{n}{ext}")
        self.assertEqual(sorted(os.listdir(self.path("out/deep"))), ["%d.ppm" % i for i in range(1, 8)])
        self.told("", "--files-from", "list", "--in-place")
        for name in self.names:
            self.assertEqual(self.read("in/" + name), self.want[name])

    def test_one_name_is_a_list_too(self):
        self.told("", "--files-from", "-", "out/x.ppm", stdin=b"in/p1.ppm")
        self.assertEqual(self.read("out/x.ppm"), self.want["p1.ppm"])

    def test_a_list_without_names(self):
        for data in b"", b"\n\n", b"\r\n", b"\0\0", b"\xef\xbb\xbf":
            self.write("list", data)
            self.told("list: lists no files; nothing to do", "--files-from", "list", "-o", "out/")
            self.told("", "--files-from", "list", "-o", "out/", "-q")
        self.told("standard input: lists no files; nothing to do", "--files-from", "-", "--in-place")
        self.told("list: lists no files; nothing to do", "--files-from", "list", "--shard", "1/3", "-o", "out/")
        r = self.run_client("pipe", "--files-from", "list", "box", "-o", "out/")
        self.assertEqual((r.returncode, r.stderr), (0, b"gpufilter-client: pipe: list: lists no files; nothing to do\n"))
        r = self.run_client("stats", "--files-from", "list")
        self.assertEqual((r.returncode, r.stdout), (0, b""))

    def test_what_is_no_list(self):
        self.refused(66, "nosuch: cannot be read: No such file or directory", "--files-from", "nosuch", "-o", "out/")
        self.refused(66, "in: is a directory, not a file", "--files-from", "in", "-o", "out/")
        says = "--files-from in/p1.ppm: must be a list of names, but has the extension of a picture or an array"
        self.refused(64, says, "--files-from", "in/p1.ppm", "-o", "out/")
        self.write("wide", self.lines.decode().encode("utf-16"))
        self.refused(65, "wide: the list is UTF-16; names are taken byte for byte, so it must be UTF-8", "--files-from", "wide",
                     "-o", "out/")
        self.refused(64, "standard input: name 2 is -, which means standard input; a file named - is ./-", "--files-from",
                     "-", "-o", "out/", stdin=b"in/p1.ppm\n-\n")
        with open(self.path("huge"), "wb") as f:
            f.truncate(2**28 + 1)
        self.refused(65, "huge: 268435457 bytes; a list may have at most 268435456", "--files-from", "huge", "-o", "out/")

    def test_operands_beside_a_list(self):
        says = '"in/p1.ppm": --files-from names the inputs; leave this operand out'
        self.refused(64, says, "--files-from", "list", "in/p1.ppm", "-o", "out/")
        self.refused(64, says, "--files-from", "list", "in/p1.ppm", "out/")
        self.refused(64, says, "--files-from", "list", "in/p1.ppm", "--in-place")
        self.bad(64, says, "stats", "--files-from", "list", "in/p1.ppm")
        self.bad(64, says, "pipe", "--files-from", "list", "in/p1.ppm", "box", "-o", "out/")
        self.refused(64, "OUT is missing; with --files-from it is a directory, a name with {stem}, or --in-place",
                     "--files-from", "list")
        self.bad(64, "the steps are missing", "pipe", "--files-from", "list", "-o", "out/")
        self.refused(64, "would both be written to out/x.ppm", "--files-from", "list", "out/x.ppm")
        self.refused(64, "standard output takes only one picture", "--files-from", "list", "-o", "-", "--format", "png")
        self.bad(64, "unknown option --files-from", "combine", "--files-from", "list", "out/x.png")
        self.bad(64, "--files-from and --table would both read standard input", "map", "--table", "-", "--files-from", "-",
                 "-o", "out/", stdin=b"in/p1.ppm")
        self.bad(64, "--files-from and @- would both read standard input", "pipe", "--files-from", "-",
                 "combine other=@- mode=max", "-o", "out/", stdin=b"in/p1.ppm")

    def test_files_of_a_list_fail_as_others_do(self):
        self.write("list", b"in/p1.ppm\nin/nosuch.ppm\nout\nin/p2.ppm\n")
        r = self.box("--files-from", "list", "-k", "-o", "out/{stem}.ppm")
        self.assertEqual(r.returncode, 2)
        said = [line[len("gpufilter-client: box: ") :] for line in r.stderr.decode().splitlines()]
        self.assertEqual(said, ["in/nosuch.ppm: cannot be read: No such file or directory", "out: is a directory, not a file",
                                "2 of 4 files are done"])
        self.right(self.names[:2])

    def test_commands_that_report(self):
        self.assertEqual(self.good("stats", "--files-from", "list"), self.good("stats", *self.inputs))
        self.assertEqual(self.good("pipe", "--files-from", "list", "stats"), self.good("pipe", *self.inputs, "stats"))

    def test_pipes(self):
        self.good("pipe", "--files-from", "list", "box size=3x1", "-o", "out/")
        self.right(self.names)
        self.good("pipe", "--files-from", "-", "--in-place", "--shard", "2/7", "box size=3x1", stdin=self.lines)
        self.assertEqual(self.read("in/p2.ppm"), self.want["p2.ppm"])
        self.assertNotEqual(self.read("in/p1.ppm"), self.want["p1.ppm"])


class Shards(Lists):
    def test_each_takes_every_nth(self):
        for n in range(1, 10):
            seen = []
            for k in range(1, n + 1):
                r = self.box("--files-from", "list", "--shard", "%d/%d" % (k, n), "-o", "out/")
                mine = self.names[k - 1 :: n]
                says = "" if mine else "gpufilter-client: box: --shard %d/%d of 7 files is empty; nothing to do\n" % (k, n)
                self.assertEqual((r.returncode, r.stderr.decode()), (0, says))
                self.right(mine)
                self.empty()
                seen += mine
            self.assertEqual(sorted(seen), self.names)

    def test_operands_have_parts_too(self):
        self.told("", *self.inputs, "--shard", "2/3", "out/")
        self.right(["p2.ppm", "p5.ppm"])
        self.told("", "in/p1.ppm", "out/x.ppm", "--shard", "1/1")
        self.good("pipe", *self.inputs, "box size=3x1", "--shard", "3/3", "-o", "out/")
        self.assertEqual(self.outputs(), ["p2.ppm", "p3.ppm", "p5.ppm", "p6.ppm", "x.ppm"])

    def test_numbers_count_all_files(self):
        self.write("list", self.lines * 2)
        self.told("", "--files-from", "list", "--shard", "3/5", "-o", "out/{n}{ext}")
        self.assertEqual(self.outputs(), ["03.ppm", "08.ppm", "13.ppm"])
        self.assertEqual(self.read("out/13.ppm"), self.want["p6.ppm"])

    def test_bad_parts(self):
        for text in "0/3", "4/3", "3", "a/b", "1/", "/3", "1/0", "-1/3", "+1/3", " 1/3", "1/3 ", "1/3/5", "1.5/3", "", "1/1000001":
            says = "--shard %s; allowed: K/N, part K of N, with K from 1 to N and N at most 1000000, e.g. 1/3" % text
            self.refused(64, says, "--files-from", "list", "--shard=" + text, "-o", "out/")
        self.bad(64, "--shard 4/3; allowed", "pipe", *self.inputs, "box", "--shard", "4/3", "-o", "out/")
        self.bad(64, "OUT is missing", "box", "in/p1.ppm", "--shard", "1/3")

    def test_parts_do_not_get_in_the_way_of_each_other(self):
        """Each part finds all errors of the list, also in files that belong to other parts."""
        for k in "1/3", "2/3", "3/3":
            self.refused(64, "in/p1.ppm and in/p2.ppm would both be written to out/x.ppm", "--files-from", "list", "--shard", k,
                         "-o", "out/x.ppm")
            self.refused(64, "in/p1.ppm would be replaced by its result", "--files-from", "list", "--shard", k, "-o",
                         "{dir}/{stem}{ext}")
            self.write("twice", self.lines + b"in/../in/p2.ppm\n")
            self.refused(64, "would both be written to out/p2.ppm", "--files-from", "twice", "--shard", k, "-o", "out/")
            self.refused(64, "are the same file, which --in-place replaces", "--files-from", "twice", "--shard", k, "--in-place")
            self.write("in/3.ppm", self.read("in/p1.ppm"))
            self.write("over", self.lines + b"in/3.ppm\n")
            self.refused(64, "the result of in/p3.ppm would overwrite in/3.ppm", "--files-from", "over", "--shard", k,
                         "-o", "in/{n}.ppm")
        os.link(self.path("in/p1.ppm"), self.path("in/hard.ppm"))
        self.write("list", b"in/p1.ppm\nin/p2.ppm\nin/hard.ppm\n")  # a part checks the links among its own files
        self.refused(64, "are the same file, which --in-place replaces", "--files-from", "list", "--shard", "1/2", "--in-place")

    def test_parts_at_a_time(self):
        self.write("list", b"".join(b"in/p1.ppm\n" for _ in range(40)))
        for _ in range(3):  # results are there from the second time on, and replaced by others meanwhile
            each = [
                subprocess.Popen([CLIENT, "box", "--size", "3x1", "--files-from", "list", "--shard", "%d/4" % k, "-o", "out/{n}{ext}"],
                                 cwd=self.dir, env=self.env, stderr=subprocess.PIPE)
                for k in range(1, 5)
            ]
            self.assertEqual([(p.communicate(timeout=TIMEOUT)[1], p.returncode) for p in each], [(b"", 0)] * 4)
        self.assertEqual(self.outputs(), ["%02d.ppm" % i for i in range(1, 41)])
        for name in self.outputs():
            self.assertEqual(self.read("out/" + name), self.want["p1.ppm"])


class Skipping(Lists):
    def test_what_is_there_is_left_alone(self):
        self.write("out/p2.ppm", b"mine")
        self.write("out/p6.ppm", b"mine")
        os.utime(self.path("out/p2.ppm"), (1, 1))  # an output older than its input still counts as done
        os.remove(self.path("in/p6.ppm"))  # and so does one whose input is gone
        self.told("2 of 7 files are skipped: their results exist", "--files-from", "list", "--skip-existing", "-o", "out/")
        self.assertEqual(self.outputs(), self.names)
        for name in self.names:
            self.assertEqual(self.read("out/" + name), b"mine" if name in ("p2.ppm", "p6.ppm") else self.want[name])
        self.told("", "--files-from", "list", "--skip-existing", "-q", "-o", "out/")

    def test_nothing_left_needs_no_daemon(self):
        self.told("", "--files-from", "list", "--skip-existing", "-o", "out/")
        self.env["GPUFILTER_SOCKET"] = self.path("nosuch.sock")
        self.told("7 of 7 files are skipped: their results exist", "--files-from", "list", "--skip-existing", "-o", "out/")
        self.told("3 of 3 files are skipped: their results exist", "--files-from", "list", "--skip-existing", "--shard", "1/3",
                  "-o", "out/")
        self.right(self.names)

    def test_one_file(self):
        self.told("", "in/p1.ppm", "out/p1.ppm", "--skip-existing")
        self.told("1 of 1 files are skipped: their results exist", "in/p1.ppm", "out/p1.ppm", "--skip-existing")
        self.told("1 of 1 files are skipped: their results exist", "in/p1.ppm", "--skip-existing", "-o", "out/")
        self.right(["p1.ppm"])

    def test_what_is_not_there(self):
        """An empty file, a leftover of a kill, and a dangling link are not results; a link to a result is one."""
        self.write("out/p1.ppm", b"")
        self.write("out/.gpufilter-0123456789abcdef.tmp", b"P6\n3 20\n255\n")
        self.write("elsewhere", b"mine")
        os.symlink("../elsewhere", self.path("out/p2.ppm"))
        self.told("1 of 7 files are skipped: their results exist", "--files-from", "list", "--skip-existing", "-o", "out/")
        self.assertEqual(self.read("out/p2.ppm"), b"mine")
        os.remove(self.path("out/p2.ppm"))
        os.remove(self.path("out/.gpufilter-0123456789abcdef.tmp"))
        self.right([n for n in self.names if n != "p2.ppm"])
        os.symlink("nosuch", self.path("out/p2.ppm"))
        r = self.box("--files-from", "list", "--skip-existing", "-o", "out/")
        self.assertEqual(r.returncode, 73)
        self.assertIn("out/p2.ppm: is a dangling symbolic link", r.stderr.decode())
        os.remove(self.path("out/p2.ppm"))
        os.mkdir(self.path("out/p2.ppm"))
        self.assertEqual(self.box("--files-from", "list", "--skip-existing", "-o", "out/").returncode, 73)

    def test_all_results_of_a_file(self):
        self.good("histogram", *self.inputs[:2], "-q", "--skip-existing", "-o", "out/{stem}.npy", "--plot", "out/{stem}.svg")
        os.remove(self.path("out/p1.svg"))
        self.write("out/p2.svg", b"mine")
        r = self.run_client("histogram", *self.inputs[:2], "--skip-existing", "-o", "out/{stem}.npy", "--plot", "out/{stem}.svg")
        self.assertIn(b"1 of 2 files are skipped", r.stderr)
        self.assertTrue(self.read("out/p1.svg").startswith(b"<svg") or b"<svg" in self.read("out/p1.svg"))
        self.assertEqual(self.read("out/p2.svg"), b"mine")
        r = self.run_client("pipe", *self.inputs, "box size=3x1", "--skip-existing", "-o", "out/")
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        r = self.run_client("pipe", *self.inputs, "box size=3x1", "--skip-existing", "-o", "out/")
        self.assertEqual((r.returncode, r.stderr), (0, b"gpufilter-client: pipe: 7 of 7 files are skipped: their results exist\n"))

    def test_names_are_checked_before(self):
        self.write("out/x.ppm", b"mine")
        self.bad(64, "would both be written to out/x.ppm", "box", *self.inputs, "--skip-existing", "-o", "out/x.ppm")

    def test_where_it_makes_no_sense(self):
        self.refused(64, "--skip-existing and --in-place: a replaced file always exists", "--skip-existing",
                     "--in-place", *self.inputs)
        self.refused(64, "--skip-existing: standard output cannot be skipped; name a file", "--skip-existing", "in/p1.ppm", "-o", "-")
        self.bad(64, "--skip-existing: no result is written to a file; name one with -o", "stats", "--skip-existing",
                 *self.inputs)
        self.bad(64, "--skip-existing: no result is written", "pipe", "--skip-existing", *self.inputs, "stats")

    def test_json_has_lines_for_what_is_done(self):
        self.write("out/p2.ppm", b"mine")
        r = self.box("--files-from", "list", "--skip-existing", "--json", "-o", "out/")
        self.assertEqual([json.loads(line)["input"]["path"] for line in r.stdout.splitlines()],
                         [n for n in self.inputs if n != "in/p2.ppm"])
        self.assertEqual(r.stderr.decode(), "gpufilter-client: box: 1 of 7 files are skipped: their results exist\n")

    def test_a_killed_task_goes_on(self):
        """kill -9 leaves complete results and at most a file without a result's name; the next run makes the others."""
        os.mkfifo(self.path("in/never.ppm"))
        self.write("list", self.lines + b"in/never.ppm\n")
        args = ["box", "--size", "3x1", "--files-from", "list", "--skip-existing", "-j", "1", "-o", "out/"]
        process = subprocess.Popen([CLIENT, *args], cwd=self.dir, env=self.env, stderr=subprocess.DEVNULL)
        with open(self.path("in/never.ppm"), "wb"):  # it is being read: all but the one at hand are done
            process.send_signal(signal.SIGKILL)
            self.assertEqual(process.wait(TIMEOUT), -signal.SIGKILL)
        self.right(self.names[:-1])
        self.write("list", self.lines)
        self.told("6 of 7 files are skipped: their results exist", "--files-from", "list", "--skip-existing", "-o", "out/")
        self.right(self.names)

    def test_durable_before_the_name(self):
        """The system calls that make a result: its data is on storage before it gets its name."""
        def calls(*more):
            trace = self.path("trace")
            subprocess.run(["strace", "-f", "-o", trace, "-e", "trace=fdatasync,renameat,rename", CLIENT, "box", "in/p1.ppm", *more],
                           cwd=self.dir, env={**self.env, "ASAN_OPTIONS": "detect_leaks=0"}, check=True, timeout=TIMEOUT, stderr=subprocess.DEVNULL)
            with open(trace) as f:
                return [c for line in f for c in ["fdatasync", "renameat"] if c + "(" in line]

        if not strace_works():
            self.skipTest("strace is missing or may not trace")
        self.assertEqual(calls("--skip-existing", "-o", "out/a.ppm"), ["fdatasync", "renameat"])
        self.assertEqual(calls("-o", "out/b.ppm"), ["renameat"])

    def test_results_stay_in_the_output_directory(self):
        os.makedirs(self.path("in/deep/er"))
        self.write("in/deep/er/x.ppm", ppm(3, 1, bytes(9)))
        self.write("in/deep/x.ppm", ppm(3, 1, bytes(9)))
        for name in "../x.ppm", "in/../../x.ppm", "in/deep/../../../x.ppm", "./../x.ppm", "in//../..//x.ppm":
            self.write("list", name.encode() + b"\n")
            for files in ["--files-from", "list"], [name]:
                self.refused(64, name + ": its directory leads out of that of out/{dir}/{stem}.ppm", *files, "-o", "out/{dir}/{stem}.ppm")
        self.write("list", b"in/deep/er/../x.ppm\n%s/in/deep/er/x.ppm\n" % self.dir.encode())
        self.good("box", "--parents", "--files-from", "list", "-o", "out/{dir}/{stem}.ppm")
        self.assertTrue(os.path.exists(self.path("out/in/deep/x.ppm")))
        self.assertTrue(os.path.exists(self.path("out/" + self.dir + "/in/deep/er/x.ppm")))
        os.makedirs(self.path("work"))
        self.write("list", b"../in/deep/x.ppm\n")
        subprocess.run([CLIENT, "box", "--files-from", "../list", "-o", "{dir}/{stem}-small.ppm"], cwd=self.path("work"), env=self.env, check=True, timeout=TIMEOUT)
        self.assertTrue(os.path.exists(self.path("in/deep/x-small.ppm")))


def strace_works():
    try:
        return subprocess.run(["strace", "true"], stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


class Leftovers(Lists):
    def test_every_format_is_put_in_place(self):
        """A command that cannot write all of a result, by a size limit of files, says so and leaves no file."""
        self.write("in/wide.ppm", ppm(400, 100, os.urandom(120000)))
        self.write("in/wide.pfm", b"PF\n100 100\n-1.0\n" + bytes(120000))
        formats = self.good("help", "formats").decode()
        for ext in "png", "ppm", "pfm", "npy", "raw", "bmp", "tga", "jpg", "tiff", "webp", "txt":
            if ext not in formats:
                continue
            words = {"pfm": ["in/wide.pfm"], "txt": ["in/wide.ppm", "--channel", "1"]}.get(ext, ["in/wide.ppm"])
            command = 'ulimit -f 8; exec "$0" "$@"'
            r = subprocess.run(["bash", "-c", command, CLIENT, "copy", *words, "-o", "out/r." + ext], cwd=self.dir, env=self.env,
                               stderr=subprocess.PIPE, timeout=TIMEOUT)
            self.assertEqual(r.returncode, 74, (ext, r.stderr))
            self.assertEqual(r.stderr.decode(), "gpufilter-client: copy: out/r.%s: writing failed: File too large\n" % ext)
            self.assertEqual(self.outputs(), [], ext)
        with open(self.path("ops.json"), "wb") as out:
            r = subprocess.run(["bash", "-c", command, CLIENT, "ops", "--json"], cwd=self.dir, env=self.env, stdout=out,
                               stderr=subprocess.PIPE, timeout=TIMEOUT)
        self.assertEqual((r.returncode, r.stderr), (74, b"gpufilter-client: ops: standard output: writing failed\n"))


class Stand:
    """A socket that closes every connection at once, like a daemon that dies."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen(64)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            while True:
                self.socket.accept()[0].close()
        except OSError:
            pass

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Statuses(Lists):
    """Exit codes after some of several files failed: whether a retry may help."""

    def test_no_daemon(self):
        self.env["GPUFILTER_SOCKET"] = self.path("nosuch.sock")
        for more in [], ["-k"]:
            self.refused(69, "nosuch.sock", "--files-from", "list", "-o", "out/", *more)

    def test_a_daemon_that_cuts_connections(self):
        stand = Stand(self.path("d.sock"))
        self.addCleanup(stand.close)
        self.env["GPUFILTER_SOCKET"] = self.path("d.sock")
        for more in [], ["-k"]:
            r = self.box("--files-from", "list", "--timeout", "1", "-o", "out/", *more)
            self.assertEqual(r.returncode, 75, r.stderr)

    def test_all_may_pass(self):
        r = self.box("--files-from", "list", "--device", "cuda:77", "-k", "-o", "out/")
        self.assertEqual(r.returncode, 69, r.stderr)
        r = self.box("--files-from", "list", "--device", "cuda:77", "-j", "1", "-o", "out/")
        self.assertEqual(r.returncode, 69, r.stderr)
        r = self.box("--files-from", "list", "--timeout", "0.001", "-k", "-o", "out/")
        self.assertIn(r.returncode, [0, 75], r.stderr)  # a fast machine may be done in time

    def test_one_that_will_fail_again_decides(self):
        self.write("in/p4.ppm", b"P6\n3 3\n255\n")
        for jobs in "1", "4":
            self.write("list", self.lines)
            r = self.box("--files-from", "list", "--device", "cuda:77", "-k", "-j", jobs, "-o", "out/")
            self.assertEqual(r.returncode, 2, r.stderr)
            self.write("list", b"in/p4.ppm\n" + self.lines)
            r = self.box("--files-from", "-", "-j", jobs, "-o", "out/", stdin=b"in/p4.ppm\n")
            self.assertEqual(r.returncode, 65, r.stderr)
        self.assertEqual(self.outputs(), [])


if __name__ == "__main__":
    unittest.main()
