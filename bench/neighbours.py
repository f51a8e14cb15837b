#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what a hostile user costs the other users. Each attack runs against a daemon of its own, while a victim,
another user, repeatedly requests a small picture. Prints the victim's latencies, the peak memory of front and worker
(private: the front's memory without what it shares with workers), and the deaths of workers, beside the quiet case of
the same run. With several builds, each attack runs against one build after another, and a cell has a figure of each.
Must run as root, to have several users. Two cores suffice.

usage: neighbours.py [--bin DIR]... [--seconds N] [--only TEXT] [--json FILE] [--daemon-arg ARG]...
"""
import argparse
import encodings.idna  # noqa: F401  import before setuid: other users may not read it
import json
import os
import re
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "attack"))
import neighbour_attacks as attacks  # noqa: E402
import support as s  # noqa: E402

VICTIM, ATTACKERS = 65003, (65001, 65002, 100000, 100001)  # the last two as in a user namespace
SIDE = 256  # of the victim's picture, 64 KiB


def as_user(uid, work, *args):
    """Runs work(*args) in a process of user `uid` and returns its pid."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        s.end_with_parent()  # setuid resets it
        work(*args)
    except BaseException as e:
        print("  uid %d: %s: %s" % (uid, type(e).__name__, e), file=sys.stderr)
    os._exit(0)


def persist(attack, *args):
    """Restarts the attack whenever the server has ended it. Prints the reason once."""
    said = False
    while True:
        try:
            attack(*args)
        except (OSError, AssertionError) as e:
            if not said:
                print("  uid %d restarts its attack: %s: %s" % (os.getuid(), type(e).__name__, e), file=sys.stderr)
            said = True
        time.sleep(0.01)


def give_up(*_):
    raise TimeoutError


def victim(path, seconds, anew, out):
    """Sends one request at a time; with `anew` on a new connection each, whose set-up counts. Writes the time of each
    request, the number without an answer, and the number with a wrong answer. Gives up after twice the time."""
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 2 * seconds)
    pixels = s.pattern(SIDE * SIDE)
    end, times, lost, wrong = time.monotonic() + seconds, [], 0, 0
    conn, expected = None, None
    while time.monotonic() < end:
        begun = time.monotonic()
        try:
            conn = conn or s.Conn(path, patient=True)
            conn.next += 1
            got = conn.ask(s.gaussian(conn.next, SIDE, SIDE, pixels))
        except (OSError, AssertionError):
            got = None
        if got is None or got.kind != s.RESULT:
            lost += 1
            time.sleep(0.01)
        else:
            expected = expected or got.payload
            wrong += got.payload != expected
            times.append(time.monotonic() - begun)
        if conn and (got is None or anew):
            conn.close()
            conn = None
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.write(out, json.dumps([times, lost, wrong]).encode())


def memory_mib(pid, name):
    """A memory figure from the status of a process; 0 if the process has ended."""
    try:
        return int(re.search(name + r":\s+(\d+)", s.read_proc(pid, "status")).group(1)) / 1024
    except (OSError, AttributeError):
        return 0


def percentile_ms(values, p):
    """The percentile in milliseconds; None if there are no values."""
    values = sorted(values)
    return 1e3 * values[min(len(values) - 1, int(p * len(values)))] if values else None


def watch(daemon, until):
    """Returns the peak memory of a worker and the peak private memory of the front until `until`."""
    of_worker = of_front = 0
    while time.monotonic() < until:
        worker = daemon.worker()
        of_worker = max(of_worker, memory_mib(worker, "VmHWM") if worker else 0)
        of_front = max(of_front, memory_mib(daemon.pid, "RssAnon"))
        time.sleep(0.1)
    return of_worker, of_front


def read_until(fd, end):
    """Reads until the end of the file or until `end`."""
    os.set_blocking(fd, False)
    data = b""
    while time.monotonic() < end:
        try:
            piece = os.read(fd, 1 << 20)
        except BlockingIOError:
            time.sleep(0.1)
            continue
        if not piece:
            break
        data += piece
    return data


