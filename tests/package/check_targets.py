#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the client library and the samples for other targets, with the flags of this build and warnings as errors.

musl: builds the library, shared and static, and the unit tests of the client and of what libc does for it, with a
stand-in for cmocka, of which there is no musl build; runs these, the samples with a daemon of this build, and
check_autostart.sh. i686, aarch64: compiles only. s390x: is big-endian, and must be refused by a sentence.
Skipped (77) without a compiler. usage: check_targets.py musl|i686|aarch64|s390x SOURCE BUILD DAEMON WORKER"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILERS = {
    "musl": [["musl-gcc"]],
    "i686": [["i686-linux-gnu-gcc"], ["gcc", "-m32", "-isystem/usr/include/x86_64-linux-gnu"]],
    "aarch64": [["aarch64-linux-gnu-gcc"],
                ["clang", "--target=aarch64-linux-gnu", "-isystem/usr/aarch64-linux-gnu/include"]],
    "s390x": [["s390x-linux-gnu-gcc"], ["gcc", "-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__"]],
}
LIBRARY = r"(client/CMakeFiles/gf_client|protocol/CMakeFiles/gf_protocol)\.dir/"
SAMPLES = ("hello_blur", "kept_arena", "resident", "thread_pool")
TESTS = r"test_client_\w+|test_(text|text_params|mask_text|expr_parse|shared_memory|error|metric)"
CMOCKA = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct CMUnitTest { const char *name; void (*run)(void **); int (*setup)(void **), (*teardown)(void **); };
#define cmocka_unit_test(f) {#f, f, NULL, NULL}
#define cmocka_unit_test_setup(f, s) {#f, f, s, NULL}
#define cmocka_unit_test_setup_teardown(f, s, t) {#f, f, s, t}
#define print_message printf
#define fail_msg(...) (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), puts(""), abort())
#define fail() fail_msg("failed")
#define skip() do { puts("skipped"); return; } while (0)
#define assert_true(c) do { if (!(c)) fail_msg("not true: %s", #c); } while (0)
#define assert_false(c) do { if (c) fail_msg("not false: %s", #c); } while (0)
#define assert_null(p) assert_true((p) == NULL)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_int_equal(a, b) do { const long long a_ = (long long)(a), b_ = (long long)(b); \
    if (a_ != b_) fail_msg("%s: %lld, not %lld", #a, a_, b_); } while (0)
#define assert_int_not_equal(a, b) assert_true((long long)(a) != (long long)(b))
#define assert_in_range(a, lo, hi) assert_true((size_t)(a) >= (size_t)(lo) && (size_t)(a) <= (size_t)(hi))
#define assert_float_equal(a, b, e) assert_true((a) - (b) <= (e) && (b) - (a) <= (e))
#define assert_memory_equal(a, b, n) assert_true(memcmp(a, b, n) == 0)
#define assert_string_equal(a, b) do { const char *a_ = (a), *b_ = (b); \
    if (strcmp(a_, b_) != 0) fail_msg("\"%s\", not \"%s\"", a_, b_); } while (0)
