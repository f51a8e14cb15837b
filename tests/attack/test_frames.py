# SPDX-License-Identifier: MIT
"""Malformed frames: each gets the answer that docs/protocol.md requires and must not disturb other clients."""
import os
import random
import signal
import struct
import unittest

from support import *  # noqa: F403


def patched(data, at, value, form):
    return data[:at] + struct.pack("<" + form, value) + data[at + struct.calcsize("<" + form):]


class Frames(Case):
    def test_header_fields(self):
        """One wrong field of a header ends the stream."""
        cases = [(0, m, "I", (BAD_FRAME,)) for m in (0, 1, 0x57504648, 0x47465057, 0xFFFFFFFF)]
        cases += [(4, v, "H", (BAD_FRAME, BAD_VERSION)) for v in (0, 2, 3, 256, 0x7FFF, 0xFFFF)]
        cases += [(8, 1 << b, "H", (BAD_FRAME,)) for b in range(16)]
        cases += [(10, n, "H", (BAD_FRAME,)) for n in (2, 3, 253, 254, 0xFFFF)]
        cases += [(12, n, "I", (BAD_FRAME,)) for n in (1, 4, 7, 9, 65535, 65537, 65544, 1 << 31, (1 << 32) - 1)]
        cases += [(24, n, "Q", (BAD_FRAME,)) for n in ((1 << 62) + 1, 1 << 63, (1 << 64) - 1)]
        for at, value, form, statuses in cases:
            for base in (cross(7), frame(PING, 7), frame(INFO, 7, attr(27, U32, 1)), drop_frame(7, 3)):
                with self.subTest(at=at, value=value), self.daemon.conn() as c:
                    c.send(patched(base, at, value, form))
                    self.expect_broken(c, *statuses)
        for at, value, form, statuses in cases:  # also before HELLO
            with self.subTest(hello=at, value=value), self.daemon.conn(greet=False) as c:
                c.send(patched(hello(), at, value, form))
                self.expect_broken(c, *statuses)

    def test_kinds(self):
        """Frames of answers, of workers and of unknown kinds are refused with their id; before HELLO they end the
        stream."""
        foreign = [k for k in list(range(0, 70)) + [255, 256, 0x8000, 0xFFFF]
                   if k not in (HELLO, RUN, CANCEL, PING, ARENA, ARENA_DROP, FREE, INFO)]
        with self.daemon.conn(fd_passing=True) as c:
            for kind in foreign:
                for body, payload in ((b"", b""), (attr(27, U32, 1), b""), (b"", b"x" * 70000)):
                    c.send(frame(kind, 9, body, payload))
                    self.expect_refused(c, 9, BAD_REQUEST)
                null = os.open("/dev/null", os.O_RDWR)
                c.send(frame(kind, 9, nfds=1), [null])
                os.close(null)
                self.expect_refused(c, 9, BAD_REQUEST)
            c.send(hello(9))
            self.expect_refused(c, 9, BAD_REQUEST)
        for kind in range(2, 70):
            with self.subTest(first=kind), self.daemon.conn(greet=False) as c:
                c.send(frame(kind, 9))
                self.expect_broken(c, BAD_FRAME)

    def test_ids(self):
        for data in (frame(RUN, 0), frame(INFO, 0, attr(27, U32, 1)), frame(99, 0), drop_frame(0, 1)):
            with self.daemon.conn() as c:
                c.send(data)
                self.expect_broken(c, BAD_FRAME)
        worker = self.daemon.worker()
        for second in (cross(5), frame(INFO, 5, attr(27, U32, 1)), frame(99, 5)):
            with self.daemon.conn() as c:
                stop_process(worker)  # the first must not be answered before the second is read
                try:
                    c.send(cross(5) + second)
                    self.expect_broken(c, DUPLICATE_ID)
                finally:
                    os.kill(worker, signal.SIGCONT)
        with self.daemon.conn() as c:  # an id is free again with its answer; 2^64-1 is one
            for number in (5, 5, 1, (1 << 64) - 1, 5):
                self.assertEqual(c.ask(cross(number)).payload, CROSS)
            for number in (0, 5, 1 << 63):
                self.assertEqual(c.ask(frame(PING, number)).id, number)
            self.assertTrue(c.send(frame(CANCEL, 77) * 100))
            self.assertTrue(c.ping())

    def test_ping_and_cancel_are_headers(self):
        for kind in (PING, CANCEL):
            for data in (frame(kind, 3, attr(27, U32, 1)), frame(kind, 3, b"", b"x"), frame(kind, 3, nfds=1)):
                with self.daemon.conn() as c:
                    c.send(data)
                    self.expect_broken(c, BAD_FRAME)

    def test_payload_lengths(self):
        body = cross_body()
        whole = 64 + len(MASK)
        for size in (0, 1, whole - 1, whole + 1, whole + 63, 1000, 300000):
            with self.daemon.conn() as c:
                c.send(header(RUN, 5, len(body), size) + body + bytes(size))
                self.expect_refused(c, 5, BAD_REQUEST)
        for kind, extra in ((RUN, body), (INFO, attr(27, U32, 1)), (99, b"")):
            for size in ((256 << 20) + 1, 1 << 40, 1 << 62):
                with self.daemon.conn() as c:
                    c.send(header(kind, 5, len(extra), size) + extra)
                    found = c.rest()
                    self.assertEqual([(f.kind, f.id, f.status) for f in found], [(ERROR, 5, TOO_LARGE)], found)
        before = rss_kb(self.daemon.pid)
        with self.daemon.conn() as c:  # a lie that nothing keeps
            c.send(header(99, 5, 0, 256 << 20) + b"x")
            self.assertEqual(c.recv().status, BAD_REQUEST)
            self.assertLess(rss_kb(self.daemon.pid) - before, 4096)

    def test_truncated_everywhere(self):
        """The stream ends after every byte, by a close or a half-close."""
        valid = hello() + frame(INFO, 3, attr(27, U32, 1)) + cross(5)
        ends = [0]
        for size in (len(hello()), len(frame(INFO, 3, attr(27, U32, 1))), len(cross(5))):
            ends.append(ends[-1] + size)
        for at in range(len(valid) + 1):
            with self.daemon.conn(greet=False) as c:
                c.send(valid[:at])
            with self.subTest(at=at), self.daemon.conn(greet=False) as c:
                c.send(valid[:at])
                c.half_close()
                found = [f.kind for f in c.rest()]
                done = sum(at >= e for e in ends[1:])
                self.assertEqual(sorted(found), sorted([HELLO_REPLY, INFO_REPLY, RESULT][:done]))
            if at % 50 == 0:
                self.bystander()

    def test_split_everywhere(self):
        valid = frame(INFO, 3, attr(27, U32, 1)) + cross(5)
        with self.daemon.conn() as c:
            for at in range(1, len(valid)):
                c.send(valid[:at])
                c.send(valid[at:])
                self.assertEqual({c.recv().kind, c.recv().kind}, {INFO_REPLY, RESULT})
            for byte in valid:
                c.send(bytes([byte]))
            self.assertEqual({c.recv().kind, c.recv().kind}, {INFO_REPLY, RESULT})

    def test_coalesced(self):
        with self.daemon.conn() as c:
            for n in range(2, 65):
                c.send(b"".join(cross(k + 1) for k in range(n)))
                got = [c.recv() for _ in range(n)]
                self.assertEqual(sorted(g.id for g in got), list(range(1, n + 1)))
                self.assertTrue(all(g.payload == CROSS for g in got))

    def test_attributes(self):
        """A body in the wrong order is BAD_REQUEST or has the status of its fault."""
        parts = [attr(11, STRING, "cpu"), operand(1, 0, 0, 12, view(1, 1, 4, 3)),
                 operand(1, 0, 64, 36, view(9, 4, 3, 3)), step(CORRELATE, 2), attr(0x1005, ENUM, 1), result()]
        payload = PIXELS.ljust(64, b"\0") + MASK
        bodies = []
        for i in range(len(parts)):
            bodies.append(parts[:i] + parts[i + 1:] if i not in (0, 4) else parts[:i] + [b"\xff" * 8] + parts[i:])
            bodies.append(parts[:i] + [parts[i]] * 2 + parts[i + 1:] if i != 5 else parts + [parts[0]])
            bodies += [parts[:i] + [attr(n, k, v)] + parts[i:]
                       for n, k, v in ((0, U32, 1), (1, U32, 1), (30, BYTES, b"x" * 8), (33, U32, 1), (4095, U32, 1))]
        for i in (1, 2, 3, 5):
            for j in (0, 1, 2, 3, 5):
                if i > j:
                    bodies.append(parts[:j] + [parts[i]] + parts[j:i] + parts[i + 1:])
        bodies += [[b"\0" * 8], [b"\xff" * 8], [b""], [b"\xff" * 65536], [parts[0]] * 4096, [parts[1]] * 900]
        bodies += [parts[:3] + [step(CORRELATE, 2)] * n + parts[4:] for n in (65, 66, 1000)]
        bodies += [parts[:5] + [result()] * n for n in (65, 1000)]
        numbers = [n for n in STATUS.values() if 0 < n < 64]
        with self.daemon.conn() as c:
            for k, body in enumerate(bodies):
                data = b"".join(body)
                if body in (parts[:3] + [parts[3]] + parts[3:], parts[:1] + parts[2:0:-1] + parts[3:]):
                    continue  # an idle step; operands whose order the payload does not tell
                with self.subTest(case=k, body=data[:600].hex()):
                    c.send(frame(RUN, 5, data, payload))
                    self.expect_refused(c, 5, *numbers)

    def test_bodies_mutated(self):
        """Every byte of each body is changed, and bytes in pairs: one answer each, and the stream goes on."""
        seed = random.Random(20)
        bodies = [(RUN, cross_body(), PIXELS.ljust(64, b"\0") + MASK), (INFO, attr(27, U32, 1), b""),
                  (ARENA, attr(24, U32, 1) + attr(25, U64, 4096), b""), (ARENA_DROP, attr(24, U32, 1), b""),
                  (FREE, attr(26, U32, 1), b"")]
        with self.daemon.conn() as c:
            for kind, body, payload in bodies:
                for at in range(len(body)):
                    values = {0, 0xFF, 0x80, body[at] ^ 1, (body[at] + 1) & 255} - {body[at]}
                    changed = [body[:at] + bytes([v]) + body[at + 1:] for v in sorted(values)]
                    for _ in range(2):
                        more = bytearray(body)
                        for _ in range(seed.randrange(1, 5)):
                            more[seed.randrange(len(more))] = seed.randrange(256)
                        changed.append(bytes(more))
                    c.send(b"".join(frame(kind, 1000 + i, b, payload) for i, b in enumerate(changed)))
                    got = [c.recv() for _ in changed]
                    self.assertNotIn(None, got, (kind, at))
                    self.assertEqual(sorted(g.id for g in got), [1000 + i for i in range(len(changed))])
                    for g in got:
                        self.assertTrue(g.kind in (RESULT, INFO_REPLY, DONE) or 0 < g.status < 64, (kind, at, g))
            self.assertTrue(c.ping())

    def test_hello_mutated(self):
        """Changed bytes of HELLO: it is greeted, or it is refused and the connection stays open for another HELLO."""
        body = hello()[32:]
        for at in range(len(body)):
            for value in sorted({0, 0xFF, body[at] ^ 1} - {body[at]}):
                with self.subTest(at=at, value=value), self.daemon.conn(greet=False) as c:
                    got = c.ask(header(HELLO, 4, len(body)) + body[:at] + bytes([value]) + body[at + 1:])
                    self.assertIsNotNone(got)
                    if got.id == 0:
                        self.assertEqual(got.status, BAD_VERSION)
                        self.assertEqual(c.rest(), [])
                    elif got.kind == ERROR:
                        self.assertTrue(0 < got.status < 64, got)
                        self.assertEqual(c.ask(hello(6)).kind, HELLO_REPLY)
                    else:
                        self.assertEqual(got.kind, HELLO_REPLY)

    def test_geometry(self):
        """Shapes at the edges of every limit."""
        sides = (0, 1, 65535, 65536, 1 << 31, (1 << 32) - 1, 1 << 40, 1 << 63, (1 << 64) - 1)
        with self.daemon.conn() as c:
            for width in sides:
                for height in sides:
                    for pitch in (1, width or 1, 1 << 40, 1 << 63, (1 << 64) - 1):
                        shape = view(1, 1, width, height, 1, pitch)
                        body = (attr(11, STRING, "cpu") + operand(1, 0, 0, 1, shape) + step(GAUSSIAN, 1) + result())
                        c.send(frame(RUN, 5, body, b"x"))
                        got = c.recv()
                        self.assertEqual(got.id, 5)
                        good = (width, height) == (1, 1) and pitch <= 1 << 40
                        self.assertEqual(got.kind, RESULT if good else ERROR, (width, height, pitch, got))
            self.assertTrue(c.ping())

    def test_descriptors(self):
        """1 to 253 descriptors, with the right and the wrong frame, announced or not."""
        null = os.open("/dev/null", os.O_RDWR)
        self.addCleanup(os.close, null)
        some = (1, 2, 3, 4, 5, 8, 9, 16, 64, 252, 253)
        for n in some:
            for data in (cross(5), frame(PING, 5), frame(INFO, 5, attr(27, U32, 1)), cross(5)[:10], frame(99, 5)):
                with self.subTest(unannounced=n), self.daemon.conn() as c:
                    c.send(data, [null] * n)
                    if len(data) < 32:
                        c.send(cross(5)[10:])
                    self.expect_broken(c, BAD_FRAME)
            with self.subTest(first=n), self.daemon.conn(greet=False) as c:
                c.send(hello(), [null] * n)
                self.expect_broken(c, BAD_FRAME)
            with self.daemon.conn(greet=False) as c:  # with HELLO's first byte, and gone
                c.send(hello(nfds=1)[:7], [null] * n)
            with self.daemon.conn() as c:  # amid a payload
                data = gaussian(5, 100, 100, pattern(10000))
                c.send(data[:5000])
                c.send(data[5000:], [null] * n)
                self.expect_broken(c, BAD_FRAME)
        with self.daemon.conn(fd_passing=True) as c:
            for data in (frame(INFO, 5, attr(27, U32, 1), nfds=1), frame(FREE, 5, attr(26, U32, 1), nfds=1),
                         header(RUN, 5, len(cross_body()), 100, 1) + cross(5)[32:], drop_frame(5, 1)[:10]
                         + b"\1\0" + drop_frame(5, 1)[12:]):
                c.send(data, [null])
                self.expect_refused(c, 5, BAD_REQUEST)
            for data in (arena_frame(5, 1, 4096), arena_frame(5, 1, 4096, nfds=0)):
                c.send(data)
                self.expect_refused(c, 5, NO_FD_PASSING)
        for _ in range(30):  # sent and never looked at
            with self.daemon.conn(greet=False) as c:
                for _ in range(5):
                    c.send(b"G", [null] * 253)

    def test_after_the_end(self):
        """Nothing follows the last ERROR, whatever was asked before and after it."""
        wide = pattern(1 << 20)
        with self.daemon.conn() as c:
            for k in range(8):
                c.send(gaussian(k + 1, 1024, 1024, wide, sigma=0.0))
            c.send(b"no frame at all, but long enough to be looked at" + cross(50))
            self.expect_broken(c, BAD_FRAME)


if __name__ == "__main__":
    unittest.main()
