/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the source that the compiler of GPU kernels gets for an expression, or for an operator of reduce or
 * scan. A byte chooses which, more bytes the types and the sequences, then come the texts, each up to a null byte: the
 * expression and its parameters; or lift, combine, finish, identity and parameters. Whatever the texts are, the source
 * begins as every source does, and then has decimal numbers, words of our tables and templates, and punctuation alone;
 * its brackets match.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kernels/cuda/jit/compiler_msg.h"
#include "kernels/cuda/jit/insns.h"
#include "kernels/cuda/jit/lines.h"
#include "kernels/cuda/jit/spec.h"
#include "kernels/cuda/operator/operator_args.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/scan.h"

#define MAX_WORDS 512u
#define MAX_WORD 40u
#define MAX_DEPTH 64u

/* The words of the templates of source.c, operator_source.c and lines.c. */
static const char templates[] =
    "using namespace gf jit constexpr int n groups of_pixel __device__ __forceinline__ __noinline__ spot spot_of "
    "uint64_t "
    "row first g return lanes threadIdx blockIdx blockDim gridDim x y z extern C __global__ void __launch_bounds__ "
    "gf_expr_kernel const gf_cuda_expr_rows r constants k unit for rows first_place places bool whole if else out at "
    "load_pixels load_run load_end save_run save_end i j read static_cast place_at channel first_row store of words "
    "constant apart a b c uint32_t user operators expr made_constants struct made state sample result static each "
    "n_results unsigned kept_vectors at_once true false outcome v gf_cuda_operator_args args lifted place s p combined "
    "e "
    "l finished lift reinterpret_cast combine finish to o char none identity load room save word_of shuffle lane "
    "gf_shuffle shuffle_down d gf_shuffle_down shuffle_up gf_shuffle_up threads __grid_constant__ given "
    "gf_cuda_operator_level level columns along_rows exclusive reverse channels src_size src_pixel dst_size dst_pixel "
    "height offsets nullptr run_kernel";

static char words[MAX_WORDS][MAX_WORD];
static size_t n_words;

static void check(bool holds)
{
    if (!holds)
        abort();
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The characters of the word at `at`. In a number, as of the table of instructions, there may be a point. */
static size_t word_size(const char *at)
{
    size_t n = 0;
    while (is_word(at[n]) || (at[n] == '.' && is_digit(at[0])))
        n++;
    return n;
}

static int compare(const void *one, const void *other)
{
    return strcmp(one, other);
}

static void add_words(const char *text)
{
    while (*text != '\0') {
        size_t size = word_size(text);
        if (size == 0) {
            text++;
            continue;
        }
        check(size < MAX_WORD && n_words < MAX_WORDS);
        memcpy(words[n_words], text, size);
        words[n_words][size] = '\0';
        if (bsearch(words[n_words], words, n_words, MAX_WORD, compare) == NULL)
            qsort(words, ++n_words, MAX_WORD, compare);
        memset(words[n_words], 0, MAX_WORD);
        text += size;
    }
}

/* Collects the words that a source may have. */
static void learn(void)
{
    add_words(templates);
    for (uint32_t op = 1; op < GF_EXPR_N_INSNS; op++)
        if (gf_jit_insns[op].value != NULL)
            add_words(gf_jit_insns[op].value);
    for (uint32_t type = GF_EXPR_M_I32; type <= GF_EXPR_M_F64; type++)
        add_words(gf_jit_machine_types[type]);
    for (uint32_t dtype = GF_U8; gf_dtype_known(dtype); dtype++)
        add_words(gf_jit_sample_types[dtype]);
}

/* Whether the word is one of the sources' own: letters of a prefix, and a decimal number. */
static bool is_numbered(const char *word)
{
    static const char *const prefixes[] = {"", "v", "s", "far_", "gf_operator_kernel_"};
    for (size_t i = 0; i < GF_ARRAY_LEN(prefixes); i++) {
        size_t size = strlen(prefixes[i]);
        if (strncmp(word, prefixes[i], size) == 0 && is_digit(word[size]) &&
            word[size + strspn(word + size, "0123456789")] == '\0')
            return true;
    }
    return false;
}

static void check_word(const char *at, size_t size)
{
    char word[MAX_WORD] = "";
    check(size < MAX_WORD);
    memcpy(word, at, size);
    check(is_numbered(word) || bsearch(word, words, n_words, MAX_WORD, compare) != NULL);
}

/* The rest of the text if it begins with `what`, otherwise NULL. */
static const char *after(const char *text, const char *what)
{
    return strncmp(text, what, strlen(what)) == 0 ? text + strlen(what) : NULL;
}

static void check_source(const char *at, bool operators)
{
    char open[MAX_DEPTH];
    uint32_t depth = 0;
    check((at = after(at, gf_jit_prelude)) != NULL);
    if (operators)
        check((at = after(at, "#include \"kernels/cuda/operator/operator_kernels.cuh\"\n")) != NULL);
    while (*at != '\0') {
        const char *fixed = after(at, "#pragma unroll\n");
        fixed = fixed != NULL ? fixed : after(at, "extern \"C\" ");
        size_t size = word_size(at);
        if (fixed != NULL) {
            at = fixed;
        } else if (size > 0) {
            check_word(at, size);
            at += size;
        } else {
            static const char left[] = "({[", right[] = ")}]";
            const char *which = strchr(left, *at);
            check(strchr("({[)}]<>;,:=+-*/%&|^~!?. \n", *at) != NULL);
            if (which != NULL) {
                check(depth < MAX_DEPTH);
                open[depth++] = right[which - left];
            } else if (strchr(right, *at) != NULL)
                check(depth > 0 && open[--depth] == *at);
            at++;
        }
    }
    check(depth == 0);
}

static struct gf_text text_of(struct gf_input *in)
{
    const uint8_t *end = in->size > 0 ? memchr(in->data, 0, in->size) : NULL;
    size_t size, one;
    const uint8_t *chars = gf_input_bytes(in, end != NULL ? (size_t)(end - in->data) : in->size, &size);
    gf_input_bytes(in, 1, &one);
    return (struct gf_text){.size = (uint32_t)size, .chars = (const char *)chars};
}

static struct gf_jit_image image_of(struct gf_input *in)
{
    uint8_t byte = gf_input_byte(in);
    return (struct gf_jit_image){GF_U8 + byte % GF_F16, 1 + (byte >> 4) % GF_MAX_CHANNELS};
}

static void try_source(const struct gf_jit_spec *spec)
{
    static char text[GF_JIT_SOURCE_MAX];
    if (gf_jit_source(spec, text, sizeof text))
        check_source(text, spec->user != NULL);
}

static void try_expression(struct gf_input *in, struct gf_jit_spec *spec)
{
    static struct gf_expr expr;
    static struct gf_expr_program program;
    struct gf_expr_scope scope = {.what = "fuzz", .place = true};
    struct gf_error err;
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++) {
        scope.dtypes[i] = (uint8_t)spec->in[i].dtype;
        scope.channels[i] = (uint8_t)spec->in[i].channels;
    }
    const struct gf_text text = text_of(in), params = text_of(in);
    scope.params = params.chars;
    scope.params_size = params.size;
    if (gf_expr_parse(text.chars, text.size, &scope, &expr, &err) != GF_OK ||
        gf_expr_compile(&expr, 640, 480, &program, &err) != GF_OK)
        return;
    spec->program = &program;
    if (program.pixels)
        spec->out.channels = program.n_results;
    try_source(spec);
}

