/* SPDX-License-Identifier: MIT */
/*
 * Build tool: prints text from the protocol's tables. `gen_ops codes.h`, `gen_ops ops.h` and `gen_ops filter.h` etc.,
 * one for each family of operations, print public headers, `gen_ops ops.c` the functions and tables behind them,
 * `gen_ops operations` and `gen_ops parameters` tables of docs/protocol.md.
 */
#include <ctype.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/base/status.h"
#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_table.h"
#include "protocol/wire/frame.h"

#define MAX_STATUS 256 /* no number of status.def is above */

/* "abs-sum" as "ABS_SUM". */
static const char *upper(const char *word, char *text, size_t size)
{
    size_t i = 0;
    for (; word[i] != '\0' && i + 1 < size; i++)
        text[i] = isalnum((unsigned char)word[i]) ? (char)toupper((unsigned char)word[i]) : '_';
    text[i] = '\0';
    return text;
}

static void print_title(const char *title)
{
    printf("/* SPDX-License-Identifier: MIT */\n"
           "/*\n * %s\n * Printed by client/tools/gen_ops.c from the tables in protocol/; do not edit.\n */\n",
           title);
}

static void print_head(const char *title, const char *guard)
{
    print_title(title);
    printf("#ifndef %s\n#define %s\n\n", guard, guard);
}

/* Statuses: "GPUFILTER_OK", then "GPUFILTER_E_..." with the table's numbers. */
static void print_statuses(void)
{
    puts("/* What calls return. Below 64: the daemon's answer to one request. 64 to 95: the daemon ended the\n"
         " * connection. From 96: found by a library. Numbers are never reused. */\n"
         "enum gpufilter_status {");
    for (uint32_t i = 0; i < MAX_STATUS; i++)
        if (gf_status_known(i))
            printf("    GPUFILTER_%s%s = %u, /* %s */\n", i == GF_OK ? "" : "E_", gf_status_name(i), i,
                   gf_status_text(i));
    puts("};\n");
}

static void print_dtypes(void)
{
    char text[32];
    puts("/* Types of samples and elements. */\nenum gpufilter_dtype {");
    for (uint32_t i = 1; i < 32; i++)
        if (gf_dtype_known(i))
            printf("    GPUFILTER_%s = %u,\n", upper(gf_dtype_word(i), text, sizeof(text)), i);
    puts("};\n");
}

static void print_enum(uint32_t e)
{
    char name[32], word[32];
    printf("/* %c%s. */\nenum gpufilter_%s {\n", toupper((unsigned char)gf_enum_help(e)[0]), gf_enum_help(e) + 1,
           gf_enum_name(e));
    upper(gf_enum_name(e), name, sizeof(name));
    for (size_t i = 0; i < gf_n_words; i++)
        if (gf_words[i].e == e && !gf_words[i].is_alias)
            printf("    GPUFILTER_%s_%s = %u, /* %s */\n", name, upper(gf_words[i].word, word, sizeof(word)),
                   gf_words[i].number, gf_word_help(&gf_words[i]));
    puts("};\n");
}

static void print_ids(void)
{
    char name[64];
    puts("/* Operations. */\nenum gpufilter_op {");
    for (size_t i = 0; i < GF_N_OPS; i++)
        printf("    GPUFILTER_OP_%s = 0x%04x, /* %s */\n", upper(gf_ops[i].name, name, sizeof(name)), gf_ops[i].id,
               gf_help_text(gf_ops[i].help));
    puts("};\n");
}

/* The version of these headers, for #if. */
static void print_version(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    sscanf(GF_SOFTWARE_VERSION, "%u.%u.%u", &major, &minor, &patch);
    printf("/* Version of these headers: \"%u.%u.%u\". gpufilter_version() is that of the library. */\n"
           "#define GPUFILTER_VERSION_MAJOR %u\n#define GPUFILTER_VERSION_MINOR %u\n"
           "#define GPUFILTER_VERSION_PATCH %u\n"
           "#define GPUFILTER_VERSION_NUMBER(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))\n"
           "#define GPUFILTER_VERSION GPUFILTER_VERSION_NUMBER(%u, %u, %u)\n\n",
           major, minor, patch, major, minor, patch, major, minor, patch);
}

