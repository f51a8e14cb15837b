#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Moves the sources into folders that are the architecture and rewrites whatever names them: includes, CMake lists,
paths in scripts, tests and documents. Changes no code, which compare_objects.py shows. Run it in a clean checkout of
the old tree. It stages what it did, the rules of includes among it, and leaves the commit to the caller; a second run
finds nothing to do. A file that has no place in PLACES, or a phrase of PHRASES that is not found, ends it before
anything is written. Needs clang-format 14, in whose order includes come.
usage: move.py [--dry | --table], in the root of the repository. --dry prints the new folders with their numbers of
source files, --table old and new paths as CSV for compare_objects.py; neither writes anything."""
import collections
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import textwrap

WIDTH = 120
HERE = os.path.dirname(os.path.abspath(__file__))
FILTERS = "correlate convolve gaussian box sharpen unsharp sobel scharr prewitt laplacian log emboss"

# Folder of today -> (folder below it, stems or names of the files that go there); the first that fits holds. "." is the
# folder itself.
PLACES = {
    "protocol": (
        ("base", "base clock error status text limits nap shared_memory machine dtype view"),
        ("ops", "ops suggest enums op_* filter_checks outputs_* program mask_text footprint"),
        ("wire", "frame records request run_request response worker_msg *_entry metric span"),
    ),
    "kernels": (
        (".", "backend registry stop gate"),
        ("slab", "strips"),
        ("shared", "bins compose filter filter_* gamma histogram light lines matmul point reduce reduce_* scan "
                   "segments select tables"),
    ),
    "kernels/cpu": (
        ("device", "cpu_device pool pages cpu_ops.h"),
        (".", "cpu_backend cpu_run cpu_ops.c"),
        ("simd", "rows row_* light_guess scan_rows"),
        ("filter", FILTERS + " box_* fir_lines linear linear_lines"),
        ("point", "map combine copy threshold equalize autocontrast point tones"),
        ("histogram", "histogram count values"),
        ("reduce", "reduce reduce_* reduction compose dot stats compare"),
        ("scan", "scan scan_* recurrence integral integral_*"),
        ("select", "select"),
        ("linalg", "convolve1d correlate1d matmul lines greatest"),
    ),
    "kernels/cuda": (
        ("device", "cuda_device cuda_status cuda_pool cuda_buffers cuda_clock cuda_trace cuda_wait cuda_far "
                   "cuda_launch dispatch sync async_copy jitter warp_reduce"),
        ("step", "cuda_call cuda_copies bands cuda_ops.h samples"),
        (".", "cuda_backend cuda_absent cuda_warm cuda_run cuda_strips cuda_ops.c"),
        ("filter", FILTERS + " blur linear_filter filter_bands filter_args separable separable_strips strip_* mask "
                   "mask_* stored_* stencil tile box_columns"),
        ("point", "map combine copy threshold equalize autocontrast point point_filter tone_bytes tones"),
        ("histogram", "histogram count count_* extremes"),
        ("reduce", "reduce reduce_* reduction reduction_* dot stats parts compose compare"),
        ("scan", "scan scan_* recurrence integral integral_*"),
        ("select", "select select_tile"),
        ("linalg", "convolve1d correlate1d matmul lines lines_* greatest"),
    ),
    "server/front": (
        (".", "main server devices doctor"),
        ("base", "log list recv_fds notify identity options options_file napper"),
        ("resource", "quota closer closer_process memory arenas handles staging waiting task cost"),
        ("metrics", "metrics"),
        ("worker", "worker worker_* workers workers_join spawner"),
        ("schedule", "scheduler dispatcher split routing blame ready"),
        ("session", "metrics_report session session_* sessions connection connection_read listener"),
    ),
    "client": (
        ("tools", "gen_ops"),
        ("lib/transport", "channel incoming outgoing stream"),
        ("lib/discovery", "address autostart"),
        (".", "libgpufilterclient gpufilter gpufilter-config"),
        ("lib", "call client connect handles info memory placement program_text requests residents run share submit "
                "text_ref trace watch"),
    ),
    "client/cli": (
        (".", "main images cli.c"),
        ("image/png", "png_* image_png"),
        ("image/jpeg", "jpeg_*"),
        ("image", "image image_* array_* formats_help number"),
        ("io", "input output io_error large_alloc threads"),
        ("docgen", "page_* pages completion completion_* cmd_ops"),
        ("bench", "bench bench_* cmd_bench"),
        ("pipe", "pipe pipe_* cmd_pipe"),
        ("session", "session_text cmd_session"),
        ("daemon", "cmd_devices cmd_health cmd_metrics cmd_top cmd_ping metrics metrics_table"),
        ("batch", "batch batch_names progress"),
        ("report", "table chart differences list samples"),
        ("op", "cmd_op op_* plan coefs data_option fit keep verify"),
        ("base", "args cli exit_code fail json timeline connect"),
    ),
    "tests/unit": (
        (".", "unit client front images"),
        ("client", "test_client_* fake_server submit_fixture"),
        ("image", "test_image_* image_fixture test_png_* test_jpeg_* test_output"),
        ("server", "test_front_* test_worker_buffers test_worker_mappings test_worker_probe test_sandbox"),
        ("kernels", "test_cpu_* test_cuda_* test_filter test_gate test_point test_scan test_strips"),
        ("protocol", "test_dtype test_enums test_error test_footprint test_frame test_handle_entry test_mask_text "
                     "test_metric test_nap test_op_* test_program test_protocol_doc test_request test_response "
                     "test_shared_memory test_text test_view test_worker_msg"),
    ),
    "docs": (
        ("measurements", "benchmarks faults kernel-table"),
        (".", "*"),
    ),
}

# Names that are put together: (file, old, new).
PHRASES = (
    ("tests/unit/CMakeLists.txt", "kernels/cuda/cuda_${name}.c", "kernels/cuda/device/cuda_${name}.c"),
    ("tests/unit/CMakeLists.txt", " test_cuda_${name}.c", " kernels/test_cuda_${name}.c"),
    ("tests/unit/client.cmake", "${name} ${name}.c", "${name} client/${name}.c"),
    ("tests/unit/front.cmake", " test_front_${name}.c", " server/test_front_${name}.c"),
    ("tests/unit/images.cmake", "_DIR}/${name}.c", "_DIR}/image/${name}.c"),
)

SOURCE = re.compile(r"\.(c|h|cu|cuh|def)$")
INCLUDE = re.compile(r'^(\s*#\s*include\s*")([^"]+)(")', re.M)
SOURCES = re.compile(r"(?: +(?:\$\{\w+\}/)?[\w./-]+\.cu?)+[)\"]?")
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")


def tracked():
    return subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def places(files):
    """{old: new} of every file that moves."""
    moves, homeless = {}, []
    for path in files:
        folder, name = os.path.split(path)
        if folder not in PLACES or name == "CMakeLists.txt":
            continue
        stem = name.split(".")[0]
        for below, words in PLACES[folder]:
            if any(fnmatch.fnmatch(stem, word) or fnmatch.fnmatch(name, word) for word in words.split()):
                if below != ".":
                    moves[path] = "%s/%s/%s" % (folder, below, name)
                break
        else:
            homeless.append(path)
    if homeless:
        sys.exit("move: no place in PLACES for %s" % ", ".join(homeless))
    taken = set(files) | set(moves)
    clashes = [new for new in moves.values() if new in taken]
    if clashes or len(set(moves.values())) < len(moves):
        sys.exit("move: two files would become one: %s" % ", ".join(sorted(clashes)))
    return moves


def read(files):
    texts = {}
    for path in files:
        if os.path.isfile(path) and not os.path.islink(path):
            try:
                with open(path, encoding="utf-8", newline="") as f:
                    texts[path] = f.read()
            except UnicodeDecodeError:
                pass  # an input of a test
    return texts


def rewrite_includes(path, text, moves, files):
    """Files of the same folder by name, others by the path from the root; the public headers as they were."""
    def replace(match):
        name = match.group(2)
        here = os.path.normpath(os.path.join(os.path.dirname(path), name))
        target = next((found for found in (here, name) if found in files), None)
        if target is None:
            return match.group(0)
        old, new = moves.get(path, path), moves.get(target, target)
        if old == path and new == target:
            return match.group(0)
        if os.path.dirname(old) == os.path.dirname(new):
            new = os.path.basename(new)
        return match.group(1) + new + match.group(3)
    return INCLUDE.sub(replace, text)


def rewrite_lists(folder, text, moves):
    """CMake names files of its own folder without it."""
    for old, new in moves.items():
        if os.path.dirname(old) == folder:
            name = re.escape(os.path.basename(old))
            start = r"(?<![\w./{}-])((?:\$\{CMAKE_CURRENT_(?:LIST|SOURCE|FUNCTION_LIST)_DIR\}/)?)"
            text = re.sub(start + name + r"(?![\w.-])", r"\1" + os.path.relpath(new, folder), text)
    return text


def wrap_lists(text):
    """Lists of sources, which are longer now: a line or more for each folder, in the order of names."""
    lines, out, i = text.split("\n"), [], 0
    while i < len(lines):
        end = i
        while end < len(lines) and SOURCES.fullmatch(lines[end]) and not (end > i and lines[end - 1][-1] in ')"'):
            end += 1
        if end == i:
            out.append(lines[i])
            i += 1
            continue
        indent, close = re.match(" *", lines[i]).group(0), re.search('[)"]?$', lines[end - 1]).group(0)
        folders = collections.defaultdict(list)
        for name in " ".join(lines[i:end]).rstrip(')"').split():
            folders[os.path.dirname(name)].append(name)
        for _, names in sorted(folders.items()):
            out += textwrap.wrap(" ".join(sorted(names)), WIDTH - 1, initial_indent=indent, subsequent_indent=indent,
                                 break_long_words=False, break_on_hyphens=False)
        out[-1] += close
        i = end
    return "\n".join(out)


def wrap_document(old, new):
    """Lines of prose that have become too long give their last words to the next line of the paragraph."""
    known = set(old.split("\n"))
    lines, fenced, i = new.split("\n"), False, 0
    while i < len(lines):
        line = lines[i]
        fenced ^= line.lstrip().startswith("```")
        if len(line) > WIDTH and line not in known and not fenced and not line.startswith(("|", "#", "    ")):
            cut = line.rfind(" ", 0, WIDTH + 1)
            indent = re.match(r" *(?:[-*] |\d+\. )?", line).end()
            rest, lines[i] = line[cut + 1:], line[:cut]
            following = lines[i + 1] if i + 1 < len(lines) else ""
            if following.strip() and not re.match(r" *(?:[-*] |\d+\. |```|\||#)", following):
                lines[i + 1] = " " * indent + rest + " " + following.lstrip()
            else:
                lines.insert(i + 1, " " * indent + rest)
        i += 1
    return "\n".join(lines)


def rewrite_links(path, text, moves, files):
    """Relative links of a document."""
    def replace(match):
        target = os.path.normpath(os.path.join(os.path.dirname(path), match.group(2)))
        if target not in files and not os.path.isdir(target):
            return match.group(0)
        new = os.path.relpath(moves.get(target, target), os.path.dirname(moves.get(path, path)) or ".")
        return match.group(1) + (new if target in moves or path in moves else match.group(2)) + match.group(3)
    return LINK.sub(replace, text)


def rewrite_paths(path, text, pattern, moves):
    """Paths from the root anywhere but in includes, which are done."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if not (SOURCE.search(path) and INCLUDE.match(line)):
            lines[i] = pattern.sub(lambda match: moves[match.group(0)], line)
    return "\n".join(lines)


