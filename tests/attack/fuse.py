# SPDX-License-Identifier: MIT
"""A FUSE file system whose server does not answer when its file is closed. It has one file, /f. It needs root and runs
in a private mount namespace. Kernel interface: linux/fuse.h."""
import array
import ctypes
import os
import select
import signal
import socket
import struct
import tempfile

CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18
LOOKUP, FORGET, GETATTR, OPEN, STATFS, RELEASE, FLUSH, INIT, BATCH_FORGET = 1, 2, 3, 14, 17, 18, 25, 26, 42
IN = struct.Struct("<IIQQIIII")
OUT = struct.Struct("<IiQ")
ENOSYS = 38


def attributes(node):
    mode, links = (0o40755, 2) if node == 1 else (0o100666, 1)
    return struct.pack("<6Q3I7I", node, 4096, 8, 0, 0, 0, 0, 0, 0, mode, links, 0, 0, 0, 4096, 0)


class Server:
    """Answers the requests that opening the file needs. Another process holds the file open and sends its descriptor. A
    close gets no answer until answer(). No other process may hold the file, because exit and exec would close it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="gf-fuse-")
        self.ours, told = socket.socketpair()
        self.opener, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.ours.close()
                self.opener.close()
                self.child(told, asked)
            finally:
                os._exit(1)
        told.close()
        asked.close()

    def ready(self):
        """Returns False if the file system cannot be mounted."""
        return self.opener.recv(1) == b"F"

    def send(self, sock, data, count=1, flags=0):
        """Sends the data on a connection together with `count` descriptors of the file."""
        socket.send_fds(self.opener, [struct.pack("<II", count, flags) + data], [sock.fileno()])
        assert self.opener.recv(1) == b"S"

    def answer(self):
        self.ours.send(b"A")

    def stop(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.ours.close()
        self.opener.close()
        os.rmdir(self.folder)

    def child(self, told, asked):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(1, 9)
        dev = os.open("/dev/fuse", os.O_RDWR)
        options = "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % dev
        if (libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
                or libc.mount(b"gf", self.folder.encode(), b"fuse", 0, options.encode())):
            return
        if os.fork() == 0:
            libc.prctl(1, 9)
            os.close(dev)
            self.open(asked)
        asked.close()
        self.serve(dev, told)

    def open(self, asked):
        fd = os.open(os.path.join(self.folder, "f"), os.O_RDWR)
        asked.send(b"F")
        while True:
            data, found, _, _ = socket.recv_fds(asked, 1 << 16, 1)
            if not data:
                signal.pause()  # the exit of this process would be a close without an answer
            count, flags = struct.unpack_from("<II", data)
            with socket.socket(fileno=found[0]) as sock:
                sock.sendmsg([data[8:]], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd] * count))],
                             flags | socket.MSG_NOSIGNAL)
            asked.send(b"S")

    def serve(self, dev, told):
        kept, silent = [], True
        os.set_blocking(dev, False)
        poll = select.poll()
        poll.register(dev, select.POLLIN)
        poll.register(told, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                if fd == told.fileno():
                    if not told.recv(1):
                        return
                    silent = False
                    for number in kept:
                        self.reply(dev, number)
                    continue
                try:
                    data = os.read(dev, 1 << 18)
                except BlockingIOError:
                    continue
                _, kind, number, node, _, _, _, _ = IN.unpack_from(data)
                if kind in (FLUSH, RELEASE) and silent:
                    kept.append(number)
                else:
                    self.react(dev, kind, number, node)

    def react(self, dev, kind, number, node):
        if kind == INIT:
            self.reply(dev, number, struct.pack("<4I2H2I2H8I", 7, 31, 0, 0, 64, 48, 1 << 16, 1, 0, 0, *([0] * 8)))
        elif kind == LOOKUP:
            self.reply(dev, number, struct.pack("<4Q2I", 2, 0, 3600, 3600, 0, 0) + attributes(2))
        elif kind == GETATTR:
            self.reply(dev, number, struct.pack("<Q2I", 3600, 0, 0) + attributes(node))
        elif kind == OPEN:
            self.reply(dev, number, struct.pack("<Q2I", 7, 0, 0))
        elif kind in (FLUSH, RELEASE):
            self.reply(dev, number)
        elif kind not in (FORGET, BATCH_FORGET):
            self.reply(dev, number, error=ENOSYS)

    @staticmethod
    def reply(dev, number, body=b"", error=0):
        try:
            os.write(dev, OUT.pack(OUT.size + len(body), -error, number) + body)
        except OSError:
            pass  # the process that asked has ended