static void print_codes(void)
{
    print_head("Every number of the interface: statuses, types, words of enum parameters, operations.",
               "GPUFILTER_CODES_H");
    print_version();
    puts("/* clang-format off */\n");
    print_statuses();
    print_dtypes();
    for (uint32_t e = GF_ENUM_NONE + 1; e < GF_N_ENUMS; e++)
        print_enum(e);
    print_ids();
    puts("/* clang-format on */\n\n#endif");
}

/* A number as people write it. */
static const char *number(const struct gf_param_desc *p, double value, char *text, size_t size)
{
    return p->kind == GF_PARAM_F32 ? gf_text_from_f32((float)value, text, size) : gf_text_from_f64(value, text, size);
}

/* A value as C text of its parameter's type. */
static const char *literal(const struct gf_param_desc *p, double value, char *text, size_t size)
{
    char word[32], name[32];
    if (p->kind == GF_PARAM_ENUM) {
        snprintf(text, size, "GPUFILTER_%s_%s", upper(gf_enum_name(p->e), name, sizeof(name)),
                 upper(gf_enum_word(p->e, (uint32_t)value), word, sizeof(word)));
    } else if (p->kind == GF_PARAM_U32) {
        snprintf(text, size, "%u", (uint32_t)value);
    } else {
        number(p, value, text, size);
        gf_text_append(text, size, "%s%s", strpbrk(text, ".e") == NULL ? ".0" : "", p->kind == GF_PARAM_F32 ? "f" : "");
    }
    return text;
}

/* The mark of an entry of a list that is not set. */
static const char *unset(const struct gf_param_desc *p)
{
    return p->kind == GF_PARAM_F64   ? "GPUFILTER_UNSET_F64"
           : p->kind == GF_PARAM_F32 ? "GPUFILTER_UNSET_F32"
                                     : "GPUFILTER_UNSET_U32";
}

/* A list of one value at most stands in the struct as a plain member, unset while it is not given. */
static bool is_single(const struct gf_param_desc *p)
{
    return p->vector && p->max == 1;
}

/* Whether a single value has a mark for "not given": alpha, which then follows from the data. */
static bool has_mark(const struct gf_param_desc *p)
{
    return is_single(p) || (p->kind == GF_PARAM_ENUM && p->e == GF_ENUM_ALPHA);
}

/* The comment of a member: help, range, default. */
static void print_member_comment(const struct gf_param_desc *p)
{
    char lo[96], hi[96], def[96], words[128];
    const char *help = gf_help_text(p->help);
    printf("    /* %c%s", toupper((unsigned char)help[0]), help + 1);
    if (p->kind == GF_PARAM_TEXT)
        printf("; at most %u characters. NULL or \"\": not given", p->max);
    else if (p->kind == GF_PARAM_ENUM)
        printf("; enum gpufilter_%s%s%s", gf_enum_name(p->e), p->words ? ": " : "",
               p->words ? gf_enum_choices(p->e, p->words, words, sizeof(words)) : "");
    else if (p->kind != GF_PARAM_U32 && p->lo <= -(double)FLT_MAX)
        printf("; finite");
    else if (p->kind != GF_PARAM_U32 && p->hi >= (double)FLT_MAX)
        printf("; %s or more", number(p, p->lo, lo, sizeof(lo)));
    else
        printf("; %s..%s", number(p, p->lo, lo, sizeof(lo)), number(p, p->hi, hi, sizeof(hi)));
    if (p->kind == GF_PARAM_ENUM && p->e == GF_ENUM_ALPHA)
        printf(". Default %s: by gpufilter_view.alpha", unset(p));
    else if (is_single(p) && p->n_def == 0)
        printf(". Default %s: not given", unset(p));
    else if (p->n_def > 0 && p->kind != GF_PARAM_ENUM)
        printf(". Default %s", number(p, p->def, def, sizeof(def)));
    else if (p->n_def > 0)
        printf(". Default %s", literal(p, p->def, def, sizeof(def)));
    puts(". */");
}

