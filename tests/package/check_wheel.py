#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What pip gets is enough: the wheels that scripts/wheel makes of this build are installed, without the network, in an
environment that has nothing but numpy. There a user without rights, a home and an environment has a call computed,
by the daemon and worker of the wheel, with and without a runtime directory. Without its daemon the package says in a
short traceback what is missing. The worker for GPUs is found where its wheel is installed. Skipped (77) without
scripts/wheel's tools or numpy, or where a system's daemon would answer. usage: check_wheel.py SCRIPTS_WHEEL BUILD CUDA"""
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
UID = 61184 + os.getpid() % 4000  # no other process has it: its directory in /tmp is this test's alone
ROOT = os.geteuid() == 0
FIRST_CALL = "import gpufilter, numpy; gpufilter.box(numpy.zeros((4, 4), numpy.uint8))"


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def run(*words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def succeed(*words, **options):
    done = run(*words, **options)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}"
    return done.stdout


def stranger(*words, **env):
    """Runs a program as another user, where this one is root, with no environment but `env`."""
    user = {"user": UID, "group": UID, "extra_groups": []} if ROOT else {}
    return run(*words, env=env, cwd="/", **user)


def worker_says(worker):
    """What a worker for cuda:0 tells its front first."""
    ours, front = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, front, subprocess.Popen([worker, "--device", "cuda:0", "--front", f"fd:{front.fileno()}"], env={},
                                       pass_fds=[front.fileno()], stderr=subprocess.DEVNULL):
        front.close()
        return ours.recv(1 << 16)


def check(folder, make, build, cuda):
    made = run(make, build, folder / "wheels")
    if made.returncode == 69:
        skip(made.stdout.strip())
    assert made.returncode == 0, made.stdout
    print(made.stdout, end="")
    wheels = {path.name.split("-")[0]: path for path in (folder / "wheels").glob("*.whl")}
    assert set(wheels) == {"gpufilter", "gpufilter_cuda"} if cuda else {"gpufilter"}, wheels

    venv.create(folder / "venv", system_site_packages=True)
    python = folder / "venv/bin/python3"
    pip = [pathlib.Path(make).parents[1] / "build/packaging/bin/pip", "--python", python, "install", "-q", "--no-index",
           "--disable-pip-version-check"]
    succeed(*pip, wheels["gpufilter"])
    package = next(folder.glob("venv/lib/python3*/site-packages/gpufilter"))
    libraries = succeed("ldd", package / "gpufilterd")
    for name in ("libuv", "libinih"):
        assert f"{package}.libs/{name}-" in libraries.replace("gpufilter/../", ""), libraries

    probe = shutil.copy(HERE / "wheel_probe.py", folder)  # others may have no way into the repository
    for name in ("x", "y"):
        (folder / name).mkdir(mode=0o700)
        if ROOT:
            os.chown(folder / name, UID, UID)
    places = [{"XDG_RUNTIME_DIR": str(folder / "x")}, *([{}] if ROOT else [])]
    for place in places:
        done = stranger(python, probe, **place)
        assert (done.returncode, done.stdout) == (0, "ok\n"), done.stdout

    os.rename(package / "gpufilterd", folder / "gpufilterd")
    done = stranger(python, "-c", FIRST_CALL, XDG_RUNTIME_DIR=str(folder / "y"))
    assert done.returncode == 1 and done.stdout.count("Traceback") == 1 and done.stdout.count("File") <= 6, done.stdout
    last = done.stdout.splitlines()[-1]
    assert last.startswith("gpufilter.errors.StartFailed: no gpufilterd to start: "), last
    assert last.endswith("install the package gpufilterd, or set $GPUFILTER_DAEMON to the file"), last
    done = stranger(python, "-c", FIRST_CALL, XDG_RUNTIME_DIR=str(folder / "y"), GPUFILTER_DAEMON="/nowhere/gpufilterd")
    assert done.stdout.endswith("StartFailed: cannot start /nowhere/gpufilterd: it is not a program\n"), done.stdout
    os.rename(folder / "gpufilterd", package / "gpufilterd")

    if cuda:
        assert b"this worker has no CUDA" in worker_says(package / "gpufilterd-worker")
        succeed(*pip, "--no-deps", wheels["gpufilter_cuda"])
        assert b"this worker has no CUDA" not in worker_says(package / "gpufilterd-worker")
        both = {d.name: d for d in importlib.metadata.distributions(path=[str(package.parent)])}
        version = both["gpufilter"].version
        assert f"gpufilter=={version}" in both["gpufilter-cuda"].requires, both["gpufilter-cuda"].requires
        assert f'gpufilter-cuda=={both["gpufilter-cuda"].version}; extra == "cuda"' in both["gpufilter"].requires


def main():
    make, build, cuda = sys.argv[1:]
    if importlib.util.find_spec("numpy") is None:
        skip(f"{sys.executable} has no numpy")
    if os.path.isdir("/run/gpufilter"):
        skip("a system daemon would answer")
    with tempfile.TemporaryDirectory(prefix="gf-wheel-") as folder:
        os.chmod(folder, 0o755)
        try:
            check(pathlib.Path(folder), make, build, cuda == "1")
        finally:
            if ROOT:
                shutil.rmtree(f"/tmp/gpufilter-{UID}", ignore_errors=True)


main()
