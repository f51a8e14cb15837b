# SPDX-License-Identifier: MIT
"""Data of processes and threads from /proc. A process may end while it is read: an ended process has no text, no names
and no fields, whether it ended before the file was opened or after. Used by all tests that inspect other processes."""
import os

ENDED = (FileNotFoundError, ProcessLookupError)


def read_proc(pid, name):
    """The text of a file of a process; "" if the process has ended."""
    try:
        with open("/proc/%d/%s" % (pid, name), encoding="utf-8", errors="replace") as f:
            return f.read()
    except ENDED:
        return ""


def list_proc(pid, name):
    """The names in a folder of a process."""
    try:
        return os.listdir("/proc/%d/%s" % (pid, name))
    except ENDED:
        return []


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def threads(pid):
    return [int(name) for name in list_proc(pid, "task")]


def children(pid):
    """The children of a process's main thread."""
    return [int(child) for child in read_proc(pid, "task/%d/children" % pid).split()]


def comm(pid):
    """The name of a process."""
    return read_proc(pid, "comm").strip()


def cmdline(pid):
    """The arguments of a process; a zombie has none."""
    return read_proc(pid, "cmdline").split("\0")


def stat_of(pid, thread=None):
    """The fields after the name: state, parent, group and so on."""
    name = "stat" if thread is None else "task/%d/stat" % thread
    return read_proc(pid, name).rpartition(")")[2].split()


def status_of(pid):
    """The values in the status file, by name."""
    return dict(line.split(":\t", 1) for line in read_proc(pid, "status").splitlines() if ":\t" in line)


def fd_names(pid):
    """The target of each descriptor of a process."""
    found = []
    for name in list_proc(pid, "fd"):
        try:
            found.append(os.readlink("/proc/%d/fd/%s" % (pid, name)))
        except ENDED:
            pass  # closed meanwhile
    return found
