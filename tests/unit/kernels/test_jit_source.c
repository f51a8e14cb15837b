/* SPDX-License-Identifier: MIT */
/*
 * Sources of kernels: programs that differ only in constants share a source, and NVRTC compiles sources with every
 * instruction, every type of sample and every way to a sample. Prints "skipped" without NVRTC.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/jit/compile.h"
#include "kernels/cuda/jit/compiler.h"
#include "kernels/cuda/jit/compiler_msg.h"
#include "kernels/cuda/jit/insns.h"
#include "kernels/cuda/jit/nvrtc.h"
#include "kernels/cuda/jit/spec.h"
#include "kernels/cuda/operator/operator_args.h"
#include "protocol/base/dtype.h"
#include "tests/unit/unit.h"

#define WAIT_MS 600000 /* for a busy machine; the limit of the compiler's processor time is unchanged */

/* NVRTC is not our code and is the same in every build, so under a sanitizer only the making of sources is tested. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COMPILES false
#else
#define COMPILES true
#endif

static char g_text[GF_JIT_SOURCE_MAX], g_other[GF_JIT_SOURCE_MAX];
static struct gf_nvrtc g_nvrtc;

/* "a * 2" with this constant. */
static struct gf_expr_program product(float constant)
{
    struct gf_expr_program p = {.n_insns = 2, .n_registers = 2, .n_constants = 1, .n_results = 1, .inputs = 1};
    p.insns[0] = (struct gf_expr_insn){GF_EXPR_I_LOAD_F32, 0, {0, GF_EXPR_OWN_CHANNEL, 0}};
    p.insns[1] = (struct gf_expr_insn){GF_EXPR_I_MUL_F32, 1, {0, GF_EXPR_FIRST_CONSTANT, 0}};
    p.constants[0].f32 = constant;
    p.results[0] = 1;
    p.types[0] = GF_EXPR_M_F32;
    return p;
}

static bool same_key(const struct gf_jit_spec *a, const struct gf_jit_spec *b)
{
    static struct gf_jit_key one, other;
    gf_jit_key_of(a, &one);
    gf_jit_key_of(b, &other);
    return one.size == other.size && memcmp(one.bytes, other.bytes, one.size) == 0;
}

static void constants_are_no_part_of_a_kernel(void **state)
{
    (void)state;
    struct gf_expr_program one = product(2.0f), other = product(3.0f);
    struct gf_jit_spec a = {.program = &one, .in = {{GF_U8, 3}}, .out = {GF_U8, 3}}, b = a;
    b.program = &other;
    assert_true(same_key(&a, &b));
    assert_true(gf_jit_source(&a, g_text, sizeof(g_text)));
    assert_true(gf_jit_source(&b, g_other, sizeof(g_other)));
    assert_string_equal(g_text, g_other);
}

static void whatever_else_differs_is_another_kernel(void **state)
{
    (void)state;
    struct gf_expr_program one = product(2.0f), other = one;
    const struct gf_jit_spec a = {.program = &one, .in = {{GF_U8, 3}}, .out = {GF_U8, 3}};
    struct gf_jit_spec b = a;
    b.program = &other;
    assert_true(same_key(&a, &b));
    b.in[1] = (struct gf_jit_image){GF_F64, 4}; /* which it does not load */
    assert_true(same_key(&a, &b));
    b.in[0].dtype = GF_U16;
    assert_false(same_key(&a, &b));
    b = (struct gf_jit_spec){.program = &other, .in = {{GF_U8, 1}}, .out = {GF_U8, 3}};
    assert_false(same_key(&a, &b));
    b = (struct gf_jit_spec){.program = &other, .in = {{GF_U8, 3}}, .out = {GF_F32, 3}};
    assert_false(same_key(&a, &b));
    b.out.dtype = GF_U8;
    assert_true(same_key(&a, &b));
    other.insns[1].op = GF_EXPR_I_ADD_F32;
    assert_false(same_key(&a, &b));
    other = one;
    other.insns[1].in[1] = 0;
    assert_false(same_key(&a, &b));
    other = one;
    other.results[0] = 0;
    assert_false(same_key(&a, &b));
    other = one;
    other.pixels = true;
    assert_false(same_key(&a, &b));
}

static void layout_is(uint32_t in, uint32_t out, uint32_t places, uint32_t groups)
{
    struct gf_expr_program p = product(2.0f);
    const struct gf_jit_spec spec = {.program = &p, .in = {{in, 1}}, .out = {out, 1}};
    const struct gf_jit_layout layout = gf_jit_layout_of(&spec);
    assert_int_equal(layout.places, places);
    assert_int_equal(layout.groups, groups);
}

