# SPDX-License-Identifier: MIT
"""gpufilter-client against a daemon: pictures through it and back, reports, masks, devices."""
import ctypes
import json
import mmap
import os
import struct
import unittest

from support import GREY, GREY_SHAPE, DaemonCase, fnv1a64, png, ppm, setUpModule, tearDownModule

COLOUR = bytes(range(0, 240, 5))  # 4x4 pixels of RGB

REQUEST = r"[A-Za-z0-9._-]+/[1-9]\d*/[1-9]\d*"


class WithDaemon(DaemonCase):
    def raw(self, *args, shape=GREY_SHAPE, data=GREY):
        """Runs an operation on raw samples. Returns the samples of the result."""
        self.write("in.raw", data)
        self.good(*args, "--raw", shape, "in.raw", "out.raw")
        return self.read("out.raw")


class Values(WithDaemon):
    def test_box_by_hand(self):
        self.assertEqual(self.raw("box", "--size", "3"), bytes([23, 30, 37, 33, 40, 47]))

    def test_negative_numbers_are_values(self):
        self.assertEqual(
            self.raw("correlate", "--mask", "0 0 0; 0 2 0; 0 0 0", "--offset", "-3"), bytes([17, 37, 57, 77, 97, 117])
        )

    def test_mask_is_not_turned_by_correlate_and_turned_by_convolve(self):
        args = ["--mask", "-1 0 1", "--offset=100"]
        self.assertEqual(self.raw("correlate", *args), bytes([110, 120, 110] * 2))
        self.assertEqual(self.raw("convolve", *args), bytes([90, 80, 90] * 2))

    def test_mask_from_a_file(self):
        self.write("mask.txt", b"# a comment\n-1, 0, 1\n")
        self.assertEqual(self.raw("correlate", "--mask", "@mask.txt", "--offset", "100"), bytes([110, 120, 110] * 2))

    def test_size_valid(self):
        self.assertEqual(self.raw("correlate", "--mask", "1 1 1", "--size", "valid"), bytes([60, 150]))

    def test_f32_and_u16(self):
        floats = struct.pack("<6f", *GREY)
        self.assertEqual(
            self.raw("correlate", "--mask", "0.5", shape="3x2:f32", data=floats), struct.pack("<6f", 5, 10, 15, 20, 25, 30)
        )
        shorts = struct.pack("<6H", *[v * 256 for v in GREY])
        self.assertEqual(
            self.raw("correlate", "--mask", "2", shape="3x2x1:u16", data=shorts),
            struct.pack("<6H", *[v * 512 for v in GREY]),
        )

    def test_blur_is_gaussian(self):
        self.assertEqual(self.raw("blur", "--sigma", "1"), self.raw("gaussian", "--sigma", "1"))
        self.assertEqual(self.raw("blur", "--sigma", "0"), GREY)