static const char *type_of(const struct gf_param_desc *p)
{
    return p->kind == GF_PARAM_TEXT  ? "const char *"
           : p->kind == GF_PARAM_F32 ? "float "
           : p->kind == GF_PARAM_F64 ? "double "
                                     : "uint32_t ";
}

/* Parameters are the last members, so that one that is added becomes the end of the struct. An optional input or an
 * output that an operation gets after a release must be printed behind its parameters. */
static void print_struct(const struct gf_op *op)
{
    char name[64];
    printf("/* Parameters of %s. Begin with GPUFILTER_%s_INIT. */\n"
           "typedef struct gpufilter_%s_params {\n    uint32_t struct_size;\n    uint32_t operation; /* "
           "GPUFILTER_OP_%s */\n",
           op->name, upper(op->name, name, sizeof(name)), op->name, name);
    for (size_t i = op->n_required; i < op->n_inputs; i++)
        printf("    const gpufilter_view *%s; /* %s; NULL: left out */\n", op->inputs[i].name,
               gf_help_text(op->inputs[i].help));
    for (size_t i = 1; i < op->n_outputs; i++)
        printf("    gpufilter_view *ret_%s; /* output: %s; NULL: not wanted */\n", op->outputs[i].name,
               gf_help_text(op->outputs[i].help));
    for (size_t i = 0; i < op->n_params; i++) {
        const struct gf_param_desc *p = &op->params[i];
        print_member_comment(p);
        if (p->kind != GF_PARAM_TEXT && p->vector && !is_single(p))
            printf("    %s%s[%u];\n", type_of(p), p->name, gf_op_param_room(p));
        else
            printf("    %s%s;\n", type_of(p), p->name);
    }
    printf("} gpufilter_%s_params;\n\n", op->name);
}

/* Bytes of a struct up to the end of its last member, in C: a later member may lie in the padding behind that. */
static void print_size(const struct gf_op *op)
{
    const bool has_views = op->n_inputs > op->n_required || op->n_outputs > 1;
    const struct gf_param_desc *p = op->n_params > 0 ? &op->params[op->n_params - 1] : NULL;
    const char *last = p != NULL           ? p->name
                       : op->n_outputs > 1 ? op->outputs[op->n_outputs - 1].name
                       : has_views         ? op->inputs[op->n_inputs - 1].name
                                           : "operation";
    printf("offsetof(gpufilter_%s_params, %s%s) + ", op->name, p == NULL && op->n_outputs > 1 ? "ret_" : "", last);
    if (p != NULL && p->kind != GF_PARAM_TEXT && p->vector && !is_single(p))
        printf("%u * ", gf_op_param_room(p));
    printf("sizeof(%s)", p == NULL                  ? (has_views ? "void *" : "uint32_t")
                         : p->kind == GF_PARAM_TEXT ? "void *"
                         : p->kind == GF_PARAM_F64  ? "double"
                         : p->kind == GF_PARAM_F32  ? "float"
                                                    : "uint32_t");
}

