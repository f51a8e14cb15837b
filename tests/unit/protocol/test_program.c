/* SPDX-License-Identifier: MIT */
/* protocol/program: what gf_program_check completes, and every refusal with its status and message. */
#include "protocol/ops/program.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/ops/params/correlate.h"
#include "tests/support/programs.h"
#include "tests/unit/unit.h"

static struct gf_program *example(void)
{
    struct gf_program *p = malloc(sizeof *p);
    assert_non_null(p);
    gf_test_program_example(p);
    return p;
}

/* The example with its image in arena 7 at 128, its mask at 256 and its result at 512. */
static void into_arena(struct gf_program *p)
{
    p->operands[0].way = p->operands[1].way = p->results[0].way = GF_WAY_ARENA;
    p->operands[0].id = p->operands[1].id = p->results[0].id = 7;
    p->operands[0].offset = 128;
    p->operands[1].offset = 256;
    p->results[0].offset = 512;
    p->results[0].length = 12;
}

static void check_completes_the_program(void **state)
{
    UNUSED(state);
    struct gf_program *p = example();
    assert_int_equal(p->operands[0].offset, 0);
    assert_int_equal(p->operands[1].offset, 64);
    assert_int_equal(p->payload_in, 100);
    assert_int_equal(p->payload_out, 12);
    assert_int_equal(p->results[0].offset, 0);
    assert_int_equal(p->results[0].length, 12);
    assert_int_equal(p->results[0].view.dtype, GF_U8);
    assert_int_equal(p->results[0].view.width, 4);
    assert_int_equal(p->results[0].view.height, 3);
    assert_int_equal(p->results[0].view.pitch, 4);
    assert_int_equal(p->steps[0].out[0].width, 4);
    assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
    assert_int_equal(p->payload_in, 100);
    assert_ptr_equal(gf_program_input_view(p, p->steps[0].in[1]), &p->operands[1].view);
    assert_ptr_equal(gf_program_input_view(p, (struct gf_ref){.from = GF_FROM_STEP}), &p->steps[0].out[0]);
    free(p);
}

static void inline_results_follow_each_other_at_multiples_of_64(void **state)
{
    UNUSED(state);
    struct gf_program *p = example();
    p->n_results = 3;
    p->results[0].view.pitch = 40;
    p->results[1] = p->results[2] = (struct gf_result){.way = GF_WAY_INLINE};
    assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
    assert_int_equal(p->results[0].length, 84);
    assert_int_equal(p->results[1].offset, 128);
    assert_int_equal(p->results[1].length, 12);
    assert_int_equal(p->results[2].offset, 192);
    assert_int_equal(p->payload_out, 204);
    free(p);
}

