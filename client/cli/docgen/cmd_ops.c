/* SPDX-License-Identifier: MIT */
/* `ops`: prints the op table as a list, as JSON, and as the pages made from it. Needs no daemon. Called by main.c. */
#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/json.h"
#include "client/cli/op/op_options.h"
#include "docgen.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"

static void print_list(void)
{
    for (size_t i = 0; i < GF_N_OPS; i++)
        printf("%-14s%s\n", gf_ops[i].name, gf_ops[i].help);
}

static void put_dtypes(struct gf_json *json, uint32_t set)
{
    gf_json_array(json, "dtypes");
    for (uint32_t dtype = 1; dtype < 32; dtype++)
        if ((set & GF_DT(dtype)) && gf_dtype_known(dtype))
            gf_json_text(json, NULL, gf_dtype_word(dtype));
    gf_json_array_end(json);
}

static void put_param(struct gf_json *json, const struct gf_op *op, const struct gf_param_desc *param)
{
    static const char *const kinds[] = {[GF_PARAM_U32] = "u32",
                                        [GF_PARAM_F32] = "f32",
                                        [GF_PARAM_F64] = "f64",
                                        [GF_PARAM_ENUM] = "enum",
                                        [GF_PARAM_TEXT] = "text"};
    char text[128];
    gf_json_object(json, NULL);
    gf_json_u64(json, "id", param->id);
    gf_json_text(json, "name", param->name);
    gf_json_text(json, "type", kinds[param->kind]);
    gf_json_u64(json, "max_values", param->kind == GF_PARAM_TEXT ? 1 : param->max);
    if (param->kind == GF_PARAM_ENUM) {
        gf_json_array(json, "words");
        for (size_t i = 0; i < gf_n_words; i++)
            if (gf_op_word_help(param, &gf_words[i]))
                gf_json_text(json, NULL, gf_words[i].word);
        gf_json_array_end(json);
    } else {
        gf_json_text(json, "range", gf_op_range_text(param, text, sizeof(text)));
    }
    gf_json_text(json, "default", gf_op_default_text(op, param, text, sizeof(text)));
    gf_json_text(json, "help", param->help);
    gf_json_object_end(json);
}

static void put_op(struct gf_json *json, const struct gf_op *op)
{
    static const char *const kinds[] = {
        [GF_INPUT_IMAGE] = "image", [GF_INPUT_COEFS] = "coefs",   [GF_INPUT_BUFFER] = "buffer",
        [GF_INPUT_LIST] = "list",   [GF_INPUT_MATRIX] = "matrix",
    };
    static const char *const shapes[] = {
        [GF_SHAPE_SAME_SHAPE] = "same",   [GF_SHAPE_FILTER] = "filter", [GF_SHAPE_BRIGHTNESS] = "brightness",
        [GF_SHAPE_CHANNELS] = "channels", [GF_SHAPE_OWN] = "own",       [GF_SHAPE_TABLE] = "table",
        [GF_SHAPE_COUNTED] = "counted",
    };
    gf_json_object(json, NULL);
    gf_json_text(json, "name", op->name);
    gf_json_u64(json, "id", op->id);
    gf_json_u64(json, "revision", op->revision);
    gf_json_text(json, "help", op->help);
    gf_json_array(json, "inputs");
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        gf_json_object(json, NULL);
        gf_json_text(json, "name", op->inputs[i].name);
        gf_json_text(json, "help", op->inputs[i].help);
        gf_json_text(json, "kind", kinds[op->inputs[i].kind]);
        gf_json_bool(json, "optional", op->inputs[i].optional);
        put_dtypes(json, op->inputs[i].dtypes);
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
    gf_json_array(json, "outputs");
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        gf_json_object(json, NULL);
        gf_json_text(json, "name", op->outputs[i].name);
        gf_json_text(json, "help", op->outputs[i].help);
        gf_json_text(json, "shape", shapes[op->outputs[i].shape]);
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
    gf_json_array(json, "params");
    for (uint32_t i = 0; i < op->n_params; i++)
        put_param(json, op, &op->params[i]);
    gf_json_array_end(json);
    gf_json_object_end(json);
}

static void print_json(void)
{
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_array(&json, "ops");
    for (size_t i = 0; i < GF_N_OPS; i++)
        put_op(&json, &gf_ops[i]);
    gf_json_array_end(&json);
    gf_json_object_end(&json);
    putchar('\n');
}

int gf_cmd_ops(struct gf_cli *cli, struct gf_args *args)
{
    const char *markdown = NULL, *man = NULL, *completion = NULL;
    const struct gf_option own[] = {
        {"markdown", '\0', NULL, "print docs/operations.md", &markdown},
        {"man", '\0', NULL, "print the man page gpufilter-client.1", &man},
        {"completion", '\0', "SHELL", "print completions for bash, zsh or fish", &completion},
    };
    const struct gf_help help = {.synopsis = "ops [options]",
                                 .about = "Lists the operations that this client knows, with --json also their "
                                          "parameters. No daemon is needed.",
                                 .example = "ops",
                                 .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help, NULL, 0, NULL);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    if ((markdown != NULL) + (man != NULL) + (completion != NULL) > 1)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--markdown, --man and --completion exclude each other");
    if (completion)
        return gf_completion_print(cli, completion);
    if (markdown)
        gf_page_markdown();
    else if (man)
        gf_page_man(cli);
    else if (cli->json)
        print_json();
    else
        print_list();
    return GF_EXIT_OK;
}
