# SPDX-License-Identifier: MIT
"""gpufilter-client: where results go. Directories, replacing files in place, standard output, options out of place."""
import os
import socket
import struct
import subprocess
import unittest

from support import CLIENT, GREY, GREY_SHAPE, TIMEOUT, DaemonCase, png, ppm, setUpModule, tearDownModule

BLURRED = bytes([23, 30, 37, 33, 40, 47])  # GREY by a box of 3x3


class Files(DaemonCase):
    def setUp(self):
        super().setUp()
        for name in ["a", "b", "c"]:
            self.write(name + ".pgm", b"P5\n3 2\n255\n" + GREY)

    def blurred(self, name):
        self.assertEqual(self.read(name), b"P5\n3 2\n255\n" + BLURRED)

    def refused(self, code, text, *args, **options):
        """A refused command changes no file."""

        def state():
            rows = [(d, sorted(dirs), sorted(files)) for d, dirs, files in os.walk(self.dir)]
            return rows, {n: self.read(n) for n in os.listdir(self.dir) if os.path.isfile(self.path(n))}

        before = state()
        self.bad(code, text, *args, **options)
        self.assertEqual(state(), before)


class Directories(Files):
    def test_names_are_kept(self):
        os.mkdir(self.path("out"))
        for args in [["a.pgm", "-o", "out"], ["a.pgm", "-o", "out/"], ["a.pgm", "out"], ["a.pgm", "out/"]]:
            self.good("box", *args)
            self.assertEqual(os.listdir(self.path("out")), ["a.pgm"], args)
            self.blurred("out/a.pgm")
            os.remove(self.path("out/a.pgm"))
        self.good("box", "a.pgm", "b.pgm", "-o", "out")
        self.good("box", "b.pgm", "c.pgm", "out/")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a.pgm", "b.pgm", "c.pgm"])
        self.blurred("out/c.pgm")

    def test_of_pipes_and_operations_of_two(self):
        os.mkdir(self.path("out"))
        self.good("pipe", "a.pgm", "b.pgm", "box", "-o", "out/")
        self.good("pipe", "c.pgm", "box | box", "-o", "1:out/", "-q")
        for name in ["a", "b", "c"]:
            self.blurred("out/%s.pgm" % name)
        self.good("combine", "--mode", "absdiff", "out/a.pgm", "a.pgm", "--in-place")
        self.good("combine", "--mode", "max", "b.pgm", "a.pgm", "out")
        self.assertEqual(self.read("out/b.pgm"), self.read("b.pgm"))
        self.assertEqual(self.read("out/a.pgm")[-6:], bytes(abs(x - y) for x, y in zip(GREY, BLURRED)))

    def test_of_lists_and_drawings(self):
        os.mkdir(self.path("out"))
        self.write("x.npy", b"\x93NUMPY\x01\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }".ljust(79) + b"\n" + struct.pack("<3f", 1, -1, 2))
        self.good("select", "x.npy", "-o", "out/", "--lo", "0")
        self.assertEqual(self.read("out/x.npy")[-8:], struct.pack("<2f", 1, 2))
        os.mkdir(self.path("other"))
        self.good("select", "x.npy", "-q", "--lo", "0", "--indices", "other", "-o", "out")
        self.assertEqual(self.read("other/x.npy")[-16:], struct.pack("<2Q", 0, 2))
        self.write("d.png", png(3, 2, 1, GREY))
        self.good("histogram", "d.png", "-q", "--plot", "out")
        self.assertEqual(self.read("out/d.png")[:4], b"\x89PNG")
        self.refused(64, "drawn only as .svg or .png", "histogram", "a.pgm", "-q", "--plot", "out")
        self.refused(64, "two results of d.png would be written to out/d.png", "pipe", "d.png", "box | histogram", "-o", "out/", "--plot", "out/")

    def test_missing_ones(self):
        self.refused(73, "new/a.pgm: cannot be created: No such file or directory; --parents makes new", "box", "a.pgm", "-o", "new/")
        self.refused(73, "--parents makes new/er", "box", "a.pgm", "b.pgm", "-o", "new/er/")
        self.refused(73, "--parents makes new", "pipe", "a.pgm", "box", "-o", "new/x.pgm")
        self.refused(73, "a.pgm/a.pgm: cannot be created: Not a directory", "box", "a.pgm", "-o", "a.pgm/")
        self.refused(73, "a.pgm/x/a.pgm: the directory a.pgm/x cannot be created: Not a directory", "box", "a.pgm", "--parents", "-o", "a.pgm/x/")
        self.good("box", "a.pgm", "b.pgm", "--parents", "-o", "new/er/")
        self.blurred("new/er/b.pgm")
        self.good("pipe", "a.pgm", "box", "--parents", "-o", self.path("x/y/z.pgm"))
        self.blurred("x/y/z.pgm")
        self.refused(64, "is not a format that can be written", "box", "a.pgm", "--parents", "-o", "n/x.nosuch")
        self.good("histogram", "a.pgm", "-q", "--parents", "-o", "h/h.npy")
        self.good("box", "a.pgm", "--parents", "-o", "{stem}-{n}/")
        self.blurred("a-1/a.pgm")

    def test_braces_of_a_directory_are_its_own(self):
        os.mkdir(self.path("{x}"))
        self.good("box", "a.pgm", "-o", "{x}")
        self.good("box", "b.pgm", "{x}")
        self.good("box", "b.pgm", "{y}.pgm")
        self.assertEqual(sorted(os.listdir(self.path("{x}"))), ["a.pgm", "b.pgm"])
        self.blurred("{y}.pgm")

    def test_standard_input_has_no_name(self):
        os.mkdir(self.path("out"))
        self.refused(64, "inputs of a template must have names; standard input has none", "box", "-", "-o", "out/", stdin=self.read("a.pgm"))