static void print_init(const struct gf_op *op)
{
    char name[64], value[96];
    upper(op->name, name, sizeof(name));
    printf("#define GPUFILTER_%s_INIT \\\n    { \\\n        ", name);
    print_size(op);
    printf(", GPUFILTER_OP_%s", name);
    for (size_t i = op->n_required + 1; i < op->n_inputs + op->n_outputs; i++)
        printf(", \\\n        NULL");
    for (size_t i = 0; i < op->n_params; i++) {
        const struct gf_param_desc *p = &op->params[i];
        printf(", \\\n        ");
        if (p->kind == GF_PARAM_TEXT) {
            printf("NULL");
            continue;
        }
        literal(p, p->def, value, sizeof(value));
        bool marked = p->kind == GF_PARAM_ENUM ? has_mark(p) : is_single(p) && p->n_def == 0;
        if (!p->vector || is_single(p)) {
            printf("%s", marked ? unset(p) : value);
            continue;
        }
        for (unsigned k = 0; k < gf_op_param_room(p); k++)
            printf("%s%s", k > 0 ? ", " : "{", k < p->n_def ? value : unset(p));
        printf("}");
    }
    puts(" \\\n    }\n");
}

/* What a function takes and gives, from the descriptor. */
static void print_contract(const struct gf_op *op)
{
    static const char *const shapes[] = {[GF_SHAPE_SAME_SHAPE] = ", its shape",
                                         [GF_SHAPE_FILTER] = ", its shape, or less by the mask with size VALID",
                                         [GF_SHAPE_BRIGHTNESS] =
                                             ", its shape, with channels LUMA one channel for its colours",
                                         [GF_SHAPE_CHANNELS] = ", its width and height",
                                         [GF_SHAPE_OWN] = "",
                                         [GF_SHAPE_TABLE] = "",
                                         [GF_SHAPE_COUNTED] = ""};
    char set[GF_DTYPES_TEXT];
    printf("/* %s; numerics.md of gpufilterd-doc has the formula.\n", gf_help_text(op->help));
    for (size_t i = 0; i < op->n_inputs; i++)
        printf(" * %s%s: %s; %s%s.\n", op->inputs[i].optional ? "params->" : "", op->inputs[i].name,
               gf_help_text(op->inputs[i].help), gf_dtype_set_text(op->inputs[i].dtypes, set, sizeof(set)),
               op->inputs[i].kind == GF_INPUT_LIST ? ", one row, one channel"
               : op->inputs[i].kind == GF_INPUT_COEFS || op->inputs[i].kind == GF_INPUT_MATRIX ? ", one channel"
                                                                                               : ", 1 to 4 channels");
    for (size_t i = 0; i < op->n_outputs; i++) {
        printf(" * %s%s: %s", i > 0 ? "params->ret_" : "", op->outputs[i].name, gf_help_text(op->outputs[i].help));
        if (op->outputs[i].dtype == GF_RULE_SAME_DTYPE)
            printf("; type of %s", op->inputs[0].name);
        printf("%s; data NULL: allocated by the library%s.\n", shapes[op->outputs[i].shape],
               op->n_outputs > 1 ? "; NULL: not wanted" : "");
    }
    puts(" * params: NULL takes every default. call, errors and err: as gpufilter_run. */");
}

static void print_prototype(const struct gf_op *op)
{
    printf("int gpufilter_%s(gpufilter_client *client,", op->name);
    for (size_t i = 0; i < op->n_required; i++)
        printf(" const gpufilter_view *%s,", op->inputs[i].name);
    printf(" gpufilter_view *%s,\n    const gpufilter_%s_params *params, const gpufilter_call *call, "
           "gpufilter_error *err)",
           op->outputs[0].name, op->name);
}

static void print_function(const struct gf_op *op)
{
    char name[64];
    printf("__attribute__((visibility(\"default\"))) ");
    print_prototype(op);
    printf("\n{\n    const gpufilter_view *const inputs[] = {");
    for (size_t i = 0; i < op->n_required; i++)
        printf("%s%s", i > 0 ? ", " : "", op->inputs[i].name);
    printf("};\n    return gf_run_operation(client, GPUFILTER_OP_%s, inputs, %s, params, call, err);\n}\n\n",
           upper(op->name, name, sizeof(name)), op->outputs[0].name);
}

