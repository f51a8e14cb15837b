# SPDX-License-Identifier: MIT
"""gpufilter-client from standard input to standard output, frame by frame: y4m, raw samples, PNG and PNM."""
import os
import signal
import struct
import subprocess
import unittest

from support import CLIENT, GREY, TIMEOUT, Daemon, DaemonCase, png, png_chunk, ppm, setUpModule, tearDownModule

BLUR = ["gaussian", "--sigma", "1.5"]


def samples(n, seed, top=256):
    return [(i * i * 31 + i * 7 + seed * 101) % top for i in range(n)]


class Streams(DaemonCase):
    def one(self, args, shape, data):
        """The result of a run on one picture of these samples."""
        self.write("one.bin", data)
        self.good(*args, "--raw", shape, "one.bin", "one.raw")
        return self.read("one.raw")

    def cut(self, text, args, data, stdout):
        """Frames that end too early: the complete frames are written, and one line names the incomplete one."""
        r = self.run_client(*args, stdin=data)
        self.assertEqual((r.returncode, r.stderr.decode()), (65, "gpufilter-client: %s: %s\n" % (args[0], text)))
        self.assertEqual(r.stdout, stdout)


class Raw(Streams):
    def setUp(self):
        super().setUp()
        self.frames = [bytes(samples(7 * 5 * 3, k)) for k in range(9)]
        self.want = [self.one(BLUR, "7x5x3:u8", f) for f in self.frames]

    def test_any_number(self):
        for n in range(1, 10):
            out = self.good(*BLUR, "--raw", "7x5x3:u8", "-", "-", stdin=b"".join(self.frames[:n]))
            self.assertEqual(out, b"".join(self.want[:n]), n)
        self.assertEqual(
            self.good("pipe", "--raw", "7x5x3:u8", "-", "gaussian sigma=1.5", "-o", "-", stdin=b"".join(self.frames)),
            b"".join(self.want),
        )

    def test_other_types_and_shapes(self):
        data = struct.pack("<24f", *[x / 8 for x in samples(24, 1)])
        out = self.good("box", "--raw", "4x3:f32", "-", "-", stdin=data)
        self.assertEqual(out, self.one(["box"], "4x3:f32", data[:48]) + self.one(["box"], "4x3:f32", data[48:]))
        out = self.good("integral", "--raw", "4x3:u8", "-", "-", stdin=data[:24])
        self.assertEqual(out, self.one(["integral"], "4x3:u8", data[:12]) + self.one(["integral"], "4x3:u8", data[12:24]))

    def test_as_pictures(self):
        out = self.good(*BLUR, "--raw", "7x5x3:u8", "--format", "ppm", "-", "-", stdin=b"".join(self.frames[:3]))
        self.assertEqual(out, b"".join(ppm(7, 5, w) for w in self.want[:3]))

    def test_cut_short(self):
        raw = [*BLUR, "--raw", "7x5x3:u8", "-", "-"]
        whole = b"".join(self.want)
        self.cut("standard input: frame 10 is cut short: 1 of 105 bytes", raw, b"".join(self.frames) + b"x", whole)
        self.cut("standard input: frame 1 is cut short: 104 of 105 bytes", raw, self.frames[0][:-1], b"")
        self.cut("standard input: is empty", raw, b"", b"")
        args = ["pipe", "--raw", "7x5x3:u8", "-", "gaussian sigma=1.5", "-o", "-"]
        self.cut("standard input: frame 10 is cut short: 50 of 105 bytes", args, b"".join(self.frames) + bytes(50), whole)

    def test_another_input_is_read_once(self):
        self.write("table.txt", b" ".join(b"%d" % (255 - i) for i in range(256)))
        out = self.good("map", "--table", "table.txt", "--raw", "7x5x3:u8", "-", "-", stdin=b"".join(self.frames))
        self.assertEqual(out, bytes(255 - v for f in self.frames for v in f))
        self.write("b.ppm", ppm(7, 5, self.frames[0]))
        args = ["pipe", "--raw", "7x5x3:u8", "-", "combine other=@b.ppm mode=absdiff", "-o", "-"]
        out = self.good(*args, stdin=b"".join(self.frames))
        self.assertEqual(out, bytes(abs(v - self.frames[0][i]) for f in self.frames for i, v in enumerate(f)))

    def test_frames_leave_as_they_come(self):
        args = [CLIENT, *BLUR, "--raw", "7x5x3:u8", "-", "-"]
        process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.dir, env=self.env)
        for frame, want in zip(self.frames, self.want):
            process.stdin.write(frame)
            process.stdin.flush()
            self.assertEqual(process.stdout.read(len(want)), want)
        process.stdin.close()
        self.assertEqual((process.stdout.read(), process.wait(TIMEOUT)), (b"", 0))
        process.stdout.close()

    def test_nobody_reads(self):
        mine, theirs = os.pipe()
        os.close(mine)
        r = self.run_client(*BLUR, "--raw", "7x5x3:u8", "-", "-", stdin=b"".join(self.frames), stdout=theirs)
        os.close(theirs)
        self.assertEqual(r.stderr, b"")
        self.assertNotEqual(r.returncode, 0)

    def test_questions_about_one_picture(self):
        r = self.run_client(*BLUR, "--hash", "--raw", "7x5x3:u8", "-", "-", stdin=self.frames[0])
        self.assertEqual((r.returncode, r.stdout), (0, self.want[0]))
        r = self.run_client(*BLUR, "--hash", "--raw", "7x5x3:u8", "-", "-", stdin=b"".join(self.frames))
        self.assertEqual((r.returncode, r.stdout), (65, b""))
        self.assertIn(b"needs exactly 105", r.stderr)

    def test_number_of_frames(self):
        r = self.run_client(*BLUR, "-v", "--raw", "7x5x3:u8", "-", "-", stdin=b"".join(self.frames))
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertRegex(r.stderr, b"^gpufilter-client: gaussian: connected to .*\ngpufilter-client: gaussian: 9 frames written\n$")
        r = self.run_client(*BLUR, "-v", "--raw", "7x5x3:u8", "-", "-", stdin=self.frames[0])
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertRegex(r.stderr, b"^gpufilter-client: gaussian: connected to .*\ngpufilter-client: gaussian: 1 frame written\n$")

    def test_memory_does_not_grow_with_the_frames(self):
        def peak(n):
            with open(self.path("zeros"), "wb") as f:
                f.truncate(n * 640 * 360 * 3)
            with open(self.path("zeros"), "rb") as f:
                args = [CLIENT, "copy", "--raw", "640x360x3:u8", "-", "-"]
                process = subprocess.Popen(args, stdin=f, stdout=subprocess.DEVNULL, cwd=self.dir, env=self.env)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return usage.ru_maxrss

        self.assertLess(peak(160) - peak(16), 32 * 1024)  # of 100 MB more, in KiB

    def test_a_signal_ends_it(self):
        args = [CLIENT, *BLUR, "--raw", "7x5x3:u8", "-", "-"]
        for number in [signal.SIGINT, signal.SIGTERM]:
            with subprocess.Popen(
                args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir, env=self.env
            ) as process:
                process.stdin.write(self.frames[0])
                process.stdin.flush()
                self.assertEqual(process.stdout.read(105), self.want[0])
                process.send_signal(number)
                self.assertEqual(process.wait(TIMEOUT), -number)
                self.assertEqual((process.stdout.read(), process.stderr.read()), (b"", b""))

    def test_the_daemon_ends(self):
        daemon = Daemon()
        self.env["GPUFILTER_SOCKET"] = daemon.socket
        args = [CLIENT, *BLUR, "--raw", "7x5x3:u8", "-", "-"]
        with subprocess.Popen(
            args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir, env=self.env
        ) as process:
            process.stdin.write(self.frames[0])
            process.stdin.flush()
            self.assertEqual(process.stdout.read(105), self.want[0])
            self.assertEqual(daemon.stop(), 0)
            out, err = process.communicate(self.frames[1], TIMEOUT)
            self.assertEqual((process.returncode, out), (69, b""))
            self.assertIn(b"gpufilter-client: gaussian: frame 2: ", err)
            self.assertEqual(err.count(b"\n"), 1, err)

    def test_closed_descriptors(self):
        self.write("in.raw", self.frames[0])
        for shut, code, says in [
            ("<&- >out", 74, "standard input: reading failed: Bad file descriptor"),
            ("<in.raw >&-", 74, "standard output: writing failed: Bad file descriptor"),
        ]:
            command = [CLIENT, *BLUR, "--raw", "7x5x3:u8", "-", "-"]
            r = self.shell('"$@" ' + shut, command)
            self.assertEqual((r.returncode, r.stderr.decode()), (code, "gpufilter-client: gaussian: %s\n" % says))
        r = self.shell('"$@" <in.raw >out 2>&-', [CLIENT, *BLUR, "--raw", "7x5x3:u8", "-", "-"])
        self.assertEqual((r.returncode, self.read("out")), (0, self.want[0]))

    def shell(self, script, args):
        return subprocess.run(
            ["sh", "-c", script, "sh", *args], stderr=subprocess.PIPE, cwd=self.dir, env=self.env, timeout=TIMEOUT
        )

    def test_files_with_a_header_are_no_bare_samples(self):
        for data, name in [(b"YUV4MPEG2 W4 H4\n" + bytes(200), "y4m video"), (png(7, 5, 3, self.frames[0]), "a PNG file")]:
            r = self.run_client(*BLUR, "--raw", "7x5x3:u8", "-", "-", stdin=data)
            self.assertEqual((r.returncode, r.stdout), (64, b""))
            says = "gpufilter-client: gaussian: standard input: %s describes its own contents; leave --raw out\n" % name
            self.assertEqual(r.stderr.decode(), says)