def play(args, daemon, attack, given):
    """Runs one attack, or none, and the victim beside it. Returns the victim's figures, and watch()'s."""
    pids, begun = [], time.monotonic()
    got, out = os.pipe()
    try:
        for k in range(attack.processes):
            pids.append(as_user(ATTACKERS[k % len(ATTACKERS)], persist, attack.work, daemon.socket, *given))
        if pids:
            time.sleep(4)  # until the attack is in full effect
        pids.append(as_user(VICTIM, victim, daemon.socket, args.seconds, attack.anew, out))
        os.close(out)
        watched = watch(daemon, begun + args.seconds + 5)
        answer = read_until(got, time.monotonic() + args.seconds + 5)
        return json.loads(answer) if answer else ([], 1, 0), watched
    finally:
        os.close(got)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def measure(args, folder, attack):
    """Measures one attack, or none, against a daemon of its own."""
    os.environ["GF_DAEMON"] = os.path.join(folder, "gpufilterd")
    os.environ["GF_WORKER"] = os.path.join(folder, "gpufilterd-worker")
    daemon = s.Daemon(*args.daemon_arg, "--socket-mode", "0666", mode=0o755, segment="64M")
    try:
        with attack.prepare() as given:
            (times, lost, wrong), (worker_mib, private_mib) = play(args, daemon, attack, given)
        front_mib = memory_mib(daemon.pid, "VmHWM")
        log = daemon.log()
    finally:
        daemon.process.kill()
        daemon.process.wait(s.WAIT)
        shutil.rmtree(daemon.dir)
    return {"attack": attack.name, "bin": folder, "answers": len(times), "median_ms": percentile_ms(times, 0.5),
            "p99_ms": percentile_ms(times, 0.99), "worst_ms": percentile_ms(times, 1), "not_answered": lost,
            "wrong": wrong, "front_mib": front_mib, "private_mib": private_mib, "worker_mib": worker_mib,
            "deaths": len(re.findall(r"worker of \S+ died|device \S+ set aside", log)),
            "set_aside": len(re.findall(r"device \S+ set aside", log))}


COLUMNS = [
    ("answers", "answers", "%d"), ("median ms", "median_ms", "%.2f"), ("p99 ms", "p99_ms", "%.2f"),
    ("worst ms", "worst_ms", "%.1f"), ("not answered", "not_answered", "%d"), ("wrong", "wrong", "%d"),
    ("front MiB", "front_mib", "%.0f"), ("private", "private_mib", "%.0f"), ("worker MiB", "worker_mib", "%.0f"),
    ("deaths", "deaths", "%d"), ("aside", "set_aside", "%d"),
]


def line(name, rows):
    """A line of the table. Each cell has a figure of each build."""
    cells = [" / ".join("-" if row[key] is None else form % row[key] for row in rows) for _, key, form in COLUMNS]
    return "| %s | %s |" % (name, " | ".join(cells))


def main():
    parser = argparse.ArgumentParser(description="Measures what a hostile user costs the other users.")
    parser.add_argument("--bin", action="append", help="a folder of programs (build/release/bin); once per build")
    parser.add_argument("--seconds", type=float, default=10, help="the duration of each attack")
    parser.add_argument("--only", default="", help="attacks whose name contains this")
    parser.add_argument("--json", help="a file for all figures")
    parser.add_argument("--daemon-arg", action="append", default=[], help="a further argument of the daemon")
    args = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("neighbours.py: must run as root, because victim and attackers are different users")
    found = []
    print("| attack | %s |" % " | ".join(title for title, _, _ in COLUMNS))
    print("| --- |%s" % (" ---: |" * len(COLUMNS)), flush=True)
    for attack in attacks.QUIET + [attack for attack in attacks.ATTACKS if args.only in attack.name]:
        try:
            rows = [measure(args, folder, attack) for folder in args.bin or ["build/release/bin"]]
        except attacks.LeftOut as e:
            print("%s: left out: %s" % (attack.name, e), file=sys.stderr)
            continue
        found += rows
        print(line(attack.name, rows), flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(found, f, indent=1)


if __name__ == "__main__":
    main()