/* The tables of client/lib/params.h. */
static void print_layouts(void)
{
    size_t first = 0;
    puts("const struct gf_params_layout gf_params_layouts[GF_N_OPS] = {");
    for (size_t i = 0; i < GF_N_OPS; i++) {
        const struct gf_op *op = &gf_ops[i];
        printf("    {");
        print_size(op);
        printf(", %zu},\n", first);
        first += op->n_params + op->n_inputs - op->n_required + op->n_outputs - 1;
    }
    puts("};\n\nconst uint16_t gf_params_offsets[] = {");
    for (size_t i = 0; i < GF_N_OPS; i++) {
        const struct gf_op *op = &gf_ops[i];
        for (size_t k = 0; k < op->n_params; k++)
            printf("    offsetof(gpufilter_%s_params, %s),\n", op->name, op->params[k].name);
        for (size_t k = op->n_required; k < op->n_inputs; k++)
            printf("    offsetof(gpufilter_%s_params, %s),\n", op->name, op->inputs[k].name);
        for (size_t k = 1; k < op->n_outputs; k++)
            printf("    offsetof(gpufilter_%s_params, ret_%s),\n", op->name, op->outputs[k].name);
    }
    puts("};\n");
}

/* The header of one family. */
static void print_family(uint32_t family)
{
    char guard[64], name[32];
    snprintf(guard, sizeof(guard), "GPUFILTER_OPS_%s_H", upper(gf_op_family_name(family), name, sizeof(name)));
    print_head("Operations of one family; see gpufilter/ops.h.", guard);
    puts("#include \"../client.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n/* clang-format off */\n");
    for (size_t i = 0; i < GF_N_OPS; i++) {
        if (gf_ops[i].family != family)
            continue;
        print_struct(&gf_ops[i]);
        print_init(&gf_ops[i]);
        print_contract(&gf_ops[i]);
        print_prototype(&gf_ops[i]);
        puts(";\n");
    }
    puts("/* clang-format on */\n\n#ifdef __cplusplus\n}\n#endif\n#endif");
}

static void print_ops_header(void)
{
    print_head(
        "One parameter struct and one function per operation, by family.\n"
        " * Required inputs and the first output are arguments; optional inputs, further outputs and parameters\n"
        " * are members of the struct, whose macro GPUFILTER_..._INIT sets every default. Lists (sigma,\n"
        " * border_value, ...) have as many values as are set, from the first on; the macros leave the others\n"
        " * GPUFILTER_UNSET_F32, GPUFILTER_UNSET_F64 or GPUFILTER_UNSET_U32. Lists with a value for each axis\n"
        " * have room for a third one, which no operation takes in this version. Texts are read while the call\n"
        " * runs. A required view that is NULL is refused (BAD_ARGUMENT). A struct is also a step of a program,\n"
        " * see gpufilter_step.",
        "GPUFILTER_OPS_H");
    for (uint32_t f = 1; f < GF_N_OP_FAMILIES; f++)
        printf("#include \"ops/%s.h\"\n", gf_op_family_name(f));
    puts("\n#endif");
}

/* A C++ function, in the namespace ops: required inputs and parameters, which have the optional inputs; it returns the
 * first output. Further outputs are views in params, as in C. */
static void print_cpp_function(const struct gf_op *op)
{
    char name[64];
    upper(op->name, name, sizeof(name));
    printf("/* %s; see gpufilter_%s. */\ninline buffer %s(const client &client", gf_help_text(op->help), op->name,
           op->name);
    for (size_t i = 0; i < op->n_required; i++)
        printf(", const gpufilter_view &%s", op->inputs[i].name);
    printf(",\n    const gpufilter_%s_params &params = GPUFILTER_%s_INIT, const gpufilter_call *call = nullptr)\n{\n"
           "    gpufilter_view made{};\n    gpufilter_error why;\n    check(gpufilter_%s(client.get(), ",
           op->name, name, op->name);
    for (size_t i = 0; i < op->n_required; i++)
        printf("&%s, ", op->inputs[i].name);
    puts("&made, &params, call, &why), why);\n    return client.own(made);\n}\n");
}