static void threads_move_sixteen_bytes(void **state)
{
    (void)state;
    layout_is(GF_U8, GF_I8, 16, 2);
    layout_is(GF_U8, GF_F16, 8, 2);
    layout_is(GF_F32, GF_U8, 4, 2);
    layout_is(GF_F32, GF_F32, 4, 2);
    layout_is(GF_F64, GF_F32, 4, 1);
}

static void a_source_has_to_fit(void **state)
{
    (void)state;
    struct gf_expr_program p = product(2.0f);
    const struct gf_jit_spec spec = {.program = &p, .in = {{GF_U8, 3}}, .out = {GF_U8, 3}};
    assert_true(gf_jit_source(&spec, g_text, sizeof(g_text)));
    size_t size = strlen(g_text) + 1;
    assert_true(gf_jit_source(&spec, g_text, size));
    for (size_t i = 1; i < size; i += 7)
        assert_false(gf_jit_source(&spec, g_text, i));
    p.insns[0] = (struct gf_expr_insn){GF_EXPR_I_PLACE_I32, 0, {GF_EXPR_INDEX, 0, 0}}; /* of reductions */
    assert_false(gf_jit_source(&spec, g_text, sizeof(g_text)));
}

/* "outer(inner(a, b), a)" of whole numbers. */
static void operand_is_apart(uint16_t inner, uint16_t outer, bool apart)
{
    struct gf_expr_program p = {.n_insns = 4, .n_registers = 4, .n_results = 1, .inputs = 3};
    const struct gf_jit_spec spec = {.program = &p, .in = {{GF_U8, 1}, {GF_I16, 1}}, .out = {GF_I16, 1}};
    p.insns[0] = (struct gf_expr_insn){GF_EXPR_I_LOAD_I32, 0, {0, GF_EXPR_OWN_CHANNEL, 0}};
    p.insns[1] = (struct gf_expr_insn){GF_EXPR_I_LOAD_I32, 1, {1, GF_EXPR_OWN_CHANNEL, 0}};
    p.insns[2] = (struct gf_expr_insn){inner, 2, {0, 1, 0}};
    p.insns[3] = (struct gf_expr_insn){outer, 3, {2, 0, 1}};
    p.results[0] = 3;
    p.types[0] = GF_EXPR_M_I32;
    assert_true(gf_jit_source(&spec, g_text, sizeof(g_text)));
    assert_int_equal(strstr(g_text, "gf::jit::apart(v2)") != NULL, apart);
    assert_null(strstr(g_text, "gf::jit::apart(v0)"));
}

static void extremes_of_extremes_are_apart(void **state)
{
    (void)state;
    operand_is_apart(GF_EXPR_I_MIN_I32, GF_EXPR_I_MIN_I32, true);
    operand_is_apart(GF_EXPR_I_MAX_I32, GF_EXPR_I_MAX_I32, true);
    operand_is_apart(GF_EXPR_I_SELECT_I32, GF_EXPR_I_MIN_I32, true);
    operand_is_apart(GF_EXPR_I_MAX_I32, GF_EXPR_I_SELECT_I32, true);
    operand_is_apart(GF_EXPR_I_MAX_I32, GF_EXPR_I_MIN_I32, false);
    operand_is_apart(GF_EXPR_I_ADD_I32, GF_EXPR_I_MIN_I32, false);
    operand_is_apart(GF_EXPR_I_MIN_I32, GF_EXPR_I_ADD_I32, false);
}

static void compiles(const struct gf_jit_spec *spec)
{
    struct gf_error err = {.text = ""};
    char *code = NULL;
    size_t size = 0;
    assert_true(gf_jit_source(spec, g_text, sizeof(g_text)));
    if (!COMPILES)
        return;
    if (gf_nvrtc_compile(&g_nvrtc, g_text, 90, &code, &size, &err) != GF_OK)
        fail_msg("%s\n%s", err.text, g_text);
    assert_in_range(size, 1000, GF_JIT_CODE_MAX);
    free(code);
}

static void needs_nvrtc(void)
{
    struct gf_error err = {.text = ""};
    if (COMPILES && !g_nvrtc.library && gf_nvrtc_open(&g_nvrtc, &err) != GF_OK) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
}

