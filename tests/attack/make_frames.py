#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes malformed frames as text that a person can read and test_corpus.py can send. INDEX lists the answers that
docs/protocol.md requires for each frame, the frame's size and its CRC-32, so that no frame changes unnoticed. INDEX is
checked in and must be printed again when the protocol grows.
usage: make_frames.py            prints INDEX
       make_frames.py NAME...    prints the named frames"""
import sys
import zlib

from support import *  # noqa: F403

KINDS = ("? HELLO HELLO_REPLY RUN RESULT ERROR CANCEL PING PONG ARENA ARENA_DROP FREE INFO INFO_REPLY DONE GOAWAY"
         .split())
ATTRS = {5: "VERSION_MIN", 6: "VERSION_MAX", 8: "SOFTWARE", 11: "DEVICE", 18: "DEADLINE_MS", 19: "OPERAND", 20: "STEP",
         21: "RESULT", 24: "ARENA", 25: "SIZE", 26: "HANDLE", 27: "TOPIC", 41: "TRACE", 43: "PART", 45: "UNFUSED"}
U8, I8, U16, I16, U32T, I32, U64T, I64, F32T, F64T = range(1, 11)
NAN, INF = float("nan"), float("inf")
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


def run_body(*attrs):
    return b"".join(attrs)


CPU = attr(11, STRING, "cpu")
SRC = operand(1, 0, 0, 12, view(U8, 1, 4, 3))
MASK_AT = operand(1, 0, 64, 36, view(F32T, 4, 3, 3))
STEP = step(CORRELATE, 2)
SUM = attr(0x1005, ENUM, 1)
RES = result()
DATA = PIXELS.ljust(64, b"\0") + MASK


def refused(name, status, why, body, payload=DATA, number=5, kind=RUN, **options):
    """One request whose answer is an ERROR with its id."""
    case(name, "%d=%s" % (number, status), why, frame(kind, number, body, payload), **options)


def src_of(record):
    """The worked example with another record for its picture."""
    return run_body(CPU, attr(19, BYTES, record), MASK_AT, STEP, SUM, RES)


def record(way=1, zero=b"\0\0\0", number=0, offset=0, length=12, dtype=U8, channels=1, reserved=0, width=4, height=3,
           pitch=4):
    return (bytes([way]) + zero + struct.pack("<IQQ", number, offset, length)
            + struct.pack("<BBHIQQQ", dtype, channels, reserved & 0xffff, reserved >> 16, width, height, pitch))


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
    for kind in (0, HELLO_REPLY, RESULT, ERROR, PONG, INFO_REPLY, DONE, GOAWAY, 16, 63, 64, 65, 66, 67, 255, 256, 32768,
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
    refused("info_with_payload", "BAD_REQUEST", "INFO has no payload", topic, b"x", kind=INFO)


def programs():
    parts = [CPU, SRC, MASK_AT, STEP, SUM, RES]
    names = ["device", "picture", "mask", "step", "parameter", "result"]
    for i in (1, 2, 3, 5):
        refused("run_no_" + names[i], "BAD_REQUEST", "the program lacks its " + names[i],
                run_body(*parts[:i], *parts[i + 1:]))
    for i in (0, 1, 4):
        refused("run_two_" + names[i] + "s", "BAD_REQUEST", "the %s is there twice" % names[i],
                run_body(*parts[:i], parts[i], *parts[i:]))
    for i in range(1, 6):
        refused("run_device_behind_" + names[i], "BAD_REQUEST", "DEVICE comes first",
                run_body(*parts[1:i + 1], CPU, *parts[i + 1:]))
    refused("run_result_first", "BAD_REQUEST", "RESULT before OPERAND", run_body(CPU, RES, SRC, MASK_AT, STEP, SUM))
    refused("run_step_first", "BAD_REQUEST", "STEP before OPERAND", run_body(CPU, STEP, SRC, MASK_AT, SUM, RES))
    refused("run_parameter_first", "BAD_REQUEST", "a parameter before any step",
            run_body(CPU, SRC, MASK_AT, SUM, STEP, RES))
    for number in (0, 1, 5, 22, 27, 30, 44, 4095):
        refused("run_attribute_%d" % number, "BAD_REQUEST", "attribute %d does not belong into RUN" % number,
                run_body(CPU, attr(number, U32, 1), *parts[1:]))
    refused("run_empty", "BAD_REQUEST", "nothing in it", b"", b"")
    refused("run_part", "BAD_REQUEST", "PART is for workers", run_body(CPU, attr(43, BYTES, struct.pack("<II", 0, 2)),
                                                                    *parts[1:]))
    refused("run_part_outside", "BAD_REQUEST", "part 2 of 2", run_body(CPU, attr(43, BYTES, struct.pack("<II", 2, 2)),
                                                                    *parts[1:]))
    refused("run_trace_2", "BAD_REQUEST", "TRACE is 0 or 1", run_body(CPU, attr(41, U32, 2), *parts[1:]))
    refused("run_unfused_2", "BAD_REQUEST", "UNFUSED is 0 or 1", run_body(CPU, attr(45, U32, 2), *parts[1:]))
    refused("run_deadline_u64", "BAD_REQUEST", "DEADLINE_MS as u64", run_body(CPU, attr(18, U64, 1), *parts[1:]))
    refused("run_operands_65", "BAD_REQUEST", "65 operands", run_body(CPU, *[SRC] * 65, STEP, RES), b"")
    refused("run_operands_900", "BAD_REQUEST", "900 operands", run_body(CPU, *[SRC] * 900), b"")
    refused("run_steps_65", "BAD_REQUEST", "65 steps", run_body(CPU, SRC, MASK_AT, *[STEP] * 65, RES))
    refused("run_steps_1000", "BAD_REQUEST", "1000 steps", run_body(CPU, SRC, MASK_AT, *[STEP] * 1000, RES))
    refused("run_results_65", "BAD_REQUEST", "65 results", run_body(CPU, SRC, MASK_AT, STEP, *[RES] * 65))
    refused("run_results_1000", "BAD_REQUEST", "1000 results", run_body(CPU, SRC, MASK_AT, STEP, *[RES] * 1000))
    refused("run_operand_unused", "BAD_REQUEST", "an operand that no step uses",
            run_body(CPU, SRC, MASK_AT, operand(1, 0, 128, 12, view(U8, 1, 4, 3)), STEP, SUM, RES),
            DATA.ljust(128, b"\0") + PIXELS)
    for name, status, device in (("cuda_9", "NO_DEVICE", "cuda:9"), ("gpu", "NO_DEVICE", "gpu"),
                                 ("all", "NO_DEVICE", "cuda:all"), ("empty", "BAD_REQUEST", ""),
                                 ("blank", "BAD_REQUEST", "c p u"), ("long", "BAD_REQUEST", "c" * 65),
                                 ("newline", "BAD_REQUEST", "cpu\n"), ("percent", "BAD_REQUEST", "%s%n")):
        refused("run_device_" + name, status, "the device is %r" % device[:8],
                run_body(attr(11, STRING, device), *parts[1:]))


def views():
    def image(name, status, why, **fields):
        refused("view_" + name, status, why, src_of(record(**fields)))

    def large(name, status, why, **fields):
        """In an arena, where it need not be sent; that there is none is found out later."""
        body = run_body(CPU, attr(19, BYTES, record(way=2, number=1, length=1 << 47, **fields)),
                        operand(1, 0, 0, 36, view(F32T, 4, 3, 3)), STEP, SUM, RES)
        refused("view_" + name, status, why, body, MASK)

    for value in (65536, 1 << 31, (1 << 32) - 1):
        large("width_%d" % value, "TOO_LARGE", "an image is at most 65535 wide", width=value, pitch=value)
        large("height_%d" % value, "TOO_LARGE", "an image is at most 65535 high", height=value)
    large("arena_unknown", "NO_SUCH_ARENA", "no arena was declared")
    image("width_0", "BAD_VIEW", "an image without columns", width=0)
    image("height_0", "BAD_VIEW", "an image without rows", height=0)
    for name, value in (("2_40", 1 << 40), ("2_63", 1 << 63), ("most", (1 << 64) - 1)):
        image("width_" + name, "TOO_LARGE", "more than 2^40 elements", width=value)
        image("height_" + name, "TOO_LARGE", "more than 2^40 elements, or 2^48 bytes", height=value)
        image("sides_" + name, "TOO_LARGE", "the product of the sides is over 2^64", width=value, height=value)
    large("samples", "TOO_LARGE", "more than 2^31 samples", width=65535, height=65535, pitch=65535)
    for value in (0, 5, 255):
        image("channels_%d" % value, "BAD_VIEW", "1 to 4 channels", channels=value)
    for value in (0, 12, 128, 255):
        image("dtype_%d" % value, "BAD_DTYPE", "there is no data type %d" % value, dtype=value)
    for value, name in ((I8, "i8"), (I32, "i32"), (U64T, "u64"), (F64T, "f64")):
        large("dtype_" + name, "BAD_DTYPE", "no image is of " + name, dtype=value, pitch=32)
    for value in (0, 1, 3):
        image("pitch_%d" % value, "BAD_VIEW", "a row has 4 bytes", pitch=value)
    image("pitch_odd", "BAD_VIEW", "a pitch that is no multiple of the element", dtype=U16, pitch=9, length=100)
    for name, value in (("over", (1 << 40) + 1), ("2_63", 1 << 63), ("most", (1 << 64) - 1)):
        image("pitch_" + name, "TOO_LARGE", "a pitch over 2^40", pitch=value)
    image("span", "TOO_LARGE", "rows that lie 2^40 bytes apart span more than 2^48", pitch=1 << 40, height=65535)
    image("reserved", "BAD_REQUEST", "a reserved byte of the view is not 0", reserved=1)
    image("reserved_late", "BAD_REQUEST", "a reserved byte of the view is not 0", reserved=1 << 40)
    for value in (0, 4, 5, 255):
        image("way_%d" % value, "BAD_REQUEST", "there is no way %d" % value, way=value)
    for at in range(3):
        image("way_reserved_%d" % at, "BAD_REQUEST", "a reserved byte of the operand is not 0",
              zero=bytes(at) + b"\1" + bytes(2 - at))
    image("inline_id", "BAD_REQUEST", "inline data has no number", number=1)
    image("inline_offset", "BAD_REQUEST", "the first inline operand lies at 0", offset=64)
    image("inline_offset_most", "BAD_REQUEST", "the first inline operand lies at 0", offset=(1 << 64) - 64)
    for value in (0, 11):
        image("length_%d" % value, "BAD_REQUEST", "less than the 12 bytes that the view spans", length=value)
    image("length_most", "TOO_LARGE", "inline data is at most 2^62 bytes", length=(1 << 64) - 1)
    image("length_2_62", "TOO_LARGE", "with what follows more than 2^62 bytes", length=1 << 62)
    image("inline_late", "BAD_REQUEST", "the mask is not where the first inline operand lies", way=2, number=1)
    refused("view_record_short", "BAD_REQUEST", "OPERAND of 48 bytes", src_of(record()[:48]))
    refused("view_record_long", "BAD_REQUEST", "OPERAND of 64 bytes", src_of(record() + bytes(8)))
    refused("view_record_string", "BAD_REQUEST", "OPERAND as a string",
            run_body(CPU, attr(19, STRING, b"x" * 56), MASK_AT, STEP, SUM, RES))
    for name, width, height, channels, status in (("channels", 3, 3, 2, "BAD_VIEW"), ("wide", 256, 1, 1, "TOO_LARGE"),
                                                  ("high", 1, 256, 1, "TOO_LARGE")):
        size = 4 * width * height * channels
        refused("mask_" + name, status, "a mask has one channel and sides up to 255",
                run_body(CPU, SRC, operand(1, 0, 64, size, view(F32T, 4, width, height, channels)), STEP, SUM, RES),
                PIXELS.ljust(64, b"\0") + bytes(size))
    refused("mask_u8", "BAD_DTYPE", "a mask is of f32",
            run_body(CPU, SRC, operand(1, 0, 64, 9, view(U8, 1, 3, 3)), STEP, SUM, RES), PIXELS.ljust(73, b"\0"))
    for name, value in (("nan", NAN), ("inf", INF), ("minus_inf", -INF)):
        refused("mask_" + name, "BAD_PARAM", "a mask is finite", cross_body(),
                PIXELS.ljust(64, b"\0") + struct.pack("<9f", 0, 1, 0, 1, value, 1, 0, 1, 0))


def steps():
    def run(name, status, why, op=CORRELATE, n=2, zero=0, refs=b"\0\0\0\0\0\0\1\0", extra=b""):
        refused("step_" + name, status, why,
                run_body(CPU, SRC, MASK_AT, attr(20, BYTES, struct.pack("<IHH", op, n, zero) + refs), extra, RES))

    for value in (0, 1, 0x100, 0xFFFF, (1 << 32) - 1):
        run("op_%d" % value, "UNKNOWN_OP", "there is no operation %d" % value, op=value)
    run("inputs_0", "BAD_REQUEST", "correlate takes 2 inputs", n=0, refs=b"")
    run("inputs_1", "BAD_REQUEST", "correlate takes 2 inputs", n=1, refs=bytes(4))
    run("inputs_3", "BAD_REQUEST", "correlate takes 2 inputs", n=3, refs=b"\0\0\0\0\0\0\1\0\0\0\0\0")
    run("inputs_most", "BAD_REQUEST", "65535 inputs in a record of 2", n=65535)
    run("record_short", "BAD_REQUEST", "a record of less than 2 inputs", refs=bytes(4))
    run("record_long", "BAD_REQUEST", "a record of more than 2 inputs", refs=bytes(12))
    run("record_odd", "BAD_REQUEST", "a record of no whole input", refs=bytes(7))
    run("reserved", "BAD_REQUEST", "reserved bytes are not 0", zero=1)
    run("kind_3", "BAD_REQUEST", "an input of kind 3", refs=b"\3\0\0\0\0\0\1\0")
    run("kind_255", "BAD_REQUEST", "an input of kind 255", refs=b"\xff\0\0\0\0\0\1\0")
    run("left_out", "BAD_REQUEST", "the mask may not be left out", refs=b"\0\0\0\0\2\0\0\0")
    run("operand_2", "BAD_REQUEST", "there are 2 operands, from 0", refs=b"\0\0\2\0\0\0\1\0")
    run("operand_64", "BAD_REQUEST", "there are 2 operands, from 0", refs=b"\0\0\x40\0\0\0\1\0")
    run("operand_most", "BAD_REQUEST", "there are 2 operands, from 0", refs=b"\0\0\xff\xff\0\0\1\0")
    run("operand_output", "BAD_REQUEST", "an operand has no outputs", refs=b"\0\1\0\0\0\0\1\0")
    run("of_itself", "BAD_REQUEST", "a step that takes what it gives", refs=b"\1\0\0\0\0\0\1\0")
    run("of_later", "BAD_REQUEST", "a step that takes what a later one gives", refs=b"\1\0\7\0\0\0\1\0")
    run("swapped", "BAD_DTYPE", "the mask as picture, the picture as mask", refs=b"\0\0\1\0\0\0\0\0")
    second = attr(20, BYTES, struct.pack("<IHH", CORRELATE, 2, 0) + b"\1\1\0\0\0\0\1\0")
    refused("step_output_1", "BAD_REQUEST", "correlate has one output", run_body(CPU, SRC, MASK_AT, STEP, second, RES))
    second = attr(20, BYTES, struct.pack("<IHH", CORRELATE, 2, 0) + b"\0\0\0\0\1\0\0\0")
    refused("step_mask_from_step", "UNSUPPORTED", "a mask is an operand",
            run_body(CPU, SRC, MASK_AT, STEP, second, RES))


def parameters():
    def run(name, status, why, *attrs, op=CORRELATE):
        if op == CORRELATE:
            refused("parameter_" + name, status, why, run_body(CPU, SRC, MASK_AT, STEP, *attrs, RES))
        else:
            refused("parameter_" + name, status, why, run_body(CPU, SRC, step(op, 1), *attrs, RES), PIXELS)

    def f32s(*values):
        return struct.pack("<%df" % len(values), *values)

    for number in (0, 32, 100, 4095):
        run("unknown_%d" % number, "UNKNOWN_PARAM", "correlate has no parameter %d" % number, attr(0x1000 + number, U32, 1))
    run("twice", "BAD_REQUEST", "normalize twice", SUM, SUM)
    for value in (5, 6, 255, (1 << 32) - 1):
        run("border_%d" % value, "BAD_PARAM", "there is no border %d" % value, attr(0x1003, ENUM, value))
    run("normalize_3", "BAD_PARAM", "there is no normalize 3", attr(0x1005, ENUM, 3))
    run("normalize_u32", "BAD_PARAM", "an enum as u32", attr(0x1005, U32, 1))
    run("scale_u32", "BAD_PARAM", "an f32 as u32", attr(0x1001, U32, 1))
    run("scale_f64", "BAD_PARAM", "an f32 as f64", attr(0x1001, 7, bytes(8)))
    run("scale_two", "BAD_PARAM", "two factors", attr(0x1001, F32, f32s(1, 2)))
    for name, value in (("nan", NAN), ("inf", INF), ("minus_inf", -INF)):
        run("scale_" + name, "BAD_PARAM", "any finite number", attr(0x1001, F32, value))
        run("offset_" + name, "BAD_PARAM", "any finite number", attr(0x1002, F32, value))
        run("sigma_" + name, "BAD_PARAM", "0 to 2047", attr(0x1001, F32, value), op=GAUSSIAN)
    run("border_value_3", "BAD_PARAM", "three values for one channel", attr(0x1004, F32, f32s(1, 2, 3)))
    run("border_value_5", "BAD_PARAM", "more than four values", attr(0x1004, F32, f32s(1, 2, 3, 4, 5)))
    for name, value in (("minus", -1.0), ("2048", 2048.0), ("most", 3e38)):
        run("sigma_" + name, "BAD_PARAM", "0 to 2047", attr(0x1001, F32, value), op=GAUSSIAN)
    run("sigma_three", "BAD_PARAM", "one, or x,y", attr(0x1001, F32, f32s(1, 2, 3)), op=GAUSSIAN)
    run("taps", "BAD_PARAM", "more than 4095 taps", attr(0x1001, F32, 2000.0), attr(0x1002, F32, 64.0), op=GAUSSIAN)


def results():
    def run(name, status, why, step_index=0, output=0, way=1, number=0, offset=0, length=0, pitch=0):
        body = struct.pack("<HBBIQQQ", step_index, output, way, number, offset, length, pitch)
        refused("result_" + name, status, why, run_body(CPU, SRC, MASK_AT, STEP, SUM, attr(21, BYTES, body)))

    for value in (1, 64, 65535):
        run("step_%d" % value, "BAD_REQUEST", "there is one step", step_index=value)
    for value in (1, 4, 255):
        run("output_%d" % value, "BAD_REQUEST", "correlate has one output", output=value)
    for value in (0, 4, 255):
        run("way_%d" % value, "BAD_REQUEST", "there is no way %d" % value, way=value)
    run("inline_id", "BAD_REQUEST", "inline data has no number", number=1)
    run("inline_offset", "BAD_REQUEST", "where inline results lie follows", offset=64)
    run("inline_length", "BAD_REQUEST", "how long inline results are follows", length=12)
    for value in (1, 3):
        run("pitch_%d" % value, "BAD_VIEW", "a row has 4 bytes", pitch=value)
    run("pitch_most", "TOO_LARGE", "a pitch over 2^40", pitch=(1 << 64) - 1)
    run("pitch_large", "TOO_LARGE", "inline results over max_inline", pitch=1 << 30)
    run("arena_unknown", "NO_SUCH_ARENA", "no arena was declared", way=2, number=9, length=12)
    run("arena_small", "OUTPUT_TOO_SMALL", "room for 11 of 12 bytes", way=2, number=9, length=11)
    run("arena_wraps", "BAD_REQUEST", "offset and length exceed 64 bits", way=2, number=9, offset=(1 << 64) - 4, length=12)
    run("handle_offset", "BAD_REQUEST", "a handle is made whole", way=3, number=1, offset=8)
    run("handle_length", "BAD_REQUEST", "a handle has no length", way=3, number=1, length=12)
    run("handle_pitch", "BAD_REQUEST", "a handle has rows without gaps", way=3, number=1, pitch=8)
    refused("result_record_short", "BAD_REQUEST", "RESULT of 24 bytes",
            run_body(CPU, SRC, MASK_AT, STEP, SUM, attr(21, BYTES, bytes(24))))
    refused("result_record_u64", "BAD_REQUEST", "RESULT as numbers",
            run_body(CPU, SRC, MASK_AT, STEP, SUM, attr(21, U64, bytes(32))))


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
        for some in (headers, kinds, hellos, attribute_faults, programs, views, steps, parameters, results, payloads,
                     resources, descriptors, ends):
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
