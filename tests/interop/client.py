#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A client of gpufilterd in Python's standard library, written from docs/protocol.md alone.

client.py [SOCKET [DEVICE]] correlates a 4x3 image with a mask inline and checks every value. SOCKET is
$GPUFILTER_SOCKET if it is not given.
"""
import os
import socket
import struct
import sys

HEADER = struct.Struct("<4sHHHHIQQ")
ATTR = struct.Struct("<HBBI")
VIEW = struct.Struct("<BBHIQQQ")

HELLO, HELLO_REPLY, RUN, RESULT, ERROR, CANCEL, PING, PONG = range(1, 9)
INFO, INFO_REPLY = 12, 13
U32, U64, F32, ENUM, STRING, BYTES = range(1, 7)
INLINE = 1
U8, DT_F32 = 1, 9
CORRELATE = 0x0101
PARAM_NORMALIZE, SUM = 0x1005, 1


class ServerError(Exception):
    """An ERROR frame: status and sentence."""

    def __init__(self, status, text):
        super().__init__("status %d: %s" % (status, text))
        self.status = status


def attr(number, kind, value):
    """One attribute with its padding."""
    if kind in (U32, ENUM):
        value = struct.pack("<I", value)
    elif kind == STRING:
        value = value.encode()
    return ATTR.pack(number, kind, 0, len(value)) + value + bytes(-len(value) % 8)


def attrs(body):
    """(id, type, value) of every attribute of a body."""
    at = 0
    while at < len(body):
        number, kind, zero, length = ATTR.unpack_from(body, at)
        assert zero == 0, "reserved byte of an attribute"
        value = body[at + ATTR.size:at + ATTR.size + length]
        assert len(value) == length, "attribute reaches past the body"
        yield number, kind, value
        at += ATTR.size + length + (-length % 8)


def frame(kind, number, body=b"", payload=b""):
    return HEADER.pack(b"GFPW", 1, kind, 0, 0, len(body), number, len(payload)) + body + payload


def tight(dtype, element, width, height, channels=1):
    return VIEW.pack(dtype, channels, 0, 0, width, height, width * channels * element)


class Connection:
    """Frames over one socket; answers are matched by id."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(120)
        self.socket.connect(path)
        self.answers = {}

    def send(self, data):
        self.socket.sendall(data)

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise EOFError("the server closed the connection")
            data += more
        return data

    def answer(self, number):
        """Kind, attributes and payload of the answer to one request."""
        while number not in self.answers:
            magic, version, kind, flags, nfds, body_len, got, payload_len = HEADER.unpack(self.read(HEADER.size))
            assert (magic, version, flags, nfds) == (b"GFPW", 1, 0, 0), "header of an answer"
            body, payload = self.read(body_len), self.read(payload_len)
            self.answers[got] = kind, list(attrs(body)), payload
            if kind == ERROR and got == 0:
                number = 0
        kind, found, payload = self.answers.pop(number)
        if kind == ERROR:
            values = {a: v for a, _, v in found}
            raise ServerError(struct.unpack("<I", values[1])[0], values.get(2, b"").decode())
        return kind, found, payload


def hello_frame(number):
    return frame(HELLO, number, attr(5, U32, 1) + attr(6, U32, 1) + attr(8, STRING, "interop 1.0"))


def correlate_frame(number, device, width, height, pixels, mask_width, mask_height, mask):
    """RUN of one step over a u8 image and an f32 mask, both inline, divided by the sum of the mask."""
    image, mask_offset = bytes(pixels), -(-len(pixels) // 64) * 64
    coefs = struct.pack("<%df" % len(mask), *mask)
    operand = "<B3xIQQ"
    body = attr(11, STRING, device)
    body += attr(19, BYTES, struct.pack(operand, INLINE, 0, 0, len(image)) + tight(U8, 1, width, height))
    body += attr(19, BYTES,
                 struct.pack(operand, INLINE, 0, mask_offset, len(coefs)) + tight(DT_F32, 4, mask_width, mask_height))
    body += attr(20, BYTES, struct.pack("<IHHBBHBBH", CORRELATE, 2, 0, 0, 0, 0, 0, 0, 1))
    body += attr(PARAM_NORMALIZE, ENUM, SUM)
    body += attr(21, BYTES, struct.pack("<HBBIQQQ", 0, 0, INLINE, 0, 0, 0, 0))
    return frame(RUN, number, body, image.ljust(mask_offset, b"\0") + coefs)


def expect_error(connection, number, status):
    try:
        connection.answer(number)
    except ServerError as error:
        assert error.status == status, "status %d instead of %d" % (error.status, status)
        return
    raise AssertionError("request %d should have been refused" % number)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.environ["GPUFILTER_SOCKET"]
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    pixels = [10 * (i + 1) for i in range(12)]
    mask = [0, 1, 0, 1, 1, 1, 0, 1, 0]
    connection = Connection(path)
    # Nothing waits for an answer: requests follow HELLO at once, a refused one among them.
    connection.send(hello_frame(1) + correlate_frame(2, device, 4, 3, pixels, 3, 3, mask) + frame(PING, 3)
                    + correlate_frame(4, device, 4, 4, pixels, 3, 3, mask)
                    + frame(INFO, 5, attr(27, U32, 1)) + correlate_frame(6, device, 4, 3, pixels, 1, 1, [2]))
    connection.socket.shutdown(socket.SHUT_WR)

    kind, found, _ = connection.answer(1)
    assert kind == HELLO_REPLY and (7, U32, struct.pack("<I", 1)) in found, "HELLO_REPLY with version 1"

    kind, found, payload = connection.answer(2)
    assert kind == RESULT
    outputs = [v for a, t, v in found if (a, t) == (22, BYTES)]
    assert outputs == [tight(U8, 1, 4, 3) + struct.pack("<QQ", 0, 12)], "one output, a tight 4x3 image of u8"
    got = list(payload)
    assert got == [20, 28, 38, 46, 52, 60, 70, 78, 84, 92, 102, 110], got
    assert len([v for a, t, v in found if (a, t) == (23, BYTES)][0]) == 40, "TIMES"

    assert connection.answer(3)[0] == PONG
    expect_error(connection, 4, 1)  # 4x4 pixels in 12 bytes: BAD_REQUEST, and the connection lives on
    kind, found, _ = connection.answer(5)
    names = [v.decode() for a, t, v in found if (a, t) == (11, STRING)]
    assert kind == INFO_REPLY and "cpu" in names, names
    assert list(connection.answer(6)[2]) == pixels, "a mask of one coefficient divided by itself"
    assert connection.socket.recv(1) == b"", "the server closes after the last answer"

    where = [v.decode() for a, t, v in found if (a, t) == (11, STRING)]
    print("correlate on %s of %s: %s" % (device, ", ".join(where), got))


if __name__ == "__main__":
    main()