def rewrite(texts, moves, files):
    # A path begins after ${..._DIR}/ and ../, or where no other path goes on.
    pattern = re.compile(r"(?:(?<=\}/)|(?<=\.\./)|(?<![\w/.-]))(?:%s)(?![\w-])(?!\.\w)" %
                         "|".join(re.escape(old) for old in sorted(moves, key=lambda old: (-len(old), old))))
    out = {}
    for path, text in texts.items():
        if path.startswith("scripts/house/"):
            continue
        new = text
        folder, name = os.path.split(path)
        if SOURCE.search(path):
            new = rewrite_includes(path, new, moves, files)
        if name == "CMakeLists.txt" or name.endswith(".cmake"):
            new = rewrite_lists(folder, new, moves)
        if name.endswith(".md"):
            new = rewrite_links(path, new, moves, files)
        new = rewrite_paths(path, new, pattern, moves)
        if new != text and (name == "CMakeLists.txt" or name.endswith(".cmake") or path == "scripts/fuzz"):
            new = wrap_lists(new)
        out[path] = wrap_document(text, new) if name.endswith(".md") else new
    for path, old, new in PHRASES:
        if old not in out.get(path, ""):
            sys.exit("move: %s does not have %s" % (path, old))
        out[path] = out[path].replace(old, new)
    return out