class InPlace(Files):
    NEXT = "would be replaced by its result; name another output, or give --in-place and no output"

    def test_one_and_several(self):
        os.chmod(self.path("a.pgm"), 0o604)
        self.good("box", "--in-place", "a.pgm")
        self.blurred("a.pgm")
        self.assertEqual(os.stat(self.path("a.pgm")).st_mode & 0o777, 0o604)
        self.good("box", "--in-place", "b.pgm", "c.pgm")
        self.blurred("c.pgm")
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.pgm", "b.pgm", "c.pgm"])
        self.write("a.pgm", b"P5\n3 2\n255\n" + GREY)
        self.good("pipe", "--in-place", "a.pgm", "box | sobel | stats", "-q", "-o", "2:{stem}.npy")
        self.assertEqual(len(self.read("a.npy")), 128 + 24)

    def test_pipes(self):
        self.good("pipe", "--in-place", "a.pgm", "b.pgm", "box | stats", "-q")
        self.blurred("b.pgm")
        self.good("pipe", "--in-place", "c.pgm", "box", "-o", "./c.pgm")
        self.blurred("c.pgm")
        self.refused(64, "--in-place: no step gives a result that could replace IN", "pipe", "--in-place", "a.pgm", "stats")
        self.refused(64, "--in-place replaces a.pgm, but the output is x.pgm; leave one out", "pipe", "--in-place", "a.pgm", "box", "-o", "x.pgm")

    def test_a_link_is_followed(self):
        os.symlink("a.pgm", self.path("soft.pgm"))
        self.good("box", "--in-place", "soft.pgm")
        self.blurred("a.pgm")
        self.assertTrue(os.path.islink(self.path("soft.pgm")))

    def test_never_unasked(self):
        os.symlink("a.pgm", self.path("soft.pgm"))
        os.link(self.path("a.pgm"), self.path("hard.pgm"))
        os.mkdir(self.path("sub"))
        for name in ["a.pgm", "./a.pgm", "sub/../a.pgm", self.path("a.pgm"), "soft.pgm", "hard.pgm", ".", "./"]:
            self.refused(64, "a.pgm " + self.NEXT, "box", "a.pgm", name)
            self.refused(64, "a.pgm " + self.NEXT, "box", "a.pgm", "-o", name)
            self.refused(64, "a.pgm " + self.NEXT, "pipe", "a.pgm", "box", "-o", name)
        with open(self.path("a.pgm"), "rb") as f:
            r = subprocess.run([CLIENT, "box", "-", "a.pgm"], stdin=f, stderr=subprocess.PIPE, cwd=self.dir, env=self.env)
        self.assertEqual((r.returncode, self.read("a.pgm")[-6:]), (64, GREY))
        self.assertIn(self.NEXT, r.stderr.decode())
        self.refused(64, self.NEXT, "box", "a.pgm", "b.pgm", "-o", "{dir}/{stem}{ext}")
        self.refused(64, self.NEXT, "pipe", "a.pgm", "b.pgm", "box", "-o", "{dir}/{stem}{ext}")

    def test_no_other_input_either(self):
        over = "the result of a.pgm would overwrite b.pgm, which is also an input"
        self.refused(64, over, "combine", "a.pgm", "b.pgm", "b.pgm")
        self.refused(64, over, "pipe", "a.pgm", "combine other=@b.pgm", "-o", "b.pgm")
        self.refused(64, "the result of c.pgm would overwrite c.pgm, which is also an input", "pipe", "--in-place", "b.pgm", "c.pgm", "combine other=@c.pgm")

    def test_with_another_name(self):
        leave = "--in-place replaces a.pgm, but the output is %s; leave one out"
        self.refused(64, leave % "x.pgm", "box", "--in-place", "a.pgm", "-o", "x.pgm")
        self.refused(64, leave % "b.pgm", "box", "--in-place", "a.pgm", "-o", "b.pgm")
        self.refused(64, leave % "-", "box", "--in-place", "a.pgm", "-o", "-", "--format", "png")
        self.good("box", "--in-place", "a.pgm", "-o", "./a.pgm")
        self.blurred("a.pgm")

    def test_every_operand_is_an_input(self):
        self.refused(66, "x.pgm: cannot be read: No such file or directory; with --in-place every operand is an IN", "box", "--in-place", "a.pgm", "x.pgm")
        self.refused(64, "a.pgm and ./a.pgm are the same file, which --in-place replaces; every operand is an IN, so name it once", "box", "--in-place", "a.pgm", "./a.pgm")
        self.refused(64, "files replaced by --in-place must have names; standard input has none", "box", "--in-place", "-")
        self.refused(64, "/dev/null: is not a regular file, so --in-place cannot replace it", "box", "--in-place", "/dev/null", "--format", "png")
        self.refused(64, "unknown option --in-place", "stats", "--in-place", "a.pgm")
        self.refused(64, "IN is missing", "box", "--in-place")

    def test_damage_leaves_the_file(self):
        self.write("cut.png", png(3, 2, 1, GREY)[:-20])
        self.refused(65, "cut.png", "box", "--in-place", "cut.png")