class Video(Streams):
    """Planes are filtered as separate pictures."""

    def video(self, chroma, width, height, planes, n=5, bits=8, more="", frame=""):
        """A stream, its header, and its frames as lists of planes."""
        header = ("YUV4MPEG2 W%d H%d F30000:1001 Ip A1:1%s%s\n" % (width, height, chroma and " C" + chroma, more)).encode()
        form = "<%dH" if bits > 8 else "%dB"
        frames = [[struct.pack(form % (w * h), *samples(w * h, 5 * k + p, 1 << bits)) for p, (w, h) in enumerate(planes)] for k in range(n)]
        mark = ("FRAME" + frame + "\n").encode()
        return header + b"".join(mark + b"".join(f) for f in frames), header, mark, frames

    def check(self, chroma, width, height, planes, bits=8, **more):
        data, header, mark, frames = self.video(chroma, width, height, planes, bits=bits, **more)
        dtype = "u16" if bits > 8 else "u8"
        want = header + b"".join(
            mark + b"".join(self.one(BLUR, "%dx%dx1:%s" % (*planes[p], dtype), plane) for p, plane in enumerate(f)) for f in frames
        )
        self.assertEqual(self.good(*BLUR, "-", "-", stdin=data), want, chroma)
        self.assertEqual(self.good("pipe", "-", "gaussian sigma=1.5", "-o", "-", stdin=data), want, chroma)

    def test_each_plane_as_a_picture(self):
        for chroma in ["420", "420jpeg", "420mpeg2", "420paldv", ""]:
            self.check(chroma, 7, 5, [(7, 5), (4, 3), (4, 3)])
        self.check("422", 7, 5, [(7, 5), (4, 5), (4, 5)])
        self.check("411", 7, 5, [(7, 5), (2, 5), (2, 5)])
        self.check("444", 7, 5, [(7, 5)] * 3)
        self.check("444alpha", 7, 5, [(7, 5)] * 4)
        self.check("mono", 7, 5, [(7, 5)])

    def test_more_than_8_bits(self):
        for bits in [10, 12, 16]:
            self.check("420p%d" % bits, 6, 4, [(6, 4), (3, 2), (3, 2)], bits=bits)
        self.check("mono10", 6, 4, [(6, 4)], bits=10)

    def test_headers_pass(self):
        self.check("420jpeg", 6, 4, [(6, 4), (3, 2), (3, 2)], more=" XYSCSS=420JPEG XCOLORRANGE=LIMITED", frame=" Ip XNOTE")

    def test_samples_stay_within_their_bits(self):
        data, header, mark, frames = self.video("mono10", 6, 4, [(6, 4)], bits=10)
        r = self.run_client("map", "--scale", "2", "-", "-", stdin=data)
        out = r.stdout
        n = sum(2 * v > 1023 for f in frames for v in struct.unpack("<24H", f[0]))
        says = "%d samples above 1023, the maximum of the video, became 1023; video of 8 or 16 bits avoids this"
        self.assertEqual((r.returncode, r.stderr.decode()), (0, "gpufilter-client: map: warning: " + says % n + "\n"))
        want = [min(1023, 2 * v) for f in frames for v in struct.unpack("<24H", f[0])]
        self.assertEqual(out, header + b"".join(mark + struct.pack("<24H", *want[24 * i : 24 * i + 24]) for i in range(5)))

    def test_colours_that_shift_are_told_once(self):
        data = self.video("420", 4, 4, [(4, 4), (2, 2), (2, 2)], n=3)[0]
        grey = self.video("mono", 4, 4, [(4, 4)], n=3)[0]
        says = "warning: the values of chroma planes change as well, which shifts the colours; use "
        says += "ffmpeg -pix_fmt gray, or rgb24 with -f rawvideo and --raw WxHx3:u8\n"
        for args in [["map", "--scale", "0.5", "-", "-"], ["brightness", "--amount", "0.5", "-", "-"],
                     ["equalize", "-", "-"], ["pipe", "-", "gaussian | map scale=0.5", "-o", "-"]]:
            r = self.run_client(*args, stdin=data)
            self.assertEqual((r.returncode, r.stderr.decode()), (0, "gpufilter-client: %s: %s" % (args[0], says)))
            r = self.run_client(*args, stdin=grey)
            self.assertEqual((r.returncode, r.stderr), (0, b""))
        r = self.run_client("sobel", "-", "-", stdin=data)
        self.assertIn("gpufilter-client: sobel: " + says, r.stderr.decode())
        for args in [["invert", "-", "-"], ["copy", "-", "-"], ["sharpen", "-", "-"],
                     ["pipe", "-", "gaussian | sharpen", "-o", "-"]]:
            r = self.run_client(*args, stdin=data)
            self.assertEqual((r.returncode, r.stderr), (0, b""), args)

    def test_white_is_that_of_the_video(self):
        for bits, white in [(8, 255), (10, 1023), (16, 65535)]:
            data, header, mark, frames = self.video("mono" if bits == 8 else "mono%d" % bits, 6, 4, [(6, 4)], bits=bits)
            form = "<24H" if bits > 8 else "24B"
            want = [struct.pack(form, *[white - v for v in struct.unpack(form, f[0])]) for f in frames]
            self.assertEqual(self.good("invert", "-", "-", stdin=data), header + b"".join(mark + f for f in want), bits)

    def test_results_that_are_converted_are_told_once(self):
        data, header, mark, frames = self.video("mono", 6, 4, [(6, 4)], n=3)
        r = self.run_client("sobel", "-", "-", stdin=data)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertRegex(r.stderr.decode(), r"^gpufilter-client: sobel: -: f32 stored as u8, \d+ of 72 samples saturated\n$")
        self.write("f.pgm", b"P5\n6 4\n255\n" + frames[1][0])
        self.good("sobel", "f.pgm", "s.pgm", "-q")
        size = len(mark) + 24
        self.assertEqual(r.stdout[len(header) + size + len(mark) : len(header) + 2 * size], self.read("s.pgm")[-24:])
        p = self.run_client("pipe", "-", "sobel", "-o", "-", stdin=data)
        self.assertEqual((p.stdout, p.stderr.replace(b"pipe", b"sobel")), (r.stdout, r.stderr))

    def test_cut_short(self):
        data, header, mark, frames = self.video("420", 4, 4, [(4, 4), (2, 2), (2, 2)], n=6)
        size = len(mark) + 24
        whole = self.good("box", "-", "-", stdin=data)
        for left, says in [(1, "23 of 24"), (24, "0 of 24"), (25, "0 of 24"), (28, "0 of 24")]:
            text = "standard input: frame 6 is cut short: %s bytes" % says
            self.cut(text, ["box", "-", "-"], data[:-left], whole[:-size])
        self.cut("standard input: frame 3 does not begin with FRAME; the y4m stream is damaged", ["box", "-", "-"],
                 data[: len(header) + 2 * size] + b"x" + data[len(header) + 2 * size :], whole[: len(header) + 2 * size])

    def refused(self, code, text, data, *args):
        r = self.run_client(*(args or ("box", "-", "-")), stdin=data)
        self.assertEqual((r.returncode, r.stdout), (code, b""))
        self.assertEqual(r.stderr.decode().count("\n"), 1, r.stderr)
        self.assertIn(text, r.stderr.decode())

    def test_headers_that_are_refused(self):
        def head(words):
            return b"YUV4MPEG2 " + words + b"\nFRAME\n" + bytes(24)

        for field in [b"t", b"b", b"m"]:
            self.refused(65, "the video is interlaced (I%s)" % field.decode(), head(b"W4 H4 I" + field))
        self.refused(65, "y4m samples C410 are not supported; supported are C420, C422, C444, C411 and Cmono", head(b"W4 H4 C410"))
        self.refused(65, "y4m samples C420p17 are not supported", head(b"W4 H4 C420p17"))
        self.refused(65, "y4m samples C420x are not supported", head(b"W4 H4 C420x"))
        self.refused(65, "damaged y4m header: W0", head(b"W0 H4"))
        self.refused(65, "damaged y4m header: H4x", head(b"W4 H4x"))
        self.refused(65, "damaged y4m header: width or height is missing", head(b"W4"))
        self.refused(65, "70000", head(b"W70000 H4"))
        self.refused(65, "damaged y4m header: no line end within 1024 bytes", b"YUV4MPEG2 W4 H4 X" + bytes(2000))
        self.refused(65, "the y4m header is cut short, after 12 bytes", b"YUV4MPEG2 W4")
        self.refused(65, "damaged y4m header: no line end", b"YUV4MPEG2 W4 H4\0 XNOTE\nFRAME\n" + bytes(24))
        self.refused(65, "a y4m header without a frame", b"YUV4MPEG2 W4 H4\n")

    def test_what_does_not_go(self):
        data = self.video("420", 4, 4, [(4, 4), (2, 2), (2, 2)])[0]
        self.refused(64, "--format png: a y4m stream is written as y4m", data, "box", "--format", "png", "-", "-")
        self.refused(64, "a plane of the video is 4x4x1 u8 and its result 4x4x1 u16; y4m keeps the size and the type", data, "sobel", "--dtype", "u16", "-", "-")
        self.refused(64, "is 4x4x1 u8 and its result 2x2x1 u8", data, "correlate", "--mask", "1 1 1; 1 1 1; 1 1 1", "--size", "valid", "-", "-")
        self.refused(65, "y4m holds u8 or u16", data, "integral", "-", "-")
        self.refused(64, "no negative samples", data, "sobel", "--output", "dx", "-", "-")
        self.refused(65, "is y4m video, which is read only from standard input and written to standard output", data, "box", "-", "x.png")
        self.refused(65, "is y4m video", data, "stats", "-")
        self.assertEqual(self.good("box", "--format", "y4m", "-", "-", stdin=data), self.good("box", "-", "-", stdin=data))
        self.assertEqual(self.good("pipe", "-", "box", "--format", "Y4M", "-o", "-", stdin=data), self.good("box", "-", "-", stdin=data))
        self.refused(64, "--format y4m: y4m is read only from standard input and written to standard output", data, "box", "--format", "y4m", "-", "x.png")
        self.refused(64, "standard input: is png; --format y4m writes only y4m from standard input", png(3, 2, 1, bytes(6)), "box", "--format", "y4m", "-", "-")
        self.refused(64, "standard input: is raw; --format y4m writes only y4m", bytes(6), "box", "--raw", "3x2:u8", "--format", "y4m", "-", "-")
        self.refused(64, "x.y4m: y4m is read only from standard input and written to standard output", data, "box", "-", "x.y4m")
        self.refused(65, "is y4m video", data, "box", "--timing", "-", "-")
        self.refused(65, "is y4m video", data, "pipe", "-", "box | stats", "-o", "-")
        self.refused(64, "--quality 80: applies only to jpeg, webp, avif or heic, but standard output is written as y4m", data, "box", "--quality", "80", "-", "-")
        self.assertEqual(os.listdir(self.dir), [])
        self.env["GPUFILTER_SOCKET"] = self.path("nobody")
        self.refused(69, "nobody", data)

    def test_an_error_of_the_daemon_names_the_frame(self):
        data = self.video("420", 4, 4, [(4, 4), (2, 2), (2, 2)])[0]
        self.refused(69, "gpufilter-client: box: frame 1: ", data, "box", "--device", "nosuch", "-", "-")


