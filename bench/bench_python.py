#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the Python package adds to the C library: the same request by gpufilter_run_text from C and by
gpufilter.gaussian from Python, in turns, in one process and on one connection; and how long the import takes beyond
numpy's. Medians in microseconds. Needs numpy.

usage: bench_python.py [--calls N] [--json FILE] [BUILD]
BUILD is the build folder, by default build/release or build beside this folder. The daemon is the one that is found,
or a private one of BUILD.
"""
import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEXT = "gaussian sigma=1"
SIZES = [(16, 16), (64, 64), (640, 480), (1920, 1088)]
IMPORT = ("import time, numpy; begin = time.perf_counter(); import gpufilter; "
          "print(1e3 * (time.perf_counter() - begin))")


def build_folder(named):
    for folder in [named] if named else [os.path.join(ROOT, "build", "release"), os.path.join(ROOT, "build")]:
        if os.path.exists(os.path.join(folder, "bin", "libbench_call.so")):
            return os.path.abspath(folder)
    sys.exit("bench_python.py: there is no bin/libbench_call.so in the build folder; name it as the last word")


def row(width, height, shared, calls, c_calls):
    """Median times of both, one call of each after the other."""
    import gpufilter as gf
    import numpy as np
    client = gf.default_client()
    take = client.empty if shared else np.empty
    src, dst = take((height, width), "u1"), take((height, width), "u1")
    src[:] = np.random.default_rng(1).integers(0, 256, src.shape)
    view = lambda a: gf._library.View(a.ctypes.data, width, height, 0, 1, 1)  # noqa: E731
    views, result = view(src), gf._library.Result(view(dst), gf._library.LAST_STEP, 0)
    ns, of_c, of_python = ctypes.c_uint64(), [], []
    for k in range(calls + 20):
        begin = time.perf_counter_ns()
        gf.gaussian(src, 1, out=dst)
        end = time.perf_counter_ns()
        status = c_calls(client._handle.pointer, TEXT.encode(), ctypes.byref(views), ctypes.byref(result), 1,
                         ctypes.byref(ns))
        if status:
            sys.exit("bench_python.py: the call from C failed with status %d" % status)
        if k >= 20:
            of_python.append((end - begin) / 1e3)
            of_c.append(ns.value / 1e3)
    return {"width": width, "height": height, "memory": "empty()" if shared else "numpy",
            "c": statistics.median(of_c), "python": statistics.median(of_python)}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--json")
    parser.add_argument("build", nargs="?")
    args = parser.parse_args()
    build = build_folder(args.build)
    os.environ.setdefault("GPUFILTER_LIBRARY", os.path.join(build, "client", "libgpufilterclient.so"))
    os.environ.setdefault("GPUFILTER_DAEMON", os.path.join(build, "bin", "gpufilterd"))
    os.environ["PYTHONPATH"] = os.path.join(ROOT, "python")
    sys.path.insert(0, os.environ["PYTHONPATH"])
    import gpufilter as gf
    c_calls = ctypes.CDLL(os.path.join(build, "bin", "libbench_call.so")).bench_calls
    c_calls.argtypes = [ctypes.c_void_p, ctypes.c_char_p] + [ctypes.c_void_p] * 2 + [ctypes.c_uint32, ctypes.c_void_p]
    with gf.default_client() as client:
        print(client.server, "on", client.devices()[0].title, "at", client.socket)
        print("%-12s %-8s %10s %10s %10s" % ("u8 gaussian", "memory", "C us", "Python us", "more us"))
        rows = []
        for width, height in SIZES:
            for shared in (False, True):
                calls = max(50, min(args.calls, args.calls * 64 * 64 // (width * height) * 10))
                rows.append(row(width, height, shared, calls, c_calls))
                r = rows[-1]
                print("%-12s %-8s %10.1f %10.1f %10.1f" % (f"{width}x{height}", r["memory"], r["c"], r["python"],
                                                           r["python"] - r["c"]))
    took = [float(subprocess.run([sys.executable, "-c", IMPORT], stdout=subprocess.PIPE, check=True).stdout)
            for _ in range(15)]
    print("import gpufilter beyond numpy: %.1f ms (median of %d)" % (statistics.median(took), len(took)))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump({"rows": rows, "import_ms": statistics.median(took)}, f)


main()
