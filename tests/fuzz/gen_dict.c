/* SPDX-License-Identifier: MIT */
/* Prints the libFuzzer dictionary of the op table: names, words, and ids as they stand on the wire. */
#include <inttypes.h>
#include <stdio.h>

#include "protocol/enums.h"
#include "protocol/frame.h"
#include "protocol/op_table.h"

static void print_u16(const char *key, uint32_t value)
{
    printf("%s=\"\\x%02" PRIx32 "\\x%02" PRIx32 "\"\n", key, value & 0xff, value >> 8 & 0xff);
}

int main(void)
{
    char key[64];
    printf("# Printed by gen_dict from the op table; do not edit.\nmagic=\"GFPW\"\n");
    for (size_t i = 0; i < GF_N_OPS; i++) {
        const struct gf_op *op = &gf_ops[i];
        printf("\"%s\"\n", op->name);
        print_u16(op->name, op->id);
        for (uint32_t k = 0; k < op->n_params; k++) {
            const struct gf_param_desc *param = &op->params[k];
            printf("\"%s\"\n", param->name);
            snprintf(key, sizeof key, "%s_%s", op->name, param->name);
            print_u16(key, GF_ATTR_PARAM + param->id);
        }
    }
    for (size_t i = 0; i < gf_n_words; i++)
        printf("\"%s\"\n", gf_words[i].word);
    for (uint32_t id = GF_ATTR_STATUS; id <= GF_ATTR_PART; id++)
        print_u16(gf_attr_name(id), id);
    return 0;
}