class Threshold(WithDaemon):
    # Brightness 85, 170 and 101, 151, 30 and 200: Otsu's split is at 101.
    PIXELS = bytes([85, 85, 85, 170, 170, 170, 255, 0, 213, 0, 255, 12, 30, 30, 30, 200, 200, 200])
    SHAPE = "3x2x3:u8"

    def run_on(self, *args):
        return self.raw("threshold", *args, shape=self.SHAPE, data=self.PIXELS)

    def test_without_a_value_the_picture_decides(self):
        self.assertEqual(self.run_on(), bytes([0, 255, 0, 255, 0, 255]))
        self.assertEqual(self.run_on("--mode", "otsu"), bytes([0, 255, 0, 255, 0, 255]))

    def test_a_value_alone_is_the_limit(self):
        for args in (["--value", "84"], ["--value", "84", "--mode", "fixed"]):
            self.assertEqual(self.run_on(*args), bytes([255, 255, 255, 255, 0, 255]))
        self.assertEqual(self.run_on("--value", "0"), b"\xff" * 6)

    def test_each_channel_by_itself(self):
        white = bytes(255 if v > 99 else 0 for v in self.PIXELS)
        self.assertEqual(self.run_on("--value", "99", "--channels", "each"), white)
        self.assertEqual(len(self.run_on("--channels", "each")), len(self.PIXELS))

    def test_alpha_stays(self):
        self.write("in.png", png(2, 1, 4, bytes([200, 200, 200, 7, 20, 20, 20, 99])))
        self.good("threshold", "in.png", "out.png")
        self.good("copy", "out.png", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([255, 7, 0, 99]))

    def test_a_pipe_says_it_alike(self):
        self.write("in.raw", self.PIXELS)
        for text, args in [("threshold", []), ("threshold value=84", ["--value", "84"])]:
            self.good("pipe", "--raw", self.SHAPE, "in.raw", text, "-o", "pipe.raw")
            self.assertEqual(self.read("pipe.raw"), self.run_on(*args))

    def test_half_a_request_is_refused(self):
        for text, args in [
            ("mode=fixed needs a value; give one, or mode=otsu", ["--mode", "fixed"]),
            ("value=3 cannot be used with mode=otsu; leave one of them out", ["--mode", "otsu", "--value", "3"]),
        ]:
            self.write("in.raw", self.PIXELS)
            self.bad(64, text, "threshold", *args, "--raw", self.SHAPE, "in.raw", "out.raw")
            self.bad(64, text, "pipe", "--raw", self.SHAPE, "in.raw",
                     "threshold " + " ".join(args[i][2:] + "=" + args[i + 1] for i in range(0, len(args), 2)),
                     "-o", "out.raw")
            self.assertNotIn("out.raw", os.listdir(self.dir))


