#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what the Python package adds to the C library: the same request by gpufilter_run_text from C and by
gpufilter.gaussian from Python, alternating, in one process and on one connection; and the time of the import beyond
numpy's. Prints medians in microseconds. Needs numpy.

With --peers instead: the same call of gpufilter.ndimage, scipy.ndimage, scikit-image and CuPy, as far as they are
installed, from a numpy array to a numpy array (for CuPy including the copies to the device and back), alternating.
Prints medians in milliseconds, and their ratios to ours.

usage: bench_python.py [--calls N | --peers [--device-peers] [--seconds S]] [--json FILE] [BUILD]
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
    sys.exit("bench_python.py: there is no bin/libbench_call.so in the build folder; pass the build folder as BUILD")


def row(width, height, shared, calls, c_calls):
    """Returns the median times of both; their calls alternate."""
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


PEER_SIZES = [(1024, 1024), (1088, 1920), (3072, 4096)]
PEER_TYPES = ["u1", "u2", "f4", "f8"]


def peer_calls(op, src, shared_src, shared_dst, host):
    """Returns a function per engine, by its name. It takes no arguments and returns when the result is complete."""
    import gpufilter.ndimage
    import numpy as np
    mask = np.random.default_rng(2).random((5, 5)).astype("f4" if src.dtype != "f8" else "f8") / 16
    ask = {
        "gaussian 2": lambda m, a, w, **out: m.gaussian_filter(a, 2, **out),
        "uniform 9": lambda m, a, w, **out: m.uniform_filter(a, 9, **out),
        "correlate 5x5": lambda m, a, w, **out: m.correlate(a, w, **out),
        "sobel": lambda m, a, w, **out: m.sobel(a, **out),
    }[op]
    calls = {"numpy": lambda: ask(gpufilter.ndimage, src, mask),
             "empty()": lambda: ask(gpufilter.ndimage, shared_src, mask, output=shared_dst)}
    if host:
        try:
            import scipy.ndimage
            calls["scipy"] = lambda: ask(scipy.ndimage, src, mask)
        except ImportError:
            pass
        try:
            import skimage.filters
            if op == "gaussian 2":
                calls["skimage"] = lambda: skimage.filters.gaussian(src, 2, preserve_range=True)
        except ImportError:
            pass
    try:
        import cupy
        import cupyx.scipy.ndimage
        calls["cupy"] = lambda: cupy.asnumpy(ask(cupyx.scipy.ndimage, cupy.asarray(src), cupy.asarray(mask)))
    except ImportError:
        pass
    return calls


def in_turns(calls, seconds):
    """Returns the median time of each call in milliseconds. Every turn makes each call once."""
    took = {name: [] for name in calls}
    for call in calls.values():
        call()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(took["numpy"]) < 5:
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            took[name].append(1e3 * (time.perf_counter() - begin))
    return {name: statistics.median(values) for name, values in took.items()}


def peers(client, seconds, host):
    import numpy as np
    rows = []
    for op in ["gaussian 2", "uniform 9", "correlate 5x5", "sobel"]:
        for shape in PEER_SIZES:
            for dtype in PEER_TYPES:
                src = (np.random.default_rng(1).random(shape) * 200).astype(dtype)
                shared_src, shared_dst = client.empty(shape, dtype), client.empty(shape, dtype)
                shared_src[:] = src
                took = in_turns(peer_calls(op, src, shared_src, shared_dst, host), seconds)
                rows.append({"op": op, "width": shape[1], "height": shape[0], "dtype": dtype, "ms": took})
                ours = took["numpy"]
                print("%-14s %9s %s %s" % (op, f"{shape[1]}x{shape[0]}", np.dtype(dtype).name.ljust(8), "  ".join(
                    "%s %.2f" % (name, ms) + (" (%.1f x)" % (ms / ours) if name not in ("numpy", "empty()") else "")
                    for name, ms in took.items())), flush=True)
    return rows


def overhead(client, calls, c_calls):
    print("%-12s %-8s %10s %10s %10s" % ("u8 gaussian", "memory", "C us", "Python us", "more us"))
    rows = []
    for width, height in SIZES:
        for shared in (False, True):
            n = max(50, min(calls, calls * 64 * 64 // (width * height) * 10))
            rows.append(row(width, height, shared, n, c_calls))
            r = rows[-1]
            print("%-12s %-8s %10.1f %10.1f %10.1f" % (f"{width}x{height}", r["memory"], r["c"], r["python"],
                                                       r["python"] - r["c"]))
    return rows


def import_time():
    took = [float(subprocess.run([sys.executable, "-c", IMPORT], stdout=subprocess.PIPE, check=True).stdout)
            for _ in range(15)]
    print("import gpufilter beyond numpy: %.1f ms (median of %d)" % (statistics.median(took), len(took)))
    return statistics.median(took)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--device-peers", action="store_true", help="with --peers: only peers that use a GPU")
    parser.add_argument("--seconds", type=float, default=1, help="with --peers: how long a row is measured")
    parser.add_argument("--json")
    parser.add_argument("build", nargs="?")
    args = parser.parse_args()
    build = build_folder(args.build)
    os.environ.setdefault("GPUFILTER_LIBRARY", os.path.join(build, "client", "libgpufilterclient.so"))
    os.environ.setdefault("GPUFILTER_DAEMON", os.path.join(build, "bin", "gpufilterd"))
    os.environ["PYTHONPATH"] = os.path.join(build, "python")
    sys.path.insert(0, os.environ["PYTHONPATH"])
    import gpufilter as gf
    c_calls = ctypes.CDLL(os.path.join(build, "bin", "libbench_call.so")).bench_calls
    c_calls.argtypes = [ctypes.c_void_p, ctypes.c_char_p] + [ctypes.c_void_p] * 2 + [ctypes.c_uint32, ctypes.c_void_p]
    with gf.default_client() as client:
        print(client.server, "on", client.devices()[0].title, "at", client.socket)
        if args.peers:
            result = {"rows": peers(client, args.seconds, not args.device_peers)}
        else:
            result = {"rows": overhead(client, args.calls, c_calls), "import_ms": import_time()}
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(result, f)


main()
