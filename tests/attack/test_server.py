# SPDX-License-Identifier: MIT
"""A hostile server: whatever it sends, the command reports the fault in one line, within bounded time and memory."""
import itertools
import os
import resource
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest

from support import *  # noqa: F403

CODES = {64, 65, 66, 69, 70, 74, 75, 76, 77}
NUMBERS = itertools.count()
PGM = b"P5\n4 3\n255\n" + PIXELS


def limit(which, value):
    return attr(10, BYTES, struct.pack("<IIQ", which, 0, value))


def device(name="cpu"):
    return attr(11, STRING, name) + attr(17, U32, 2)


def hello_reply(version=1, software="gpufilterd 0.1.0", fds=0, limits=b"", devices=None):
    return (attr(7, U32, version) + attr(8, STRING, software) + attr(9, U32, fds) + limits
            + (device() if devices is None else devices))


def output(shape, offset, length):
    return attr(22, BYTES, shape + struct.pack("<QQ", offset, length))


def answer(shape=None, offset=0, length=12, name="cpu", times=bytes(40), more=b""):
    return attr(11, STRING, name) + attr(23, BYTES, times) + output(shape or view(1, 1, 4, 3), offset, length) + more


class FalseServer:
    """Sends `greet` for HELLO and `answer` for the first request; with `endless` it repeats the answer for ever."""

    def __init__(self, folder, greeting, reply=None, endless=False, fds=0, hold=False):
        self.path = os.path.join(folder, "s%d" % next(NUMBERS))
        self.greeting, self.reply, self.endless, self.fds, self.hold = greeting, reply, endless, fds, hold
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(8)
        self.listener.settimeout(WAIT)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def say(self, conn, data):
        null = os.open("/dev/null", os.O_RDWR)
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * self.fds))] if self.fds else []
        if data:
            conn.sendmsg([data], ancillary)
        os.close(null)

    def read_frame(self, conn):
        head = conn.recv(32, socket.MSG_WAITALL)
        if len(head) < 32:
            return None
        fields = HEADER.unpack(head)
        conn.recv(fields[5], socket.MSG_WAITALL)
        if fields[7]:
            conn.recv(fields[7], socket.MSG_WAITALL)
        return fields[6]

    def serve(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            with conn:
                try:
                    conn.settimeout(WAIT)
                    number = self.read_frame(conn)
                    if number is None:
                        continue
                    self.say(conn, self.greeting(number))
                    if self.reply is not None:
                        number = self.read_frame(conn)
                        if number is None:
                            continue
                        while True:
                            self.say(conn, self.reply(number))
                            if not self.endless:
                                break
                    if self.hold:
                        conn.recv(1)
                except OSError:
                    pass

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Server(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="gf-attack-")
        self.addCleanup(shutil.rmtree, self.dir)
        with open(os.path.join(self.dir, "in.pgm"), "wb") as f:
            f.write(PGM)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GPUFILTER_")}

    def attack(self, greeting, reply=None, command=("blur", "--sigma", "1", "in.pgm", "out.pgm"), good=False,
               timeout="3", **options):
        server = FalseServer(self.dir, greeting, reply, **options)
        try:
            r = subprocess.run([os.environ["GF_CLIENT"], *command, "--socket", server.path, "--no-autostart",
                                "--timeout", timeout], cwd=self.dir, env=self.env, capture_output=True, timeout=WAIT)
        finally:
            server.stop()
        text = r.stderr.decode(errors="replace")
        self.assertNotIn("Sanitizer", text)
        self.assertNotIn("runtime error", text)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 512 << 10)
        left = [n for n in os.listdir(self.dir) if n != "in.pgm" and not n.startswith("s")]
        if good:
            self.assertEqual(r.returncode, 0, text)
        else:
            self.assertIn(r.returncode, CODES, text)
            self.assertEqual(text.count("\n"), 1, text)
            self.assertTrue(all(c.isprintable() or c == "\n" for c in text), repr(text))
            self.assertEqual(left, [], "something was left behind")
        return text

    def test_greetings(self):
        good = hello_reply()
        bodies = [b"", good[:8], hello_reply(0), hello_reply(2), hello_reply((1 << 32) - 1), good + good,
                  hello_reply(software="x" * 65), hello_reply(software=b"\xff\xfe"), hello_reply(software="a\x1b[2Jb"),
                  hello_reply(software="a\nb"), hello_reply(devices=device() * 65), hello_reply(fds=2),
                  hello_reply(devices=device("x" * 65)), hello_reply(devices=device("a b;\x07")),
                  good + attr(52, STRING, "n" * 65), good + attr(52, STRING, "a\nb"), good + attr(52, U32, 1),
                  good + attr(53, U32, 1), good + attr(53, U64, 1) * 2,
                  hello_reply(limits=limit(1, 0)), hello_reply(devices=attr(12, STRING, "title first"))]
        for k, body in enumerate(bodies):
            with self.subTest(case=k):
                self.attack(lambda n, b=body: frame(HELLO_REPLY, n, b), lambda n: b"")
        raws = [lambda n: b"", lambda n: b"HTTP/1.1 400 Bad Request\r\n\r\n" + b"x" * 100, lambda n: bytes(4096),
                lambda n: b"\xff" * 4096, lambda n: frame(RESULT, n, answer()), lambda n: frame(HELLO_REPLY, n + 1, good),
                lambda n: header(HELLO_REPLY, n, len(good), 1 << 62) + good, lambda n: header(HELLO_REPLY, n, 65536),
                lambda n: header(HELLO_REPLY, n, 65544), lambda n: header(HELLO_REPLY, n, 7),
                lambda n: header(HELLO_REPLY, n, (1 << 32) - 8), lambda n: frame(HELLO_REPLY, n, good)[:50],
                lambda n: frame(ERROR, 0, attr(1, U32, 0)), lambda n: frame(ERROR, 0, attr(1, U32, 9999)),
                lambda n: frame(ERROR, n, attr(1, U32, 26) + attr(2, STRING, "x" * 300)),
                lambda n: frame(ERROR, n, attr(1, U32, 26) + attr(2, STRING, "\x1b[31mred\n")),
                lambda n: frame(ERROR, 0, attr(1, U32, 97) + attr(2, STRING, "a status of the library")),
                lambda n: frame(HELLO_REPLY, n, good, nfds=1)]
        for k, raw in enumerate(raws):
            with self.subTest(raw=k):
                self.attack(raw)
        with self.subTest("many limits"):  # unknown limits are ignored
            self.attack(lambda n: frame(HELLO_REPLY, n, hello_reply(limits=limit(99, 5) * 2000)), lambda n: b"")

    def test_replies(self):
        top = (1 << 64) - 1
        good = answer()
        bodies = [b"", good + output(view(1, 1, 4, 3), 0, 12), answer(view(1, 1, 5, 3)), answer(view(2, 1, 4, 3)),
                  answer(view(1, 1, 4, 3, 2)), answer(view(1, 1, 65535, 65535)), answer(view(1, 1, top, top)),
                  answer(view(1, 1, 4, 3, 1, 1)), answer(view(1, 1, 4, 3, 1, top)), answer(view(1, 1, 4, 3, 1, 1 << 40)),
                  answer(view(0, 0, 0, 0)), answer(offset=64), answer(offset=top), answer(length=0), answer(length=13),
                  answer(length=top), answer(times=b""), answer(times=bytes(48)), answer(name="x" * 65),
                  answer(name="\x1b]0;title\x07"), good[:-8], good + b"\xff" * 8, answer() * 20]
        for k, body in enumerate(bodies):
            with self.subTest(case=k):
                self.attack(lambda n: frame(HELLO_REPLY, n, hello_reply()),
                            lambda n, b=body: frame(RESULT, n, b, CROSS), hold=False)
        raws = [lambda n: b"", lambda n: frame(RESULT, n, good, CROSS)[:-1], lambda n: frame(RESULT, n, good, CROSS + b"x"),
                lambda n: frame(RESULT, n, good), lambda n: header(RESULT, n, len(good), 1 << 62) + good,
                lambda n: header(RESULT, n, len(good), top) + good, lambda n: frame(RESULT, n + 1, good, CROSS),
                lambda n: frame(RESULT, 0, good, CROSS), lambda n: frame(PONG, n), lambda n: frame(DONE, n),
                lambda n: frame(HELLO_REPLY, n, hello_reply()), lambda n: frame(INFO_REPLY, n, attr(27, U32, 1)),
                lambda n: frame(64, n), lambda n: frame(GOAWAY, n), lambda n: frame(ERROR, n),
                lambda n: frame(ERROR, n, attr(1, U32, 1), b"payload"), lambda n: frame(ERROR, n + 7, attr(1, U32, 1)),
                lambda n: frame(ERROR, n, attr(1, U32, 50)), lambda n: frame(ERROR, n, attr(1, U32, 0)),
                lambda n: frame(RESULT, n, good, CROSS, nfds=1)]
        for k, raw in enumerate(raws):
            with self.subTest(raw=k):
                self.attack(lambda n: frame(HELLO_REPLY, n, hello_reply()), raw)

    def test_good(self):
        """The valid answer, of which the attacks are variations, is accepted with any descriptors."""
        for fds in (0, 1, 253):
            self.attack(lambda n: frame(HELLO_REPLY, n, hello_reply()), lambda n: frame(RESULT, n, answer(), CROSS),
                        good=True, fds=fds, timeout=str(WAIT))
            with open(os.path.join(self.dir, "out.pgm"), "rb") as f:
                self.assertTrue(f.read().endswith(CROSS))
            os.unlink(os.path.join(self.dir, "out.pgm"))

    def test_endless(self):
        """An endless stream of frames without the answer."""
        for data, said in ((lambda n: frame(GOAWAY, 0) * 1000, "GOAWAY twice"), (lambda n: frame(GOAWAY, 0), "GOAWAY twice"),
                           (lambda n: frame(PING, 9) * 1000, "PING|time"), (lambda n: frame(PING, 9), "PING|time")):
            with self.subTest(said):
                text = self.attack(lambda n: frame(HELLO_REPLY, n, hello_reply()), data, endless=True, timeout="0.5")
                self.assertRegex(text, said)

    def test_silent(self):
        for greeting, reply in ((lambda n: b"", None), (lambda n: frame(HELLO_REPLY, n, hello_reply())[:33], None),
                                (lambda n: frame(HELLO_REPLY, n, hello_reply()), lambda n: b""),
                                (lambda n: frame(HELLO_REPLY, n, hello_reply()),
                                 lambda n: frame(RESULT, n, answer(), CROSS)[:-3])):
            text = self.attack(greeting, reply, hold=True, timeout="0.3")
            self.assertRegex(text, "in time|time")

    def test_infos(self):
        greet = lambda n: frame(HELLO_REPLY, n, hello_reply())  # noqa: E731
        for k, body in enumerate((b"", attr(27, U32, 1), attr(27, U32, 3) + device(), device() * 70,
                                  attr(27, U32, 2) + attr(28, U32, 77), attr(27, U32, 1) + device("\x1b[2J"),
                                  attr(27, U32, 1) + attr(13, STRING, "uuid first"))):
            for command in (("devices",), ("health",)):
                with self.subTest(case=k, command=command):
                    server = FalseServer(self.dir, greet, lambda n, b=body: frame(INFO_REPLY, n, b))
                    r = subprocess.run([os.environ["GF_CLIENT"], *command, "--socket", server.path, "--timeout", "3"],
                                       cwd=self.dir, env=self.env, capture_output=True, timeout=WAIT)
                    server.stop()
                    text = (r.stdout + r.stderr).decode(errors="replace")
                    self.assertNotIn("Sanitizer", text)
                    self.assertNotIn("\x1b", text)
                    self.assertIn(r.returncode, CODES | {0}, text)


if __name__ == "__main__":
    unittest.main()