class Alpha(WithDaemon):
    """The last of 2 or 4 channels is alpha only where the file says so."""

    FLOW = struct.pack("<12f", *[5, 0, 5, 1, 5, -2] * 2)  # 3x2 of two numbers, the first 5 everywhere
    NPY = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 2), }"

    def setUp(self):
        super().setUp()
        header = self.NPY.ljust(117) + "\n"
        self.write("flow.npy", b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + self.FLOW)

    def floats(self, *args):
        self.good(*args, "out.raw")
        data = self.read("out.raw")
        return tuple(round(v, 5) for v in struct.unpack("<%df" % (len(data) // 4), data))

    def test_channels_of_arrays_are_filtered_alike(self):
        self.write("flow.raw", self.FLOW)
        for source in (["flow.npy"], ["--raw", "3x2x2:f32", "flow.raw"]):
            self.assertEqual(self.floats("blur", *source)[::2], (5.0,) * 6)
            self.assertEqual(self.floats("resize", "--size", "5x4", *source)[::2], (5.0,) * 20)
            self.assertEqual(self.floats("invert", *source), tuple(1 - v for v in struct.unpack("<12f", self.FLOW)))
        self.assertEqual(self.floats("pipe", "flow.npy", "unsharp | box size=3", "-o")[::2], (5.0,) * 6)

    def test_alpha_of_an_array_is_alpha_if_the_user_says_so(self):
        for alpha in ("ignore", "auto"):
            self.assertEqual(self.floats("sobel", "--alpha", alpha, "flow.npy")[1::2], (0.0, 1.0, -2.0) * 2)
        self.assertEqual(self.floats("pipe", "flow.npy", "sobel alpha=auto", "-o")[1::2], (0.0, 1.0, -2.0) * 2)
        self.bad(64, "channels=luma needs alpha in the last of 2 channels", "threshold", "flow.npy", "out.npy")

    def test_explain_says_why(self):
        text = self.run_client("blur", "--explain", "flow.npy", "out.npy").stderr.decode()
        self.assertRegex(text, r"alpha_rule +straight: the data have no alpha")
        text = self.run_client("blur", "--explain", "--alpha", "straight", "flow.npy", "out.npy").stderr.decode()
        self.assertRegex(text, r"alpha_rule +straight: as asked")

    def test_steps_of_a_pipe_pass_it_on(self):
        self.write("in.png", png(2, 1, 4, bytes([200, 0, 0, 255, 0, 200, 0, 0])))
        self.good("pipe", "in.png", "copy | box size=3x1", "-o", "out.raw")
        # Beside two opaque pixels the green one has no weight, and beside two of it the opaque pixel has all.
        self.assertEqual(self.read("out.raw"), bytes([200, 0, 0, 170, 200, 0, 0, 85]))
        self.good("pipe", "in.png", "merge order=1,2,3,4 | box size=3x1", "-o", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([133, 67, 0, 170, 67, 133, 0, 85]))

    def test_a_picture_file_of_an_array_is_warned_of(self):
        self.write("nir.raw", bytes([200, 100, 50, 0]))
        text = self.run_client("copy", "--raw", "1x1x4:u8", "nir.raw", "out.png").stderr.decode()
        self.assertIn("out.png: the last of 4 channels is not alpha, but in a png file it means alpha", text)
        self.bad(65, "means alpha; leave --strict out to accept that", "copy", "--strict", "--raw", "1x1x4:u8", "nir.raw",
                 "strict.png")
        self.assertFalse(os.path.exists(self.path("strict.png")))
        self.bad(65, "--background blends alpha, and the last of 4 channels is not alpha", "copy", "--background", "white",
                 "--raw", "1x1x4:u8", "nir.raw", "out.png")

    def test_a_session_knows_it(self):
        self.write("in.png", png(2, 1, 2, bytes([200, 255, 100, 0])))
        self.good("session", "-", stdin=b"load a in.png\nload f flow.npy\nb = box a size=3x1\ng = blur f\n"
                  b"save b out.raw\nsave g flow.raw")
        self.assertEqual(self.read("out.raw"), bytes([200, 170, 200, 85]))
        self.assertEqual({round(v, 5) for v in struct.unpack("<12f", self.read("flow.raw"))[::2]}, {5.0})


class Files(WithDaemon):
    def test_png_to_png(self):
        for name, data in [
            ("rgb8", png(4, 4, 3, COLOUR)),
            ("rgba16", png(2, 3, 4, COLOUR, 16)),
            ("grey16", png(3, 4, 1, COLOUR[:24], 16)),
        ]:
            self.write(name + ".png", data)
            self.good("blur", name + ".png", "blurred.png", "--sigma", "1.5", "--border", "reflect101")
            self.good("gaussian", "blurred.png", "again.pam", "--sigma=0")
            self.good("blur", "--border", "reflect101", "--sigma", "1.5", name + ".png", "direct.pam")
            self.assertEqual(self.read("again.pam"), self.read("direct.pam"))
            self.assertNotEqual(self.read("direct.pam"), data)

    def test_standard_input_and_output(self):
        out = self.good("blur", "--sigma", "0", "-", "-", "--format", "ppm", stdin=png(4, 4, 3, COLOUR))
        self.assertEqual(out, ppm(4, 4, COLOUR))

    def test_input_and_output_may_be_the_same_file(self):
        path = self.write("same.ppm", ppm(3, 1, bytes([10, 20, 30, 40, 50, 60, 70, 80, 90])))
        os.chmod(path, 0o640)
        self.bad(64, "same.ppm would be replaced by its result; name another output, or give --in-place", "box", "same.ppm", "same.ppm")
        self.good("box", "--size", "3x1", "--in-place", "same.ppm")
        self.assertEqual(self.read("same.ppm"), ppm(3, 1, bytes([20, 30, 40, 40, 50, 60, 60, 70, 80])))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(self.dir), ["same.ppm"])

    def test_lossless_formats_bring_the_samples_back(self):
        self.write("in.ppm", ppm(4, 4, COLOUR))
        for extension in ["png", "bmp", "tga", "ppm", "pnm", "pam"]:
            self.good("blur", "--sigma", "0", "in.ppm", "x." + extension)
            self.good("blur", "--sigma", "0", "x." + extension, "back.ppm")
            self.assertEqual(self.read("back.ppm"), ppm(4, 4, COLOUR), extension)
        self.good("blur", "--sigma", "0", "in.ppm", "x.raw")
        self.assertEqual(self.read("x.raw"), COLOUR)
        self.good("blur", "--sigma", "0", "--raw", GREY_SHAPE, self.write("g.raw", GREY), "x.pgm")
        self.assertEqual(self.read("x.pgm"), b"P5\n3 2\n255\n" + GREY)

    def test_floats_through_pfm_and_hdr(self):
        floats = struct.pack("<12f", *[0.25 * i for i in range(12)])
        self.write("in.raw", floats)
        for extension in ["pfm", "hdr"]:
            self.good("blur", "--sigma", "0", "--raw", "2x2x3:f32", "in.raw", "x." + extension)
            self.good("blur", "--sigma", "0", "x." + extension, "back.raw")
            self.assertEqual(len(self.read("back.raw")), len(floats))
        self.good("blur", "--sigma", "0", "x.pfm", "back.raw")
        self.assertEqual(self.read("back.raw"), floats)

    def test_jpeg_is_near(self):
        self.write("in.ppm", ppm(8, 8, bytes([200, 100, 50]) * 64))
        self.good("blur", "in.ppm", "x.jpg")
        self.good("blur", "--sigma", "0", "x.jpg", "back.raw")
        back = self.read("back.raw")
        self.assertEqual(len(back), 192)
        self.assertLess(max(abs(a - b) for a, b in zip(back, bytes([200, 100, 50]) * 64)), 8)

    def test_failure_leaves_the_old_output(self):
        self.write("in.ppm", ppm(4, 4, COLOUR))
        self.write("out.ppm", b"old")
        self.bad(69, "nosuch", "blur", "--device", "nosuch", "in.ppm", "out.ppm")
        self.assertEqual(self.read("out.ppm"), b"old")
        self.assertEqual(sorted(os.listdir(self.dir)), ["in.ppm", "out.ppm"])


def shared_memory_is_huge():
    """Whether the kernel provides huge pages for shared memory on request."""
    huge, collapse, fixed = 2 << 20, 25, 0x10
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    room = libc.mmap(None, 2 * huge, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    border = -(-room // huge) * huge
    fd = os.memfd_create("test")
    os.ftruncate(fd, huge)
    libc.mmap(border, huge, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED | fixed, fd, 0)
    os.close(fd)
    ctypes.memset(border, 0, 1)
    made = libc.madvise(border, huge, collapse) == 0
    libc.munmap(room, 2 * huge)
    return made


class Large(WithDaemon):
    """Pictures large enough to go through shared memory, if it has huge pages."""

    WIDTH, HEIGHT = 1700, 1650

    def setUp(self):
        super().setUp()
        self.samples = bytes(range(256)) * (self.WIDTH * self.HEIGHT * 3 // 256 + 1)
        self.samples = self.samples[: self.WIDTH * self.HEIGHT * 3]
        self.write("in.ppm", ppm(self.WIDTH, self.HEIGHT, self.samples))

    def moved(self):
        """The transferred bytes by way and direction."""
        rows = json.loads(self.good("metrics", "--json"))["metrics"]
        rows = [r for r in rows if r["name"] == "gpufilter_user_bytes_total"]
        return {(r["labels"]["way"], r["labels"]["direction"]): r["value"] for r in rows}

    def grown(self, before):
        after = self.moved()
        return {k: v - before.get(k, 0) for k, v in after.items() if v != before.get(k, 0)}

    def test_one_picture_goes_one_way(self):
        self.write("less.ppm", ppm(1300, 1300, self.samples[: 1300 * 1300 * 3]))
        for name, shared in (("in.ppm", shared_memory_is_huge()), ("less.ppm", False)):
            way, n = "arena" if shared else "inline", len(self.read(name)) - len("P6\n1700 1650\n255\n")
            for args in (["blur", "--sigma", "0", name, "out.ppm"], ["pipe", name, "gaussian sigma=0", "-o", "out.ppm"]):
                before = self.moved()
                self.good(*args)
                self.assertEqual(self.read("out.ppm"), self.read(name))
                self.assertEqual(self.grown(before), {(way, "in"): n, (way, "out"): n})

    def test_damage_after_memory_was_taken(self):
        self.good("blur", "--sigma", "0", "in.ppm", "x.jpg")
        self.write("x.jpg", self.read("x.jpg")[:-1000])
        self.write("out.jpg", b"old")
        for place in (self.daemon.socket, self.path("nobody")):
            self.env["GPUFILTER_SOCKET"] = place
            self.bad(65, "x.jpg", "blur", "x.jpg", "out.jpg")
            self.assertEqual(self.read("out.jpg"), b"old")
            self.assertEqual(sorted(os.listdir(self.dir)), ["in.ppm", "out.jpg", "x.jpg"])

    def test_without_a_daemon_it_is_said_once(self):
        self.env["GPUFILTER_SOCKET"] = self.path("nobody")
        self.bad(69, "nobody", "blur", "in.ppm", "out.ppm")
        self.bad(69, "nobody", "pipe", "in.ppm", "gaussian | sharpen", "-o", "out.ppm")
        self.assertEqual(os.listdir(self.dir), ["in.ppm"])


class Reports(WithDaemon):
    TIMES = ["read", "decode", "connect", "queue", "copy_in", "kernel", "copy_out", "total", "round_trip", "write"]

    def test_json(self):
        self.write("in.raw", GREY)
        args = ["box", "--size", "3", "--raw", GREY_SHAPE, "in.raw", "out.pgm", "--json", "--device", "cpu"]
        r = self.run_client(*args)
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        got = json.loads(r.stdout)
        self.assertEqual(list(got), ["op", "device", "request", "input", "output", "hash", "timing_ns"])
        shape = {"width": 3, "height": 2, "channels": 1, "dtype": "u8"}
        self.assertEqual((got["op"], got["device"]), ("box", "cpu"))
        self.assertEqual(got["input"], {"path": "in.raw", **shape})
        self.assertEqual(got["output"], {"path": "out.pgm", **shape, "format": "pgm"})
        self.assertEqual(got["hash"], fnv1a64(bytes([23, 30, 37, 33, 40, 47])))
        self.assertEqual(list(got["timing_ns"]), self.TIMES + ["everything"])
        self.assertGreater(got["timing_ns"]["everything"], got["timing_ns"]["round_trip"])
        self.assertGreaterEqual(got["timing_ns"]["round_trip"], got["timing_ns"]["total"])
        plan = json.loads(self.good(*args, "--explain"))["plan"]
        self.assertEqual((plan["size"], plan["border"]), ("3", "replicate"))

    def test_hash(self):
        self.write("in.raw", GREY)
        out = self.good("box", "--size", "3", "--raw", GREY_SHAPE, "in.raw", "out.png", "--hash")
        self.assertEqual(out.decode(), fnv1a64(bytes([23, 30, 37, 33, 40, 47])) + "\n")

    def test_nothing_is_said_without_being_asked(self):
        self.write("in.raw", GREY)
        r = self.run_client("box", "--raw", GREY_SHAPE, "in.raw", "out.png")
        self.assertEqual((r.returncode, r.stdout, r.stderr), (0, b"", b""))

    def test_timing(self):
        self.write("in.raw", GREY)
        r = self.run_client("box", "--raw", GREY_SHAPE, "in.raw", "out.png", "--timing")
        lines = r.stderr.decode().splitlines()
        self.assertRegex(lines[0], r"^cpu +ms$")
        for label in ["queue", "copy in", "kernel", "copy out", "encode and write", "everything"]:
            self.assertEqual(len([line for line in lines if line.startswith(label + " ")]), 1, label)
        self.assertRegex(lines.pop(), "^request +" + REQUEST + "$")
        self.assertEqual(len({len(line) for line in lines}), 1)

    def test_explain(self):
        self.write("in.png", png(4, 3, 4, COLOUR))
        r = self.run_client("blur", "--sigma", "2,0", "--explain", "in.png", "out.png")
        plan = r.stderr.decode()
        for text in [
            r"operation +gaussian: Gaussian blur",
            r"input +4x3x4 u8",
            r"result +4x3x4 u8",
            r"sigma +2,0",
            r"truncate +4 \(default\)",
            r"border +replicate \(default\)",
            r"taps +17 along rows, then 1 along columns \(radius 8, 0\)",
            r"alpha_rule +premultiplied: a weighted mean",
            r"rounding +once, to the nearest, ties to even, limited to 0\.\.255",
            r"ran_on +cpu",
            r"request +" + REQUEST,
        ]:
            self.assertRegex(plan, "(?m)^" + text + "$")
        r = self.run_client("correlate", "--mask", "1 0 -1", "--explain", "in.png", "out.png")
        self.assertRegex(r.stderr.decode(), r"alpha_rule +ignore: the mask's sum is not above 0")
        for args, rule in ((["resize", "--scale", "0.5"], "premultiplied: a weighted mean"),
                           (["resize", "--scale", "2", "--filter", "nearest"], "no effect: filter=nearest moves whole pixels"),
                           (["pyramid"], "premultiplied: a weighted mean"),
                           (["pyramid", "--alpha", "straight"], "straight: as asked")):
            r = self.run_client(*args, "--explain", "in.png", "out.png")
            self.assertRegex(r.stderr.decode(), "alpha_rule +" + rule + "\n", args)

    def test_verbose(self):
        self.write("in.raw", GREY)
        r = self.run_client("box", "-v", "--raw", GREY_SHAPE, "in.raw", "out.png")
        self.assertRegex(r.stderr.decode(), r"connected to gpufilterd \S+ on [A-Za-z0-9._-]+ at /")
        self.assertRegex(r.stderr.decode(), "3x2x1 u8 written to out.png as png, computed on cpu\n")

    def test_the_name_of_the_request_in_json(self):
        self.write("in.raw", GREY)
        args = ("box", "--json", "--raw", GREY_SHAPE, "in.raw", "out.png")
        node = json.loads(self.good("ping", "--json"))["node"]
        self.assertEqual(json.loads(self.good("health", "--json"))["node"], node)
        first, second = (json.loads(self.good(*args))["request"].split("/") for _ in range(2))
        self.assertEqual((first[0], second[0]), (node, node))
        self.assertEqual(int(second[1]), int(first[1]) + 1)  # the next connection
        r = self.run_client(*args, "--device", "cuda:0")
        error = json.loads(r.stdout)["error"]
        self.assertEqual((r.returncode, error["status"]), (69, "NO_DEVICE"))
        self.assertRegex(error["request"], "^" + REQUEST + "$")
        r = self.run_client(*args, "--size", "0")
        self.assertNotIn("request", json.loads(r.stdout)["error"])  # it was not sent
        piped = json.loads(self.good("pipe", "in.raw", "box | invert", "--json", "--raw", GREY_SHAPE, "-o", "out.png"))
        self.assertRegex(piped["request"], "^" + REQUEST + "$")


class Commands(WithDaemon):
    def test_devices(self):
        self.assertRegex(self.good("devices").decode(), r"(?m)^cpu +ready ")
        devices = json.loads(self.good("devices", "--json"))["devices"]
        self.assertEqual([(d["name"], d["state"]) for d in devices], [("cpu", "ready")])

    def test_health(self):
        self.assertRegex(self.good("health").decode(), r"^ready")
        self.assertEqual(json.loads(self.good("health", "--json"))["state"], "ready")
        self.assertEqual(self.good("health", "--quiet"), b"")

    def test_an_administrator_lifts_what_is_there_alone(self):
        for user, name in ("4711", "4711"), ("root", "0"), ("CN=alice@example.org", "CN=alice@example.org"):
            self.bad(64, "user %s is not refused; users refused at present: 0" % name, "admin", "unban", user)
        for user in "", "4711x", "18446744073709551615", "99999999999999999999", "CN=", "CN=" + "a" * 65, "no such":
            self.bad(64, "USER %s; must be a number, CN=NAME, or a user of this machine" % user, "admin", "unban", user)
        self.bad(64, "USER is missing; must be a number, CN=NAME, or a user of this machine", "admin", "unban")
        self.bad(64, "ACTION ban; must be unban", "admin", "ban", "root")
        self.bad(64, "ACTION is missing; must be unban", "admin")

    def test_ping(self):
        self.assertRegex(self.good("ping", "-c3").decode(), r"3 round trips, p50 [0-9.]+ us, p99 [0-9.]+ us")
        got = json.loads(self.good("ping", "--count=5", "--json"))
        self.assertEqual((got["count"], got["socket"]), (5, self.daemon.socket))
        self.assertTrue(got["min_ns"] <= got["p50_ns"] <= got["p99_ns"] <= got["max_ns"])

    def test_options_before_the_command(self):
        del self.env["GPUFILTER_SOCKET"]
        self.write("in.raw", GREY)
        self.good("--socket", self.daemon.socket, "--device=cpu", "box", "--raw", GREY_SHAPE, "in.raw", "out.png")


if __name__ == "__main__":
    unittest.main()
