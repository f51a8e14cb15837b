#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes malformed frames as text that a person can read and test_corpus.py can send. INDEX lists the answers that
docs/protocol.md requires for each frame, the frame's size and its CRC-32, so that no frame changes unnoticed. INDEX is
checked in and must be printed again when the protocol grows.
usage: make_frames.py            prints INDEX
       make_frames.py NAME...    prints the named frames"""
import sys
import zlib

from run_frames import (CPU, DATA, F32T, MASK_AT, RES, SRC, STEP, SUM, U8, U16, parameters, programs, results, run_body,
                        steps, views)
from support import *  # noqa: F403

KINDS = ("? HELLO HELLO_REPLY RUN RESULT ERROR CANCEL PING PONG ARENA ARENA_DROP FREE INFO INFO_REPLY DONE GOAWAY"
         " ADMIN".split())
ATTRS = {5: "VERSION_MIN", 6: "VERSION_MAX", 8: "SOFTWARE", 11: "DEVICE", 18: "DEADLINE_MS", 19: "OPERAND", 20: "STEP",
         21: "RESULT", 24: "ARENA", 25: "SIZE", 26: "HANDLE", 27: "TOPIC", 41: "TRACE", 43: "PART", 45: "UNFUSED",
         49: "ACTION", 50: "USER", 51: "USER_NAME", 52: "NEXT", 57: "NODE", 58: "CONNECTION",
         59: "TRACE_CONTEXT"}
frames = {}  # name: (answers, what becomes of the connection, why, text)


class Line(str):
    """A line of a file that stands for something other than bytes: `fds N`, `fd KIND SIZE`, `end`."""


def hexed(data, what="", wrap=True):
    """Bytes in words of 4, up to 8 words a line, after a comment that names them; a long run of one byte is N *
    BYTE."""
    if len(data) > 64 and data == data[:1] * len(data):
        words = ["%d * %02x" % (len(data), data[0])]
    else:
        words = [data[i:i + 4].hex() for i in range(0, len(data), 4)]
    step = 8 if wrap else len(words)
    lines = [" ".join(words[i:i + step]) for i in range(0, len(words), step)]
    return "\n".join((["# " + what] if what else []) + lines)


def repeated(pieces):
    """Prints repetitions of one piece as one line."""
    found = []
    for piece in pieces:
        if found and found[-1][1:] == piece:
            found[-1] = (found[-1][0] + 1,) + piece
        else:
            found.append((1,) + piece)
    return [hexed(data, what) if n == 1 else "# %s, %d times\n%d * %s" % (what, n, n, hexed(data, wrap=False))
            for n, data, what in found]


def attributes(body):
    """The pieces of a body, as far as it can be parsed."""
    pieces, at = [], 0
    while at + 8 <= len(body):
        number, kind, _, length = ATTR.unpack_from(body, at)
        size = 8 + length + (-length % 8)
        if length > len(body) - at - 8 or size > len(body) - at:
            break
        name = ATTRS.get(number, "parameter %d" % (number - 0x1000) if number > 0x1000 else "attribute %d" % number)
        pieces.append((body[at:at + size], "%s, type %d, %d bytes" % (name, kind, length)))
        at += size
    if at < len(body):
        pieces.append((body[at:], "no whole attribute"))
    return pieces


def lines_of(data):
    """The lines of a stream of frames, which may be malformed."""
    lines = []
    while data:
        if len(data) < 32:
            return lines + [hexed(data, "%d bytes of a header" % len(data))]
        magic, version, kind, flags, nfds, body_len, number, payload_len = HEADER.unpack(data[:32])
        lines.append(hexed(data[:32], "%s version %d %s flags %d nfds %d body %d id %d payload %d" % (
            ascii(magic.decode("latin-1")), version, KINDS[kind] if 0 < kind < len(KINDS) else "kind %d" % kind, flags, nfds,
            body_len, number, payload_len)))
        if magic != b"GFPW" or body_len > len(data) - 32:
            return lines + ([hexed(data[32:])] if len(data) > 32 else [])
        lines += repeated(attributes(data[32:32 + body_len]))
        payload = data[32 + body_len:32 + body_len + payload_len]
        if payload:
            lines.append(hexed(payload, "payload"))
        data = data[32 + body_len + payload_len:]
    return lines


def case(name, answers, why, *parts, greeted="greeted", closed=False):
    """Adds one frame. `answers` is "ID=STATUS ..." in any order, with OK for a completed request, or "" for no
    answer."""
    lines = ["# " + why] + ([greeted] if greeted else [])
    for part in parts:
        lines += [str(part)] if isinstance(part, Line) else lines_of(part)
    assert name not in frames, name
    frames[name] = (answers or "-", "closed" if closed else "kept", why, "\n".join(lines) + "\n")


def broken(name, status, why, *parts, **options):
    """The stream is out of step: the server sends one ERROR with id 0 and closes the connection."""
    case(name, "0=" + status, why, *parts, closed=True, **options)


def refused(name, status, why, body, payload=DATA, number=5, kind=RUN, **options):
    """One request whose answer is an ERROR with its id."""
    case(name, "%d=%s" % (number, status), why, frame(kind, number, body, payload), **options)


def patched(data, at, value, form):
    return data[:at] + struct.pack("<" + form, value) + data[at + struct.calcsize("<" + form):]


def headers():
    good = cross(5)
    for value, name in ((0, "zero"), (1, "one"), (0x47465057, "swapped"), (0x57504648, "next"), (0xFFFFFFFF, "ones")):
        broken("header_magic_" + name, "BAD_FRAME", "the magic is 0x%08x" % value, patched(good, 0, value, "I"))
    for value in (0, 2, 3, 256, 32767, 65535):
        broken("header_version_%d" % value, "BAD_VERSION", "version %d" % value, patched(good, 4, value, "H"))
    for bit in range(16):
        broken("header_flags_bit_%d" % bit, "BAD_FRAME", "flags have bit %d" % bit, patched(good, 8, 1 << bit, "H"))
    for value in (2, 3, 253, 254, 65535):
        broken("header_nfds_%d" % value, "BAD_FRAME", "%d descriptors announced" % value, patched(good, 10, value, "H"))
    for value in (1, 4, 7, 9, 63, 65535, 65537, 65544, 1 << 31, (1 << 32) - 8, (1 << 32) - 1):
        broken("header_body_len_%d" % value, "BAD_FRAME", "a body of %d bytes is no multiple of 8 up to 65536" % value,
               patched(good, 12, value, "I"))
    for name, value in (("over", (1 << 62) + 1), ("sign", 1 << 63), ("ones", (1 << 64) - 1)):
        broken("header_payload_len_" + name, "BAD_FRAME", "a payload of %d bytes is over the format's limit" % value,
               patched(good, 24, value, "Q"))
    for name, value in (("one_over", (256 << 20) + 1), ("terabyte", 1 << 40), ("most", 1 << 62)):
        case("header_payload_len_" + name, "5=TOO_LARGE", "a payload of %d bytes is over max_inline" % value,
             patched(good, 24, value, "Q")[:32 + len(cross_body())], closed=True)
    for name, at, value, form, status in (
            ("magic", 0, 0, "I", "BAD_FRAME"), ("version", 4, 9, "H", "BAD_VERSION"), ("flags", 8, 1, "H", "BAD_FRAME"),
            ("nfds", 10, 7, "H", "BAD_FRAME"), ("body_len", 12, 5, "I", "BAD_FRAME"),
            ("payload_len", 24, 1 << 63, "Q", "BAD_FRAME")):
        broken("first_header_" + name, status, "the very first header has a bad " + name,
               patched(hello(), at, value, form), greeted="")
    broken("text_http", "BAD_FRAME", "another protocol", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", greeted="")
    broken("text_zeros", "BAD_FRAME", "zeros", bytes(4096), greeted="")
    broken("text_words", "BAD_FRAME", "words behind a good HELLO", b"not a frame, but long enough to be looked at")


def kinds():
    for kind in (0, HELLO_REPLY, RESULT, ERROR, PONG, INFO_REPLY, DONE, GOAWAY, 17, 63, 64, 65, 66, 67, 255, 256, 32768,
                 65535):
        refused("kind_%d" % kind, "BAD_REQUEST", "no client sends frames of kind %d" % kind, b"", b"", kind=kind)
    refused("kind_answer_with_body", "BAD_REQUEST", "an answer of the server, from a client", attr(1, U32, 8), b"",
            kind=ERROR)
    refused("kind_unknown_with_payload", "BAD_REQUEST", "its payload is thrown away", b"", bytes(70000), kind=99)
    for kind in (0, RUN, CANCEL, PING, ARENA, ARENA_DROP, FREE, INFO, DONE, 64, 99):
        broken("first_kind_%d" % kind, "BAD_FRAME", "kind %d before HELLO" % kind, frame(kind, 5), greeted="")
    for kind in (PING, CANCEL):
        name = KINDS[kind].lower()
        broken(name + "_with_body", "BAD_FRAME", "more than a header", frame(kind, 5, attr(27, U32, 1)))
        broken(name + "_with_payload", "BAD_FRAME", "more than a header", frame(kind, 5, b"", b"x"))
        broken(name + "_with_nfds", "BAD_FRAME", "more than a header", frame(kind, 5, nfds=1))
    case("cancel_of_nothing", "", "there is no such request; CANCEL has no answer of its own", frame(CANCEL, 77) * 3)
    case("ping_id_0", "0=OK", "the id of PING means nothing", frame(PING, 0))
    case("ping_id_of_request", "5=OK 5=OK", "PONG comes beside the answer of the request", frame(PING, 5) + cross(5))
    case("cancel_id_0", "", "no request has id 0", frame(CANCEL, 0) * 3)
    for kind in (RUN, ARENA, ARENA_DROP, FREE, INFO, 99):
        broken("id_0_kind_%d" % kind, "BAD_FRAME", "request id 0 is the server's", frame(kind, 0))
    big = gaussian(5, 1000, 500, bytes(500000), sigma=200.0)
    for name, second in (("run", cross(5)), ("info", frame(INFO, 5, attr(27, U32, 1))), ("unknown", frame(99, 5))):
        broken("id_twice_" + name, "DUPLICATE_ID", "the id of a request in flight", big + second)
    case("id_again", "5=OK", "an id is free again with its answer, so 2^64-1 and 5 are ids like others",
         frame(INFO, 5, attr(27, U32, 1)))
    case("id_most", "%d=OK" % ((1 << 64) - 1), "the largest id", cross((1 << 64) - 1))


def hellos():
    low, high, name = attr(5, U32, 1), attr(6, U32, 1), attr(8, STRING, "attack 1.0")
    cases = [
        ("empty", "nothing in it", b""), ("no_min", "no VERSION_MIN", high + name),
        ("no_max", "no VERSION_MAX", low + name), ("no_software", "no SOFTWARE", low + high),
        ("min_twice", "VERSION_MIN twice", low + low + high + name),
        ("software_twice", "SOFTWARE twice", low + high + name + name),
        ("device_twice", "DEVICE twice", low + high + name + CPU + CPU),
        ("foreign", "an attribute of RUN", low + high + name + attr(18, U32, 1)),
        ("unknown", "an attribute that there is not", low + high + name + attr(4000, U32, 1)),
        ("min_u64", "VERSION_MIN as u64", attr(5, U64, 1) + high + name),
        ("min_two", "two VERSION_MIN in one", attr(5, U32, struct.pack("<II", 1, 1)) + high + name),
        ("software_u32", "SOFTWARE as u32", low + high + attr(8, U32, 1)),
        ("software_long", "SOFTWARE of 65 bytes", low + high + attr(8, STRING, "x" * 65)),
        ("software_nul", "a NUL in SOFTWARE", low + high + attr(8, STRING, "a\0b")),
        ("software_escape", "a control character in SOFTWARE", low + high + attr(8, STRING, "a\x1bb")),
        ("software_del", "a control character in SOFTWARE", low + high + attr(8, STRING, "a\x7fb")),
        ("min_0", "versions from 0", attr(5, U32, 0) + high + name),
        ("both_0", "versions 0 to 0", attr(5, U32, 0) + attr(6, U32, 0) + name),
        ("min_over_max", "versions 3 to 2", attr(5, U32, 3) + attr(6, U32, 2) + name),
        ("device_empty", "a device without a name", low + high + name + attr(11, STRING, "")),
        ("device_blank", "a blank in the device's name", low + high + name + attr(11, STRING, "cuda 0")),
        ("device_slash", "a path as the device's name", low + high + name + attr(11, STRING, "../cpu")),
        ("device_long", "a device's name of 65 bytes", low + high + name + attr(11, STRING, "c" * 65)),
        ("device_utf8", "a letter that no device's name has", low + high + name + attr(11, STRING, "c\u00fc")),
    ]
    for what, why, body in cases:
        case("hello_" + what, "5=BAD_REQUEST 6=OK", why + "; a better HELLO may follow", frame(HELLO, 5, body) + hello(6),
             greeted="")
    for what, first, last in (("2_3", 2, 3), ("most", (1 << 32) - 1, (1 << 32) - 1)):
        broken("hello_versions_" + what, "BAD_VERSION", "versions %d to %d" % (first, last),
               frame(HELLO, 5, attr(5, U32, first) + attr(6, U32, last) + name), greeted="")
    case("hello_wide_versions", "5=OK", "versions 1 to 2^32-1 have one in common",
         frame(HELLO, 5, low + attr(6, U32, (1 << 32) - 1) + name), greeted="")
    refused("hello_again", "BAD_REQUEST", "a second HELLO", low + high + name, b"", kind=HELLO)
    case("hello_with_payload", "5=BAD_REQUEST 6=OK", "HELLO has no payload",
         frame(HELLO, 5, low + high + name, b"x" * 100) + hello(6), greeted="")
    case("hello_fd_missing", "5=OK", "announced, but none came: FD_PASSING is 0", hello(5, nfds=1), greeted="")


def attribute_faults():
    topic = attr(27, U32, 1)
    cases = [
        ("type_0", "type 0", patched(topic, 2, 0, "B")), ("type_8", "type 8", patched(topic, 2, 8, "B")),
        ("type_255", "type 255", patched(topic, 2, 255, "B")), ("type_other", "the type of another", attr(27, F32, 1.0)),
        ("reserved", "a reserved byte is not 0", patched(topic, 3, 1, "B")),
        ("length_0", "a u32 of no bytes", attr(27, U32, b"")), ("length_3", "a u32 of 3 bytes", attr(27, U32, b"\1\0\0")),
        ("length_8", "two numbers where one belongs", attr(27, U32, bytes(8))),
        ("length_past", "it ends behind the body", patched(topic, 4, 12, "I")),
        ("length_most", "2^32-4 bytes", patched(topic, 4, (1 << 32) - 4, "I")),
        ("length_wraps", "with its padding more than 2^32", patched(attr(27, STRING, "a"), 4, (1 << 32) - 1, "I")),
        ("padding", "padding is not 0", patched(topic, 12, 1, "B")),
        ("padding_last", "the last byte of the padding is not 0", patched(topic, 15, 255, "B")),
        ("zeros", "an attribute of zeros", bytes(8)), ("ones", "an attribute of ones", b"\xff" * 8),
        ("many_ones", "a whole body of ones", b"\xff" * 65536), ("u64_half", "a u64 of 4 bytes", attr(27, U64, b"\0" * 4)),
        ("f64_half", "an f64 of 4 bytes", attr(27, 7, b"\0" * 4)), ("twice", "a single one twice", topic + topic),
        ("none", "none at all", b""), ("foreign", "one of another frame", topic + attr(24, U32, 1)),
    ]
    for what, why, body in cases:
        refused("attribute_" + what, "BAD_REQUEST", why, body, b"", kind=INFO)
    for value in (0, 5, 255, (1 << 32) - 1):
        refused("info_topic_%d" % value, "BAD_REQUEST", "there is no topic %d" % value, attr(27, U32, value), b"",
                kind=INFO)
    refused("info_next", "BAD_REQUEST", "only figures have pages", topic + attr(52, U32, 2), b"", kind=INFO)
    refused("info_with_payload", "BAD_REQUEST", "INFO has no payload", topic, b"x", kind=INFO)


def payloads():
    for size in (0, 1, 36, 64, 99, 101, 128, 1000, 70000):
        refused("payload_%d" % size, "BAD_REQUEST", "the operands take 100 bytes", cross_body(), bytes(size))
    longer = run_body(CPU, operand(1, 0, 0, 70, view(U8, 1, 4, 3)), operand(1, 0, 128, 36, view(F32T, 4, 3, 3)), STEP,
                      SUM, RES)
    case("payload_longer", "5=OK", "an operand with room behind it; the next one comes after its length",
         frame(RUN, 5, longer, PIXELS.ljust(128, b"\0") + MASK))
    longer = run_body(CPU, operand(1, 0, 0, 70, view(U8, 1, 4, 3)), operand(1, 0, 64, 36, view(F32T, 4, 3, 3)), STEP,
                      SUM, RES)
    refused("payload_longer_overlaps", "BAD_REQUEST", "the next operand begins inside the length of the first", longer)
    case("payload_gap", "5=OK", "what lies between operands is not looked at",
         frame(RUN, 5, cross_body(), PIXELS.ljust(64, b"\xff") + MASK))
    case("good_after_bad", "5=BAD_REQUEST 6=OK", "the refused payload is thrown away, the next request served",
         frame(RUN, 5, cross_body(), bytes(101)) + cross(6))


def resources():
    size = 4096
    arena = arena_frame(5, 1, size)

    def declared(name, answers, why, *parts, **options):
        case("arena_" + name, "5=OK " + answers, why, Line("fd memfd %d" % size), arena, *parts,
             greeted="greeted fds", **options)

    for name, status, kind, why in (
            ("null", "BAD_ARENA", "null", "/dev/null"), ("zero", "BAD_ARENA", "zero", "/dev/zero"),
            ("pipe", "BAD_ARENA", "pipe", "a pipe"), ("socket", "BAD_ARENA", "socket", "a socket"),
            ("folder", "BAD_ARENA", "folder", "a directory"), ("unsealed", "BAD_ARENA", "unsealed", "no seals"),
            ("unsealable", "BAD_ARENA", "unsealable", "a memfd that allows no seals"),
            ("sparse", "BAD_ARENA", "sparse", "a hole instead of memory"),
            ("write_sealed", "BAD_ARENA", "write_sealed", "sealed against writing"),
            ("future_sealed", "BAD_ARENA", "future_sealed", "sealed against writing from now on"),
            ("read_only", "BAD_ARENA", "read_only", "open for reading alone"),
            ("path", "BAD_ARENA", "path", "O_PATH"), ("append", "BAD_ARENA", "append", "O_APPEND"),
            ("small", "BAD_ARENA", "memfd_small", "one byte less than the arena")):
        case("arena_" + name, "5=" + status, "the descriptor of the arena is: " + why, Line("fd %s %d" % (kind, size)),
             arena, greeted="greeted fds")
    case("arena_hello_without_fd", "5=OK", "HELLO had no descriptor, ARENA has one: FD_PASSING says only what came",
         Line("fd memfd %d" % size), arena)
    case("arena_without_fd", "5=NO_FD_PASSING", "announced, but none came", arena, greeted="greeted fds")
    case("arena_unannounced", "5=NO_FD_PASSING", "ARENA without its descriptor", arena_frame(5, 1, size, nfds=0),
         greeted="greeted fds")
    for name, body, why in (
            ("empty", b"", "nothing in it"), ("no_number", attr(25, U64, size), "no ARENA"),
            ("no_size", attr(24, U32, 1), "no SIZE"), ("size_0", attr(24, U32, 1) + attr(25, U64, 0), "0 bytes"),
            ("size_over", attr(24, U32, 1) + attr(25, U64, (1 << 48) + 1), "more than 2^48 bytes"),
            ("size_most", attr(24, U32, 1) + attr(25, U64, (1 << 64) - 1), "2^64-1 bytes"),
            ("size_u32", attr(24, U32, 1) + attr(25, U32, size), "SIZE as u32"),
            ("foreign", attr(24, U32, 1) + attr(25, U64, size) + attr(26, U32, 1), "HANDLE does not belong there")):
        case("arena_body_" + name, "5=BAD_REQUEST", why, Line("fd memfd %d" % size), frame(ARENA, 5, body, nfds=1),
             greeted="greeted fds")
    case("arena_terabyte", "5=BAD_ARENA", "a terabyte of a file of one page", Line("fd memfd %d" % size),
         arena_frame(5, 1, 1 << 40), greeted="greeted fds")
    declared("twice", "6=EXISTS", "the number is in use", Line("fd memfd %d" % size), arena_frame(6, 1, size))
    declared("dropped_twice", "6=OK 7=NO_SUCH_ARENA", "it is gone with the first", drop_frame(6, 1), drop_frame(7, 1))
    refused("arena_drop_unknown", "NO_SUCH_ARENA", "never declared", attr(24, U32, 1), b"", kind=ARENA_DROP)
    refused("arena_drop_size", "BAD_REQUEST", "SIZE does not belong there", attr(24, U32, 1) + attr(25, U64, 1), b"",
            kind=ARENA_DROP)
    refused("arena_drop_empty", "BAD_REQUEST", "nothing in it", b"", b"", kind=ARENA_DROP)
    picture = view(U8, 1, 10, 10)

    def in_arena(name, status, why, src, dst):
        body = run_body(CPU, operand(2, 1, *src, picture), step(GAUSSIAN, 1), result(2, 1, *dst))
        declared(name, "6=" + status, why, frame(RUN, 6, body))

    in_arena("good", "OK", "from one part of it to another", (0, 100), (100, 100))
    in_arena("overlap", "OVERLAP", "the result lies where the operand does", (0, 100), (0, 100))
    in_arena("overlap_1", "OVERLAP", "they share one byte", (0, 100), (99, 100))
    in_arena("outside", "BAD_VIEW", "the operand ends behind the arena", (size - 99, 100), (0, 100))
    in_arena("outside_length", "BAD_VIEW", "its length ends behind the arena", (0, size + 1), (200, 100))
    in_arena("outside_far", "BAD_VIEW", "it begins a terabyte behind the arena", (1 << 40, 100), (0, 100))
    in_arena("result_outside", "BAD_VIEW", "the result ends behind the arena", (0, 100), (size - 99, 100))
    in_arena("wraps", "BAD_REQUEST", "offset and length exceed 64 bits", ((1 << 64) - 50, 100), (0, 100))
    handle_faults(picture)


def handle_faults(picture):
    def make(number, handle, payload=bytes(100), pitch=0):
        body = run_body(CPU, operand(1, 0, 0, 100, picture), step(GAUSSIAN, 1), result(3, handle, pitch=pitch))
        return frame(RUN, number, body, payload)

    def read(number, handle, shape=picture, offset=0, length=0):
        return frame(RUN, number, run_body(CPU, operand(3, handle, offset, length, shape), step(GAUSSIAN, 1), result()))

    def free(number, handle):
        return frame(FREE, number, attr(26, U32, handle))

    case("handle_read_unknown", "5=NO_SUCH_HANDLE", "never made", read(5, 7))
    case("handle_free_unknown", "5=NO_SUCH_HANDLE", "never made", free(5, 7))
    case("handle_free_0", "5=NO_SUCH_HANDLE", "never made", free(5, 0))
    case("handle_free_most", "5=NO_SUCH_HANDLE", "never made", free(5, (1 << 32) - 1))
    case("handle_free_twice", "5=OK 6=OK 7=NO_SUCH_HANDLE", "it is gone with the first", make(5, 1) + free(6, 1)
         + free(7, 1))
    case("handle_read_freed", "5=OK 6=OK 7=NO_SUCH_HANDLE", "it is gone", make(5, 1) + free(6, 1) + read(7, 1))
    case("handle_twice", "5=OK 6=EXISTS", "the number is in use", make(5, 1) + make(6, 1))
    case("handle_good", "5=OK 6=OK", "made and read", make(5, 1) + read(6, 1))
    case("handle_pitch_of_a_row", "5=OK 6=OK", "a result's pitch is 0 or a whole row", make(5, 1, pitch=10) + read(6, 1))
    case("handle_dtype", "5=OK 6=BAD_DTYPE", "the buffer is of u8", make(5, 1) + read(6, 1, view(U16, 2, 5, 10)))
    case("handle_channels", "5=OK 6=BAD_VIEW", "the buffer has one channel", make(5, 1) + read(6, 1, view(U8, 1, 5, 10, 2)))
    case("handle_wide", "5=OK 6=BAD_VIEW", "wider than the buffer", make(5, 1) + read(6, 1, view(U8, 1, 11, 1)))
    case("handle_high", "5=OK 6=BAD_VIEW", "higher than the buffer", make(5, 1) + read(6, 1, view(U8, 1, 10, 11)))
    case("handle_pitch", "5=OK 6=BAD_VIEW", "the buffer's rows have 10 bytes",
         make(5, 1) + read(6, 1, view(U8, 1, 5, 2, 1, 5)))
    case("handle_row_pitch", "5=OK 6=OK", "the pitch of a single row means nothing", make(5, 1)
         + read(6, 1, view(U8, 1, 3, 1, 1, 999)))
    case("handle_row_wraps", "5=OK 6=BAD_VIEW", "three pixels from the ninth of a row of ten", make(5, 1)
         + read(6, 1, view(U8, 1, 3, 1), offset=18))
    case("handle_twice_the_pitch", "5=OK 6=BAD_VIEW", "every other row", make(5, 1) + read(6, 1, view(U8, 1, 10, 5, 1, 20)))
    case("handle_offset", "5=OK 6=BAD_VIEW", "one byte too far", make(5, 1) + read(6, 1, offset=1))
    case("handle_offset_most", "5=OK 6=BAD_VIEW", "it begins behind the buffer", make(5, 1) + read(6, 1,
         view(U8, 1, 1, 1), (1 << 64) - 1))
    case("handle_length", "5=BAD_REQUEST", "a handle has no length", read(5, 1, length=100))
    refused("handle_free_empty", "BAD_REQUEST", "nothing in it", b"", b"", kind=FREE)
    refused("handle_free_u64", "BAD_REQUEST", "HANDLE as u64", attr(26, U64, 1), b"", kind=FREE)
    unban, user, name = attr(49, U32, 1), attr(50, U64, 4711), attr(51, STRING, b"alice")
    for what, status, why, body in (
            ("empty", "BAD_REQUEST", "nothing in it", b""),
            ("no_user", "BAD_REQUEST", "nobody to unban", unban),
            ("two_users", "BAD_REQUEST", "a number and a name", unban + user + name),
            ("no_name", "BAD_REQUEST", "an empty name", unban + attr(51, STRING, b"")),
            ("action_0", "BAD_REQUEST", "no action has number 0", attr(49, U32, 0) + user),
            ("action_2", "BAD_REQUEST", "no action has number 2", attr(49, U32, 2) + user),
            ("not_refused", "BAD_PARAM", "the user is not refused", unban + user),
            ("name_unknown", "BAD_PARAM", "nobody has this name", unban + name)):
        refused("admin_" + what, status, why, body, b"", kind=16)
    refused("admin_with_payload", "BAD_REQUEST", "ADMIN has no payload", unban + user, b"x", kind=16)
    mask = run_body(CPU, SRC, operand(3, 1, 0, 0, view(F32T, 4, 3, 3)), STEP, SUM, RES)
    refused("handle_mask", "UNSUPPORTED", "a mask is inline or in an arena", mask, PIXELS)


def descriptors():
    for n in (1, 2, 4):
        case("fds_%d_unannounced" % n, "5=OK 0=BAD_FRAME", "%d descriptors that no frame announced" % n,
             Line("fds %d" % n), frame(INFO, 5, attr(27, U32, 1)), closed=True)
    for n in (5, 16, 253):
        broken("fds_%d_unannounced" % n, "BAD_FRAME", "%d descriptors, more than any frame may carry" % n,
               Line("fds %d" % n), frame(INFO, 5, attr(27, U32, 1)))
    case("fds_first_unannounced", "1=OK 0=BAD_FRAME", "a descriptor with a HELLO that announced none", Line("fds 1"),
         hello(), greeted="", closed=True)
    broken("fds_amid_payload", "BAD_FRAME", "a descriptor amid a payload", cross(5)[:200], Line("fds 1"), cross(5)[200:])
    for name, data in (("info", frame(INFO, 5, attr(27, U32, 1), nfds=1)), ("free", frame(FREE, 5, attr(26, U32, 1), nfds=1)),
                       ("run", header(RUN, 5, len(cross_body()), 100, 1) + cross(5)[32:]),
                       ("drop", frame(ARENA_DROP, 5, attr(24, U32, 1), nfds=1)), ("unknown", frame(99, 5, nfds=1))):
        case("fds_with_" + name, "5=BAD_REQUEST", "a descriptor that does not belong there", Line("fds 1"), data)
        case("fds_missing_" + name, "5=BAD_REQUEST", "announced where none belongs, and none came", data)


def ends():
    whole = cross(5)
    for at in (1, 4, 16, 31, 32, 33, 100, len(whole) - 100, len(whole) - 99, len(whole) - 1):
        case("cut_%d" % at, "", "the stream ends after %d of %d bytes" % (at, len(whole)), whole[:at], Line("end"),
             closed=True)
    for at in (0, 1, 31, 40, len(hello()) - 1):
        case("cut_hello_%d" % at, "", "the stream ends after %d bytes of HELLO" % at, hello()[:at], Line("end"),
             greeted="", closed=True)
    case("end_after_run", "5=OK", "what was accepted is answered, then the server closes", whole, Line("end"), closed=True)
    case("end_after_bad", "5=BAD_REQUEST 6=OK", "the same after a bad one", frame(RUN, 5, b"", b"") + cross(6), Line("end"),
         closed=True)
    case("cut_announced", "5=BAD_REQUEST", "a payload of 256 MiB is announced, one byte comes",
         header(99, 5, 0, 256 << 20) + b"x", Line("end"), closed=True)
    case("many_bad", " ".join("%d=BAD_REQUEST" % k for k in range(5, 69)), "64 bad ones at once",
         b"".join(frame(RUN, k) for k in range(5, 69)))
    case("bad_among_good", "5=OK 6=BAD_REQUEST 7=OK 8=UNKNOWN_OP 9=OK", "each is answered for itself",
         cross(5) + frame(RUN, 6) + cross(7)
         + frame(RUN, 8, run_body(CPU, SRC, MASK_AT, step(9, 2), RES), DATA) + cross(9))


def make():
    """Makes all frames in the order of INDEX."""
    if not frames:
        for some in (headers, kinds, hellos, attribute_faults):
            some()
        for some in (programs, views, steps, parameters, results):
            some(refused)
        for some in (payloads, resources, descriptors, ends):
            some()
    return frames


def row_of(name):
    """The line of INDEX for a frame."""
    answers, after, why, text = make()[name]
    data = text.encode("ascii")
    return "%s | %s | %s | %d %08x | %s" % (name, answers, after, len(data), zlib.crc32(data), why)


def main():
    for name in sys.argv[1:]:
        if name not in make():
            sys.exit("make_frames: no frame %s; they are in INDEX" % name)
        print(make()[name][3], end="")
    if len(sys.argv) == 1:
        print("# Printed by make_frames.py: name, answers (request id=status, - for none), what becomes of the connection,\n"
              "# bytes and CRC-32 of the frame as text, what is wrong. OK: the request is done.")
        print("\n".join(row_of(name) for name in make()))


if __name__ == "__main__":
    main()