#define assert_string_not_equal(a, b) assert_true(strcmp(a, b) != 0)
#define cmocka_run_group_tests(tests, setup, teardown) \
    gf_run_tests(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
static inline int gf_run_tests(const struct CMUnitTest *tests, size_t n, int (*setup)(void **),
                               int (*teardown)(void **))
{
    void *group = NULL;
    setvbuf(stdout, NULL, _IONBF, 0);
    assert_true(setup == NULL || setup(&group) == 0);
    for (size_t i = 0; i < n; i++) {
        void *state = group;
        printf("%s\n", tests[i].name);
        assert_true(tests[i].setup == NULL || tests[i].setup(&state) == 0);
        tests[i].run(&state);
        assert_true(tests[i].teardown == NULL || tests[i].teardown(&state) == 0);
    }
    assert_true(teardown == NULL || teardown(&group) == 0);
    return 0;
}
"""


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (shlex.join(map(str, command)), done.stdout))
    return done.stdout


def find_compiler(target):
    """The first compiler that is installed with the C library's headers."""
    for command in COMPILERS[target]:
        if shutil.which(command[0]) and subprocess.run(
                [*command, "-fsyntax-only", "-x", "c", "-"], input="#include <errno.h>\n", text=True,
                stderr=subprocess.DEVNULL).returncode == 0:
            return command
    print("skipped: there is no", " and no ".join(shlex.join(c) for c in COMPILERS[target]), "with libc's headers")
    sys.exit(77)


class Objects:
    """The objects of this build, which are compiled again for the target, each once, into a folder."""

    def __init__(self, compiler, build, folder):
        self.compiler, self.folder, self.commands = compiler, folder, {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            if "-o" in words:
                self.commands[words[words.index("-o") + 1]] = words, Path(entry["directory"])

    def compile(self, names, *flags):
        """The paths of the objects whose names in the build begin with the pattern."""
        names = [name for name in self.commands if re.match(names, name)]
        assert names
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda name: self.compile_one(name, flags), names))

    def compile_one(self, name, flags):
        words, directory = self.commands[name]
        path = self.folder / name.replace("/", "_")
        if not path.exists():
            kept = [w for w in words[1:] if not w.startswith(("-fcf-protection", "-O", "-g"))]
            kept[kept.index("-o") + 1] = str(path)
            run([*self.compiler, *flags, *kept, "-Werror"], cwd=directory)
        return path


def check_musl(source, build, daemon, worker, compiler, objects, folder):
    (folder / "cmocka.h").write_text(CMOCKA)
    library = objects.compile(LIBRARY)
    run([*compiler, "-shared", "-Wl,--no-undefined", "-Wl,--version-script=%s/client/libgpufilterclient.map" % source,
         *library, "-lm", "-o", folder / "libgpufilterclient.so"])
    archive = folder / "libgpufilterclient.a"
    run(["ar", "qc", archive, *library])

    def link(name, *files):
        run([*compiler, "-static", *files, archive, "-lm", "-o", folder / name])
        return folder / name

    shim = "-I%s" % folder
    support = folder / "support.a"
    run(["ar", "qc", support, *objects.compile(
        r"(tests/unit/CMakeFiles/gf_test_client|tests/support/CMakeFiles/gf_test_\w+|"
        r"protocol/CMakeFiles/gf_exposition)\.dir/", shim)])
    tests = [re.match(r"tests/unit/CMakeFiles/(%s)\.dir/" % TESTS, name) for name in objects.commands]
    tests = sorted({match[1] for match in tests if match})
    assert len(tests) > 20, tests
    for name in tests:
        wrap = ["-Wl,--wrap=gf_text_read", "-Wl,--wrap=gf_expr_parse"] if name == "test_client_parses" else []
        program = link(name, *wrap, *objects.compile(r"tests/unit/CMakeFiles/%s\.dir/" % name, shim), support)
        print(name, len(run([program], cwd=folder).splitlines()), "tests")
    for name in SAMPLES:
        program = link(name, *objects.compile(r"samples/CMakeFiles/%s\.dir/" % name))
        print(run([source / "tests/support/with_daemon.sh", daemon, worker, program]), end="")
    probe = link("autostart_probe", *objects.compile(r"tests/package/CMakeFiles/autostart_probe\.dir/"))
    run([source / "tests/package/check_autostart.sh", probe, daemon, worker])


def check_big_endian(compiler, source, build):
    done = subprocess.run([*compiler, "-std=gnu17", "-D_GNU_SOURCE", "-I", source, "-I", build, "-fsyntax-only",
                           source / "protocol/wire/frame.c"], stderr=subprocess.PIPE, text=True)
    wanted = "the wire format and every supported host are little-endian"
    if done.returncode == 0 or wanted not in done.stderr:
        sys.exit("not refused: %r" % done.stderr)
    print("refused:", wanted)


def main():
    target, source, build, daemon, worker = sys.argv[1], *map(Path, sys.argv[2:])
    compiler = find_compiler(target)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        objects = Objects(compiler, build, folder)
        if target == "musl":
            check_musl(source, build, daemon, worker, compiler, objects, folder)
        elif target == "s390x":
            check_big_endian(compiler, source, build)
        else:
            files = objects.compile(LIBRARY + r"|samples/CMakeFiles/(%s)\.dir/" % "|".join(SAMPLES))
            print("%d files by %s" % (len(files), shlex.join(compiler)))


main()
