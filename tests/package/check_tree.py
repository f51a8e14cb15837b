#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs into an empty folder and checks the result: exactly the files of installed.txt, hardened programs, no path of
this build, man page and completions of this client, no document cited that is not installed, and a daemon that works
from there without the build. Files that installed.txt marks with (CUDA) or (HTTP) are installed only by builds with
CUDA or with libmicrohttpd.
usage: check_tree.py CMAKE BUILD PREFIX LIBDIR ZSHDIR VERSION COMPILER HARDENED CUDA HTTP"""
import gzip
import os
import re
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../support"))
from processes import children, cmdline  # noqa: E402

LIST = os.path.join(HERE, "installed.txt")
WORKER, METRICS = "libexec/gpufilterd/gpufilterd-worker", "libexec/gpufilterd/gpufilterd-metrics"
PROGRAMS = ("bin/gpufilter-client", "sbin/gpufilterd", WORKER)


def installed(root, libdir, zshdir, version):
    """Paths below the prefix in the machine-independent form of installed.txt."""
    for here, _, names in os.walk(root):
        for name in names:
            path = os.path.join(here, name)
            short = os.path.relpath(path, root)
            if short.startswith(libdir + "/") and not short.startswith(("lib/systemd/", "lib/sysusers.d/", "lib/tmpfiles.d/")):
                short = "LIBDIR" + short[len(libdir):]
            if short.startswith(zshdir + "/"):
                short = "ZSHDIR" + short[len(zshdir):]
            short = re.sub(r"-targets-\w+\.cmake$", "-targets-BUILDTYPE.cmake", short).replace(version, "VERSION")
            short = re.sub(r"man3/gpufilter_\w+\.3\.gz$", "man3/gpufilter_*.3.gz", short)  # a page for each function
            yield short + (" -> " + os.readlink(path).replace(version, "VERSION") if os.path.islink(path) else ""), path


def check_modes(files, bad):
    for path in files:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        want = 0o755 if re.search(r"/s?bin/|/libexec/|/(trial-ca|certificate-metrics)$", path) else 0o644
        if mode != want and ".so" not in path:
            bad.append("%s has mode %o instead of %o" % (path, mode, want))


def readelf(options, path):
    return subprocess.run(["readelf", "-W", options, path], check=True, capture_output=True, text=True).stdout


def runtime_has_cet(compiler):
    """Whether what every program begins with may run with control-flow enforcement: else the linker drops the note."""
    path = subprocess.run([compiler, "-print-file-name=Scrt1.o"], check=True, capture_output=True, text=True).stdout
    return "IBT" in readelf("-n", path.strip())


def check_hardening(path, program, cet, bad):
    out, names = readelf("-lhd", path), readelf("--dyn-syms", path)
    stack = re.search(r"GNU_STACK.*", out)
    for ok, what in ((re.search(r"Type:\s+DYN", out), "not position independent"),
                     ("GNU_RELRO" in out, "no RELRO"),
                     (re.search(r"BIND_NOW|FLAGS_1.*NOW", out), "no BIND_NOW"),
                     (stack and "E" not in stack.group(0).split()[6], "the stack may be executed"),
                     (not program or re.search(r"FLAGS_1.*PIE", out), "no PIE"),
                     ("__stack_chk_fail" in names, "no stack protector"),
                     (re.search(r"__(mem|s|v)\w+_chk", names), "nothing is fortified"),
                     (not cet or "IBT" in readelf("-n", path), "no control-flow enforcement"),
                     (not re.search(r"\((RPATH|RUNPATH)\)", out), "it has a search path for libraries")):
        if not ok:
            bad.append("%s: %s" % (path, what))


def check_paths(path, build, scratch, bad):
    """Checks that a file does not tell in which folders it was built: another build would be another file. Of programs
    and libraries debug information is left out, as packages leave it out."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:4] == b"\x7fELF" or data[:8] == b"!<arch>\n":
        subprocess.run(["strip", "-g", "-o", scratch, path], check=True)
        with open(scratch, "rb") as f:
            data = f.read()
    if path.endswith(".gz"):
        data = gzip.decompress(data)
    for folder in (build, os.path.realpath(os.path.join(HERE, "../.."))):
        if folder.encode() in data:
            bad.append("%s names %s" % (path, folder))


def check_citations(root, files, bad):
    """Checks that installed text, that of programs included, names documents by where they are installed. The documents
    themselves have links within the repository."""
    for path in files:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
            data = f.read()
        # The worker with CUDA has sources for NVRTC, whose comments are the repository's.
        if "/share/doc/gpufilterd/" not in path and not path.endswith("/gpufilterd-worker-cuda"):
            bad += ["%s cites %s" % (path, page.decode()) for page in set(re.findall(rb"(?<![\w/])docs/[\w/-]+\.md", data))]
        for page in set(re.findall(rb"/usr/(share/doc/[a-z0-9/-]+\.md)", data)):
            if not os.path.exists(os.path.join(root, page.decode())):
                bad.append("%s cites %s, which is not installed" % (path, page.decode()))


