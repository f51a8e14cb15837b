#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the equivalents of our operations in CuPy, PyTorch and torchvision, on data on the GPU and in the shapes of the
bench_* programs. Prints a JSON object per line with the name of our row and the median time between two events; for
kernels compiled from an expression also the wall time of the first call, `first_us`. Called by table.py. Libraries that
are not installed are left out, with a message; the exit status is 77 if none is installed.

usage: cuda_peers.py [--only TEXT] [--most PIXELS]
"""
import argparse
import json
import math
import statistics
import sys
import time

PICTURES = ((64, 64), (1920, 1080), (6000, 4000), (16384, 16384))
PHOTO, PHOTO_NAME = (4000, 6000), "6000x4000"
ARRAYS = (16, 20, 24, 28)
WORDS = {"float32": "f32", "float64": "f64", "uint8": "u8", "int32": "i32", "uint16": "u16"}
COMPILED = ("ElementwiseKernel", "ReductionKernel")
SLOW_MS = 300  # the limit per row, which in any case has three runs


def shapes(channels=()):
    for width, height in PICTURES:
        if not channels or width < 16384:
            yield "%dx%d" % (width, height), (height, width, *channels)


def arrays():
    for n in ARRAYS:
        yield "2^%d" % n, (1 << n,)


class Cupy:
    name = "CuPy"

    def __init__(self):
        import cupy
        import cupyx.scipy.ndimage as ndimage
        self.cp, self.nd, self.version, self.kept = cupy, ndimage, cupy.__version__, {}

    def make(self, dtype, shape):
        if (dtype, shape) not in self.kept:
            self.kept = {}  # one at a time
            if dtype.startswith("f"):
                made = self.cp.random.random(shape, dtype=dtype)
            else:
                made = self.cp.random.randint(0, 256, shape).astype(dtype)
            self.kept = {(dtype, shape): made}
        return self.kept[dtype, shape]

    def timed(self, call):
        start, end = self.cp.cuda.Event(), self.cp.cuda.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        return self.cp.cuda.get_elapsed_time(start, end)

    def clear(self):
        self.kept = {}
        self.cp.get_default_memory_pool().free_all_blocks()

    def mask(self, n):
        return self.cp.full((n, n), 0.01, "float32")

    def cases(self):
        cp, nd, near = self.cp, self.nd, {"mode": "nearest"}
        for size, shape in arrays():
            yield "reduce f32 op=sum " + size, "float32", shape, "x.sum", lambda x: x.sum()
            yield "reduce f32 op=argmin " + size, "float32", shape, "x.argmin", lambda x: x.argmin()
            yield "reduce f32 op=var " + size, "float32", shape, "x.var", lambda x: x.var()
            yield "scan f32 op=sum " + size, "float32", shape, "cumsum", lambda x: cp.cumsum(x)
            yield "select f32 lo=0 hi=0.5 " + size, "float32", shape, "x[...]", lambda x: x[(x >= 0) & (x <= 0.5)]
            yield "dot f32 " + size, "float32", shape, "dot", lambda x: cp.dot(x, x)
            yield "reduce u8 op=min " + size, "uint8", shape, "x.min", lambda x: x.min()
            yield "scan i32 op=sum dtype=i32 " + size, "int32", shape, "cumsum", lambda x: cp.cumsum(x, dtype="int32")
        for size, shape in shapes():
            for n in (3, 5, 7, 11, 31):
                yield ("correlate f32 %dx%d %s" % (n, n, size), "float32", shape, "ndimage.correlate",
                       lambda x, m=self.mask(n): nd.correlate(x, m, **near))
            for sigma in (2, 10):
                yield ("gaussian f32 sigma=%d %s" % (sigma, size), "float32", shape, "ndimage.gaussian_filter",
                       lambda x, s=sigma: nd.gaussian_filter(x, s, **near))
            yield ("box f32 size=15 " + size, "float32", shape, "uniform_filter",
                   lambda x: nd.uniform_filter(x, 15, **near))
            yield "combine f32 a=0.25 b=0.5 " + size, "float32", shape, "a * x + b * y", lambda x: 0.25 * x + 0.5 * x
            yield ("sobel f32 " + size, "float32", shape, "sobel, sobel, hypot",
                   lambda x: cp.hypot(nd.sobel(x, 0, **near), nd.sobel(x, 1, **near)))
            yield ("histogram f32 bins=256 lo=0 hi=1 " + size, "float32", shape, "histogram",
                   lambda x: cp.histogram(x, 256, (0, 1)))
            for n in (3, 5, 11):
                yield ("correlate u8 %dx%d %s" % (n, n, size), "uint8", shape, "ndimage.correlate",
                       lambda x, m=self.mask(n): nd.correlate(x, m, **near))
            yield "histogram u8 " + size, "uint8", shape, "bincount", lambda x: cp.bincount(x.ravel(), minlength=256)
            yield ("box u8 size=15 " + size, "uint8", shape, "uniform_filter",
                   lambda x: nd.uniform_filter(x, 15, **near))
        yield ("integral f32 dtype=f32 10000x10000", "float32", (10000, 10000), "cumsum twice",
               lambda x: x.cumsum(0, dtype="float32").cumsum(1, dtype="float32"))
        yield ("integral u8 dtype=u64 10000x10000", "uint8", (10000, 10000), "cumsum twice",
               lambda x: x.cumsum(0, dtype="uint64").cumsum(1, dtype="uint64"))
        yield from self.expressions()
        yield from self.operators()
        yield from self.photos()
        yield "sort u32 2^28", "uint32", (1 << 28,), "sort", cp.sort
        yield "sort f32 2^28", "float32", (1 << 28,), "sort", cp.sort
        yield "sort u8 2^28", "uint8", (1 << 28,), "sort", cp.sort
        yield "argsort f32 2^24", "float32", (1 << 24,), "argsort", cp.argsort
        yield "quantile f32 6000x4000", "float32", PHOTO, "percentile", lambda x: cp.percentile(x, 50)
        for taps in (9, 31, 127):
            yield ("correlate1d f32 %d taps 2^28" % taps, "float32", (1 << 28,), "ndimage.correlate1d",
                   lambda x, k=cp.full(taps, 0.01, "float32"): nd.correlate1d(x, k, **near))

    def kernel(self, dtype, operation):
        """A kernel that CuPy compiles at its first call: its name is new, so CuPy's cache of files has none."""
        return self.cp.ElementwiseKernel("%s a" % dtype, "%s r" % dtype, operation, self.new_name())

    def new_name(self):
        return "gf_text_%d" % time.time_ns()

    def expressions(self):
        for ours, theirs in (("a*2+1", "r = a * 2 + 1"), ("a*a*a+2*a*a-a+5", "r = a * a * a + 2 * a * a - a + 5"),
                             ("clamp((a-0.1)*1.25,0,1)*a+select(a>0.5,a,1-a)",
                              "r = min(max((a - 0.1f) * 1.25f, 0.0f), 1.0f) * a + (a > 0.5f ? a : 1 - a)"),
                             ("sqrt(a)/(a+1)", "r = sqrt(a) / (a + 1)"), ("exp(-a*a)", "r = exp(-a * a)"),
                             ("sin(a)*cos(a)", "r = sin(a) * cos(a)")):
            for size, shape in shapes():
                if ours == "a*2+1" or size == "16384x16384":
                    yield ("expr f32 expression=%s %s" % (ours, size), "float32", shape, "ElementwiseKernel",
                           self.kernel("float32", theirs))
        for size, shape in shapes():
            yield ("expr u8 expression=clamp(a*1.2-20,0,255) " + size, "uint8", shape, "ElementwiseKernel",
                   self.kernel("uint8", "r = rint(min(max(a * 1.2f - 20, 0.0f), 255.0f))"))

    def operators(self):
        """Reductions by an operator given as text. CuPy has no such scans."""
        def added():
            return self.cp.ReductionKernel("float32 a", "float32 r", "a", "a + b", "r = a", "0", self.new_name())
        for size, shape in arrays():
            yield "reduce f32 op=user combine=a0+b0 " + size, "float32", shape, "ReductionKernel", added()
        for name, axis in (("rows", 1), ("cols", 0)):
            yield ("reduce f32 op=user combine=a0+b0 axis=%s 16384x16384" % name, "float32", PICTURES[-1],
                   "ReductionKernel", lambda x, k=added(), n=axis: k(x, axis=n))

    def photos(self):
        """Geometry, ranks, shapes and regions of a photograph, with channels last as ours."""
        cp, nd, near = self.cp, self.nd, {"mode": "nearest"}
        margins = ((33, 33), (33, 33))
        rows = (("crop %s size=5900x3900 at=33,17", "u8x3 f32", "x[...].copy", lambda x: x[17:3917, 33:5933].copy()),
                ("flip %s", "u8 u8x3 f32", "x[:, ::-1].copy", lambda x: x[:, ::-1].copy()),
                ("flip %s axis=y", "u8x3", "x[::-1].copy", lambda x: x[::-1].copy()),
                ("rotate %s", "u8 u8x3 f32", "rot90", lambda x: cp.ascontiguousarray(cp.rot90(x, -1))),
                ("transpose %s", "u16 f64", "x.T.copy", lambda x: cp.ascontiguousarray(x.T)),
                ("pad %s margin=33", "u8x3", "pad", lambda x: cp.pad(x, margins + ((0, 0),))),
                ("pad %s margin=33 border=reflect101", "f32", "pad", lambda x: cp.pad(x, margins, "reflect")),
                ("median %s size=3", "u8 u8x3 u16 f32", "median_filter", self.local(nd.median_filter, 3, near)),
                ("median %s size=5", "u8x3 u16 f32", "median_filter", self.local(nd.median_filter, 5, near)),
                ("erode %s size=15", "u8 u8x3 f32", "grey_erosion", self.local(nd.grey_erosion, 15, near)),
                ("label %s", "u8", "label", nd.label),
                ("distance %s", "u8", "distance_transform_edt", nd.distance_transform_edt))
        dtypes = {"u8": "uint8", "u8x3": "uint8", "u16": "uint16", "f32": "float32", "f64": "float64"}
        for name, words, peer, call in rows:
            for word in words.split():
                shape = (*PHOTO, 3) if word == "u8x3" else PHOTO
                yield "%s %s" % (name % word, PHOTO_NAME), dtypes[word], shape, peer, call

    def local(self, call, size, options):
        """A filter over a square window of each channel."""
        return lambda x: call(x, (size, size) + (1,) * (x.ndim - 2), **options)


