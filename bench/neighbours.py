#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a hostile neighbour costs the others: runs each attack of one user against a daemon of its own while another user
asks for a small picture again and again, and prints that user's latencies, the memory of front and worker, and the
deaths of workers, beside the quiet case of the same run. Must be root, to have users. Two cores are enough.

usage: neighbours.py [--bin DIR] [--seconds N] [--only TEXT] [--json FILE] [--daemon-arg ARG]...
"""
import argparse
import ctypes
import encodings.idna  # noqa: F401  before the user changes, who may not read it
import json
import os
import re
import signal
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "attack"))
import support as s  # noqa: E402

VICTIM, ATTACKERS = 65003, (65001, 65002, 100000, 100001)  # the last two as a user namespace gives them out
REDUCE, HISTOGRAM, MATMUL = 0x0401, 0x0301, 0x0703
F32 = 9
SIDE = 256  # of the victim's picture: 64 KiB


def as_user(uid, work, *args):
    """Runs work(*args) in a process of this user; returns its pid."""
    pid = os.fork()
    if pid:
        return pid
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        work(*args)
    except BaseException as e:  # the attack has been ended by the server: so be it, but say why
        print("  uid %d: %s: %s" % (uid, type(e).__name__, e), file=sys.stderr)
    os._exit(0)


def victim(path, seconds, out):
    """Asks one at a time; writes when each answer came and how long it took."""
    pixels = s.pattern(SIDE * SIDE)
    end, times, late = time.monotonic() + seconds, [], 0
    conn, expected = None, None
    while time.monotonic() < end:
        begun = time.monotonic()
        try:
            if conn is None:
                conn = s.Conn(path)
                conn.sock.settimeout(seconds)
            conn.next += 1
            got = conn.ask(s.gaussian(conn.next, SIDE, SIDE, pixels))
        except (OSError, AssertionError):
            got = None
        if got is None or got.kind != s.RESULT:
            late += 1
            if got is None:
                conn = None
                time.sleep(0.01)
            continue
        expected = expected or got.payload
        if got.payload != expected:
            late += 1000000
        times.append(time.monotonic() - begun)
    os.write(out, json.dumps([times, late]).encode())


# -- attacks: each gets the socket's path and runs until it is killed


def many(path, n, **options):
    found = []
    for _ in range(n):
        try:
            found.append(s.Conn(path, **options))
        except (OSError, AssertionError):
            break
    return found


def pings(path):
    conns = many(path, 250)
    for c in conns:
        c.sock.setblocking(False)
    data = b"".join(s.frame(s.PING, i) for i in range(1, 65))
    while True:
        for c in conns:
            for call in (lambda: c.sock.send(data), lambda: c.sock.recv(65536)):
                try:
                    call()
                except (BlockingIOError, OSError):
                    pass


def infos(path):
    conns = many(path, 250)
    for c in conns:
        c.sock.setblocking(False)
    number = 1000
    while True:
        number += 8
        data = b"".join(s.frame(s.INFO, number + i, s.attr(27, s.U32, 3)) for i in range(8))
        for c in conns:
            for call in (lambda: c.sock.send(data), lambda: c.sock.recv(1 << 20)):
                try:
                    call()
                except (BlockingIOError, OSError):
                    pass


def unread_infos(path):
    conns = many(path, 250)
    data = b"".join(s.frame(s.INFO, 1000 + i, s.attr(27, s.U32, 3)) for i in range(64))
    for c in conns:
        c.sock.setblocking(False)
        try:
            c.sock.send(data)
        except OSError:
            pass
    signal.pause()


def waiting_runs(path):
    """All inline data that a user may have is announced and hardly sent; long programs of his wait behind that."""
    holders = many(path, 4)
    side = 15000
    for c in holders:
        body = s.gaussian_body(side, side, src=(1, 0, 0, side * side))
        c.send(s.header(s.RUN, 7, len(body), side * side) + body)
    steps = b"".join(ref_step(s.GAUSSIAN, (0, 0, 0) if i == 0 else (1, 0, i - 1)) for i in range(60))
    last = s.attr(21, s.BYTES, struct.pack("<HBBIQQQ", 59, 0, 1, 0, 0, 0, 0))
    side = 4096
    body = s.attr(11, s.STRING, "cpu") + s.operand(1, 0, 0, side * side, s.view(1, 1, side, side)) + steps + last
    conns = many(path, 240)
    for c in conns:
        c.send(s.header(s.RUN, 7, len(body), side * side) + body)
    drops = 0
    while drops < 1000:  # a payload must not stop for long, or the connection ends
        for c in holders:
            c.send(bytes(1 << 18))
        time.sleep(1)
        drops += 1
    return conns


def announced(path):
    """A large payload is announced, then the connection ends."""
    body = s.gaussian_body(8192, 6000)
    while True:
        c = s.Conn(path)
        c.send(s.header(s.RUN, 7, len(body), 8192 * 6000) + body + b"x")
        c.close()


def cancels(path):
    """One long request and its CANCEL without end."""
    n = 1500
    while True:
        c = s.Conn(path)
        body = matmul_body(n, n, n)
        c.sock.sendall(s.frame(s.RUN, 7, body, bytes(8 * n * n)))
        flood = s.frame(s.CANCEL, 7) * 2048
        try:
            for _ in range(400):
                c.sock.sendall(flood)
        except OSError:
            pass
        c.close()


def ref_step(op, *refs):
    return s.attr(20, s.BYTES, struct.pack("<IHH", op, len(refs), 0) + b"".join(struct.pack("<BBH", *r) for r in refs))


def matmul_body(m, k, n, *more, results=None):
    return (s.attr(11, s.STRING, "cpu") + s.operand(1, 0, 0, 4 * m * k, s.view(F32, 4, k, m))
            + s.operand(1, 0, 4 * m * k, 4 * k * n, s.view(F32, 4, n, k)) + ref_step(MATMUL, (0, 0, 0), (0, 0, 1))
            + b"".join(more) + (results or s.result()))


def outer(path):
    """256 KiB that become 4 GiB between two steps."""
    n = 32768
    last = s.attr(21, s.BYTES, struct.pack("<HBBIQQQ", 1, 0, 1, 0, 0, 0, 0))
    body = matmul_body(n, 1, n, ref_step(REDUCE, (1, 0, 0), (2, 0, 0)), results=last)
    c = s.Conn(path)
    while True:
        got = c.ask(s.frame(s.RUN, 7, body, bytes(8 * n)))
        if got is None:
            c = s.Conn(path)
        elif got.kind == s.ERROR:
            time.sleep(0.05)


def lists(path):
    """One arena of 128 MiB named many times as a list."""
    size, times = 128 << 20, 24
    fd = s.memfd(size)
    c = s.Conn(path, fd_passing=True)
    got = c.ask(s.arena_frame(5, 1, size), [fd])
    if got is None or got.kind != s.DONE:
        raise OSError("no arena: %s" % got)
    pixels = b"".join(s.operand(1, 0, 0, 16, s.view(1, 1, 4, 4)) for _ in range(1))
    # 16M + 1 numbers of 8 bytes are the longest list; rising edges are checked only after the copy
    each = b"".join(s.operand(2, 1, 8 * i, 8 * ((size >> 3) - times), s.view(10, 8, (size >> 3) - times, 1))
                    for i in range(times))
    steps = b"".join(ref_step(HISTOGRAM, (0, 0, 0), (0, 0, 1 + i)) for i in range(times))
    body = s.attr(11, s.STRING, "cpu") + pixels + each + steps + s.result()
    while True:
        got = c.ask(s.frame(s.RUN, 7, body, bytes(16)))
        if got is None:
            return


def lies(path):
    """Outer products, which are cheap for what they count as, then large products."""
    c = s.Conn(path)
    n = 1024
    for _ in range(30):
        c.ask(s.frame(s.RUN, 7, matmul_body(n, 1, n), bytes(8 * n)))
    n = 1200
    body, payload = matmul_body(n, n, n), bytes(8 * n * n)
    conns = [c] + many(path, 7)
    while True:
        for c in conns:
            c.send(s.frame(s.RUN, 7, body, payload))
        for c in conns:
            c.recv()


def slow_reading(path):
    """Inline results of which hardly anything is read."""
    conns = many(path, 127, buffer=4096)
    body = s.gaussian_body(2048, 2048)
    data = s.frame(s.RUN, 7, body, bytes(2048 * 2048))
    for c in conns:
        c.sock.settimeout(0.5)
        try:
            c.sock.sendall(data)
        except OSError:
            pass
    while True:
        for c in conns:
            try:
                c.sock.recv(200)
            except OSError:
                pass
        time.sleep(1)


def linger(path):
    """TCP sockets that take seconds to close, sent with HELLO and closed here."""
    server = socket.create_server(("127.0.0.1", 0))
    while True:
        t = socket.create_connection(server.getsockname())
        t.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 10))
        t.setblocking(False)
        try:
            while True:
                t.send(bytes(65536))
        except BlockingIOError:
            pass
        c = s.Conn(path, greet=False)
        c.send(s.hello(nfds=1), [t.fileno()])
        t.close()
        time.sleep(0.05)
        c.close()


def idle(path):
    conns = many(path, 1024)
    signal.pause()
    return conns


def holes(path):
    """An arena is declared, punched, and its rows filled by the daemon."""
    size = 256 << 20
    libc = ctypes.CDLL(None, use_errno=True)
    held = []
    for number in range(3):
        fd = s.memfd(size)
        c = s.Conn(path, fd_passing=True)
        got = c.ask(s.arena_frame(5, number, size), [fd])
        if got is None or got.kind != s.DONE:
            raise OSError("no arena: %s" % got)
        held.append((fd, c))
        if libc.fallocate(fd, 3, ctypes.c_long(0), ctypes.c_long(size)) != 0:
            raise OSError("no holes")
        body = s.gaussian_body(16384, 8192, src=(2, number, 0, size // 2), dst=(2, number, size // 2, size // 2, 16384))
        c.ask(s.frame(s.RUN, 7, body))
    signal.pause()


ATTACKS = [
    ("PING over 250 connections", pings, 1), ("INFO over 250 connections", infos, 1),
    ("INFO, unread, 250 connections", unread_infos, 1), ("240 waiting requests", waiting_runs, 1),
    ("payload announced, hang-up", announced, 2), ("CANCEL repeated", cancels, 1),
    ("256 KiB that become 4 GiB", outer, 3), ("128 MiB list named 24 times", lists, 2),
    ("cheap outer products, large products", lies, 1), ("slow reading", slow_reading, 2),
    ("TCP sockets that linger", linger, 1), ("idle connections of four uids", idle, 4), ("holes in arenas", holes, 2),
]


def high_water_kb(pid, name="VmHWM"):
    try:
        return int(re.search(name + r":\s+(\d+)", s.read_proc(pid, "status")).group(1))
    except (OSError, AttributeError):
        return 0


def percentile(values, p):
    values = sorted(values)
    return 1e3 * values[min(len(values) - 1, int(p * len(values)))] if values else float("nan")


def measure(args, name, attack, n):
    """One attack, or none, against a daemon of its own."""
    daemon = s.Daemon(*args.daemon_arg, "--socket-mode", "0666", mode=0o755, segment="64M")
    attackers, begun = [], time.monotonic()
    for k in range(n if attack else 0):
        attackers.append(as_user(ATTACKERS[k % len(ATTACKERS)], attack, daemon.socket))
    if attack:
        time.sleep(4)  # until the attack is on
    got, out = os.pipe()
    asking = as_user(VICTIM, victim, daemon.socket, args.seconds, out)
    os.close(out)
    worker_kb = 0
    while time.monotonic() < begun + args.seconds + 5:
        worker = daemon.worker()
        worker_kb = max(worker_kb, high_water_kb(worker) if worker else 0)
        time.sleep(0.2)
    os.set_blocking(got, False)
    answer, end = b"", time.monotonic() + args.seconds + 5
    while time.monotonic() < end:
        try:
            piece = os.read(got, 1 << 20)
        except BlockingIOError:
            time.sleep(0.1)
            continue
        if not piece:
            break
        answer += piece
    os.close(got)
    front_kb = high_water_kb(daemon.pid)
    for pid in attackers + [asking]:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    log = daemon.log()
    daemon.process.kill()
    daemon.process.wait()
    times, lost = json.loads(answer) if answer else ([], 1)
    return {"attack": name, "answers": len(times), "median_ms": percentile(times, 0.5), "p99_ms": percentile(times, 0.99),
            "worst_ms": percentile(times, 1), "not_answered": lost, "front_mib": front_kb / 1024,
            "worker_mib": worker_kb / 1024, "deaths": len(re.findall(r"worker of \S+ died", log)),
            "set_aside": len(re.findall("set aside", log))}


def main():
    parser = argparse.ArgumentParser(description="What a hostile neighbour costs the others.")
    parser.add_argument("--bin", default="build/release/bin", help="the folder of the programs")
    parser.add_argument("--seconds", type=float, default=10, help="of each attack")
    parser.add_argument("--only", default="", help="attacks whose name contains this")
    parser.add_argument("--json", help="a file for all figures")
    parser.add_argument("--daemon-arg", action="append", default=[], help="one more argument of the daemon")
    args = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("neighbours.py: must be root: victim and attackers are users of their own")
    os.environ["GF_DAEMON"] = os.path.join(args.bin, "gpufilterd")
    os.environ["GF_WORKER"] = os.path.join(args.bin, "gpufilterd-worker")
    rows = []
    print("| attack | answers | median ms | p99 ms | worst ms | not answered | front MiB | worker MiB | deaths | aside |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, attack, n in [("quiet", None, 0)] + ATTACKS:
        if attack and args.only not in name:
            continue
        row = measure(args, name, attack, n)
        rows.append(row)
        print("| %(attack)s | %(answers)d | %(median_ms).2f | %(p99_ms).2f | %(worst_ms).1f | %(not_answered)d | "
              "%(front_mib).0f | %(worker_mib).0f | %(deaths)d | %(set_aside)d |" % row, flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
