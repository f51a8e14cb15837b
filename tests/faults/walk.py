#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes each call of each kind fail once, in the front and in the worker, during a healthy session and during a start.
Every time the front must live, no client may wait for ever, and an id must have at most one answer, exactly one unless
the connection ended. Afterwards nothing may be held, and the next request must work.

usage: walk.py [--sample N] [--burst N] [--program gpufilterd|gpufilterd-worker] [--call NAME] [--starts] --sample N: at
most N places for each kind of call; default: all. --burst N: N calls in a row fail. Prints a line for each kind."""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack")]
from faults import NEVER, Faults, places, report  # noqa: E402
from support import *  # noqa: E402,F403

PROGRAMS = ("gpufilterd", "gpufilterd-worker")
COPY = 0x0207
SIDE = 64
ENDS = {69, 71, 75, 78}  # documented exit codes of a start that fails
ABORTS = {"epoll_ctl", "realloc"}  # calls whose failure makes libuv abort
PASSING = {"recvmsg"}  # calls that fail once and work when repeated, whichever process repeats them

# The errors of each call. A call that is not listed does not fail.
ERRORS = {
    "malloc": ("ENOMEM",), "calloc": ("ENOMEM",), "realloc": ("ENOMEM",), "aligned_alloc": ("ENOMEM",),
    "mmap64": ("ENOMEM",), "memfd_create": ("EMFILE", "ENOMEM"), "ftruncate64": ("ENOSPC",),
    "fallocate64": ("ENOSPC", "EINTR"), "open64": ("EMFILE", "EACCES"), "fcntl64": ("EMFILE",), "fstat64": ("EIO",),
    "fstatfs64": ("EIO",), "read": ("EINTR",), "poll": ("EINTR", "ENOMEM"),
    "socket": ("EMFILE",), "socketpair": ("EMFILE", "ENOMEM"), "bind": ("EACCES",), "listen": ("EADDRINUSE",),
    "accept4": ("EMFILE", "ENFILE", "ENOMEM", "ECONNABORTED", "EINTR", "EAGAIN", "EPERM"), "getsockopt": ("ENOBUFS",),
    "recvmsg": ("EINTR", "EAGAIN", "ENOMEM", "ECONNRESET"), "sendmsg": ("EINTR", "EAGAIN", "ENOBUFS", "EPIPE"),
    "send": ("EINTR", "ENOBUFS"), "epoll_create1": ("EMFILE",), "epoll_ctl": ("ENOMEM", "ENOSPC"),
    "eventfd": ("EMFILE",), "pipe2": ("EMFILE",), "posix_spawn": ("EAGAIN", "ENOMEM"),
    "pidfd_open": ("EMFILE", "ENOMEM"), "clone": ("EAGAIN",), "waitid": ("EINTR",), "pthread_create": ("EAGAIN",),
}


def copy(number, read=None, make=None, payload=b"", arena=None):
    shape = view(1, 1, SIDE, SIDE)
    if arena is not None:
        src, dst = operand(2, arena, 0, SIDE * SIDE, shape), result(2, arena, SIDE * SIDE, SIDE * SIDE, SIDE)
    else:
        src = operand(1, 0, 0, len(payload), shape) if read is None else operand(3, read, 0, 0, shape)
        dst = result() if make is None else result(3, make)
    return frame(RUN, number, attr(11, STRING, "cpu") + src + step(COPY, 1) + dst, payload)


class Session:
    """One request of every kind, all sent at once. `answers` maps each id to its answers; `ended` is true if the
    connection ended early."""

    EXPECTED = {1: HELLO_REPLY, 3: RESULT, 4: DONE, 5: RESULT, 6: RESULT, 7: RESULT, 8: DONE, 9: RESULT, 10: INFO_REPLY,
                11: INFO_REPLY, 12: PONG, 13: DONE}
    SURE = {1, 10, 11, 12}  # ids that never get an ERROR because another request failed

    def __init__(self, path):
        self.answers, self.ended, self.refused = {}, False, None
        fd, null = memfd(2 * SIDE * SIDE), os.open("/dev/null", os.O_RDWR)
        try:
            with Conn(path, greet=False) as c:
                self.talk(c, fd, null)
        finally:
            os.close(fd)
            os.close(null)

    def talk(self, c, fd, null):
        pixels = pattern(SIDE * SIDE)
        c.send(hello(nfds=1), [null])
        self.collect(c, {1})
        c.send(cross(3))
        c.send(arena_frame(4, 7, 2 * SIDE * SIDE), [fd])
        c.send(copy(5, arena=7) + copy(6, make=1, payload=pixels) + copy(7, read=1) + frame(FREE, 8, attr(26, U32, 1)))
        c.send(gaussian(9, 256, 256, pattern(256 * 256)) + frame(CANCEL, 9))
        c.send(frame(INFO, 10, attr(27, U32, 2)) + frame(INFO, 11, attr(27, U32, 3)) + frame(PING, 12))
        c.send(drop_frame(13, 7))
        self.collect(c, set(self.EXPECTED))

    def collect(self, c, wanted):
        while not self.ended and wanted - set(self.answers):
            got = c.recv()
            if got is None or (got.kind == ERROR and got.id == 0):
                self.ended, self.refused = True, got
                break
            assert got.id not in self.answers, "a second answer: %r after %r" % (got, self.answers[got.id])
            assert got.id in self.EXPECTED, "an answer to what was not asked: %r" % got
            assert got.kind in (self.EXPECTED[got.id], ERROR), got
            assert got.kind != ERROR or got.text, got
            if got.id == 3 and got.kind == RESULT:
                assert got.payload == CROSS, "wrong bits"
            if got.id == 7 and got.kind == RESULT:
                assert got.payload == pattern(SIDE * SIDE), "wrong bits"
            self.answers[got.id] = got

    def errors(self):
        return sorted(got.status for got in self.answers.values() if got.kind == ERROR)


def ledger(path):
    """What the daemon holds while the asking connection is its only one, as text; empty if nothing."""
    with Conn(path) as c:
        found = figures(c.ask(frame(INFO, 5, attr(27, U32, 3))))
    held = {"%s{%s}" % key: value for key, value in found.items() if value and (
        key[0] in ("gpufilter_staging_used_bytes", "gpufilter_requests_queued", "gpufilter_connections_waiting",
                   "gpufilter_device_jobs", "gpufilter_device_load_seconds")
        or (key[0] == "gpufilter_user_held" and (value, 'resource="connections"' in key[1]) != (1, True)))}
    return ", ".join("%s=%g" % item for item in sorted(held.items()))


class Place:
    """A daemon under attack. After a worker has died it is replaced, because a daemon's restarts get slower each
    time."""

    def __init__(self, faults):
        self.faults = faults
        self.daemon = None

    def fresh(self):
        self.close()
        self.daemon = Daemon("--worker-deaths", "16", "--worker-timeout", "2", "--frame-timeout", "5", env=self.faults.env)
        self.next_works()
        self.worker = self.daemon.worker()
        self.fds = self.descriptors()

    def descriptors(self):
        return fds_of(self.daemon.pid)

    def close(self):
        if self.daemon:
            daemon, self.daemon = self.daemon, None
            daemon.stop()

    def next_works(self):
        with Conn(self.daemon.socket) as c:
            got = c.ask(cross(5))
        assert got is not None and got.kind == RESULT and got.payload == CROSS, "the next request failed: %r" % got

    def settled(self):
        """The first difference from the state before, as text; empty if there is none."""
        d = self.daemon
        said = ledger(d.socket)
        if not said and self.descriptors() != self.fds:
            said = "%d descriptors, not %d: %s" % (self.descriptors(), self.fds, sorted(fd_names(d.pid)))
        worker = d.worker()
        if not said and worker and client_memfds(worker):
            said = "the worker maps arenas of nobody"
        return said

    def ended(self, program, call):
        """Whether the front has ended in the allowed way: libuv aborted, with a message and its exit code."""
        try:
            self.next_works()
            return False
        except (AssertionError, OSError):  # the daemon is ending
            if program != "gpufilterd" or call not in ABORTS:
                raise
            process = self.daemon.process
            process.wait(WAIT)
        log = self.daemon.log()
        assert process.returncode == 71 and "error: aborted" in log, (process.returncode, log)
        self.daemon = None
        self.fresh()
        return True

    def check(self):
        """Checks that after a session all is as before it. Returns True if the worker died and is back."""
        d = self.daemon
        end = time.monotonic() + WAIT
        self.next_works()
        while True:
            said = self.settled()
            if not said:
                break
            assert time.monotonic() < end, said
            self.next_works()
        died = d.worker() != self.worker
        assert not died or re.search(r"worker of cpu died|killing the worker", d.log()), "it died without a word"
        return died


def while_running(faults, place, program, call, number, error):
    """Runs one trial. Returns whether the call was reached, and what the client saw."""
    faults.arm(program, call, number, error)
    session = Session(place.daemon.socket)
    fired, _ = faults.disarm()
    if session.ended and place.ended(program, call):
        return True, "exit 71"
    died = place.check()
    if session.ended:
        assert fired and program == "gpufilterd", "the connection ended: %r" % session.refused
    saw = "closed" if session.ended else "errors" if session.errors() else "nothing"
    if died:
        place.fresh()
        saw += ", worker replaced"
    return fired > 0, saw


def while_starting(faults, program, call, number, error):
    """Runs one trial of a start, which must succeed or end with a message and a documented code."""
    faults.arm(program, call, number, error)
    try:
        daemon = Daemon("--worker-deaths", "16", "--worker-timeout", "2", env=faults.env)
    except NotStarted as e:
        fired, _ = faults.disarm()
        assert fired and call not in PASSING, "it did not start: %s" % e
        assert e.code in ENDS, "it ended with %s: %s" % (e.code, e)
        assert "error: " in str(e), "it ended without a word: %s" % e
        return True, "exit %d" % e.code
    fired, _ = faults.disarm()
    died = "worker of cpu died" in daemon.log()
    try:
        with Conn(daemon.socket) as c:
            got = c.ask(cross(5))
        assert got is not None and got.payload == CROSS, got
        assert not ledger(daemon.socket)
    finally:
        daemon.stop()
    return fired > 0, "worker replaced" if died else "nothing"


def walk(program, call, sample, starting, faults, place):
    """Runs all trials of a kind. Returns their number and a line for each failed one."""
    saw, wrong, trials = {}, [], 0
    faults.arm(program, call, NEVER, "EIO")
    if starting:
        Daemon(env=faults.env).stop()
    else:
        Session(place.daemon.socket)
    _, total = faults.disarm()
    errors = ERRORS[call]
    chosen = places(total, sample)
    for k, number in enumerate(chosen):
        for error in errors if not sample else (errors[k % len(errors)],):
            trials += 1
            try:
                if starting:
                    reached, what = while_starting(faults, program, call, number, error)
                else:
                    reached, what = while_running(faults, place, program, call, number, error)
                what = what if reached else "not reached"
            except (AssertionError, OSError, NotStarted, subprocess.TimeoutExpired) as e:
                faults.disarm()
                what = "WRONG"
                wrong.append("%s %s %d %s: %s" % (program, call, number, error, e))
                if not starting:
                    wrong[-1] += abandon(place)
            saw[what] = saw.get(what, 0) + 1
    if trials:
        print("%-18s %-8s %-14s calls %3d trials %3d: %s" %
              (program, "starting" if starting else "running", call, total, trials,
               ", ".join("%s %d" % item for item in sorted(saw.items()))), flush=True)
    return trials, wrong


def abandon(place):
    """Drops a daemon in an unknown state. Returns its log."""
    daemon, place.daemon = place.daemon, None
    log = daemon.log()
    daemon.process.kill()
    daemon.process.wait()
    place.fresh()
    return "\n    " + log.strip().replace("\n", "\n    ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--burst", type=int, default=1)
    parser.add_argument("--program", choices=PROGRAMS)
    parser.add_argument("--call", choices=list(ERRORS))
    parser.add_argument("--starts", action="store_true")
    options = parser.parse_args()
    faults = Faults(options.burst)
    place = Place(faults)
    if not options.starts:
        place.fresh()
    trials, wrong = 0, []
    for program in [options.program] if options.program else PROGRAMS:
        for call in [options.call] if options.call else ERRORS:
            n, bad = walk(program, call, options.sample, options.starts, faults, place)
            trials += n
            wrong += bad
    place.close()
    return report(trials, wrong)


if __name__ == "__main__":
    sys.exit(main())