class StandardOutput(Files):
    def test_the_format_is_that_of_the_input(self):
        rgb = bytes(range(36))
        self.write("in.ppm", ppm(4, 3, rgb))
        for extension, magic in [("png", b"\x89PNG"), ("jpg", b"\xff\xd8\xff"), ("bmp", b"BM"), ("tga", b"\0\0\n"), ("ppm", b"P6\n"), ("pam", b"P7\n"), ("npy", b"\x93NUMPY")]:
            self.good("copy", "in.ppm", "x." + extension)
            data = self.read("x." + extension)
            self.good("box", "x." + extension, "want." + extension)
            out = self.good("box", "-", "-", stdin=data)
            self.assertEqual(out[: len(magic)], magic)
            self.assertEqual(out, self.read("want." + extension), extension)
            self.assertEqual(self.good("box", "x." + extension, "-"), out)
            self.assertEqual(self.good("pipe", "-", "box", "-o", "-", stdin=data), out)

    def test_of_samples_and_text(self):
        self.assertEqual(self.good("box", "--raw", GREY_SHAPE, "-", "-", stdin=GREY), BLURRED)
        self.assertEqual(self.good("scan", "--in-dtype", "u8", "-", "-", stdin=b"1 2 3\n"), b"1 3 6\n")
        self.assertEqual(self.good("pipe", "--raw", GREY_SHAPE, "-", "box", "-o", "-", stdin=GREY), BLURRED)

    def test_a_result_that_it_does_not_hold(self):
        data = png(3, 2, 1, GREY)
        self.bad(65, "png holds u8 or u16", "integral", "-", "-", stdin=data)
        self.bad(64, "standard output: png holds no negative samples", "sobel", "--output", "dx", "-", "-", stdin=data)
        self.bad(64, "standard output: png holds no negative samples", "pipe", "-", "sobel output=dx", "-o", "-", stdin=data)
        self.bad(64, "standard output has no extension", "histogram", "-", "-o", "-", stdin=data)
        self.bad(64, "standard output has no extension", "pipe", "-", "histogram", "-o", "1.edges:-", stdin=data)


