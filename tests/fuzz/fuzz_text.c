/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the first byte chooses a parameter of an op (or a mask), the remaining bytes are its text. A text that
 * parses must print to a text that parses to the same values.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/ops/op_codec.h"

static void parse_mask(const char *text)
{
    static float coefs[GF_MAX_MASK_SIDE * GF_MAX_MASK_SIDE];
    uint32_t width, height;
    struct gf_error err;
    if (gf_mask_parse(text, coefs, sizeof coefs / sizeof *coefs, &width, &height, &err) == GF_OK &&
        (width == 0 || height == 0 || width > GF_MAX_MASK_SIDE || height > GF_MAX_MASK_SIDE))
        abort();
}

static void parse_param(const struct gf_op *op, const struct gf_param_desc *param, const char *text)
{
    union gf_params params, again;
    struct gf_error err;
    char printed[GF_MAX_BODY];
    gf_op_params_default(op, &params);
    again = params;
    if (gf_op_param_parse(op, param, text, &params, &err) != GF_OK)
        return;
    gf_op_param_text(param, &params, printed, sizeof printed);
    if (gf_op_param_parse(op, param, printed, &again, &err) != GF_OK)
        abort();
    if (param->kind == GF_PARAM_TEXT ? strcmp(text, printed) != 0 : memcmp(&params, &again, op->params_size) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 65536)
        return 0;
    char *text = malloc(size);
    if (text == NULL)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    uint32_t which = data[0];
    for (size_t i = 0; i < GF_N_OPS && which != 0; i++) {
        if (which <= gf_ops[i].n_params) {
            parse_param(&gf_ops[i], &gf_ops[i].params[which - 1], text);
            break;
        }
        which -= gf_ops[i].n_params;
    }
    if (data[0] == 0)
        parse_mask(text);
    free(text);
    return 0;
}