/* Types as registers: an input of each, loaded as that. */
static void begin(struct gf_expr_program *p, struct gf_jit_spec *spec)
{
    *p = (struct gf_expr_program){.n_results = 1, .inputs = 15, .n_constants = 1};
    *spec = (struct gf_jit_spec){
        .program = p, .in = {{GF_I32, 1}, {GF_I64, 1}, {GF_U64, 1}, {GF_F64, 1}}, .out = {GF_F64, 1}};
    const uint16_t loads[] = {[GF_EXPR_M_I32] = GF_EXPR_I_LOAD_I32,
                              [GF_EXPR_M_I64] = GF_EXPR_I_LOAD_I64,
                              [GF_EXPR_M_U64] = GF_EXPR_I_LOAD_U64,
                              [GF_EXPR_M_F32] = GF_EXPR_I_LOAD_F32,
                              [GF_EXPR_M_F64] = GF_EXPR_I_LOAD_F64};
    const uint8_t inputs[] = {0, 0, 1, 2, 3, 3};
    for (uint32_t t = GF_EXPR_M_I32; t <= GF_EXPR_M_F64; t++)
        p->insns[p->n_insns++] = (struct gf_expr_insn){loads[t], (uint8_t)t, {inputs[t], GF_EXPR_OWN_CHANNEL, 0}};
}

/* Each instruction with registers and with constants; a sum uses every value, so that no instruction is eliminated. */
static void every_instruction_compiles(void **state)
{
    (void)state;
    static const uint16_t to_f64[] = {[GF_EXPR_M_I32] = GF_EXPR_I_TO_F64_I32,
                                      [GF_EXPR_M_I64] = GF_EXPR_I_TO_F64_I64,
                                      [GF_EXPR_M_U64] = GF_EXPR_I_TO_F64_U64,
                                      [GF_EXPR_M_F32] = GF_EXPR_I_TO_F64_F32};
    struct gf_expr_program p;
    struct gf_jit_spec spec;
    needs_nvrtc();
    begin(&p, &spec);
    uint8_t sum = GF_EXPR_M_F64;
    for (uint32_t op = GF_EXPR_I_PLACE_F64 + 1; op < GF_EXPR_N_INSNS; op++) {
        const struct gf_jit_insn *info = &gf_jit_insns[op];
        struct gf_expr_insn insn = {(uint16_t)op, 10, {info->type, info->type, info->type}};
        assert_non_null(info->value);
        if (info->kind == GF_JIT_CHOICE)
            insn.in[0] = GF_EXPR_M_I32;
        else
            insn.in[info->n_in - 1] = op % 2 == 0 ? GF_EXPR_FIRST_CONSTANT : info->type;
        p.insns[p.n_insns++] = insn;
        if (info->result != GF_EXPR_M_F64)
            p.insns[p.n_insns++] = (struct gf_expr_insn){to_f64[info->result], 11, {10, 0, 0}};
        uint8_t next = sum == 12 ? 13 : 12;
        p.insns[p.n_insns++] =
            (struct gf_expr_insn){GF_EXPR_I_ADD_F64, next, {sum, info->result != GF_EXPR_M_F64 ? 11 : 10, 0}};
        sum = next;
        if (p.n_insns > 100 || op == GF_EXPR_N_INSNS - 1) {
            p.results[0] = sum;
            p.types[0] = GF_EXPR_M_F64;
            compiles(&spec);
            begin(&p, &spec);
            sum = GF_EXPR_M_F64;
        }
    }
}

/* Every type of sample as input and output, per channel and with one channel for all; coordinates, too. */
static void every_sample_compiles(void **state)
{
    (void)state;
    needs_nvrtc();
    for (uint32_t dtype = GF_U8; dtype <= GF_F16; dtype++)
        for (uint32_t channels = 1; channels <= 4; channels += 3) {
            struct gf_expr_program p = product(2.0f);
            const struct gf_jit_spec spec = {
                .program = &p, .in = {{dtype, channels}, {dtype, 1}}, .out = {GF_F16 + 1 - dtype, channels}};
            p.inputs = 3;
            p.insns[p.n_insns++] = (struct gf_expr_insn){GF_EXPR_I_LOAD_F32, 2, {1, GF_EXPR_OWN_CHANNEL, 0}};
            p.insns[p.n_insns++] = (struct gf_expr_insn){GF_EXPR_I_ADD_F32, 3, {1, 2, 0}};
            p.insns[p.n_insns++] = (struct gf_expr_insn){GF_EXPR_I_PLACE_F32, 4, {GF_EXPR_X, 0, 0}};
            p.insns[p.n_insns++] = (struct gf_expr_insn){GF_EXPR_I_PLACE_F32, 5, {GF_EXPR_Y, 0, 0}};
            p.insns[p.n_insns++] = (struct gf_expr_insn){GF_EXPR_I_PLACE_F32, 6, {GF_EXPR_CH, 0, 0}};
            p.insns[p.n_insns++] = (struct gf_expr_insn){GF_EXPR_I_FMA_F32, 7, {4, 5, 6}};
            p.insns[p.n_insns++] = (struct gf_expr_insn){GF_EXPR_I_ADD_F32, 8, {3, 7, 0}};
            p.results[0] = 8;
            compiles(&spec);
        }
}

