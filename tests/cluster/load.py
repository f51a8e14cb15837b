# SPDX-License-Identifier: MIT
"""Clients that filter pictures through an edge without a pause, and the outcome of each call: right, failed, wrong,
lost with its node, and the time it took. Used by tests that cause faults meanwhile. Needs numpy and the package
gpufilter."""
import collections
import threading
import time

import gpufilter as gf
import numpy as np
from gpufilter import errors

from nodes import WAIT

PROGRAM = "gaussian sigma=2 | sobel"
WINDOW = 8  # requests in flight of a client that submits
KINDS = ("run", "submit", "resident")


def picture(seed):
    return np.random.default_rng(seed).integers(0, 256, (96, 128), dtype=np.uint8)


class Count:
    """The outcomes of the calls of one kind."""

    def __init__(self):
        self.right = self.failed = self.wrong = self.lost = 0
        self.longest, self.texts = 0.0, collections.Counter()

    def add(self, other):
        for name in ("right", "failed", "wrong", "lost"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.longest = max(self.longest, other.longest)
        self.texts += other.texts

    def __str__(self):
        return "%d | %d | %d | %d | %.2f" % (self.right, self.failed, self.wrong, self.lost, self.longest)


class Worker(threading.Thread):
    """One client of a kind, on its own connection. `lost` counts calls on a resident picture that was on a dead node:
    they must end with HANDLE_LOST, and the picture is sent again."""

    def __init__(self, load, kind, seed, expected):
        super().__init__(daemon=True)
        self.load, self.kind, self.expected, self.picture = load, kind, expected, picture(seed)
        self.count, self.done = Count(), 0

    def run(self):
        with self.load.open() as client:
            getattr(self, "do_" + self.kind)(client)

    def judge(self, began, ask):
        """Counts the call that ask() makes. Returns whether its resident picture is lost."""
        lost = False
        try:
            got = ask()
            if got.tobytes() == self.expected:
                self.count.right += 1
            else:
                self.count.wrong += 1
        except errors.HandleLost as e:
            lost = True
            if self.kind == "resident":
                self.count.lost += 1
            else:
                self.fail(e)
        except gf.Error as e:
            self.fail(e)
        self.count.longest = max(self.count.longest, time.monotonic() - began)
        self.done += 1
        return lost

    def fail(self, error):
        self.count.failed += 1
        self.count.texts["%s %s: %s" % (self.kind, error.status_name, error)] += 1

    def do_run(self, client):
        while not self.load.over.is_set():
            self.judge(time.monotonic(), lambda: client.run(PROGRAM, self.picture))

    def do_submit(self, client):
        window = collections.deque()
        while window or not self.load.over.is_set():
            while len(window) < WINDOW and not self.load.over.is_set():
                began = time.monotonic()
                try:
                    window.append((began, client.submit(PROGRAM, self.picture).result))
                except gf.Error as e:
                    window.append((began, thrower(e)))
            self.judge(*window.popleft())

    def do_resident(self, client):
        kept, out = None, np.empty(self.picture.shape, np.float32)
        while not self.load.over.is_set():
            out.fill(0)  # the result of the previous call must not count
            began = time.monotonic()
            if kept is None:
                try:
                    kept = client.to_device(self.picture)
                except gf.Error as e:
                    self.judge(began, thrower(e))
                    continue
            if self.judge(began, lambda: client.run(PROGRAM, kept, out=out)):  # noqa: B023
                kept = None


def thrower(error):
    def throw():
        raise error
    return throw


class Load:
    """`clients` of each kind work on `socket` for the length of the block. `options` are passed to Client."""

    def __init__(self, socket, expected, clients=2, kinds=KINDS, **options):
        self.socket, self.options, self.over = socket, options, threading.Event()
        self.workers = [Worker(self, kind, seed, expected[seed]) for kind in kinds for seed in range(clients)]

    def open(self):
        return gf.Client(self.socket, autostart=False, **self.options)

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for worker in self.workers:
            worker.join(WAIT)
            assert not worker.is_alive(), "a client of kind %s hangs" % worker.kind

    def more(self, calls):
        """Waits until every client has had `n` more answers."""
        goals = [(worker, worker.done + calls) for worker in self.workers]
        end = time.monotonic() + WAIT
        for worker, goal in goals:
            while worker.done < goal:
                assert worker.is_alive(), "a client of kind %s ended" % worker.kind
                assert time.monotonic() < end, "a client of kind %s has no answer for %g s" % (worker.kind, WAIT)
                time.sleep(0.005)

    def counts(self):
        """The outcomes by kind."""
        found = {worker.kind: Count() for worker in self.workers}
        for worker in self.workers:
            found[worker.kind].add(worker.count)
        return found


def expected_of(socket, clients):
    """The right bytes for each seed, from a separate daemon without faults."""
    with gf.Client(socket, autostart=False) as client:
        return [client.run(PROGRAM, picture(seed)).tobytes() for seed in range(clients)]
