# SPDX-License-Identifier: MIT
"""Every command line that documents, help and messages show, run as it is typed: docs/operations.md, README.md,
docs/tutorial.md, the examples of the commands, what a message says to type instead. The files have the names that the
lines have."""
import functools
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

# Sides of results that differ from the sides of in.png and in.npy, by the operation whose example makes the result.
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

# Commands whose example is not run, with the reason.
LEFT_OUT = {
    "bench": "takes seconds; cli.bench runs it",
    "top": "ends with its terminal; cli.monitoring runs it",
}

# Writes in.y4m to standard output, or standard input to the file named last.
FFMPEG = '#!/bin/sh\nfor last; do :; done\ncase $last in -) cat in.y4m ;; *) cat >"$last" ;; esac\n'


@functools.lru_cache(maxsize=None)
def samples(w, h, channels, step=7):
    """A picture of waves and edges: no two channels, rows or columns are equal, and detectors find something in it."""
    return bytes((x * step + y * y // 8 + c * 50 + 90 * (x // 60 % 2)) % 256 for y in range(h) for x in range(w)
                 for c in range(channels))


def npy(descr, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


class Typed(DaemonCase):
    """Runs lines as a shell does, in a folder with the files that they name."""

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
        for name in ("a.png", "photo.png", "a.jpg", "scan.tiff"):  # recognised by its first bytes
            self.write(name, self.read("in.png"))
        self.write("in.y4m", b"YUV4MPEG2 W4 H2 F25:1 Cmono\nFRAME\n" + bytes(range(8)))

    def files(self):
        """Each file with data that changes when the file is rewritten."""
        found = {}
        for folder, _, names in os.walk(self.dir):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.dir)] = (os.stat(path).st_ino, os.stat(path).st_mtime_ns)
        return found

    def typed(self, line):
        """Runs a line that must succeed without a warning; compare may exit with 1, which means differences, and unban
        fails because the daemon refuses no user. Returns standard output and the written files."""
        before = self.files()
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + line], cwd=self.dir, env=self.env, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if line.startswith("gpufilter-client admin unban "):
            self.assertRegex(done.stderr.decode(), "user .* is not refused; users refused at present: 0\n")
            return "", set()
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

    def lines_of(self, name):
        lines = re.findall(r"(?m)^(?:\$ )?((?:gpufilter-client|ffmpeg) .*)$", self.text(name))
        self.assertGreater(len(lines), 10)
        for line in lines:
            with self.subTest(line):
                self.typed(line)

    def test_readme(self):
        self.lines_of("../README.md")

    def test_tutorial(self):
        self.lines_of("tutorial.md")

    def test_sentences(self):
        """Command lines inside sentences of all documents. A single operation or command is only its name."""
        lines = set()
        for name in sorted(os.listdir(DOCS)) + ["../README.md"]:
            if name.endswith(".md"):
                lines.update(re.findall(r"`(gpufilter-client [^`]+)`", self.text(name).replace("\n", " ")))
        self.assertGreater(len(lines), 10)
        for line in sorted(lines):
            command, _, more = line.partition(" ")[2].partition(" ")
            if more or command not in {*LEFT_OUT, "pipe", "session", "stats"}:
                with self.subTest(line):
                    self.typed(line)


class Help(Typed):
    def test_commands(self):
        commands = re.split(r"\n\w.*:\n", self.good("help").decode())[2]
        names = re.findall(r"(?m)^  (\S+)", commands)
        self.assertIn("session", names)
        for name in names:
            if name in LEFT_OUT:
                print("skipped: the example of %s: %s" % (name, LEFT_OUT[name]))
            if name in LEFT_OUT or name == "help":
                continue
            example = self.good("help", name).decode().split("Example:\n  ")[1]
            with self.subTest(name):
                self.typed(example)