/* Channels by name, for one to four results, of each machine type and of a constant. */
static void every_pixel_compiles(void **state)
{
    (void)state;
    needs_nvrtc();
    for (uint32_t channels = 1; channels <= 4; channels++)
        for (uint32_t results = 1; results <= 4; results++) {
            struct gf_expr_program p = product(2.0f);
            const struct gf_jit_spec spec = {
                .program = &p, .in = {{GF_U8 + 2 * (results - 1), channels}}, .out = {GF_U8 + channels, results}};
            p.pixels = true;
            p.n_results = results;
            p.insns[0].in[1] = (uint8_t)(channels - 1);
            for (uint32_t k = 1; k < results; k++) {
                p.insns[p.n_insns++] =
                    (struct gf_expr_insn){(uint16_t)(GF_EXPR_I_LOAD_I32 + k - 1), (uint8_t)(1 + k), {0, 0, 0}};
                p.results[k] = (uint8_t)(1 + k);
                p.types[k] = (uint8_t)(GF_EXPR_M_I32 + k - 1);
            }
            if (results == 4) {
                p.results[3] = GF_EXPR_FIRST_CONSTANT;
                p.types[3] = GF_EXPR_M_F32;
            }
            compiles(&spec);
        }
}

/* The longest possible program is compiled within the limits of the process. */
static void the_longest_program_compiles(void **state)
{
    (void)state;
    struct gf_jit_compiler compiler = {.program = "/proc/self/exe", .stop = -1, .timeout_ms = WAIT_MS};
    struct gf_jit_code code = {.data = NULL};
    struct gf_error err = {.text = ""};
    struct gf_expr_program p = product(2.0f);
    const struct gf_jit_spec spec = {.program = &p, .in = {{GF_U8, 3}}, .out = {GF_U8, 3}};
    needs_nvrtc();
    while (p.n_insns < GF_EXPR_INSNS) {
        uint8_t i = (uint8_t)(p.n_insns % 32);
        p.insns[p.n_insns++] = (struct gf_expr_insn){
            p.n_insns % 2 == 0 ? GF_EXPR_I_POW_F32 : GF_EXPR_I_ATAN2_F32, i, {(uint8_t)((i + 31) % 32), 0, 0}};
        p.insns[p.n_insns - 1].in[1] = i > 2 ? (uint8_t)(i - 2) : (uint8_t)1;
    }
    p.results[0] = (GF_EXPR_INSNS - 1) % 32;
    assert_true(gf_jit_source(&spec, g_text, sizeof(g_text)));
    if (!COMPILES)
        return;
    if (gf_jit_compile(&compiler, g_text, 90, &code, &err) != GF_JIT_COMPILED)
        fail_msg("%s", err.text);
    assert_int_equal(code.version, g_nvrtc.version);
    gf_jit_code_deinit(&code);
}

/* f64(a) as the state, "a0 + b0". */
static struct gf_operator_programs sums(void)
{
    struct gf_operator_programs p = {.n_state = 1, .machines = {GF_EXPR_M_F64}};
    p.lift = (struct gf_expr_program){.n_insns = 1, .n_results = 1, .types = {GF_EXPR_M_F64}, .inputs = 1};
    p.lift.insns[0] = (struct gf_expr_insn){GF_EXPR_I_LOAD_F64, 0, {0, GF_EXPR_OWN_CHANNEL, 0}};
    p.combine = (struct gf_expr_program){.n_insns = 1, .n_results = 1, .types = {GF_EXPR_M_F64}};
    p.combine.insns[0] = (struct gf_expr_insn){GF_EXPR_I_ADD_F64, 0, {0, GF_EXPR_MAX_STATE, 0}};
    p.finish = (struct gf_expr_program){.n_results = 1, .types = {GF_EXPR_M_F64}};
    return p;
}

#define ALL_KERNELS 0x3FFu
#define BIT(kernel) (1u << GF_CUDA_OPERATOR_##kernel)
#define OF_COLUMNS                                                                                                     \
    (BIT(FOLD_COLUMN_DATA) | BIT(FOLD_COLUMN_PARTS) | BIT(SCAN_COLUMN_TOTALS) | BIT(SCAN_COLUMN_PARTS) |               \
     BIT(SCAN_COLUMN_RESULTS))

