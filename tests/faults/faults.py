# SPDX-License-Identifier: MIT
"""Shared by all walks: the faults that fail_nth.c can make, the places of a run to try, and the memory in use on
GPUs."""
import ctypes
import errno
import mmap
import os
import re
import struct
import tempfile

FAULT = struct.Struct("=Iiiii")
PROGRAMS = ("gpufilterd", "gpufilterd-worker", "gpufilter-client")
NEVER = 1 << 30


def call_numbers():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls.def")
    with open(path, encoding="utf-8") as f:
        names = re.findall(r"^CALL\((\w+)\)", f.read(), re.M)
    return {name: i + 1 for i, name in enumerate(names)}


CALLS = call_numbers()


def mapped(size):
    """A new file of zeros that a program can map, and its mapping in this process."""
    file = tempfile.NamedTemporaryFile(prefix="gf-faults-")
    file.truncate(size)
    return file, mmap.mmap(file.fileno(), size)


class Faults:
    """The file from which fail_nth.c reads its faults."""

    def __init__(self, burst):
        self.burst = burst
        self.file, self.map = mapped(len(PROGRAMS) * FAULT.size)
        asan = os.environ.get("ASAN_OPTIONS", "")
        self.env = {"GF_FAULT_FILE": self.file.name, "LD_PRELOAD": os.environ["GF_FAULTS"],
                    "ASAN_OPTIONS": asan + (":" if asan else "") + "verify_asan_link_order=0"}

    def arm(self, program, call, number, error):
        at = PROGRAMS.index(program) * FAULT.size
        FAULT.pack_into(self.map, at, 0, getattr(errno, error), number, 0, self.burst)
        struct.pack_into("=I", self.map, at, CALLS[call])

    def disarm(self):
        """Clears the fault. Returns how many calls failed, and how many calls there were since arm(NEVER)."""
        fired = calls = 0
        for i in range(len(PROGRAMS)):
            struct.pack_into("=I", self.map, i * FAULT.size, 0)
            _, _, left, times, _ = FAULT.unpack_from(self.map, i * FAULT.size)
            fired += times
            calls = max(calls, NEVER - left if left > NEVER >> 1 else 0)
        self.map[:] = bytes(len(self.map))
        return fired, calls


def places(total, sample):
    """The numbers of the calls to fail: all, or `sample` numbers spread evenly from the first to the last."""
    if not sample or total <= sample:
        return range(1, total + 1)
    return sorted({1 + i * (total - 1) // max(sample - 1, 1) for i in range(sample)})


def report(trials, wrong):
    """Prints the result of a walk. Returns the exit code."""
    print("%d trials, %d wrong" % (trials, len(wrong)))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


class DeviceMemory:
    """Bytes in use on the GPUs, as the driver's library counts them; no GPUs without the library."""

    class Info(ctypes.Structure):
        _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]

    def __init__(self):
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
            if self.nvml.nvmlInit_v2() != 0:
                self.nvml = None
        except OSError:
            self.nvml = None

    def used(self, index):
        info, device = self.Info(), ctypes.c_void_p()
        if (self.nvml is None or self.nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device)) != 0
                or self.nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(info)) != 0):
            return None
        return info.used