static void print_cpp_header(void)
{
    print_head("A C++17 function per operation, over gpufilter/ops.h.\n"
               " * Each returns its first output. Further outputs are views in params; client::own frees their memory.",
               "GPUFILTER_OPS_HPP");
    puts("#include \"client.hpp\"\n#include \"ops.h\"\n\n/* clang-format off */\n\nnamespace gpufilter::ops\n{\n");
    for (size_t i = 0; i < GF_N_OPS; i++)
        print_cpp_function(&gf_ops[i]);
    puts("} // namespace gpufilter::ops\n\n/* clang-format on */\n#endif");
}

static void print_ops_source(void)
{
    print_title("The functions of gpufilter/ops.h, and the layouts of its structs.");
    puts("#include \"client/include/gpufilter/ops.h\"\n\n#include <stddef.h>\n\n#include \"client/lib/call.h\"\n"
         "#include \"client/lib/params.h\"\n");
    print_layouts();
    for (size_t i = 0; i < GF_N_OPS; i++)
        print_function(&gf_ops[i]);
}

/* The family of a header's name, "filter.h"; 0 for any other name. */
static uint32_t family_of(const char *file)
{
    char name[32];
    for (uint32_t f = 1; f < GF_N_OP_FAMILIES; f++) {
        snprintf(name, sizeof(name), "%s.h", gf_op_family_name(f));
        if (strcmp(name, file) == 0)
            return f;
    }
    return 0;
}

/* A row of the table of operations. */
static void print_operation(const struct gf_op *op)
{
    static const char *const kinds[] = {[GF_INPUT_IMAGE] = "picture",
                                        [GF_INPUT_COEFS] = "up to 255×255 numbers",
                                        [GF_INPUT_BUFFER] = "picture or array",
                                        [GF_INPUT_LIST] = "row of numbers",
                                        [GF_INPUT_MATRIX] = "array of one channel"};
    static const char *const shapes[] = {[GF_SHAPE_SAME_SHAPE] = "the shape of src",
                                         [GF_SHAPE_FILTER] = "the shape of src, smaller with size=valid",
                                         [GF_SHAPE_BRIGHTNESS] =
                                             "the shape of src, one channel for its colours with channels=luma",
                                         [GF_SHAPE_CHANNELS] = "the shape of src but for channels",
                                         [GF_SHAPE_OWN] = NULL,
                                         [GF_SHAPE_TABLE] = NULL,
                                         [GF_SHAPE_COUNTED] = NULL};
    static const char *const dtypes[] = {[GF_RULE_SAME_DTYPE] = ", its dtype",
                                         [GF_RULE_OWN] = "",
                                         [GF_RULE_PARAM_DTYPE] = ", its dtype or that of parameter dtype",
                                         [GF_RULE_PARAM_DTYPE_F32] = ", f32 or the dtype of parameter dtype"};
    char set[GF_DTYPES_TEXT];
    printf("| 0x%04x | %s | ", op->id, op->name);
    for (size_t i = 0; i < op->n_inputs; i++)
        printf("%s%s: %s of %s%s", i > 0 ? "; " : "", op->inputs[i].name, kinds[op->inputs[i].kind],
               op->inputs[i].dtypes == GF_DT_ALL   ? "any dtype"
               : op->inputs[i].dtypes == GF_DT_ANY ? "any dtype but f16"
                                                   : gf_dtype_set_text(op->inputs[i].dtypes, set, sizeof(set)),
               op->inputs[i].optional ? ", may be left out" : "");
    printf(" | ");
    for (size_t i = 0; i < op->n_outputs; i++) {
        const struct gf_output_desc *out = &op->outputs[i];
        printf("%s%s: %s%s", i > 0 ? "; " : "", out->name,
               shapes[out->shape] ? shapes[out->shape] : gf_help_text(out->help),
               shapes[out->shape] ? dtypes[out->dtype] : "");
    }
    puts(" |");
}

