# SPDX-License-Identifier: MIT
"""What a client tells about its last run and the daemon's devices, as values of Python. Used by _client.py."""
from typing import NamedTuple


class Times(NamedTuple):
    """How the last run went, in seconds; see gpufilter_times in gpufilter/run.h."""

    n_copied: int
    queue: float
    copy_in: float
    kernel: float
    copy_out: float
    total: float
    round_trip: float
    device: str
    why: str


class Device(NamedTuple):
    """A device of the daemon."""

    name: str
    title: str
    uuid: str
    detail: str
    memory: int
    units: int
    state: str


_STATES = ("unknown", "starting", "ready", "restarting", "aside", "absent", "idle")


def times_of(times):
    """From the library's struct."""
    seconds = [getattr(times, f"{name}_ns") / 1e9 for name in Times._fields[1:7]]
    return Times(times.n_copied, *seconds, times.device.decode(), times.why.decode())


def device_of(device):
    """From the library's struct."""
    state = _STATES[device.state] if device.state < len(_STATES) else "unknown"
    return Device(device.name.decode(), device.title.decode(), device.uuid.decode(), device.detail.decode(),
                  device.memory, device.units, state)
