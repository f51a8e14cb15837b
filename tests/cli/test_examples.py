# SPDX-License-Identifier: MIT
"""Every command line that the documents and the help show, run as it is typed: docs/operations.md, README.md, the
examples of the commands. The files have the names that the lines have."""
import json
import os
import re
import shutil
import struct
import subprocess
import unittest

from support import CLIENT, TIMEOUT, DaemonCase, png, setUpModule, tearDownModule  # noqa: F401

DOCS = os.environ["GF_DOCS"]
W, H = 240, 180

# Sides of the results that are not those of in.png and in.npy, by the operation whose example makes them.
SIDES = {
    "convolve1d": {"out.npy": (64, 64)},
    "correlate1d": {"out.npy": (64, 64)},
    "crop": {"out.png": (200, 150)},
    "i420": {"u.png": (W // 2, H // 2), "v.png": (W // 2, H // 2)},
    "integral": {"out.npy": (W, H)},
    "distance": {"out.npy": (W, H)},
    "label": {"out.npy": (W, H)},
    "match": {"out.npy": (W - 20 + 1, H - 10 + 1)},
    "normalize": {"out.npy": (W, H)},
    "nv12": {"y.npy": (W, H), "uv.npy": (W // 2, H // 2)},
    "pad": {"out.png": (W + 20, H + 20)},
    "pyramid": {"out.png": (W // 2, H // 2)},
    "resize": {"out.png": (400, 300)},
    "rotate": {"out.png": (H, W)},
    "select": {"out.npy": (2048, 1)},
    "transpose": {"out.png": (H, W)},
}

# Commands whose example is not run, and why.
LEFT_OUT = {
    "bench": "takes seconds; cli.bench runs it",
    "top": "ends with its terminal; cli.monitoring runs it",
}

# Writes in.y4m to standard output, or standard input to the file that is named last.
FFMPEG = '#!/bin/sh\nfor last; do :; done\ncase $last in -) cat in.y4m ;; *) cat >"$last" ;; esac\n'


def samples(w, h, channels, step=7):
    """Waves and edges: no two channels, rows or columns are alike, and there is something to find in it."""
    return bytes((x * step + y * y // 8 + c * 50 + 90 * (x // 60 % 2)) % 256 for y in range(h) for x in range(w)
                 for c in range(channels))


def npy(descr, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


class Typed(DaemonCase):
    """Runs lines as a shell does, among files of the names that they have."""

    def setUp(self):
        super().setUp()
        for folder in ("bin", "made", "soft", "small"):
            os.mkdir(self.path(folder))
        os.symlink(CLIENT, self.path("bin/gpufilter-client"))
        self.write("bin/ffmpeg", FFMPEG.encode())
        os.chmod(self.path("bin/ffmpeg"), 0o755)
        self.env["PATH"] = self.path("bin") + ":" + self.env["PATH"]
        for step, name in enumerate(("in", "in2", "hsv", "other", "noisy")):
            self.write(name + ".png", png(W, H, 3, samples(W, H, 3, 5 + step)))
        for step, name in enumerate(("red", "green", "blue", "y")):
            self.write(name + ".png", png(W, H, 1, samples(W, H, 1, 5 + step)))
        for name in ("u", "v"):
            self.write(name + ".png", png(W // 2, H // 2, 1, samples(W // 2, H // 2, 1)))
        self.write("parts.png", png(W, H, 1, bytes(255 * (s > 128) for s in samples(W, H, 1))))
        self.write("part.png", png(20, 10, 3, samples(20, 10, 3)))
        self.write("in.npy", npy("<f4", "(64, 64)", struct.pack("<4096f", *range(-1920, 2176))))
        self.write("in2.npy", npy("<f4", "(64, 64)", struct.pack("<4096f", *range(4096))))
        self.write("kernel.npy", npy("<f4", "(3,)", struct.pack("<3f", 1, 2, 1)))
        for name in ("photo.png", "a.jpg", "scan.tiff"):  # recognised by its first bytes
            self.write(name, self.read("in.png"))
        self.write("in.y4m", b"YUV4MPEG2 W4 H2 F25:1 Cmono\nFRAME\n" + bytes(range(8)))

    def files(self):
        """Each file and what tells one version of it from another."""
        found = {}
        for folder, _, names in os.walk(self.dir):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.dir)] = (os.stat(path).st_ino, os.stat(path).st_mtime_ns)
        return found

    def typed(self, line):
        """Runs a line that has to succeed without a warning; compare says by 1 that there are differences. Returns
        standard output, and the files that it wrote."""
        before = self.files()
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + line], cwd=self.dir, env=self.env, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, int(line.startswith("gpufilter-client compare ")), done.stderr.decode())
        self.assertNotIn("warning", done.stderr.decode())
        return done.stdout.decode(), {name for name, state in self.files().items() if before.get(name) != state}


class Documents(Typed):
    def text(self, name):
        with open(os.path.join(DOCS, name), encoding="utf-8") as f:
            return f.read()

    def test_operations(self):
        text = self.text("operations.md")
        examples = re.findall(r"(?m)^## (\S+)\n\n.*\n\n    (gpufilter-client (\S+) .*)$", text)
        self.assertEqual([op for op, _, _ in examples], [command for _, _, command in examples])
        self.assertEqual(len(examples), text.count(" Operation 0x"))
        for op, line, _ in examples:
            with self.subTest(line):
                out, made = self.typed(line)
                self.assertGreaterEqual(made, {*SIDES.get(op, {}), *re.findall(r"\bout\.\w+", line)})
                self.assertTrue(out or made)
                for name in made:
                    shutil.copy(self.path(name), self.path("made/%s.%s" % (op, name)))
        names = sorted(os.listdir(self.path("made")))
        found = self.good("stats", "--json", *["made/" + name for name in names]).decode().splitlines()
        self.assertEqual(len(found), len(names))
        for name, line in zip(names, map(json.loads, found)):
            op, file = name.split(".", 1)
            with self.subTest(name):
                usual = (W, H) if file.endswith(".png") else (64, 64)
                self.assertEqual((line["input"]["width"], line["input"]["height"]), SIDES.get(op, {}).get(file, usual))
                self.assertTrue(any(channel["min"] < channel["max"] for channel in line["channels"]))

    def test_readme(self):
        text = self.text("../README.md")
        lines = re.findall(r"(?m)^(?:\$ )?((?:gpufilter-client|ffmpeg) .*)$", text)
        self.assertGreater(len(lines), 10)
        for line in lines:
            with self.subTest(line):
                self.typed(line)


class Help(Typed):
    def test_commands(self):
        commands = re.split(r"\n\w.*:\n", self.good("help").decode())[2]
        names = re.findall(r"(?m)^  (\S+)", commands)
        self.assertIn("session", names)
        for name in names:
            if name in LEFT_OUT or name == "help":
                continue
            example = self.good("help", name).decode().split("Example:\n  ")[1]
            with self.subTest(name):
                self.typed(example)


if __name__ == "__main__":
    unittest.main()