static void print_operations(void)
{
    puts("| op id | name | inputs | outputs |\n| --- | --- | --- | --- |");
    for (size_t i = 0; i < GF_N_OPS; i++)
        print_operation(&gf_ops[i]);
}

/* A row of the table of parameters. */
static void print_parameter(const struct gf_op *op, const struct gf_param_desc *p)
{
    static const char *const kinds[] = {[GF_PARAM_U32] = "u32",
                                        [GF_PARAM_F32] = "f32",
                                        [GF_PARAM_F64] = "f64",
                                        [GF_PARAM_ENUM] = "enum ",
                                        [GF_PARAM_TEXT] = "string"};
    const double max = p->kind == GF_PARAM_F32 ? (double)FLT_MAX : DBL_MAX;
    const bool is_enum = p->kind == GF_PARAM_ENUM;
    char lo[GF_NUMBER_TEXT], hi[GF_NUMBER_TEXT], range[128] = "a word", def[80] = "none", values[16] = "1";
    if (p->max > 1 && p->kind != GF_PARAM_TEXT) /* all or none where there is no default */
        snprintf(values, sizeof(values), p->n_def == 0 ? "%u" : "1-%u", p->max);
    if (p->kind == GF_PARAM_TEXT)
        snprintf(range, sizeof(range), "up to %u bytes, 0x20..0x7e", p->max);
    else if (p->kind != GF_PARAM_U32 && p->lo <= -max && p->hi >= max)
        snprintf(range, sizeof(range), "finite");
    else if (p->kind != GF_PARAM_U32 && p->hi >= max)
        snprintf(range, sizeof(range), "%s or more", number(p, p->lo, lo, sizeof(lo)));
    else if (is_enum && p->words != 0)
        gf_enum_choices(p->e, p->words, range, sizeof(range));
    else if (!is_enum)
        snprintf(range, sizeof(range), "%s..%s", number(p, p->lo, lo, sizeof(lo)), number(p, p->hi, hi, sizeof(hi)));
    if (p->n_def > 0 && is_enum)
        snprintf(def, sizeof(def), "%s", gf_enum_word(p->e, (uint32_t)p->def));
    else if (p->n_def > 0)
        snprintf(def, sizeof(def), "%s", number(p, p->def, lo, sizeof(lo)));
    printf("| 0x%04x | %s %s | %s%s | %s | %s | %s | %s |\n", GF_ATTR_PARAM + p->id, op->name, p->name, kinds[p->kind],
           is_enum ? gf_enum_name(p->e) : "", values, range, def, gf_help_text(p->help));
}

static void print_parameters(void)
{
    puts("| attribute | op and parameter | type | values | range | default | meaning |\n"
         "| --- | --- | --- | --- | --- | --- | --- |");
    for (size_t i = 0; i < GF_N_OPS; i++)
        for (size_t k = 0; k < gf_ops[i].n_params; k++)
            print_parameter(&gf_ops[i], &gf_ops[i].params[k]);
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "codes.h") == 0)
        print_codes();
    else if (strcmp(what, "ops.h") == 0)
        print_ops_header();
    else if (strcmp(what, "ops.hpp") == 0)
        print_cpp_header();
    else if (family_of(what) != 0)
        print_family(family_of(what));
    else if (strcmp(what, "ops.c") == 0)
        print_ops_source();
    else if (strcmp(what, "operations") == 0)
        print_operations();
    else if (strcmp(what, "parameters") == 0)
        print_parameters();
    else
        return 64;
    return fflush(stdout) == 0 ? 0 : 74;
}