# A line that fails, the line that its message suggests, and the files that the suggestion needs.
HINTS = [
    ("brightness in.png out.png", ["brightness --amount 1.2"], "in.png out.png"),
    ("flatten in.png out.png", ["flatten --background white"], "in.png out.png"),
    ("rotate 90 in.png out.png", ["rotate --angle 90"], "in.png out.png"),
    ("crop 20x10+1+0 in.png out.png", ["crop --size 20x10 --at 1,0"], "in.png out.png"),
    ("blur --sgima 2 in.png out.png", ["blur --sigma 2"], "in.png out.png"),
    ("sobel --output dx in.png out.png", ["sobel --output dx --dtype u8 --offset 128"], "in.png out.png"),
    ("invert i16.npy out.npy", ["map --scale -1"], "i16.npy out.npy"),
    ("contrast --amount 2 i16.npy out.npy", ["map --scale 1.2 --offset -20"], "i16.npy out.npy"),
    ("resize in.png out.png", ["resize size=640x480", "resize size=400x", "resize scale=0.5", "resize fit=640x480",
                               "resize fill=640x480"], "in.png out.png"),
    ("rank in.png out.png", ["median"], "in.png out.png"),
    ("percentile in.png out.png", ["percentile percent=25", "median"], "in.png out.png"),
    ("threshold mode=fixed in.png out.png", ["threshold mode=otsu"], "in.png out.png"),
    ("histogram bins=0 in.npy", ["histogram bins=256"], "in.npy"),
    ("histogram2d in.npy in2.npy", ["histogram2d bins=64"], "in.npy in2.npy"),
    ("gray weights=1,2,3 y.png out.png", ["map scale=0.5"], "y.png out.png"),
    ("equalize in.npy out.npy", ["map dtype=u16 range=full"], "in.npy out.npy"),
    ("recurrence in.png out.npy", ["map dtype=f32"], "in.png out.npy"),
    ("reduce op=affine y.png", ["map dtype=f32"], "y.png out.npy"),
    ("label in.png out.npy", ["gray", "threshold", "copy channel=1"], "in.png out.png"),
    ("nv12 y.png out.npy", ["merge order=1,1,1"], "y.png out.png"),
    ("blur --device gpu in.png out.png", ["devices"], ""),
    ("unheard in.png out.png", ["--help"], ""),
    ("pipe in.png unheard -o out.png", ["ops"], ""),
    ("expr", ["expr 'a*1.2' in.png out.png"], ""),
    ("expr in.png out.png", ["expr 'a*1.2' in.png out.png"], ""),
]


class Hints(Typed):
    def setUp(self):
        super().setUp()
        self.write("i16.npy", npy("<i2", "(64, 64)", struct.pack("<4096h", *range(-2048, 2048))))

    def table(self, name, path):
        """The rows {"word", "text"} of a table in the sources."""
        with open(os.path.join(DOCS, "../protocol", path), encoding="utf-8") as f:
            return re.findall(r'\{"([^"]+)",\s*"([^"]+)"\}', f.read().split("} %s[] = {" % name)[1].split("};")[0])

    def told(self, line):
        done = subprocess.run(["bash", "-c", "gpufilter-client " + line], cwd=self.dir, env=self.env, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.assertIn(done.returncode, (64, 65), line)
        return done.stderr.decode()

    def test_messages(self):
        for line, hints, files in HINTS:
            with self.subTest(line):
                message = self.told(line)
                for hint in hints:
                    words = [word for word in hint.split() if word not in line.split()]
                    self.assertIn(" ".join(words), message)
                    self.typed("gpufilter-client %s %s" % (hint, files))

    def test_answers_for_names_of_others(self):
        """Each operation of an answer with the parameters after it. Parameters without an operation belong to the
        previous one."""
        names = [op["name"] for op in json.loads(self.good("ops", "--json"))["ops"]]
        example = {op: re.findall(r"\S+\.(?:png|npy)", self.good("help", op).decode().split("Example:")[1])
                   for op in names}
        commands = re.findall(r"(?m)^  (\w+) ", self.good("help").decode())
        answers = self.table("answers", "ops/suggest_op.c")
        self.assertGreater(len(answers), 20)
        for word, answer in answers:
            with self.subTest(word):
                if word not in commands:
                    self.assertIn("unknown command %s; %s\n" % (word, answer), self.told(word + " in.png out.png"))
                if word not in {"invert", "brightness", "contrast"}:  # steps of the command's pipes, not of the library's
                    self.assertIn("there is no operation %s; %s\n" % (word, answer),
                                  self.told("pipe in.png %s -o out.png" % word))
                op, steps = None, []
                for part in re.split(r"[,;:] | or | and ", answer.replace(" for ", ", for ")):
                    params = re.findall(r"\w+=[^\s,]+(?:,[^\s,]+)*", part)
                    named = next((w for w in part.split() if w in example), None)
                    if named:
                        op, given = named, {}
                    given.update(param.split("=") for param in params)
                    if named or params:
                        steps.append((op, " ".join("%s=%s" % pair for pair in given.items())))
                self.assertTrue(steps)
                for op, params in steps:
                    self.typed("gpufilter-client %s %s %s" % (op, params, " ".join(example[op])))
                    if example[op][0] == "in.png":
                        self.typed("gpufilter-client pipe in.png '%s %s' -o out.png" % (op, params))

    def test_words_of_others(self):
        """Every suggestion for an unknown command is a command."""
        commands = re.findall(r"(?m)^  (\w+) ", self.good("help").decode())
        with open(os.path.join(DOCS, "../protocol/base/suggest.c"), encoding="utf-8") as f:
            text = f.read().split("/* operations */")[1].split("/* parameters and options */")[0]
        synonyms = re.findall(r'\{"(\w+)", "(\w+)"\}', text)
        self.assertGreater(len(synonyms), 50)
        for word, meant in synonyms:
            with self.subTest(word):
                self.assertIn(meant, commands)
                if word not in commands:
                    self.assertIn("unknown command %s; did you mean %s?\n" % (word, meant), self.told(word))


if __name__ == "__main__":
    unittest.main()
