# SPDX-License-Identifier: MIT
"""The exceptions: one class for each status of gpufilter/codes.h, all derived from Error. A class also derives from the
Python exception with the same meaning: a bad parameter is a ValueError, a deadline a TimeoutError. Used by _client.py;
from_struct() makes them."""


class Error(Exception):
    """A request or a call failed. str() is the error text of the daemon or the library."""

    status = 0  #: the number of the status
    status_name = ""  #: its name
    retry: "float | None" = None  # seconds until a retry, if the daemon says so
    needed: "int | None" = None  # bytes needed, if that was the reason
    request = ""  #: name of the request in the daemon's log, "node1/523/17", if it was sent


class BadRequest(Error, ValueError):
    """Malformed request."""
    status, status_name = 1, "BAD_REQUEST"


class Unsupported(Error, NotImplementedError):
    """Not supported."""
    status, status_name = 2, "UNSUPPORTED"


class UnknownOp(Error, ValueError):
    """Unknown operation."""
    status, status_name = 3, "UNKNOWN_OP"


class UnknownParam(Error, TypeError):
    """Unknown parameter."""
    status, status_name = 4, "UNKNOWN_PARAM"


class BadParam(Error, ValueError):
    """Bad parameter."""
    status, status_name = 5, "BAD_PARAM"


class BadView(Error, ValueError):
    """Bad shape."""
    status, status_name = 6, "BAD_VIEW"


class BadDtype(Error, TypeError):
    """Data type not accepted."""
    status, status_name = 7, "BAD_DTYPE"


class TooLarge(Error, ValueError):
    """Too large."""
    status, status_name = 8, "TOO_LARGE"


class OutputTooSmall(Error, ValueError):
    """Output too small."""
    status, status_name = 9, "OUTPUT_TOO_SMALL"


class DuplicateId(Error):
    """Request id in use."""
    status, status_name = 10, "DUPLICATE_ID"


class NoSuchArena(Error):
    """No such arena."""
    status, status_name = 11, "NO_SUCH_ARENA"


class BadArena(Error):
    """Arena refused."""
    status, status_name = 12, "BAD_ARENA"


class NoFdPassing(Error):
    """No descriptors on this connection."""
    status, status_name = 13, "NO_FD_PASSING"


class Overlap(Error, ValueError):
    """Result overlaps other data."""
    status, status_name = 14, "OVERLAP"


class Exists(Error):
    """Id in use."""
    status, status_name = 15, "EXISTS"


class NoSuchHandle(Error):
    """No such handle."""
    status, status_name = 16, "NO_SUCH_HANDLE"


class HandleLost(Error):
    """Handle lost with its device."""
    status, status_name = 17, "HANDLE_LOST"


class WrongDevice(Error):
    """Handle on another device."""
    status, status_name = 18, "WRONG_DEVICE"


class Dependency(Error):
    """An earlier request it needs failed."""
    status, status_name = 19, "DEPENDENCY"


class NoDevice(Error):
    """No such device."""
    status, status_name = 20, "NO_DEVICE"


class DeviceLost(Error):
    """Device lost."""
    status, status_name = 21, "DEVICE_LOST"


class RequestPoison(Error):
    """Request ended two workers."""
    status, status_name = 22, "REQUEST_POISON"


class NoMemory(Error, MemoryError):
    """Out of host memory."""
    status, status_name = 23, "NO_MEMORY"


class NoDeviceMemory(Error, MemoryError):
    """Out of device memory."""
    status, status_name = 24, "NO_DEVICE_MEMORY"


class Quota(Error):
    """Quota exceeded."""
    status, status_name = 25, "QUOTA"


class Busy(Error):
    """Server is busy."""
    status, status_name = 26, "BUSY"


class Cancelled(Error):
    """Cancelled."""
    status, status_name = 27, "CANCELLED"


class Deadline(Error, TimeoutError):
    """Deadline passed."""
    status, status_name = 28, "DEADLINE"


class Shutdown(Error):
    """Server is shutting down."""
    status, status_name = 29, "SHUTDOWN"


class NotPermitted(Error, PermissionError):
    """Not permitted."""
    status, status_name = 30, "NOT_PERMITTED"


class ResourceFds(Error):
    """Server is out of descriptors."""
    status, status_name = 31, "RESOURCE_FDS"


class Internal(Error):
    """Internal error."""
    status, status_name = 32, "INTERNAL"


class ResultOverflow(Error, OverflowError):
    """Integer result does not fit 64 bits."""
    status, status_name = 33, "RESULT_OVERFLOW"


class BadFrame(Error):
    """Malformed frame."""
    status, status_name = 64, "BAD_FRAME"


class BadVersion(Error):
    """Protocol version not supported."""
    status, status_name = 65, "BAD_VERSION"


class Slow(Error):
    """Peer too slow."""
    status, status_name = 66, "SLOW"


class NoDaemon(Error, ConnectionError):
    """No daemon."""
    status, status_name = 96, "NO_DAEMON"


class ConnectionLost(Error, ConnectionError):
    """Connection lost."""
    status, status_name = 97, "CONNECTION_LOST"


class BadReply(Error):
    """Malformed reply."""
    status, status_name = 98, "BAD_REPLY"


class Timeout(Error, TimeoutError):
    """Timed out."""
    status, status_name = 99, "TIMEOUT"


class WrongServer(Error):
    """Server runs as another user."""
    status, status_name = 100, "WRONG_SERVER"


class Forked(Error):
    """Client used after fork."""
    status, status_name = 101, "FORKED"


class BadArgument(Error, ValueError):
    """Bad argument."""
    status, status_name = 102, "BAD_ARGUMENT"


class StartFailed(Error):
    """Daemon did not start."""
    status, status_name = 103, "START_FAILED"


class Interrupted(Error, InterruptedError):
    """Interrupted."""
    status, status_name = 104, "INTERRUPTED"


class BadFile(Error):
    """Damaged or unknown file."""
    status, status_name = 105, "BAD_FILE"


class NoInput(Error, OSError):
    """File cannot be opened."""
    status, status_name = 106, "NO_INPUT"


class CantCreate(Error, OSError):
    """File cannot be created."""
    status, status_name = 107, "CANT_CREATE"


class Io(Error, OSError):
    """Reading or writing failed."""
    status, status_name = 108, "IO"


class Loss(Error):
    """File would lack something."""
    status, status_name = 109, "LOSS"


BY_STATUS = {kind.status: kind for kind in Error.__subclasses__()}


def from_status(status, text, retry_ms=0, needed=0):
    """The exception for a status that is not OK."""
    error = BY_STATUS.get(status, Error)(text)
    error.status = status
    error.retry = retry_ms / 1000 if retry_ms else None
    error.needed = needed or None
    return error


def from_struct(error, own_text=False):
    """The exception for a struct gpufilter_error. The column in a text that the caller did not write is left out."""
    text = error.text.decode("utf-8", "replace")
    if own_text and text.startswith("column "):
        text = text.partition(": ")[2]
    return from_status(error.status, text, error.retry_ms, error.needed)