class Descriptors(Files):
    """Names of inherited descriptors: those of standard output mean -, and what they hold stays."""

    def shell(self, line):
        r = subprocess.run(["bash", "-c", line, CLIENT], cwd=self.dir, env=self.env, capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        return r.stdout

    def test_names_of_standard_output(self):
        want = self.good("box", "a.pgm", "-")
        for name in "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
            self.assertEqual(self.good("box", "a.pgm", name), want, name)
            self.assertEqual(self.good("box", "a.pgm", name, "--format", "pgm"), want, name)
            self.assertEqual(self.good("pipe", "a.pgm", "box", "-o", name), want, name)
            self.assertEqual(self.good("box", "-", name, stdin=self.read("a.pgm") * 2), want * 2, name)
            with open(self.path("all"), "wb") as out:
                out.write(b"head")
                out.flush()
                self.good("box", "a.pgm", name, stdout=out)
                self.good("box", "a.pgm", name, stdout=out)
            self.assertEqual(self.read("all"), b"head" + want + want, name)
            self.refused(64, "would both go to standard output", "box", "a.pgm", name, "--json")
            self.refused(64, "takes only one picture", "box", "a.pgm", "b.pgm", "-o", name)
            self.refused(64, "standard output cannot be skipped", "box", "a.pgm", name, "--skip-existing")
            self.assertIn(b"terminal", self.on_terminal("box", "a.pgm", name))

    def on_terminal(self, *args):
        ours, theirs = os.openpty()
        r = self.run_client(*args, stdout=theirs)
        os.close(ours)
        os.close(theirs)
        self.assertEqual(r.returncode, 64)
        return r.stderr

    def test_of_a_shell(self):
        want = self.good("box", "a.pgm", "-")
        self.assertEqual(self.shell('"$0" box <(cat a.pgm) - | cat'), want)
        self.assertEqual(self.shell('"$0" box a.pgm >(cat) --format pgm | cat'), want)
        self.assertEqual(self.shell('"$0" box a.pgm /dev/fd/7 --format pgm 7>&1 >/dev/null'), want)
        self.assertEqual(self.shell('"$0" box a.pgm /dev/stderr --format pgm 2>&1 >/dev/null'), want)
        self.assertEqual(self.shell('mkfifo pipe; cat pipe & "$0" box a.pgm pipe --format pgm; wait'), want)
        self.shell('"$0" split a.pgm /dev/null --format pgm')

    def test_a_socket(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.good("box", "a.pgm", "/dev/fd/1", stdout=theirs)
            self.assertEqual(ours.recv(1000), self.good("box", "a.pgm", "-"))

    def test_one_that_is_not_there(self):
        """Descriptors that the command itself opens have numbers, too, but not for the command line."""
        for name in ["/dev/fd/999", "/dev/fd/99999999999"] + ["/dev/fd/%d" % i for i in range(3, 12)]:
            self.refused(73, name, "box", "a.pgm", name, "--format", "pgm")
        self.refused(64, "two results of a.pgm would be written to /dev/stderr", "pipe", "a.pgm", "box | box", "-o", "1:/dev/stderr", "-o", "/dev/stderr", "--format", "pgm")


class OutOfPlace(Files):
    def test_quality_and_level(self):
        says = "--quality 80: applies only to jpeg, webp, avif or heic, but x.png is written as png; leave it out"
        self.refused(64, says, "box", "--quality", "80", "a.pgm", "x.png")
        self.refused(64, says, "pipe", "a.pgm", "box", "-o", "x.png", "--quality", "80")
        self.refused(64, "--png-level 9: applies only to png, but x.jpg is written as jpeg; leave it out", "box", "--png-level", "9", "a.pgm", "x.jpg")
        self.refused(64, "--quality 80: applies only to jpeg, webp, avif or heic, and no such file is written; leave it out", "stats", "--quality", "80", "a.pgm")
        self.refused(64, "--subsampling 444: applies only to jpeg, but x.png is written as png; leave it out", "box", "--subsampling", "444", "a.pgm", "x.png")
        self.refused(64, "--progressive: applies only to jpeg, but x.webp is written as webp; leave it out", "box", "--progressive", "a.pgm", "x.webp")
        data = png(3, 2, 1, GREY)
        self.bad(64, "but standard output is written as png", "box", "--quality", "80", "-", "-", stdin=data)
        self.bad(64, "--quality 80: applies only to jpeg, webp, avif or heic", "pipe", "-", "box", "-o", "-", "--quality", "80", stdin=data)
        self.good("box", "--quality", "80", "a.pgm", "x.jpg")
        self.good("pipe", "a.pgm", "box | box", "--quality", "80", "-o", "x.png", "-o", "1:x.jpg")
        self.write("d.jpg", self.read("x.jpg"))
        self.good("box", "d.jpg", "a.pgm", "--quality", "80", "--parents", "-o", "o/")

    def test_jobs_of_one_file(self):
        for jobs in ["nonsense", "0", "33", "-1", ""]:
            self.refused(64, "--jobs %s; allowed: 1..32" % jobs, "box", "a.pgm", "x.png", "--jobs=" + jobs)
            self.refused(64, "--jobs %s; allowed: 1..32" % jobs, "pipe", "a.pgm", "box", "-o", "x.png", "--jobs=" + jobs)

    def test_raw_beside_a_header(self):
        data = png(3, 2, 1, GREY)
        self.write("p.png", data)
        self.write("p.bin", data)
        says = "p.png: a png file describes its own contents; leave --raw out"
        self.refused(64, says, "box", "--raw", GREY_SHAPE, "p.png", "x.png")
        self.refused(64, says, "pipe", "--raw", GREY_SHAPE, "p.png", "box", "-o", "x.png")
        self.refused(64, "a.pgm: a pgm file describes its own contents", "box", "--raw", GREY_SHAPE, "a.pgm", "b.pgm", "-o", "x{n}.png")
        shape = "%d:u8" % len(data)
        self.refused(64, "p.bin: a png file describes its own contents; leave --raw out", "box", "--raw", shape, "p.bin", "x.png")

    def test_numbers_as_text_beside_a_picture(self):
        self.write("p.png", png(3, 2, 1, GREY))
        self.write("p.txt", png(3, 2, 1, GREY))
        self.refused(64, "p.png: a png file describes its own contents; leave --in-dtype out", "box", "--in-dtype", "u8", "p.png", "x.png")
        self.refused(64, "p.txt: a png file describes its own contents; leave --in-dtype out", "box", "--in-dtype", "u8", "p.txt", "x.png")
        self.refused(64, "p.txt: a png file describes its own contents; leave --in-dtype out", "pipe", "--in-dtype", "u8", "p.txt", "box", "-o", "x.png")


if __name__ == "__main__":
    unittest.main()
