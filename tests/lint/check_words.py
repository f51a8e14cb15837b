#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what must not stand where (style rules that a compiler does not know) and who reads ops.def.
usage: check_words.py ROOT"""
import os
import re
import sys

from check_includes import sources

# (pattern, folders it holds for, files that may, why)
RULES = [
    (r"\babort\(", ("protocol", "kernels", "server", "client", "samples"), (), "nothing of ours aborts"),
    (r"(?<![_\w])exit\(", ("protocol", "kernels", "server/front", "client"),
     ("client/cli/",), "only main() and the CLI end the process"),
    (r"\b(fprintf\(stderr|printf\(|puts\(|perror\()", ("protocol", "kernels", "server/front", "client"),
     ("server/front/base/log.c", "client/cli/", "client/tools/gen_ops.c", "client/lib/client.c"),
     "the library prints what GPUFILTER_DEBUG asks for, in client.c alone; the daemon prints in log.c"),
    (r"\b(malloc|calloc|realloc|new)\s*\(", ("kernels/cuda",),
     ("kernels/cuda/cuda_backend", "kernels/cuda/memory/cuda_host_mapped", "kernels/cuda/jit/"),
     "kernels files take memory from the pool"),
    (r"\b(__syncthreads\w*|__syncwarp|__threadfence\w*|atomic[A-Z]\w*|__(shfl|ballot|any|all|match)\w*_sync|__pipeline_\w+"
     r"|cudaTriggerProgrammaticLaunchCompletion|cudaGridDependencySynchronize)\(|\"memory\"|\bvolatile (?!\()",
     ("kernels/cuda",), ("kernels/cuda/device/sync.cuh", "kernels/cuda/device/async_copy.cuh"),
     "threads meet, exchange and wait through sync.cuh and async_copy.cuh, which have the proofs and the jitter"),
    (r"\(void\)\s*cuda(?!GetLastError)\w+\(|\bcudaEventElapsedTime\([^;]*\) [!=]=", ("kernels/cuda",),
     ("kernels/cuda/device/cuda_optional.c",), "its error would be the next launch's; gf_cuda_optional clears it"),
    (r"\bcudaMemcpyHostToDevice\b", ("kernels/cuda",),
     ("kernels/cuda/cuda_backend.c", "kernels/cuda/memory/cuda_upload.c", "kernels/cuda/step/cuda_copies.c"),
     "tables go through gf_cuda_upload: a copy may read pageable memory late"),
    (r"\bcudaDeviceSynchronize\b", ("kernels", "server", "bench", "tests"), (), "it stalls every exec context"),
    (r"\b(u?sleep|nanosleep)\(", ("tests",), (), "wait for the event, not for time"),
    (r"\balloca\(", ("protocol", "kernels", "server", "client", "tests", "bench", "samples"), (), "unbounded stack"),
    (r"^\s*#\s*if 0\b", ("protocol", "kernels", "server", "client", "tests", "bench", "samples"), (), "dead code"),
    (r"\b(XXX|FIXME|TODO|HACK)\b", ("protocol", "kernels", "server", "client", "tests", "bench", "samples"), (),
     "finish it or file it"),
    (r"^\s*//", ("protocol", "kernels", "server", "client", "tests", "bench", "samples"), (), "comments are /* */"),
    (r"\bswitch \([\w.>-]*op->id\)", ("protocol", "kernels", "server", "client"), (), "one dispatch per backend"),
]
OPS_DEF_READERS = {"protocol/ops/op_checks.h", "protocol/ops/op_checks.c", "protocol/ops/op_outputs.h", "protocol/ops/op_shapes.c",
                   "protocol/ops/op_table.h", "protocol/ops/op_table.c", "protocol/ops/texts/help.c", "protocol/ops/texts/help.h",
                   "kernels/cpu/cpu_ops.c", "kernels/cpu/device/cpu_ops.h",
                   "kernels/cuda/cuda_ops.c", "kernels/cuda/step/cuda_ops.h", "tests/reference/reference.c", "tests/reference/reference_ops.h"}


def strip_comments(text):
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r"/\*.*?\*/", blank, text, flags=re.S)


def main():
    root = sys.argv[1]
    bad, count = [], 0
    for source in sources(root):
        if source.endswith(".def"):
            continue
        count += 1
        text = open(os.path.join(root, source), encoding="utf-8").read()
        if "SPDX-License-Identifier: MIT" not in text[:200]:
            bad.append(f"{source}:1: no SPDX line")
        if re.search(r'#include "(?:protocol/(?:\w+/)*)?ops\.def"', text) and source not in OPS_DEF_READERS:
            bad.append(f"{source}: reads ops.def; walk gf_ops[] instead")
        code = strip_comments(text)
        for pattern, folders, may, why in RULES:
            if not source.startswith(tuple(f + "/" for f in folders)) or source.startswith(may or ("\0",)):
                continue
            haystack = text if "XXX" in pattern else code
            for match in re.finditer(pattern, haystack, flags=re.M):
                line = haystack.count("\n", 0, match.start()) + 1
                bad.append(f"{source}:{line}: {match.group(0).strip()}: {why}")
    for line in bad:
        print(line)
    print(f"{count} files, {len(bad)} findings")
    return 1 if bad or count == 0 else 0


sys.exit(main())