def wanted_files(has):
    """`has`: {mark: whether this build has it}"""
    with open(LIST, encoding="ascii") as f:
        rows = [line.partition(" (") for line in f.read().splitlines()]
    return {name for name, _, mark in rows if has.get(mark.removesuffix(")"), True)}


def check_printed(root, zshdir, bad):
    """Checks that man page and completions equal the output of the installed client."""
    client = os.path.join(root, "bin/gpufilter-client")
    for name, words in (("share/man/man1/gpufilter-client.1.gz", ["--man"]),
                        ("share/bash-completion/completions/gpufilter-client", ["--completion", "bash"]),
                        (zshdir + "/_gpufilter-client", ["--completion", "zsh"]),
                        ("share/fish/vendor_completions.d/gpufilter-client.fish", ["--completion", "fish"])):
        printed = subprocess.run([client, "ops", *words], check=True, capture_output=True).stdout
        with (gzip.open if name.endswith(".gz") else open)(os.path.join(root, name), "rb") as f:
            if not printed or f.read() != printed:
                bad.append("%s is not what gpufilter-client ops %s prints" % (name, " ".join(words)))


def blur(root, folder, bad):
    """One blur with nothing but installed programs: the daemon finds its worker by itself."""
    path, source = os.path.join(folder, "s"), os.path.join(folder, "in.pgm")
    with open(source, "wb") as f:
        f.write(b"P5\n4 4\n255\n" + bytes(range(0, 160, 10)))
    config = os.path.join(folder, "conf")
    open(config, "w", encoding="ascii").close()
    ready, told = os.pipe()
    daemon = subprocess.Popen([os.path.join(root, "sbin/gpufilterd"), "--config", config, "--socket", path,
                               "--devices", "cpu", "--ready-fd", str(told)], pass_fds=[told])
    os.close(told)
    try:
        with os.fdopen(ready) as pipe:
            line = pipe.readline().strip()
        if line != "READY":
            bad.append("the installed daemon did not start: " + line)
            return
        worker = next(words[0] for words in map(cmdline, children(daemon.pid)) if "--front" in words)
        if not worker.startswith(root):
            bad.append("the installed daemon runs the worker %s" % worker)
        result = os.path.join(folder, "out.pgm")
        done = subprocess.run([os.path.join(root, "bin/gpufilter-client"), "--socket", path, "blur", source, result],
                              timeout=120, check=False)
        if done.returncode or os.path.getsize(result) != os.path.getsize(source):
            bad.append("the installed client could not blur")
    finally:
        daemon.terminate()
        if daemon.wait(120):
            bad.append("the installed daemon ended with %d" % daemon.returncode)


def main():
    cmake, build, prefix, libdir, zshdir, version, compiler, hardened, cuda, http = sys.argv[1:]
    bad = []
    with tempfile.TemporaryDirectory(prefix="gf-tree-") as folder:
        stage = os.path.join(os.path.realpath(folder), "stage")
        subprocess.run([cmake, "--install", build], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, DESTDIR=stage))
        root = stage + prefix
        found = dict(installed(root, libdir, zshdir, version))
        wanted = wanted_files({"CUDA": cuda == "1", "HTTP": http == "1"})
        bad += ["not in installed.txt: " + name for name in sorted(set(found) - wanted)]
        bad += ["not installed: " + name for name in sorted(wanted - set(found))]
        outside = [os.path.join(h, n) for h, _, names in os.walk(stage) for n in names if not h.startswith(root)]
        bad += ["outside the prefix: " + path for path in outside]
        check_modes(found.values(), bad)
        for path in found.values():
            check_paths(path, build, os.path.join(folder, "stripped"), bad)
        if hardened == "1":
            cet = runtime_has_cet(compiler)
            more = ([WORKER + "-cuda"] if cuda == "1" else []) + ([METRICS] if http == "1" else [])
            for program in (*PROGRAMS, *more):
                check_hardening(os.path.join(root, program), True, cet, bad)
            for name in ("client", "image"):
                check_hardening(os.path.join(root, libdir, "libgpufilter%s.so" % name), False, cet, bad)
        check_citations(root, found.values(), bad)
        check_printed(root, zshdir, bad)
        blur(root, folder, bad)
    print("\n".join(bad) or "%d files" % len(wanted))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
