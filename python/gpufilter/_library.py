# SPDX-License-Identifier: MIT
"""Finds and loads libgpufilterclient, and declares its structs and functions as its headers do; finds the daemon of a
wheel. Used by _client.py, _views.py and errors.py."""
import ctypes
import os
from ctypes import POINTER, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

SONAME = "libgpufilterclient.so.0"
HERE = os.path.dirname(os.path.abspath(__file__))
ALL = 0xFFFFFFFF  # as a side of a halo
RESIDENT = 1  # as the data of a result: it stays on the device
CALL_UNFUSED = 1  # flag of a call
MAX_REQUESTS = 1024


class View(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("width", c_uint64), ("height", c_uint64), ("depth", c_uint64),
                ("pitch", c_uint64), ("plane_pitch", c_uint64), ("dtype", c_uint32), ("channels", c_uint32),
                ("alpha", c_uint32), ("reserved", c_uint32)]


class Result(ctypes.Structure):
    _fields_ = [("view", View), ("output", c_char_p)]


class Error(ctypes.Structure):
    _fields_ = [("status", c_int32), ("retry_ms", c_uint32), ("needed", c_uint64), ("text", c_char * 256)]


class Sized(ctypes.Structure):
    """A struct that begins with its own size."""

    def __init__(self, **members):
        super().__init__(ctypes.sizeof(self), **members)


class Options(Sized):
    _fields_ = [("struct_size", c_uint32), ("autostart", c_int32), ("socket", c_char_p), ("daemon", c_char_p),
                ("device", c_char_p), ("server_uid", c_int64), ("connect_timeout_ms", c_uint32),
                ("deadline_ms", c_uint32), ("only_private", c_int32), ("wait_ms", c_uint32)]


class Call(Sized):
    _fields_ = [("struct_size", c_uint32), ("deadline_ms", c_uint32), ("device", c_char_p), ("flags", c_uint32),
                ("reserved", c_uint32), ("traceparent", c_char_p)]


class Answer(Sized):
    _fields_ = [("struct_size", c_uint32), ("status", c_int32), ("id", c_uint64), ("context", c_void_p),
                ("error", Error)]


class Times(Sized):
    _fields_ = [("struct_size", c_uint32), ("n_copied", c_uint32), ("queue_ns", c_uint64), ("copy_in_ns", c_uint64),
                ("kernel_ns", c_uint64), ("copy_out_ns", c_uint64), ("total_ns", c_uint64),
                ("round_trip_ns", c_uint64), ("attempts", c_uint32), ("reserved", c_uint32),
                ("device", c_char * 72), ("why", c_char * 160)]


class Halo(Sized):
    _fields_ = [("struct_size", c_uint32), ("left", c_uint32), ("right", c_uint32), ("above", c_uint32),
                ("below", c_uint32), ("before", c_uint32), ("after", c_uint32), ("wrap_x", c_uint32),
                ("wrap_y", c_uint32), ("wrap_z", c_uint32), ("tiled", c_uint64)]


class Device(ctypes.Structure):
    _fields_ = [("name", c_char * 72), ("title", c_char * 72), ("uuid", c_char * 72), ("detail", c_char * 72),
                ("memory", c_uint64), ("units", c_uint32), ("state", c_uint32)]


_client, _err = c_void_p, POINTER(Error)
_work = [c_char_p, c_void_p, c_uint32, c_void_p, c_uint32]
_PROTOTYPES = {
    "open": (c_int, [POINTER(Options), POINTER(c_void_p), _err]),
    "close": (c_void_p, [_client]),
    "socket": (c_char_p, [_client]),
    "server": (c_char_p, [_client]),
    "node": (c_char_p, [_client]),
    "last_request": (c_char_p, [_client]),
    "revision": (c_uint32, [_client, c_char_p]),
    "infer_text": (c_int, [*_work, _err]),
    "reach_text": (c_int, [*_work, POINTER(Halo), _err]),
    "submit_text": (c_int, [_client, *_work, POINTER(Call), c_void_p, POINTER(c_uint64), _err]),
    "poll": (c_int, [_client, POINTER(Answer), _err]),
    "wait": (c_int, [_client, c_uint64, c_int32, POINTER(Answer), _err]),
    "cancel": (c_int, [_client, c_uint64, _err]),
    "fd": (c_int, [_client, POINTER(c_int), _err]),
    "alloc": (c_int, [_client, c_uint64, POINTER(c_void_p), _err]),
    "free": (c_int, [_client, c_void_p]),
    "last_times": (c_int, [_client, POINTER(Times), _err]),
    "ping": (c_int, [_client, POINTER(c_uint64), _err]),
    "devices": (c_int, [_client, c_void_p, c_size_t, c_uint32, POINTER(c_uint32), _err]),
    "status_name": (c_char_p, [c_int]),
    "status_text": (c_char_p, [c_int]),
    "version": (c_char_p, []),
}


def _paths():
    """Where the library may be, in order: $GPUFILTER_LIBRARY, otherwise the wheel's own, otherwise the system's."""
    named = os.environ.get("GPUFILTER_LIBRARY")
    if named:
        return [named]
    own = os.path.join(HERE, SONAME)
    return [own, SONAME] if os.path.exists(own) else [SONAME]


def _load():
    tried = []
    for path in _paths():
        try:
            return ctypes.CDLL(path)
        except OSError as why:
            tried.append(str(why))
    raise ImportError("gpufilter needs libgpufilterclient: " + "; ".join(tried) +
                      ". Install the package libgpufilterclient0, or set $GPUFILTER_LIBRARY to the file")


def own_daemon():
    """The gpufilterd to start if the caller names none: the wheel's own. None leaves it to the library, where
    $GPUFILTER_DAEMON names one or this package has none inside."""
    own = os.path.join(HERE, "gpufilterd")
    return own if "GPUFILTER_DAEMON" not in os.environ and os.path.exists(own) else None


class _Library:
    """The functions, without their prefix, as attributes."""

    def __init__(self):
        loaded = _load()
        for name, (result, arguments) in _PROTOTYPES.items():
            try:
                function = getattr(loaded, "gpufilter_" + name)
            except AttributeError:
                raise ImportError(f"{loaded._name} is not libgpufilterclient, or too old: "
                                  f"it has no gpufilter_{name}") from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


lib: Any = _Library()
version: str = lib.version().decode()
