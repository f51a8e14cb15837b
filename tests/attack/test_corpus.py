# SPDX-License-Identifier: MIT
"""Sends every frame of make_frames.py while a healthy client works. The answers must be exactly the answers in INDEX,
and the connection must be kept or closed as INDEX says. Afterwards the daemon must hold nothing for any client.

A frame is text: hexadecimal bytes; `N * BYTES`; comments after #; `greeted` for a connection that has sent HELLO, and
`greeted fds` for HELLO with a descriptor; `fds N` for N descriptors sent with the next byte; `fd KIND SIZE` for a
descriptor from arena(); `end` for the end of the sending direction."""
import threading
import unittest

import make_frames
from support import *  # noqa: F403

INDEX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "INDEX")
LEAST = 466  # frames that make_frames.py must make at least
NOTHING_HELD = ("requests", "staging", "arenas", "pinned", "handles", "resident")


def read_index():
    found = []
    with open(INDEX, encoding="ascii") as f:
        for line in f:
            if not line.startswith("#"):
                name, answers, after, _, why = (field.strip() for field in line.split("|", 4))
                answers = [] if answers == "-" else [a.split("=") for a in answers.split()]
                found.append((name, sorted((int(number), status) for number, status in answers), after, why))
    return found


def read_frame(name):
    """Whether the connection is greeted, and the data to send as pairs (description of descriptors, bytes)."""
    greeted, pieces, ends = "", [("", b"")], False
    for line in make_frames.make()[name][-1].splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("greeted"):
            greeted = line
        elif line.startswith("fd"):
            pieces.append((line, b""))
        elif line == "end":
            ends = True
        elif line:
            times, _, words = line.rpartition("*")
            pieces[-1] = (pieces[-1][0], pieces[-1][1] + bytes.fromhex(words) * int(times or 1))
    return greeted, pieces, ends


def reopened(fd, flags):
    again = os.open("/proc/self/fd/%d" % fd, flags | os.O_CLOEXEC)
    os.close(fd)
    return again


def arena(kind, size):
    """A descriptor to send with ARENA."""
    if kind in ("null", "zero"):
        return os.open("/dev/" + kind, os.O_RDWR)
    if kind == "folder":
        return os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    if kind in ("pipe", "socket"):
        pair = os.pipe() if kind == "pipe" else [s.detach() for s in socket.socketpair()]
        os.close(pair[1])
        return pair[0]
    if kind == "unsealable":
        return memfd(size, seals=0, flags=0)
    if kind == "memfd_small":
        return memfd(size - 1)
    if kind == "sparse":
        return memfd(size, allocate=False)
    flags = {"read_only": os.O_RDONLY, "path": 0o10000000, "append": os.O_RDWR | os.O_APPEND}
    if kind in flags:
        return reopened(memfd(size), flags[kind])
    return memfd(size, seals={"memfd": SEALS, "unsealed": 0, "write_sealed": SEALS | WRITE,
                              "future_sealed": SEALS | FUTURE_WRITE}[kind])


def descriptors(words):
    words = words.split()
    if not words:
        return []
    if words[0] == "fds":
        return [os.open("/dev/null", os.O_RDWR) for _ in range(int(words[1]))]
    return [arena(words[1], int(words[2]))]


class Neighbour(threading.Thread):
    """A client that only sends correct requests and counts its failures."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.conn, self.served, self.errors = daemon.conn(), 0, []
        self.over, self.again = threading.Event(), threading.Condition()

    def run(self):
        number = 0
        while not self.over.is_set():
            number += 1
            got = self.conn.ask(cross(number))
            if got is None or got.id != number or got.payload != CROSS:
                self.errors.append(repr(got))
            with self.again:
                self.served += 1
                self.again.notify_all()

    def await_another(self):
        """Waits until the client has had one more answer, right or wrong."""
        with self.again:
            before = self.served
            return self.again.wait_for(lambda: self.served > before, WAIT)

    def stop(self):
        self.over.set()
        self.join(WAIT)
        self.conn.close()


class Corpus(Case):
    def send(self, conn, pieces, ends):
        for words, data in pieces:
            fds = descriptors(words)
            try:
                if data:
                    conn.send(data, fds)
            finally:
                for fd in fds:
                    os.close(fd)
        if ends:
            conn.half_close()

    def said(self, got):
        names = {number: name for name, number in STATUS.items()}
        self.assertTrue(got.kind != ERROR or got.text, got)
        return got.id, names[got.status]

    def held(self):
        """The resources that the daemon holds for this user and in total, from its statistics."""
        self.healthy.next += 1
        got = self.healthy.ask(frame(INFO, self.healthy.next, attr(27, U32, 3)))
        found = figures(got)
        ours = {labels: v for (family, labels), v in found.items() if family == "gpufilter_user_held"}
        self.assertTrue(ours)
        wrong = {labels: v for labels, v in ours.items() if v and any('"%s"' % word in labels for word in NOTHING_HELD)}
        for name in ("gpufilter_requests_queued", "gpufilter_staging_used_bytes", "gpufilter_connections_waiting"):
            if found[name, ""]:
                wrong[name] = found[name, ""]
        return wrong

    def test_index(self):
        """INDEX has exactly one line for each frame, with the frame's size and CRC-32."""
        with open(INDEX, encoding="ascii") as f:
            lines = [line.rstrip("\n") for line in f if not line.startswith("#")]
        names = [line.partition(" |")[0] for line in lines]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(make_frames.make()) - set(names), set(), "made, but not in INDEX")
        self.assertEqual(set(names) - set(make_frames.make()), set(), "in INDEX, but not made")
        for name, line in zip(names, lines):
            self.assertEqual(line, make_frames.row_of(name), "if that is meant, renew INDEX: make_frames.py >INDEX")

    def test_all(self):
        rows = read_index()
        self.assertEqual({name for name, _, _, _ in rows}, set(make_frames.make()))
        self.assertGreaterEqual(len(rows), LEAST)
        neighbour = Neighbour(self.daemon)
        neighbour.start()
        self.addCleanup(neighbour.stop)
        for name, answers, after, why in rows:
            greeted, pieces, ends = read_frame(name)
            with self.subTest(frame=name, why=why), self.daemon.conn(greet=bool(greeted),
                                                                     fd_passing="fds" in greeted) as c:
                self.send(c, pieces, ends)
                if after == "closed":
                    found = c.rest()
                else:
                    found = [c.recv() for _ in answers]
                    self.assertNotIn(None, found, "closed instead of kept; before: %s" % found)
                self.assertEqual(sorted(self.said(got) for got in found), answers, found)
                if after == "kept":
                    self.assertTrue(c.ping(), "more than one answer, or closed")
            self.assertTrue(neighbour.await_another(), name)
            self.assertEqual(neighbour.errors, [], name)
        neighbour.stop()
        self.until(lambda: not self.held(), lambda: "still held: %s" % self.held())


if __name__ == "__main__":
    unittest.main()
