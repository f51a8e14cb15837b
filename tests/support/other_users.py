# SPDX-License-Identifier: MIT
"""Programs of the build for tests that run them as other users."""
import atexit
import os
import shutil
import tempfile

PROGRAMS = ("GF_CLIENT", "GF_DAEMON", "GF_WORKER", "GF_FAULT_WORKER")


def may_run(path):
    """Whether every user may run the file, which needs access to each folder above it; a clone below /root is
    closed."""
    above = os.path.dirname(os.path.realpath(path))
    while os.stat(above).st_mode & 0o001:
        if above == "/":
            return os.stat(path).st_mode & 0o005 == 0o005
        above = os.path.dirname(above)
    return False


def open_programs():
    """Makes the environment name programs that any user may run: copies, removed at exit, if the build is closed."""
    programs = {name: os.environ[name] for name in PROGRAMS if name in os.environ}
    if all(map(may_run, programs.values())):
        return
    folder = tempfile.mkdtemp(prefix="gf-programs-")
    atexit.register(shutil.rmtree, folder)
    os.chmod(folder, 0o755)
    for name, path in programs.items():
        os.environ[name] = shutil.copy(path, folder)
        os.chmod(os.environ[name], 0o755)