class Pictures(Streams):
    def files(self, extension):
        """Files of several sizes and types, and their results."""
        made, want = [], []
        for k, (w, h, c, depth) in enumerate([(7, 5, 3, 8), (4, 9, 1, 8), (7, 5, 3, 16), (3, 3, 1, 16), (8, 8, 3, 8), (1, 1, 1, 8)]):
            top = 256 if depth == 8 else 65536
            data = struct.pack(">%d%s" % (w * h * c, "B" if depth == 8 else "H"), *samples(w * h * c, k, top))
            head = b"P%d\n%d %d\n%d\n" % (6 if c == 3 else 5, w, h, top - 1)
            made.append(png(w, h, c, data, depth) if extension == "png" else head + data)
            self.write("in." + extension, made[-1])
            self.good(*BLUR, "in." + extension, "want." + extension)
            want.append(self.read("want." + extension))
        return made, want

    def test_what_a_result_lacks_is_told_once(self):
        linear = png(3, 2, 3, 3 * GREY, more=png_chunk(b"gAMA", struct.pack(">I", 100000)))
        r = self.run_client("copy", "--format", "ppm", "-", "-", stdin=3 * linear)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(r.stderr.decode(), "gpufilter-client: copy: warning: -: not kept as ppm: colour space (gamma 1, not sRGB)\n")
        r = self.run_client("copy", "--raw", "3x2x2:u8", "--format", "png", "-", "-", stdin=bytes(36))
        self.assertEqual(r.stderr.decode(), "gpufilter-client: copy: warning: -: the last of 2 channels is not alpha, but "
                                            "in a png file it means alpha\n")
        r = self.run_client("copy", "--strict", "--raw", "3x2x2:u8", "--format", "png", "-", "-", stdin=bytes(36))
        self.assertEqual((r.returncode, r.stderr.count(b"\n")), (65, 1))

    def test_a_flaw_of_each_frame_is_told_once(self):
        good = png(3, 2, 1, GREY)
        at = good.index(b"IEND") - 8  # the checksum of the samples
        flawed = good[:at] + bytes(4) + good[at + 4:]
        r = self.run_client("copy", "--salvage", "-", "-", stdin=flawed + good + flawed)
        lines = r.stderr.decode().splitlines()
        self.assertEqual((r.returncode, len(lines)), (0, 2), lines)
        self.assertIn("warning: standard input: damaged png", lines[0])
        self.assertIn("warning: frame 3: standard input: damaged png", lines[1])

    def test_one_after_another(self):
        for extension in ["png", "pnm"]:
            made, want = self.files(extension)
            for n in range(1, len(made) + 1):
                self.assertEqual(self.good(*BLUR, "-", "-", stdin=b"".join(made[:n])), b"".join(want[:n]), extension)
            out = self.good("pipe", "-", "gaussian sigma=1.5", "-o", "-", stdin=b"".join(made))
            self.assertEqual(out, b"".join(want))
            self.assertEqual(self.good(*BLUR, "-", "-", stdin=b"\n".join(made) + b"\0\n"), b"".join(want))

    def test_headers_of_pnm(self):
        grey = bytes([10, 20, 30, 40, 50, 60])
        pam = b"P7\nWIDTH 3\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n" + grey
        for a, b in [
            (b"P5#x\n3 # y\n 2\t255#z\n" + grey, b"P5\n3 2\n255\n" + grey),
            (b"P4\n3 2\n\xa0\x40", b"P5\n3 2\n255\n" + bytes([0, 255, 0, 255, 0, 255])),
        ]:
            self.assertEqual(self.good("copy", "-", "-", stdin=a + a + b), b + b + b)
        self.assertEqual(self.good("copy", "-", "-", stdin=pam * 3), pam * 3)
        text = b"P2\n3 1\n255\n1 2 3\n"
        self.assertEqual(self.good("copy", "-", "-", stdin=text), b"P5\n3 1\n255\n\1\2\3")

    def test_cut_short(self):
        for extension in ["png", "pnm"]:
            made, want = self.files(extension)
            data = b"".join(made[:5])
            half = len(made[4]) // 2
            text = "frame 5 is cut short%s" % (", after %d bytes" % half if extension == "png" else ": %d of %d bytes" % (half, len(made[4])))
            self.cut("standard input: " + text, [*BLUR, "-", "-"], data[: half - len(made[4])], b"".join(want[:4]))

    def test_what_is_no_picture_behind_one(self):
        for extension, name in [("png", "PNG"), ("pnm", "PNM")]:
            made, want = self.files(extension)
            text = "standard input: the data after frame 2 is not a %s file" % name
            self.cut(text, [*BLUR, "-", "-"], b"".join(made[:2]) + b"hello, world", b"".join(want[:2]))

    def test_damage_names_the_frame(self):
        made, want = self.files("png")
        bad = bytearray(made[2])
        bad[45] ^= 255
        r = self.run_client(*BLUR, "-", "-", stdin=made[0] + made[1] + bytes(bad) + made[3])
        self.assertEqual((r.returncode, r.stdout), (65, want[0] + want[1]))
        self.assertRegex(r.stderr.decode(), "^gpufilter-client: gaussian: frame 3: standard input: .*\n$")
        r = self.run_client(*BLUR, "-", "-", stdin=b"P5\n2 1\n255\nab" + b"P5\n99999 99999\n255\n")
        self.assertEqual(r.returncode, 65)
        self.assertEqual(r.stdout[:11], b"P5\n2 1\n255\n")

    def test_other_files_are_one(self):
        self.write("in.ppm", ppm(4, 3, bytes(samples(36, 0))))
        self.good("copy", "in.ppm", "x.bmp")
        r = self.run_client(*BLUR, "-", "-", stdin=2 * self.read("x.bmp"))
        self.assertEqual((r.returncode, r.stdout), (65, b""))
        self.assertIn(b"more data follows the first picture", r.stderr)
        self.assertIn(b"or from - to - several as PNG, PNM, y4m or --raw", r.stderr)


if __name__ == "__main__":
    unittest.main()
