# SPDX-License-Identifier: MIT
"""Run by check_wheel.py and scripts/wheel-check in an environment that has the wheel: a call has the right values, and
the daemon of the default client and its worker run from the folder of the package. Prints "ok" and ends the daemon."""
import importlib.metadata
import os
import select
import signal
import socket
import struct

import gpufilter as gf
import numpy as np

picture = np.random.default_rng(1).integers(0, 256, (480, 640), dtype=np.uint8)
padded = np.pad(picture, 1, mode="edge")
wanted = np.min([padded[y:y + 480, x:x + 640] for y in range(3) for x in range(3)], axis=0)
assert np.array_equal(gf.erode(picture, size=3, border="replicate"), wanted)
assert importlib.metadata.version("gpufilter") == gf.__version__, gf.__version__

with socket.socket(socket.AF_UNIX) as s:
    s.connect(gf.default_client().socket)
    front, uid, _ = struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
assert uid == os.getuid(), uid
with open(f"/proc/{front}/task/{front}/children", encoding="ascii") as f:
    children = f.read().split()
programs = []
for pid in (front, *children):  # not /proc/PID/exe, which a worker hides from its own user
    with open(f"/proc/{pid}/cmdline", "rb") as f:
        programs.append(os.fsdecode(f.read().split(b"\0")[0]))
folder = os.path.dirname(os.path.abspath(gf.__file__))
assert set(programs) == {f"{folder}/gpufilterd", f"{folder}/gpufilterd-worker"}, programs

ended = os.pidfd_open(front)
os.kill(front, signal.SIGTERM)
select.select([ended], [], [])
print("ok")
