# SPDX-License-Identifier: MIT
"""Malformed requests of kind RUN: the worked example of docs/protocol.md with one fault each. Used by make_frames.py,
whose refused() takes a name, the status of the answer, the reason, and the body and payload of the frame."""
from support import *  # noqa: F403

U8, I8, U16, I16, U32T, I32, U64T, I64, F32T, F64T = range(1, 11)
NAN, INF = float("nan"), float("inf")


def run_body(*attrs):
    return b"".join(attrs)


CPU = attr(11, STRING, "cpu")
SRC = operand(1, 0, 0, 12, view(U8, 1, 4, 3))
MASK_AT = operand(1, 0, 64, 36, view(F32T, 4, 3, 3))
STEP = step(CORRELATE, 2)
SUM = attr(0x1005, ENUM, 1)
RES = result()
DATA = PIXELS.ljust(64, b"\0") + MASK


def src_of(record):
    """The worked example with another record for its picture."""
    return run_body(CPU, attr(19, BYTES, record), MASK_AT, STEP, SUM, RES)


def record(way=1, zero=b"\0\0\0", number=0, offset=0, length=12, dtype=U8, channels=1, reserved=0, width=4, height=3,
           pitch=4):
    return (bytes([way]) + zero + struct.pack("<IQQ", number, offset, length)
            + struct.pack("<BBHIQQQ", dtype, channels, reserved & 0xffff, reserved >> 16, width, height, pitch))


def programs(refused):
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
    refused("run_keys", "BAD_REQUEST", "KEYS are for workers", run_body(CPU, *parts[1:],
                                                                      attr(47, BYTES, struct.pack("<4Q", 1, 2, 3, 0))))
    refused("run_keys_short", "BAD_REQUEST", "three keys and no user", run_body(CPU, *parts[1:],
                                                                         attr(47, BYTES, struct.pack("<3Q", 1, 2, 3))))
    refused("run_trace_2", "BAD_REQUEST", "TRACE is 0 or 1", run_body(CPU, attr(41, U32, 2), *parts[1:]))
    context = attr(59, BYTES, bytes(range(1, 25)))
    for name, why, *attributes in (("late", "TRACE_CONTEXT behind DEVICE", CPU, context),
                                   ("twice", "TRACE_CONTEXT twice", context, context),
                                   ("zeros", "no ids", attr(59, BYTES, bytes(24))),
                                   ("no_trace", "a trace of zeros", attr(59, BYTES, bytes(16) + b"\1" * 8)),
                                   ("no_span", "a span of zeros", attr(59, BYTES, b"\1" * 16 + bytes(8))),
                                   ("short", "23 bytes", attr(59, BYTES, b"\1" * 23)),
                                   ("long", "25 bytes", attr(59, BYTES, b"\1" * 25)),
                                   ("text", "a traceparent", attr(59, STRING, b"00-" + b"1" * 32 + b"-" + b"2" * 16 + b"-01"))):
        refused("run_context_" + name, "BAD_REQUEST", why, run_body(*attributes, *parts[1:]))
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


def views(refused):
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


def steps(refused):
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


def parameters(refused):
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


def results(refused):
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