static void try_operator(struct gf_input *in, struct gf_jit_spec *spec, bool scan)
{
    static struct gf_operator_programs programs;
    struct gf_step step = {.op = gf_op_by_name(scan ? "scan" : "reduce")};
    const uint8_t flags = gf_input_byte(in);
    struct gf_jit_operator user = {.programs = &programs,
                                   .kernels = gf_input_below(in, 1u << GF_CUDA_OPERATOR_N_KERNELS),
                                   .kept_vectors = flags >> 6,
                                   .columns = (flags & 1) != 0,
                                   .along_rows = (flags & 2) != 0,
                                   .one_row = (flags & 4) != 0,
                                   .exclusive = (flags & 8) != 0,
                                   .reverse = (flags & 16) != 0,
                                   .segments = (flags & 32) != 0};
    const struct gf_text lift = text_of(in), combine = text_of(in), finish = text_of(in), identity = text_of(in),
                         set = text_of(in);
    const struct gf_view views[GF_MAX_INPUTS] = {gf_view_tight(spec->in[0].dtype, 640, 480, spec->in[0].channels)};
    struct gf_error err;
    gf_op_params_default(step.op, &step.params);
    if (scan) {
        struct gf_scan_params p = gf_scan_params_get(&step.params);
        p.op = GF_SCAN_USER;
        p.lift = lift, p.combine = combine, p.identity = identity, p.finish = finish, p.set = set;
        gf_scan_params_set(&step.params, &p);
    } else {
        struct gf_reduce_params p = gf_reduce_params_get(&step.params);
        p.op = GF_REDUCTION_USER;
        p.lift = lift, p.combine = combine, p.identity = identity, p.finish = finish, p.set = set;
        gf_reduce_params_set(&step.params, &p);
    }
    if (gf_operator_compile(&step, views, &programs, &err) != GF_OK)
        return;
    spec->user = &user;
    spec->out.channels = programs.pixels ? programs.finish.n_results : spec->in[0].channels;
    try_source(spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_input in = {data, size};
    struct gf_jit_spec spec = {.program = NULL};
    if (n_words == 0)
        learn();
    uint32_t kind = gf_input_below(&in, 3);
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        spec.in[i] = image_of(&in);
    spec.out = image_of(&in);
    if (kind == 0)
        try_expression(&in, &spec);
    else
        try_operator(&in, &spec, kind == 2);
    return 0;
}
