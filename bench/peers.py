#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times operations on the CPU beside OpenCV, NumPy and numexpr: on the same arrays, in one process, alternating. Prints
per case the medians and the median of the paired ratios ours / theirs; above 1 we are slower. First with one thread on
both sides, by the thread's own processor time, which other work on the machine disturbs least; then with all threads,
and OpenCV's own default, by the wall clock. Needs python3-opencv and python3-numpy; uses python3-numexpr if installed.

usage: peers.py [--only PATTERN] [--op NAME] [--seconds S] [--threads one|all] [--slower] [LIBRARY]
LIBRARY is libbench_cpu.so, by default of build/release or build beside this folder. --slower prints only slower cases.
--op runs only the first case of one operation; one without a case is timed beside a copy of a picture.
"""
import argparse
import ctypes
import gc
import os
import re
import statistics
import sys
import time

try:
    import cv2
    import numpy as np
except ImportError as missing:
    print("peers.py: %s; install python3-numpy and python3-opencv" % missing)
    sys.exit(77)

from peer_arrays import array_cases, numexpr
from peer_cases import picture_cases, plain

WORDS = {"uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32",
         "uint64": "u64", "int64": "i64", "float16": "f16", "float32": "f32", "float64": "f64"}
NAMES = {word: name for name, word in WORDS.items()}


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_char_p), ("width", ctypes.c_uint64),
                ("height", ctypes.c_uint64), ("channels", ctypes.c_uint64)]

    @classmethod
    def of(cls, a):
        height, width, channels = (1, a.size, 1) if a.ndim == 1 else a.shape if a.ndim == 3 else (*a.shape, 1)
        return cls(a.ctypes.data, WORDS[a.dtype.name].encode(), width, height, channels)


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name in ("bench_open", "bench_step_new"):
            getattr(self.c, name).restype = ctypes.c_void_p
        self.c.bench_error.restype = ctypes.c_char_p
        self.c.bench_open.argtypes = [ctypes.c_uint32]
        self.c.bench_step_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32,
                                          ctypes.c_void_p]
        self.c.bench_output.restype = Array
        self.c.bench_output.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
        self.c.bench_place.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]
        self.c.bench_step_free.argtypes = self.c.bench_run.argtypes = [ctypes.c_void_p]

    def fail(self, what, status=1):
        print("peers.py: %s: %s" % (what, self.c.bench_error().decode()), file=sys.stderr)
        sys.exit(status)

    def open(self, threads):
        return self.c.bench_open(threads) or self.fail("opening the CPU")

    def step(self, device, case):
        arrays = (Array * len(case.inputs))(*map(Array.of, case.inputs))
        text = " ".join("%s=%s" % item for item in case.params.items())
        step = self.c.bench_step_new(device, case.op.encode(), text.encode(), len(arrays), arrays)
        return step or self.fail(case.name, 77 if case.is_plain else 1)

    def outputs(self, step):
        """Gives the results memory from NumPy, as the peers' results have."""
        arrays = []
        while (out := self.c.bench_output(step, len(arrays))).dtype:
            arrays.append(np.empty((out.height, out.width, out.channels), NAMES[out.dtype.decode()]))
            self.c.bench_place(step, len(arrays) - 1, arrays[-1].ctypes.data)
        return arrays

    def run(self, step, name):
        if self.c.bench_run(step) != 0:
            self.fail(name)


def timed(call, clock):
    start = clock()
    call()
    return clock() - start


def measure(ours, theirs, seconds, clock):
    """Returns the medians in milliseconds and the median ratio of pairs. The order within pairs alternates."""
    pairs = []
    for call in (ours, theirs, ours, theirs):
        call()
    end = time.monotonic() + seconds
    while len(pairs) < 7 or (time.monotonic() < end and len(pairs) < 201):
        if len(pairs) % 2:
            a, b = timed(ours, clock), timed(theirs, clock)
        else:
            b, a = timed(theirs, clock), timed(ours, clock)
        pairs.append((a, b))
    return (statistics.median(a for a, b in pairs) * 1e-6, statistics.median(b for a, b in pairs) * 1e-6,
            statistics.median(a / b for a, b in pairs))


def default_library():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    paths = [os.path.join(root, build, "bin", "libbench_cpu.so") for build in ("build/release", "build")]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def arguments():
    parser = argparse.ArgumentParser(description="The CPU operations beside OpenCV, NumPy and numexpr.")
    parser.add_argument("library", nargs="?", default=default_library())
    parser.add_argument("--only", default="", help="only cases whose name matches this pattern")
    parser.add_argument("--op", help="only the first case of this operation")
    parser.add_argument("--seconds", type=float, default=0.5, help="per case and number of threads")
    parser.add_argument("--threads", choices=("one", "all"), help="only rows with this number of threads")
    parser.add_argument("--slower", action="store_true", help="print only cases that are slower")
    return parser.parse_args()


def set_threads(n):
    """Sets the number of threads of the peers; None: their default."""
    cv2.setNumThreads(n or -1)
    if numexpr:
        numexpr.set_num_threads(n or numexpr.detect_number_of_cores())


def cases():
    yield from picture_cases()
    yield from array_cases()


def chosen(args):
    """The cases to run."""
    if args.op is None:
        return (case for case in cases() if re.search(args.only, case.name))
    return [next((case for case in cases() if case.op == args.op), plain(args.op))]


def main():
    args = arguments()
    library = Library(args.library)
    devices = {"one": library.open(1), "all": library.open(0)}
    print("numpy %s, OpenCV %s, %d CPUs" % (np.__version__, cv2.__version__, len(os.sched_getaffinity(0))))
    print("%-44s %-28s %4s %9s %9s %7s" % ("case", "peer", "thr.", "ours ms", "theirs ms", "ratio"))
    slower = 0
    gc.disable()
    for case in chosen(args):
        case.prepare()
        for threads in ("one", "all") if args.threads is None else (args.threads,):
            set_threads(1 if threads == "one" else None)
            step = library.step(devices[threads], case)
            kept = library.outputs(step)
            ours, theirs, ratio = measure(lambda: library.run(step, case.name), case.theirs, args.seconds,
                                          time.thread_time_ns if threads == "one" else time.perf_counter_ns)
            library.c.bench_step_free(step)
            del kept
            slower += ratio > 1
            if ratio > 1 or not args.slower:
                print("%-44s %-28s %4s %9.3f %9.3f %7.2f%s" % (case.name, case.peer, threads, ours, theirs, ratio,
                                                              " slower" if ratio > 1 else ""), flush=True)
        case.drop()
    print("%d rows slower" % slower)


if __name__ == "__main__":
    main()