class Torch:
    name = "torch"

    def __init__(self):
        import torch
        self.torch, self.version, self.kept, self.vision = torch, torch.__version__, {}, None
        if not torch.cuda.is_available():
            raise ImportError("torch without CUDA")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False  # as exact as ours
        try:
            import torchvision.transforms.functional as vision
            self.vision = vision
        except ImportError as missing:
            print("cuda_peers.py: %s; its rows are left out" % missing, file=sys.stderr)

    def make(self, dtype, shape):
        if (dtype, shape) not in self.kept:
            self.kept = {}
            kind = getattr(self.torch, dtype)
            if dtype.startswith("f"):
                made = self.torch.rand(shape, dtype=kind, device="cuda")
            else:
                made = self.torch.randint(0, 256, shape, dtype=kind, device="cuda")
            self.kept = {(dtype, shape): made}
        return self.kept[dtype, shape]

    def timed(self, call):
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end)

    def clear(self):
        self.kept = {}
        self.torch.cuda.empty_cache()

    def cases(self):
        torch, functional = self.torch, self.torch.nn.functional
        for size, shape in arrays():
            yield "reduce f32 op=sum " + size, "float32", shape, "sum", torch.sum
            yield "reduce f32 op=argmin " + size, "float32", shape, "argmin", torch.argmin
            yield "reduce f32 op=var " + size, "float32", shape, "var", torch.var
            yield "scan f32 op=sum " + size, "float32", shape, "cumsum", lambda x: torch.cumsum(x, 0)
            yield ("select f32 lo=0 hi=0.5 " + size, "float32", shape, "x[...]",
                   lambda x: x[(x >= 0) & (x <= 0.5)])
            yield "dot f32 " + size, "float32", shape, "dot", lambda x: torch.dot(x, x)
            yield "reduce u8 op=min " + size, "uint8", shape, "min", torch.min
            yield ("scan i32 op=sum dtype=i32 " + size, "int32", shape, "cumsum",
                   lambda x: torch.cumsum(x, 0, dtype=torch.int32))
        for size, shape in shapes():
            for n in (3, 5, 7, 11, 31):
                yield "correlate f32 %dx%d %s" % (n, n, size), "float32", shape, "conv2d", self.conv2d(n)
            yield "histogram u8 " + size, "uint8", shape, "bincount", lambda x: torch.bincount(x.ravel(), minlength=256)
            yield ("histogram f32 bins=256 lo=0 hi=1 " + size, "float32", shape, "histc",
                   lambda x: torch.histc(x, 256, 0, 1))
            yield ("combine f32 a=0.25 b=0.5 " + size, "float32", shape, "a * x + b * y",
                   lambda x: torch.add(0.25 * x, x, alpha=0.5))
            yield ("box f32 size=15 " + size, "float32", shape, "avg_pool2d",
                   lambda x: functional.avg_pool2d(functional.pad(x[None, None], (7, 7, 7, 7), "replicate"), 15, 1))
        yield from self.photos()
        yield "sort f32 2^28", "float32", (1 << 28,), "sort", lambda x: torch.sort(x)[0]
        yield "topk f32 k=100 2^24", "float32", (1 << 24,), "topk", lambda x: torch.topk(x, 100)
        for n in (512, 1024, 4096):
            for dtype in ("float32", "float64"):
                yield "matmul %s %dx%d" % (WORDS[dtype], n, n), dtype, (n, n), "matmul", lambda x: torch.matmul(x, x)
        if self.vision:
            for size, shape in shapes((3,)):
                planes = (shape[2], shape[0], shape[1])
                for sigma in (2, 10):
                    taps = 2 * math.ceil(4 * sigma) + 1
                    yield ("gaussian u8x3 sigma=%d %s" % (sigma, size), "uint8", planes, "torchvision gaussian_blur",
                           lambda x, t=taps, s=sigma: self.vision.gaussian_blur(x, [t, t], [s, s]))
                yield "equalize u8x3 " + size, "uint8", planes, "torchvision equalize", self.vision.equalize
                yield "autocontrast u8x3 " + size, "uint8", planes, "torchvision autocontrast", self.vision.autocontrast

    def photos(self):
        """Resizing, rotation and colours of a photograph, as planes."""
        torch, functional = self.torch, self.torch.nn.functional
        sides, modes = [PHOTO[0] // 2, PHOTO[1] // 2], {"": "BICUBIC", " filter=linear": "BILINEAR"}
        rows = [("flip %s", "u8x3 f32", "flip", lambda x: torch.flip(x, (2,))),
                ("rotate %s", "u8x3 f32", "rot90", lambda x: torch.rot90(x, -1, (1, 2)).contiguous()),
                ("pad %s margin=33", "u8x3", "pad", lambda x: functional.pad(x, (33,) * 4)),
                ("resize %s scale=0.5 filter=area", "f32", "interpolate area",
                 lambda x: functional.interpolate(x[None], scale_factor=0.5, mode="area"))]
        for name, mode in modes.items() if self.vision else ():
            rows.append(("resize %s scale=0.5" + name, "u8x3" if name else "u8x3 f32", "torchvision resize",
                         lambda x, m=mode: self.vision.resize(x, sides, self.vision.InterpolationMode[m],
                                                              antialias=True)))
        for name, words, peer, call in rows:
            for word in words.split():
                shape, dtype = ((3, *PHOTO), "uint8") if word == "u8x3" else ((1, *PHOTO), "float32")
                yield "%s %s" % (name % word, PHOTO_NAME), dtype, shape, peer, call
        if self.vision:
            yield ("gray u8x3 6000x4000", "uint8", (3, *PHOTO), "torchvision rgb_to_grayscale",
                   self.vision.rgb_to_grayscale)

    def conv2d(self, n):
        torch, functional = self.torch, self.torch.nn.functional
        mask, side = torch.full((1, 1, n, n), 0.01, device="cuda"), n // 2
        return lambda x: functional.conv2d(functional.pad(x[None, None], (side,) * 4, "replicate"), mask)


def measure(library, call):
    """Returns the wall time of the first call, which may compile, and the median of further calls, in microseconds."""
    spent, times, begin = 0.0, [], time.perf_counter()
    library.timed(call)
    first = time.perf_counter() - begin
    while len(times) < 3 or (len(times) < 9 and spent < SLOW_MS):
        times.append(library.timed(call))
        spent += times[-1]
    return first * 1e6, statistics.median(times) * 1e3


def run(library, args):
    # Cases of the same dtype and shape run one after another, because they share the data.
    todo = [case for case in library.cases() if args.only in case[0] and math.prod(case[2]) <= args.most]
    for name, dtype, shape, peer, call in sorted(todo, key=lambda case: (case[1], math.prod(case[2]), case[2])):
        row = {"name": name, "library": library.name, "call": peer}
        try:
            x = library.make(dtype, shape)
            first, us = measure(library, lambda: call(x))
            row["us"] = round(us, 2)
            if peer in COMPILED:
                row["first_us"] = round(first)
        except Exception as error:  # the library cannot do it, or not at this size
            row["error"] = str(error).splitlines()[0][:120]
        print(json.dumps(row), flush=True)
    library.clear()


def main():
    parser = argparse.ArgumentParser(description="CuPy, PyTorch and torchvision in the shapes of the bench_* programs.")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--most", type=int, default=1 << 62, help="no shapes of more pixels")
    args = parser.parse_args()
    found = False
    for kind in (Cupy, Torch):
        try:
            library = kind()
        except ImportError as missing:
            print("cuda_peers.py: %s; its column stays empty" % missing, file=sys.stderr)
            continue
        found = True
        print(json.dumps({"library": library.name, "version": library.version}), flush=True)
        run(library, args)
    return 0 if found else 77


if __name__ == "__main__":
    sys.exit(main())
