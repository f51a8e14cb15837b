# SPDX-License-Identifier: MIT
"""Shared by the tests of the package: comparisons, a picture, a daemon that a test may stop or kill, a separate
Python."""
import os
import shutil
import subprocess
import sys
import tempfile

import gpufilter as gf
import numpy as np
import pytest

WAIT = 120  # seconds until an awaited event counts as missing


def same(a, b):
    """Checks that all bits are equal; an array on the device is compared by its content."""
    a = a.numpy() if isinstance(a, gf.DeviceArray) else a
    assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
    assert a.tobytes() == b.tobytes()


def says(kind, text, call):
    """Checks that the call raises this exception with this text."""
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value), str(caught.value)
    return caught.value


@pytest.fixture
def grey():
    return np.random.default_rng(1).integers(0, 256, (31, 45), dtype=np.uint8)


@pytest.fixture
def rgb():
    return np.random.default_rng(2).integers(0, 256, (31, 45, 3), dtype=np.uint8)


class Daemon:
    """A gpufilterd with the CPU alone."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="gf-python-")
        self.socket = os.path.join(self.dir, "d.sock")
        self.process = None
        self.start()

    def start(self):
        ready, told = os.pipe()
        with open(os.path.join(self.dir, "log"), "ab") as log, open(os.path.join(self.dir, "conf"), "wb") as conf:
            self.process = subprocess.Popen(
                [os.environ["GF_DAEMON"], "--config", conf.name, "--socket", self.socket, "--worker",
                 os.environ["GF_WORKER"], "--devices", "cpu", "--ready-fd", str(told)], pass_fds=[told], stderr=log)
        os.close(told)
        with os.fdopen(ready) as f:
            assert f.readline().strip() == "READY"

    def send(self, signal):
        self.process.send_signal(signal)

    def kill(self):
        self.process.kill()
        self.process.wait(WAIT)

    def end(self):
        self.kill()
        shutil.rmtree(self.dir)


@pytest.fixture
def daemon():
    made = Daemon()
    yield made
    made.end()


@pytest.fixture
def script():
    """Runs a script in a separate Python. Returns its output."""
    def run(text, code=0, **env):
        done = subprocess.run([sys.executable, "-c", text], env={**os.environ, **env}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=WAIT, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        assert done.stderr == "" or code != 0, done.stderr
        return done.stdout
    return run


@pytest.fixture
def descriptors():
    """The numbers of descriptors and mappings of this process."""
    def count():
        with open("/proc/self/maps", encoding="ascii") as maps:
            shared = sum("memfd:" in line for line in maps)
        return len(os.listdir("/proc/self/fd")), shared
    return count
