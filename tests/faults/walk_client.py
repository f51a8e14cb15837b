#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes each call of each kind fail once in a command, and so in the client library. Every time the command must either
succeed with the right file, or print an error, exit with a documented code and leave no file. It must not wait for
ever, and the daemon must not be disturbed.

usage: walk_client.py [--sample N] [--burst N] [--call NAME] [--command WORD]
--sample N: at most N places for each kind of call; default: all. --burst N: N calls in a row fail."""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack"), os.path.join(HERE, "..", "cli")]
from faults import NEVER, Faults, places, report  # noqa: E402
from support import *  # noqa: E402,F403
from walk import ledger  # noqa: E402

CLIENT = "gpufilter-client"
CODES = {65, 66, 69, 70, 73, 74, 75, 76, 77}

# The errors of each call. A call that is not listed does not fail.
ERRORS = {
    "malloc": ("ENOMEM",), "calloc": ("ENOMEM",), "realloc": ("ENOMEM",), "aligned_alloc": ("ENOMEM",),
    "posix_memalign": ("ENOMEM",), "mmap64": ("ENOMEM",), "memfd_create": ("EMFILE", "ENOSYS"),
    "ftruncate64": ("ENOSPC",), "fallocate64": ("ENOSPC", "EINTR"), "open64": ("EMFILE", "EACCES", "EINTR"),
    "openat64": ("EMFILE", "ENOSPC"), "renameat": ("EXDEV",), "fchmod": ("EPERM",), "fcntl64": ("EMFILE",),
    "fstat64": ("EIO",), "read": ("EINTR", "EIO"), "pread64": ("EINTR", "EIO"), "write": ("EINTR", "ENOSPC", "EIO"),
    "poll": ("EINTR", "ENOMEM"), "ppoll": ("EINTR", "ENOMEM"), "socket": ("EMFILE", "ENOBUFS"),
    "socketpair": ("EMFILE",), "connect": ("EINTR", "EAGAIN", "EACCES"), "getsockopt": ("ENOBUFS",),
    "recv": ("EINTR", "EAGAIN", "ENOMEM", "ECONNRESET"), "recvmsg": ("EINTR", "EAGAIN", "ENOMEM", "ECONNRESET"),
    "send": ("EINTR", "EAGAIN", "ENOBUFS"), "sendmsg": ("EINTR", "EAGAIN", "ENOBUFS", "ETOOMANYREFS"),
    "epoll_create1": ("EMFILE",), "epoll_ctl": ("ENOMEM",), "timerfd_create": ("EMFILE",), "eventfd": ("EMFILE",),
    "pipe2": ("EMFILE",), "pthread_create": ("EAGAIN",),
}


class Bench:
    """A healthy daemon, a directory, and the commands with the files that they make there."""

    COMMANDS = {
        "inline": ("gaussian", "--sigma", "2", "in.pgm", "out.pgm"),
        "png": ("gaussian", "--sigma", "2", "large.png", "out.png"),
        "jpeg": ("sobel", "large.jpeg", "out.jpeg"),
        "numbers": ("reduce", "--op", "sum", "in.npy"),
        "pipe": ("pipe", "large.png", "correlate mask='0 1 0; 1 1 1; 0 1 0' | gaussian sigma=2 | sharpen", "-o", "out.png"),
        "health": ("health", "--json"),
        "metrics": ("metrics", "--json"),
    }

    def __init__(self, faults):
        self.faults, self.daemon = faults, Daemon()
        self.dir = tempfile.mkdtemp(prefix="gf-walk-")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GPUFILTER_")}
        self.env.update(GPUFILTER_SOCKET=self.daemon.socket, GPUFILTER_AUTOSTART="0", LC_ALL="C")
        with open(self.path("in.pgm"), "wb") as f:
            f.write(b"P5\n64 48\n255\n" + pattern(64 * 48))
        with open(self.path("large.pgm"), "wb") as f:
            f.write(b"P5\n512 512\n255\n" + pattern(512 * 512))
        for name in ("large.png", "large.jpeg", "in.npy"):
            self.command(("copy", "large.pgm", name), {})
        self.inputs = set(os.listdir(self.dir))
        self.fds = fds_of(self.daemon.pid)

    def path(self, name):
        return os.path.join(self.dir, name)

    def command(self, words, env):
        return subprocess.run([os.environ["GF_CLIENT"], *words], cwd=self.dir, env={**self.env, **env},
                              capture_output=True, timeout=WAIT)

    def made(self):
        """Returns the files that a command made, and removes them."""
        found = {}
        for name in set(os.listdir(self.dir)) - self.inputs:
            with open(self.path(name), "rb") as f:
                found[name] = f.read()
            os.unlink(self.path(name))
        return found

    def run(self, words):
        done = self.command(words, self.faults.env)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace"), self.made()

    def same(self, made, right):
        """Whether files hold the same data. Images may differ in compression, since the best one may lack memory."""
        if made == right or set(made) != set(right):
            return made == right
        pixels = []
        for files in (made, right):
            for name, data in files.items():
                with open(self.path(name), "wb") as f:
                    f.write(data)
                self.command(("copy", name, "pixels.pgm"), {})
            pixels.append(self.made()["pixels.pgm"])
        return pixels[0] == pixels[1]

    def check_daemon(self):
        d = self.daemon
        end = time.monotonic() + WAIT
        while ledger(d.socket) or fds_of(d.pid) != self.fds:
            assert time.monotonic() < end, "the daemon keeps something: %s %s" % (ledger(d.socket), fd_names(d.pid))

    def close(self):
        self.daemon.stop()
        shutil.rmtree(self.dir)


def trial(bench, words, call, number, error, right):
    bench.faults.arm(CLIENT, call, number, error)
    code, _, said, made = bench.run(words)
    fired, _ = bench.faults.disarm()
    assert "Sanitizer" not in said and "runtime error" not in said, said
    if code == 0:
        assert bench.same(made, right), "it made %s" % {name: len(data) for name, data in made.items()}
    else:
        assert fired, "without a fault: %d %s" % (code, said)
        assert code in CODES, "it ended with %d: %s" % (code, said)
        assert said.startswith("gpufilter-client: ") or (call == "write" and not said), "it printed nothing: %d %r" % (code, said)
        assert not made, "exit code %d, and it left %s" % (code, list(made))
    bench.check_daemon()
    return "not reached" if not fired else "nothing" if code == 0 else "exit %d" % code


def walk(bench, word, call, sample):
    """Runs all trials of a kind in one command. Returns their number and a line for each failed one."""
    words, saw, wrong, trials = bench.COMMANDS[word], {}, [], 0
    bench.faults.arm(CLIENT, call, NEVER, "EIO")
    code, _, said, right = bench.run(words)
    _, total = bench.faults.disarm()
    assert code == 0, said
    errors = ERRORS[call]
    for k, number in enumerate(places(total, sample)):
        for error in errors if not sample else (errors[k % len(errors)],):
            trials += 1
            try:
                what = trial(bench, words, call, number, error, right)
            except (AssertionError, subprocess.TimeoutExpired) as e:
                bench.faults.disarm()
                bench.made()
                what = "WRONG"
                wrong.append("%s: %s %d %s: %s" % (word, call, number, error, e))
            saw[what] = saw.get(what, 0) + 1
    if trials:
        print("%-8s %-14s calls %3d trials %3d: %s" %
              (word, call, total, trials, ", ".join("%s %d" % item for item in sorted(saw.items()))), flush=True)
    return trials, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--burst", type=int, default=1)
    parser.add_argument("--call", choices=list(ERRORS))
    parser.add_argument("--command", choices=list(Bench.COMMANDS))
    options = parser.parse_args()
    bench = Bench(Faults(options.burst))
    trials, wrong = 0, []
    for word in [options.command] if options.command else Bench.COMMANDS:
        for call in [options.call] if options.call else ERRORS:
            n, bad = walk(bench, word, call, options.sample)
            trials += n
            wrong += bad
    bench.close()
    return report(trials, wrong)


if __name__ == "__main__":
    sys.exit(main())
