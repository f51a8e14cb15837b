#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Corpus archives: which ones the replay programs accept and refuse, and how scripts/corpus writes them. Needs REPLAY,
a replay program of fuzz_text, and CORPUS, scripts/corpus."""
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

REPLAY, CORPUS = os.environ["REPLAY"], os.environ["CORPUS"]
CASES = {"a": b"\0" + b"1 2; 3 4", "b": b"", "c.txt": bytes(range(256)) * 2, "d" * 100: b"\x19" + b"3x5" * 200}


class Case(unittest.TestCase):
    made = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gf-corpus-")
        self.addCleanup(folder.cleanup)
        self.dir = folder.name
        self.fuzz = self.path("tests/fuzz")
        self.archive = self.path("tests/fuzz/corpus/fuzz_text.tar")
        os.makedirs(self.path("tests/fuzz/corpus"))
        os.makedirs(self.path("scripts"))
        open(self.path("tests/fuzz/fuzz_text.c"), "wb").close()
        shutil.copy(CORPUS, self.path("scripts/corpus"))
        self.files = [self.write("in/" + name, data) for name, data in CASES.items()]

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def read(self, path):
        with open(path, "rb") as f:
            return f.read()

    def corpus(self, *words, code=0):
        done = subprocess.run([self.path("scripts/corpus"), *words], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout

    def replay(self, *words, code=0):
        done = subprocess.run([REPLAY, *words], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def packed(self):
        """Writes the archive of CASES, made once by scripts/corpus, and returns its bytes."""
        if Case.made is None:
            self.corpus("add", "fuzz_text", *self.files)
            Case.made = self.read(self.archive)
        self.write(self.archive, Case.made)
        return Case.made


class Replay(Case):
    """Which cases run, and under which names."""

    def test_all(self):
        self.packed()
        done = self.replay(self.archive)
        self.assertEqual(done.stdout, "4 inputs\n")
        self.assertEqual(done.stderr.splitlines(), ["%s: %s" % (self.archive, name) for name in sorted(CASES)])

    def test_one(self):
        self.packed()
        done = self.replay("--case", "c.txt", self.archive)
        self.assertEqual((done.stdout, done.stderr), ("1 inputs\n", self.archive + ": c.txt\n"))
        self.assertIn("there is no case e", self.replay("--case", "e", self.archive, code=1).stderr)

    def test_list(self):
        self.packed()
        done = self.replay("--list", self.archive)
        self.assertEqual((done.stdout.splitlines(), done.stderr), (sorted(CASES), ""))

    def test_files_and_folders(self):
        self.assertEqual(self.replay(self.path("in")).stdout, "4 inputs\n")
        done = self.replay(self.files[0], self.files[2])
        self.assertEqual((done.stdout, done.stderr), ("2 inputs\n", "%s: a\n%s: c.txt\n" % (self.files[0], self.files[2])))

    def test_usage(self):
        for words in ((), ("--list",), ("--case", "a"), ("--all", self.path("in"))):
            self.assertIn("usage: ", self.replay(*words, code=64).stderr)
        self.assertIn("No such file", self.replay(self.archive, code=1).stderr)


class Refused(Case):
    """Files that are not archives of cases are refused as a whole."""

    def refused(self, data, why):
        self.write("bad.tar", data)
        self.assertIn(why, self.replay("--list", self.path("bad.tar"), code=1).stderr)

    def patched(self, at, value, summed=True):
        """The archive with changed bytes in its second header and a corrected checksum."""
        data, start = bytearray(self.packed()), 1024
        data[start + at:start + at + len(value)] = value
        if summed:
            data[start + 148:start + 156] = b" " * 8
            data[start + 148:start + 156] = b"%06o\0 " % sum(data[start:start + 512])
        return bytes(data)

    def test_truncated(self):
        data = self.packed()
        self.refused(b"", "byte 0: truncated: 0 bytes are left")
        self.refused(data[:100], "byte 0: truncated: 100 bytes are left")
        self.refused(data[:512], "byte 0: truncated: 0 bytes are left of the 512 of case a")
        self.refused(data[:-1536], "of case " + "d" * 100)
        self.refused(data[:-1024], "truncated: 0 bytes are left")
        self.refused(data[:-512], "instead of the two that end an archive")
        self.refused(data + bytes(512), "512 bytes behind the end of the archive")

    def test_headers(self):
        self.refused(b"no archive of any kind".ljust(2048), "byte 0: no ustar header")
        self.refused(self.patched(257, b"ustar  \0"), "byte 1024: no ustar header")
        self.refused(self.patched(0, b"x", summed=False), "byte 1024: the checksum of the header is wrong")
        self.refused(self.patched(148, b"        ", summed=False), "byte 1024: the checksum of the header is wrong")
        self.refused(self.patched(124, b"0000000000x"), "the size of case b is no octal number")
        self.refused(self.patched(124, b"\x80" + bytes(10) + b"\x01"), "the size of case b is no octal number")
        self.refused(self.patched(124, b"7" * 12), "the size of case b is no octal number")
        self.refused(self.patched(124, b"7" * 11), "bytes are left of the 8589934592 of case b")
        self.refused(self.patched(156, b"2"), "case b is no regular file")
        self.refused(self.patched(156, b"5"), "case b is no regular file")

    def test_names(self):
        self.refused(self.patched(0, b"\0"), '"" is no name of a case')
        self.refused(self.patched(0, b"b/c"), '"b/c" is no name of a case')
        self.refused(self.patched(345, b"folder"), '"b" is no name of a case')
        self.refused(self.patched(0, b"a"), "case a is there twice")
        self.refused(self.patched(0, b"A"), "case A comes after a; names ascend")

    def test_scripts_corpus_refuses_them_too(self):
        for data in (b"", self.patched(0, b"x", summed=False), self.patched(156, b"2"), self.patched(0, b"a"),
                     self.packed()[:600]):
            self.write(self.archive, data)
            self.assertIn("corpus: ", self.corpus("check", code=1))
            self.assertIn("corpus: ", self.corpus("unpack", "fuzz_text", self.path("out"), code=1))
            self.assertIn("corpus: ", self.corpus("add", "fuzz_text", self.files[0], code=1))
            self.assertEqual(self.read(self.archive), data)


class Corpus(Case):
    """scripts/corpus writes the same bytes for the same cases."""

    def test_canonical(self):
        first = self.packed()
        os.remove(self.archive)
        for path in reversed(self.files):
            os.utime(path, (1, 1))
            os.chmod(path, 0o600)
            self.corpus("add", "fuzz_text", path)
        self.assertEqual(self.read(self.archive), first)
        self.assertEqual(self.corpus("check"), "fuzz_text.tar: 4 cases\n")

    def test_add_replaces_and_remove(self):
        first = self.packed()
        self.corpus("add", "fuzz_text", self.write("other/b", b"more"))
        self.assertEqual(self.replay("--list", self.archive).stdout.split(), sorted(CASES))
        self.assertNotEqual(self.read(self.archive), first)
        self.corpus("add", "fuzz_text", self.path("in/b"), self.write("other/e", b"e"))
        self.corpus("remove", "fuzz_text", "e")
        self.assertEqual(self.read(self.archive), first)
        self.assertIn("no case e, f", self.corpus("remove", "fuzz_text", "a", "e", "f", code=1))
        self.assertEqual(self.read(self.archive), first)

    def test_unpack(self):
        self.packed()
        self.corpus("unpack", "fuzz_text", self.path("out"))
        self.assertEqual({name: self.read(self.path("out/" + name)) for name in os.listdir(self.path("out"))}, CASES)

    def test_tar_reads_it(self):
        with tarfile.open(fileobj=io.BytesIO(self.packed())) as tar:
            self.assertEqual([(m.name, m.mode, m.uid, m.gid, m.mtime, m.size) for m in tar],
                             [(name, 0o644, 0, 0, 0, len(CASES[name])) for name in sorted(CASES)])

    def test_check(self):
        with tarfile.open(self.archive, "w", format=tarfile.USTAR_FORMAT) as tar:
            tar.add(self.files[0], "a")
        self.assertIn("fuzz_text.tar is damaged or was not written by this script", self.corpus("check", code=1))
        os.remove(self.archive)
        self.corpus("add", "fuzz_text", self.files[0])
        self.assertEqual(self.corpus("check"), "fuzz_text.tar: 1 cases\n")
        self.write("tests/fuzz/corpus/crash", b"x")
        self.assertIn("crash is no archive", self.corpus("check", code=1))

    def test_refused(self):
        self.assertIn("no target fuzz_other; there are: fuzz_text", self.corpus("add", "fuzz_other", *self.files, code=1))
        for name in ("e" * 101, ".hidden", "-e", "two words"):
            self.assertIn("is no name of a case", self.corpus("add", "fuzz_text", self.write("bad/" + name, b""), code=1))
        self.assertIn("No such file", self.corpus("add", "fuzz_text", self.path("in/e"), code=1))
        self.assertFalse(os.path.exists(self.archive))
        for words in ((), ("add",), ("unpack", "fuzz_text"), ("check", "fuzz_text"), ("remove", "fuzz_text")):
            self.assertIn("usage: ", self.corpus(*words, code=64))


if __name__ == "__main__":
    unittest.main()
