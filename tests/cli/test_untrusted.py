# SPDX-License-Identifier: MIT
"""--untrusted: a process without rights decodes. tests/unit/client/test_untrusted.c has what it may answer."""
import ctypes
import json
import os
import platform
import resource
import select
import signal
import struct
import subprocess
import tarfile
import time
import unittest

from support import CLIENT, GREY, TIMEOUT, DaemonCase, png, png_chunk, ppm, setUpModule, tearDownModule
from processes import children, fd_names, list_proc, read_proc, status_of

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fuzz/corpus/fuzz_image.tar")
HAS = [word.split("=")[0] for word in os.environ["GF_CODECS"].split()]
SAMPLES = bytes((7 * x + 3 * y + 40 * c) % 256 for y in range(40) for x in range(60) for c in range(3))
WRITTEN = ["png", "jpg", "bmp", "tga", "ppm", "pam", "pfm", "hdr", "npy", "txt"]
WRITTEN += ["tif"] * ("tiff" in HAS) + ["webp"] * ("webp" in HAS) + ["avif", "heic"] * ("heif" in HAS) + ["gif"] * ("gif" in HAS)
NUMBERS = {"seccomp": 317 if platform.machine() == "x86_64" else 277, "landlock_create_ruleset": 444,
           "landlock_restrict_self": 446}


def refuse(call):
    """Makes a system call fail with EOPNOTSUPP in this process and its children, as in a kernel without it."""
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, NUMBERS[call]), (0x06, 0, 0, 0x00050000 | 95), (0x06, 0, 0, 0x7FFF0000)]
    filters = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(filters))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
        os._exit(1)


class Same(DaemonCase):
    def setUp(self):
        super().setUp()
        self.need_sandbox()

    def both(self, *args, **options):
        """The same command without and with the option: exit code, both streams and the files must be equal.
        Returns the files."""
        ends = []
        for more in (), ("--untrusted",):
            r = self.run_client(*more, *args, **options)
            made = [name for name in os.listdir(self.dir) if name.startswith("out.")]
            ends.append((r.returncode, r.stdout, r.stderr, {name: self.read(name) for name in made}))
            for name in made:
                os.unlink(self.path(name))
        self.assertEqual(*ends)
        return ends[0][3]

    def test_every_format(self):
        """Samples, what info tells, and what another format does not keep."""
        text = png_chunk(b"tEXt", b"Comment\0hello") + png_chunk(b"pHYs", struct.pack(">IIB", 3000, 3000, 1))
        self.write("in.png", png(60, 40, 3, SAMPLES, more=text + png_chunk(b"gAMA", struct.pack(">I", 100000))))
        for ext in WRITTEN:
            name = "a." + ext
            if ext in ("pfm", "hdr"):
                self.good("map", "--dtype", "f32", "in.png", name)
            elif ext == "txt":
                self.good("copy", "--channel", "1", "in.png", name)
            else:
                self.good("copy", "in.png", name, "--quiet")
            for args in (["copy", name, "out.npy"], ["copy", "--srgb", name, "out.npy"], ["copy", name, "out.jpg"],
                         ["info", name], ["info", "--json", name], ["stats", name]):
                self.both(*args, "--verbose")
            self.both("copy", "--strict", name, "out.ppm")

    def test_every_file_of_the_fuzzer(self):
        with tarfile.open(CORPUS) as archive:
            files = [self.write(os.path.basename(one.name), archive.extractfile(one).read()) for one in archive if one.isfile()]
        made = self.both("copy", "--srgb", "--salvage", "--verbose", "--keep-going", *files, "-o", "out.{n}.npy")
        self.assertGreater(len(made), 90)

    def test_damage_and_limits(self):
        whole = png(60, 40, 3, SAMPLES)
        for name, data in (("cut.png", whole[:-200]), ("end.png", whole[:-12]), ("none.png", b""), ("text.xyz", b"text"),
                           ("short.ppm", b"P6 9 9 255\n"), ("head.tif", b"II*\0\xff\xff\xff\xff")):
            self.write(name, data)
            self.both("copy", name, "out.npy")
            self.both("copy", "--salvage", name, "out.npy")
        self.write("a.png", whole)
        self.both("copy", "--max-pixels", "2399", "a.png", "out.npy")
        self.both("copy", "--page", "2", "a.png", "out.npy")
        self.both("copy", "nosuch.png", "out.npy")

    def test_streams_and_lists(self):
        for data in (png(60, 40, 3, SAMPLES) * 3, ppm(60, 40, SAMPLES) * 3):
            self.both("copy", "-", "-", "--format", "ppm", stdin=data)
        self.write("a.png", png(60, 40, 3, SAMPLES))
        self.both("histogram", "--edges", "0,10,200", "a.png")
        self.good("resize", "--size", "400x300", "a.png", "a.jpg")
        for name in "a.png", "a.jpg":  # a JPEG is read at an eighth
            self.both("thumbnail", "20x20", name, "-o", "out.png")