def formatter():
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
            if "version 14." in version:
                return name
    sys.exit("move: clang-format 14 is missing; includes must come in its order")


def main():
    if not os.path.isdir(".git") and not os.path.isfile(".git"):
        sys.exit("move: run it in the root of the repository")
    files = tracked()
    moves = places(files)
    if "--table" in sys.argv[1:]:
        print("\n".join("%s,%s" % pair for pair in sorted(moves.items())))
        return
    if "--dry" in sys.argv[1:]:
        count = collections.Counter(os.path.dirname(moves.get(path, path)) for path in files
                                    if re.search(r"\.(c|h|cu|cuh)$", path))
        print("\n".join("%4d %s" % (number, folder) for folder, number in sorted(count.items())))
        return
    if not moves:
        print("move: every file is in its place")
        return
    if subprocess.run(["git", "status", "--porcelain"], stdout=subprocess.PIPE, text=True, check=True).stdout:
        sys.exit("move: the checkout is not clean")
    format_with = formatter()
    texts = read(files)
    changed = {path: text for path, text in rewrite(texts, moves, set(files)).items() if text != texts[path]}
    for path, text in changed.items():
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
    for old, new in sorted(moves.items()):
        os.makedirs(os.path.dirname(new), exist_ok=True)
        os.rename(old, new)
    os.rename(os.path.join(HERE, "includes.rules"), "tests/lint/includes.rules")
    sources = sorted(moves.get(path, path) for path in changed if re.search(r"\.(c|h|cu|cuh)$", path))
    subprocess.run([format_with, "-i", *sources], check=True)
    subprocess.run(["git", "add", "--all"], check=True)
    print("move: %d files moved, %d rewritten" % (len(moves), len(changed)))


if __name__ == "__main__":
    main()