static void operators_differ_by_their_sequences(void **state)
{
    (void)state;
    struct gf_operator_programs one = sums(), other = sums();
    struct gf_jit_operator user = {.programs = &one, .kernels = 6}, changed = user;
    const struct gf_jit_spec a = {.in = {{GF_F32, 1}}, .out = {GF_F64, 1}, .user = &user};
    struct gf_jit_spec b = a;
    b.user = &changed;
    changed.programs = &other;
    assert_true(same_key(&a, &b));
    other.combine.insns[0].op = GF_EXPR_I_MUL_F64;
    assert_false(same_key(&a, &b));
    changed = user;
    changed.reverse = true;
    assert_false(same_key(&a, &b));
    changed = user;
    changed.kernels = 2;
    assert_false(same_key(&a, &b));
    changed = user;
    changed.kept_vectors = 8;
    assert_false(same_key(&a, &b));
    struct gf_expr_program p = product(2.0f);
    b = (struct gf_jit_spec){.program = &p, .in = {{GF_F32, 1}}, .out = {GF_F64, 1}};
    assert_false(same_key(&a, &b));
}

static void every_kernel_of_operators_compiles(void **state)
{
    (void)state;
    needs_nvrtc();
    struct gf_operator_programs p = sums();
    for (uint32_t way = 0; way < 8; way++) {
        const struct gf_jit_operator user = {.programs = &p,
                                             .kernels = way == 1 ? OF_COLUMNS : ALL_KERNELS & ~OF_COLUMNS,
                                             .kept_vectors = way == 3 || way == 5 ? 8 : 0, /* of a row of f64 */
                                             .columns = way == 1,
                                             .along_rows = way == 2,
                                             .one_row = way == 3,
                                             .exclusive = way == 4,
                                             .reverse = way == 5,
                                             .segments = way == 6};
        p.pixels = p.lift.pixels = way == 7;
        const struct gf_jit_spec spec = {
            .in = {{way % 2 == 0 ? GF_U8 : GF_F64, 3}}, .out = {GF_F64, p.pixels ? 1 : 3}, .user = &user};
        compiles(&spec);
    }
}

static void the_longest_operator_compiles(void **state)
{
    (void)state;
    struct gf_jit_compiler compiler = {.program = "/proc/self/exe", .stop = -1, .timeout_ms = WAIT_MS};
    struct gf_jit_code code = {.data = NULL};
    struct gf_error err = {.text = ""};
    struct gf_operator_programs p = sums();
    const struct gf_jit_operator user = {.programs = &p, .kernels = 0x60};
    const struct gf_jit_spec spec = {.in = {{GF_U8, 1}}, .out = {GF_F64, 1}, .user = &user};
    needs_nvrtc();
    for (uint32_t i = 1; i < GF_EXPR_INSNS; i++) {
        const uint8_t dst = (uint8_t)(i % 32), from = (uint8_t)((i + 31) % 32);
        const uint16_t op = i % 2 == 0 ? GF_EXPR_I_POW_F64 : GF_EXPR_I_ATAN2_F64;
        p.lift.insns[i] = (struct gf_expr_insn){op, dst, {from, from, 0}};
        p.combine.insns[i] = (struct gf_expr_insn){op, dst, {from, i < 32 ? 0 : dst, 0}};
    }
    p.lift.n_insns = p.combine.n_insns = GF_EXPR_INSNS;
    p.lift.results[0] = p.combine.results[0] = (GF_EXPR_INSNS - 1) % 32;
    assert_true(gf_jit_source(&spec, g_text, sizeof(g_text)));
    if (!COMPILES)
        return;
    if (gf_jit_compile(&compiler, g_text, 90, &code, &err) != GF_JIT_COMPILED)
        fail_msg("%s", err.text);
    gf_jit_code_deinit(&code);
}

int main(int argc, char **argv)
{
    if (gf_jit_is_compiler(argc, argv))
        return gf_jit_compiler_main(WAIT_MS / 1000, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_no_part_of_a_kernel),
        cmocka_unit_test(whatever_else_differs_is_another_kernel),
        cmocka_unit_test(threads_move_sixteen_bytes),
        cmocka_unit_test(a_source_has_to_fit),
        cmocka_unit_test(extremes_of_extremes_are_apart),
        cmocka_unit_test(every_instruction_compiles),
        cmocka_unit_test(every_sample_compiles),
        cmocka_unit_test(every_pixel_compiles),
        cmocka_unit_test(the_longest_program_compiles),
        cmocka_unit_test(operators_differ_by_their_sequences),
        cmocka_unit_test(every_kernel_of_operators_compiles),
        cmocka_unit_test(the_longest_operator_compiles),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gf_nvrtc_close(&g_nvrtc);
    return failed;
}