static void steps_may_use_earlier_steps(void **state)
{
    UNUSED(state);
    struct gf_program *p = example();
    p->n_steps = 2;
    p->steps[1] = p->steps[0];
    p->steps[1].in[0] = (struct gf_ref){.from = GF_FROM_STEP, .index = 0};
    p->results[0].step = 1;
    assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
    p->steps[1].in[0].index = 1;
    struct gf_error err;
    assert_int_equal(gf_program_check(p, false, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "step 2 (correlate): src refers to step 2; allowed: earlier steps");
    p->steps[1].in[0] = (struct gf_ref){.from = GF_FROM_STEP, .output = 1, .index = 0};
    assert_int_equal(gf_program_check(p, false, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "step 2 (correlate): src refers to output 1 of step 1 (correlate), which has 1");
    p->steps[1].in[0].output = 0;
    p->steps[1].in[1] = (struct gf_ref){.from = GF_FROM_STEP, .index = 0};
    assert_int_equal(gf_program_check(p, false, &err), GF_E_UNSUPPORTED);
    assert_string_equal(err.text, "step 2 (correlate): mask refers to step 1 (correlate); it must be an operand");
    free(p);
}

static void arenas_and_handles_pass(void **state)
{
    UNUSED(state);
    struct gf_program *p = example();
    into_arena(p);
    assert_int_equal(gf_program_check(p, true, NULL), GF_OK);
    assert_int_equal(p->payload_in, 0);
    assert_int_equal(p->payload_out, 0);
    assert_int_equal(p->operands[1].offset, 256);
    assert_int_equal(p->results[0].offset, 512);
    p->operands[0] = (struct gf_operand){.way = GF_WAY_HANDLE, .id = 3, .view = p->operands[0].view};
    p->results[0] = (struct gf_result){.way = GF_WAY_HANDLE, .id = 4};
    assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
    free(p);
}

struct place_case {
    struct gf_view view;
    uint64_t offset;
    enum gf_status status;
    uint64_t x, y;
};

static void operands_lie_inside_their_buffer(void **state)
{
    UNUSED(state);
    /* A buffer of 10 x 6 pixels of three u16: pixels of 6, rows of 60 bytes. */
    const struct gf_view buffer = gf_view_tight(GF_U16, 10, 6, 3);
    static const struct place_case cases[] = {
        {{.dtype = GF_U16, .channels = 3, .width = 10, .height = 6, .pitch = 60}, 0, GF_OK, 0, 0},
        {{.dtype = GF_U16, .channels = 3, .width = 4, .height = 3, .pitch = 60}, 60 * 2 + 6 * 5, GF_OK, 5, 2},
        {{.dtype = GF_U16, .channels = 3, .width = 1, .height = 1, .pitch = 6}, 359 - 5, GF_OK, 9, 5},
        {{.dtype = GF_U16, .channels = 3, .width = 10, .height = 1, .pitch = 999}, 60, GF_OK, 0, 1},
        {{.dtype = GF_I16, .channels = 3, .width = 10, .height = 6, .pitch = 60}, 0, GF_E_BAD_DTYPE, 0, 0},
        {{.dtype = GF_U16, .channels = 1, .width = 10, .height = 6, .pitch = 60}, 0, GF_E_BAD_VIEW, 0, 0},
        {{.dtype = GF_U16, .channels = 3, .width = 4, .height = 3, .pitch = 24}, 0, GF_E_BAD_VIEW, 0, 0},
        {{.dtype = GF_U16, .channels = 3, .width = 4, .height = 3, .pitch = 60}, 2, GF_E_BAD_VIEW, 0, 0},
        {{.dtype = GF_U16, .channels = 3, .width = 10, .height = 1, .pitch = 60}, 6, GF_E_BAD_VIEW, 0, 0},
        {{.dtype = GF_U16, .channels = 3, .width = 10, .height = 6, .pitch = 60}, 60, GF_E_BAD_VIEW, 0, 0},
        {{.dtype = GF_U16, .channels = 3, .width = 1, .height = 1, .pitch = 6}, 360, GF_E_BAD_VIEW, 0, 0},
        {{.dtype = GF_U16, .channels = 3, .width = 1, .height = 1, .pitch = 6}, UINT64_MAX - 3, GF_E_BAD_VIEW, 0, 0},
        {{.dtype = GF_U16, .channels = 3, .width = 10, .height = UINT64_MAX, .pitch = 60}, 0, GF_E_BAD_VIEW, 0, 0},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_operand o = {.way = GF_WAY_HANDLE, .id = 3, .offset = cases[i].offset, .view = cases[i].view};
        uint64_t x = 0, y = 0;
        enum gf_status status = gf_operand_place(&o, &buffer, &x, &y, NULL);
        if (status != cases[i].status || x != cases[i].x || y != cases[i].y)
            fail_msg("case %zu: status %d, at %llu, %llu", i, (int)status, (unsigned long long)x,
                     (unsigned long long)y);
    }
    struct gf_operand o = {.id = 3, .offset = 60, .view = buffer};
    struct gf_error err;
    uint64_t x, y;
    assert_int_equal(gf_operand_place(&o, &buffer, &x, &y, &err), GF_E_BAD_VIEW);
    assert_string_equal(err.text,
                        "a view of handle 3 of 10x6x3 u16 at byte 60 with pitch 60 does not lie in its 10x6x3 u16 "
                        "with pitch 60");
}

static void touching_regions_are_no_overlap(void **state)
{
    UNUSED(state);
    struct gf_program *p = example();
    into_arena(p);
    p->results[0].offset = 140;
    assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
    p->results[0].offset = 116;
    assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
    p->results[0].offset = 139;
    struct gf_error err;
    assert_int_equal(gf_program_check(p, false, &err), GF_E_OVERLAP);
    assert_string_equal(err.text, "result 0 overlaps operand 0 in arena 7");
    p->results[0].id = 8;
    assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
    free(p);
}

static void results_of_one_program_must_not_overlap(void **state)
{
    UNUSED(state);
    struct gf_program *p = example();
    into_arena(p);
    p->n_results = 2;
    p->results[1] = p->results[0];
    p->results[1].offset = 516; /* between the rows of result 0 */
    p->results[1].view.pitch = p->results[0].view.pitch = 16;
    p->results[0].length = p->results[1].length = 36;
    struct gf_error err;
    assert_int_equal(gf_program_check(p, false, &err), GF_E_OVERLAP);
    assert_string_equal(err.text, "result 1 overlaps result 0 in arena 7");
    p->results[1].offset = 548;
    assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
    free(p);
}

static void small_results_say_what_is_needed(void **state)
{
    UNUSED(state);
    struct gf_program *p = example();
    into_arena(p);
    p->results[0].length = 11;
    struct gf_error err;
    assert_int_equal(gf_program_check(p, false, &err), GF_E_OUTPUT_TOO_SMALL);
    assert_int_equal(err.status, GF_E_OUTPUT_TOO_SMALL);
    assert_int_equal(err.needed, 12);
    assert_string_equal(err.text, "result 0: room for 11 bytes; needed: 12");
    assert_int_equal(gf_program_check(p, false, NULL), GF_E_OUTPUT_TOO_SMALL);
    free(p);
}

struct program_case {
    void (*change)(struct gf_program *p);
    enum gf_status status;
    const char *says;
};

#define CHANGE(name, ...)                                                                                              \
    static void name(struct gf_program *p)                                                                             \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* clang-format off */
CHANGE(no_device, p->device[0] = '\0';)
CHANGE(odd_device, strcpy(p->device, "cpu;ls");)
CHANGE(long_device, memset(p->device, 'a', sizeof p->device);)
CHANGE(no_steps, p->n_steps = 0;)
CHANGE(many_steps, p->n_steps = 65;)
CHANGE(no_results, p->n_results = 0;)
CHANGE(many_results, p->n_results = 65;)
CHANGE(many_operands, p->n_operands = 65;)
CHANGE(unused_operand, p->operands[2] = p->operands[1]; p->operands[2].offset = 128; p->n_operands = 3;)
CHANGE(bad_dtype, p->operands[0].view.dtype = 99;)
CHANGE(bad_channels, p->operands[0].view.channels = 5;)
CHANGE(empty_view, p->operands[0].view.width = 0;)
CHANGE(small_pitch, p->operands[0].view.pitch = 3;)
CHANGE(huge_view, p->operands[1].view.width = 1ull << 41;)
CHANGE(no_way, p->operands[0].way = 0;)
CHANGE(odd_way, p->operands[0].way = 4;)
CHANGE(short_operand, p->operands[0].length = 11;)
CHANGE(inline_id, p->operands[0].id = 1;)
CHANGE(moved_inline, p->operands[1].offset = 128;)
CHANGE(endless_inline, p->operands[0].length = UINT64_MAX - 10;)
CHANGE(odd_arena, into_arena(p); p->operands[1].offset = 258;)
CHANGE(endless_arena, into_arena(p); p->operands[0].offset = UINT64_MAX - 5;)
CHANGE(handle_length, p->operands[0].way = GF_WAY_HANDLE;)
CHANGE(no_operation, p->steps[0].op = NULL;)
CHANGE(no_such_operand, p->steps[0].in[0].index = 2;)
CHANGE(operand_output, p->steps[0].in[0].output = 1;)
CHANGE(mask_of_bytes, p->steps[0].in[1].index = 0;)
CHANGE(far_anchor, GF_SET_PARAM(&p->steps[0].params, correlate, anchor, (struct gf_u32v){2, {3, 0}});)
CHANGE(no_such_step, p->results[0].step = 1;)
CHANGE(no_such_output, p->results[0].output = 1;)
CHANGE(result_pitch, p->results[0].view.pitch = 3;)
CHANGE(far_result_pitch, p->results[0].view.pitch = (1ull << 40) + 1;)
CHANGE(result_way, p->results[0].way = 9;)
CHANGE(result_inline_id, p->results[0].id = 9;)
CHANGE(handle_mask, p->operands[1] = (struct gf_operand){.way = GF_WAY_HANDLE, .view = p->operands[1].view};)
CHANGE(result_handle, p->results[0].way = GF_WAY_HANDLE;)
CHANGE(result_handle_offset, p->results[0] = (struct gf_result){.way = GF_WAY_HANDLE, .offset = 4};)
CHANGE(result_handle_pitch, p->results[0] = (struct gf_result){.way = GF_WAY_HANDLE, .view.pitch = 8};)
CHANGE(endless_result, into_arena(p); p->results[0].offset = UINT64_MAX - 5;)
CHANGE(odd_result, into_arena(p); p->operands[0].view = gf_view_tight(GF_U16, 4, 3, 1); p->operands[0].length = 24;
       p->results[0].length = 24; p->results[0].offset = 513; p->results[0].view.pitch = 0;)
CHANGE(odd_result_pitch, odd_result(p); p->results[0].view.pitch = 9;)
/* clang-format on */

static void wrong_programs_are_refused(void **state)
{
    UNUSED(state);
    static const struct program_case cases[] = {
        {no_device, GF_E_BAD_REQUEST, "device name of 0 bytes; allowed: 1..64"},
        {odd_device, GF_E_BAD_REQUEST, "device name \"cpu;ls\"; allowed: letters"},
        {long_device, GF_E_BAD_REQUEST, "device name of 65 bytes"},
        {no_steps, GF_E_BAD_REQUEST, "program of 0 steps; allowed: 1..64"},
        {many_steps, GF_E_BAD_REQUEST, "program of 65 steps"},
        {no_results, GF_E_BAD_REQUEST, "program of 0 results; allowed: 1..64"},
        {many_results, GF_E_BAD_REQUEST, "program of 65 results"},
        {many_operands, GF_E_BAD_REQUEST, "program of 65 operands; allowed: 0..64"},
        {unused_operand, GF_E_BAD_REQUEST, "operand 2 is not used by any step"},
        {bad_dtype, GF_E_BAD_DTYPE, "operand 0"},
        {bad_channels, GF_E_BAD_VIEW, "operand 0"},
        {empty_view, GF_E_BAD_VIEW, "operand 0"},
        {small_pitch, GF_E_BAD_VIEW, "pitch=3"},
        {huge_view, GF_E_TOO_LARGE, "operand 1"},
        {no_way, GF_E_BAD_REQUEST, "operand 0: way=0; allowed: 1 (inline), 2 (arena), 3 (handle)"},
        {odd_way, GF_E_BAD_REQUEST, "operand 0: way=4"},
        {short_operand, GF_E_BAD_REQUEST, "operand 0: length=11 is less than the 12 bytes it spans"},
        {inline_id, GF_E_BAD_REQUEST, "operand 0: id=1; must be 0 for inline data"},
        {moved_inline, GF_E_BAD_REQUEST,
         "operand 1: offset=128; inline operands are placed at multiples of 64 in order, "
         "this one at 64"},
        {endless_inline, GF_E_TOO_LARGE, "operand 0: 18446744073709551605 inline bytes"},
        {odd_arena, GF_E_BAD_REQUEST, "operand 1: offset=258 is not a multiple of the 4 bytes of f32"},
        {endless_arena, GF_E_BAD_REQUEST, "operand 0: offset=18446744073709551610 and length=12 exceed 64 bits"},
        {handle_length, GF_E_BAD_REQUEST, "operand 0: length=12; must be 0 for a handle"},
        {handle_mask, GF_E_UNSUPPORTED, "step 1 (correlate): mask is a handle; it must be inline or in an arena"},
        {no_operation, GF_E_UNKNOWN_OP, "step 1 has no operation"},
        {no_such_operand, GF_E_BAD_REQUEST, "step 1 (correlate): src is output 0 of operand 2; there are 2 operands"},
        {operand_output, GF_E_BAD_REQUEST, "step 1 (correlate): src is output 1 of operand 0"},
        {mask_of_bytes, GF_E_BAD_DTYPE, "correlate: mask"},
        {far_anchor, GF_E_BAD_PARAM, "anchor"},
        {no_such_step, GF_E_BAD_REQUEST, "result 0 is of step 2, but the program has 1"},
        {no_such_output, GF_E_BAD_REQUEST, "result 0 is output 1 of step 1 (correlate), which has 1"},
        {result_pitch, GF_E_BAD_VIEW, "result 0: pitch=3 is less than a row of 4 bytes"},
        {far_result_pitch, GF_E_TOO_LARGE, "result 0"},
        {result_way, GF_E_BAD_REQUEST, "result 0: way=9"},
        {result_inline_id, GF_E_BAD_REQUEST, "result 0: id=9; must be 0 for inline data"},
        {result_handle, GF_E_BAD_REQUEST, "result 0: length=12; must be 0 for a handle"},
        {result_handle_offset, GF_E_BAD_REQUEST, "result 0: offset=4; must be 0 for a handle"},
        {result_handle_pitch, GF_E_BAD_REQUEST, "result 0: pitch=8; the rows of a handle must have no gaps"},
        {endless_result, GF_E_BAD_REQUEST, "result 0: offset=18446744073709551610 and length=12 exceed 64 bits"},
        {odd_result, GF_E_BAD_REQUEST, "result 0: offset=513 is not a multiple of the 2 bytes of u16"},
        {odd_result_pitch, GF_E_BAD_VIEW, "result 0: pitch=9"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_program *p = example();
        struct gf_error err = {.status = GF_OK};
        cases[i].change(p);
        enum gf_status status = gf_program_check(p, false, &err);
        if (status != cases[i].status || err.status != status || strstr(err.text, cases[i].says) == NULL)
            fail_msg("case %zu: status %d, \"%s\"; expected %d, \"%s\"", i, (int)status, err.text, (int)cases[i].status,
                     cases[i].says);
        free(p);
    }
}

static void errors_of_shapes_name_the_step_of_several(void **state)
{
    UNUSED(state);
    struct gf_program *p = example();
    struct gf_error err;
    p->n_steps = 2;
    p->steps[1] = p->steps[0];
    GF_SET_PARAM(&p->steps[1].params, correlate, anchor, (struct gf_u32v){2, {3, 0}});
    assert_int_equal(gf_program_check(p, false, &err), GF_E_BAD_PARAM);
    assert_ptr_equal(strstr(err.text, "step 2 (correlate): anchor"), err.text);
    p->steps[1].params = p->steps[0].params;
    p->steps[1].in[0] = (struct gf_ref){.from = GF_FROM_STEP, .index = 0};
    p->steps[1].in[1] = (struct gf_ref){.from = GF_FROM_OPERAND, .index = 0};
    assert_int_equal(gf_program_check(p, false, &err), GF_E_BAD_DTYPE);
    assert_ptr_equal(strstr(err.text, "step 2 (correlate): mask is u8; "), err.text);
    assert_non_null(strstr(err.text, "; src is the result of step 1 (correlate), 4x3x1 u8"));
    free(p);
}

static void random_programs_pass_again(void **state)
{
    UNUSED(state);
    struct gf_program *p = malloc(sizeof *p);
    assert_non_null(p);
    struct gf_prng prng = {.state = 11};
    for (int i = 0; i < 500; i++) {
        gf_test_program_random(&prng, p);
        uint64_t in = p->payload_in, out = p->payload_out;
        assert_int_equal(gf_program_check(p, false, NULL), GF_OK);
        assert_true(p->payload_in == in && p->payload_out == out);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_completes_the_program),
        cmocka_unit_test(inline_results_follow_each_other_at_multiples_of_64),
        cmocka_unit_test(steps_may_use_earlier_steps),
        cmocka_unit_test(arenas_and_handles_pass),
        cmocka_unit_test(operands_lie_inside_their_buffer),
        cmocka_unit_test(touching_regions_are_no_overlap),
        cmocka_unit_test(results_of_one_program_must_not_overlap),
        cmocka_unit_test(small_results_say_what_is_needed),
        cmocka_unit_test(wrong_programs_are_refused),
        cmocka_unit_test(errors_of_shapes_name_the_step_of_several),
        cmocka_unit_test(random_programs_pass_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