class Hostile(DaemonCase):
    ENDS = {
        "s": "was ended by SIGSYS (a forbidden system call)",
        "c": "was ended by SIGSYS (a forbidden system call)",
        "x": "was ended by SIGSYS (a forbidden system call)",
        "d": "was ended by SIGSYS (a forbidden system call)",
        "f": "was ended by SIGSEGV",
        "e": "ended without an answer",
        "n": "gave a wrong answer",
    }

    def setUp(self):
        super().setUp()
        self.need_sandbox()
        self.env["LD_PRELOAD"] = os.environ["GF_HOSTILE_CODEC"]
        self.write("a.png", png(3, 2, 1, GREY))

    def acting(self, act):
        return self.write("a.png", png(3, 2, 1, GREY) + act.encode())

    def test_what_it_did_is_said(self):
        for act, text in self.ENDS.items():
            self.acting(act)
            says = "a.png: decoding failed: the decoding process " + text
            self.bad(65, "copy: " + says, "copy", "--untrusted", "a.png", "out.npy")
            self.bad(65, "info: " + says, "info", "--untrusted", "a.png")
            self.assertFalse(os.path.exists(self.path("out.npy")))
            error = json.loads(self.run_client("copy", "--untrusted", "--json", "a.png", "out.npy").stdout)["error"]
            self.assertEqual(error, {"status": "DATA", "text": says})

    def test_it_has_no_rights(self):
        self.acting("r")
        self.good("copy", "--untrusted", "a.png", "out.raw", "--format", "raw")
        self.assertEqual(self.read("out.raw"), GREY)
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.png", "out.raw"])

    def test_its_time_is_limited(self):
        """By less than the decoder's own limit, which it keeps."""
        self.acting("t")
        self.bad(65, "was ended by SIGXCPU (too much processor time)", "info", "--untrusted", "a.png",
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 2)))

    def test_other_files_go_on(self):
        self.acting("s")
        self.write("b.png", png(3, 2, 1, GREY))
        r = self.run_client("copy", "--untrusted", "-k", "a.png", "b.png", "-o", "{stem}.raw")
        self.assertEqual(r.returncode, 2)
        self.assertIn("SIGSYS", r.stderr.decode())
        self.assertEqual(self.read("b.raw"), GREY)

    def test_it_ends_with_the_command(self):
        self.acting("t")
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
            process = subprocess.Popen([CLIENT, "info", "--untrusted", "a.png"], cwd=self.dir, env=self.env,
                                       start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            end = time.monotonic() + TIMEOUT
            while not any(self.is_confined(pid) for pid in children(process.pid)) and time.monotonic() < end:
                time.sleep(0.01)
            decoder = os.pidfd_open(*children(process.pid))
            process.send_signal(number)
            self.assertEqual(process.wait(TIMEOUT), -number)
            self.assertEqual(select.select([decoder], [], [], TIMEOUT)[0], [decoder])
            os.close(decoder)

    def test_nothing_is_left_in_a_long_run(self):
        """While a stream waits for the next picture, no process is left, and no descriptor more than before."""
        one, used = png(3, 2, 1, GREY), []
        with subprocess.Popen([CLIENT, "copy", "--untrusted", "-", "-"], cwd=self.dir, env=self.env,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for _ in range(2):
                process.stdin.write(10 * one)
                process.stdin.flush()
                got = b""
                while got.count(b"IEND") < 8:
                    got += os.read(process.stdout.fileno(), 1 << 16)
                end = time.monotonic() + TIMEOUT
                while not self.rests(process.pid) and time.monotonic() < end:
                    time.sleep(0.01)
                self.assertTrue(self.rests(process.pid))
                used.append(len(fd_names(process.pid)))
            process.stdin.close()
            process.stdout.read()
        self.assertEqual(process.returncode, 0)
        self.assertEqual(used[0], used[1])

    @staticmethod
    def is_confined(pid):
        return status_of(pid).get("Seccomp", "").strip() == "2"

    @staticmethod
    def rests(pid):
        """Whether all threads sleep and no child is left. Between two pictures there is none either, but a thread runs:
        its status, which counts the times that it slept, is another one then."""
        def read(name):
            return [read_proc(pid, "task/%s/%s" % (task, name)) for task in list_proc(pid, "task")]

        before, left, after = read("status"), any(read("children")), read("status")
        return not left and before == after and all("\nState:\tS" in status for status in after)


class Missing(DaemonCase):
    def test_nothing_is_decoded_without_a_sandbox(self):
        self.write("a.png", png(3, 2, 1, GREY))
        for call, name in (("landlock_create_ruleset", "Landlock"), ("seccomp", "seccomp")):
            says = "--untrusted: files are not decoded: %s is missing or switched off here" % name
            for args in (["info", "a.png"], ["copy", "a.png", "out.png"]):
                self.bad(69, says, *args, "--untrusted", preexec_fn=lambda c=call: refuse(c))
                self.good(*args, preexec_fn=lambda c=call: refuse(c))
            os.unlink(self.path("out.png"))

    def test_not_even_if_it_turns_out_late(self):
        self.need_sandbox()
        self.write("a.png", png(3, 2, 1, GREY))
        self.bad(70, "a.png: not decoded: files and signals are not restricted (Landlock): ", "info", "--untrusted",
                 "a.png", preexec_fn=lambda: refuse("landlock_restrict_self"))


if __name__ == "__main__":
    unittest.main()
