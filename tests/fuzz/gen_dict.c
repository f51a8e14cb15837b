/* SPDX-License-Identifier: MIT */
/*
 * Prints the libFuzzer dictionary of the op table: names, words, ids in their wire format, first bytes of frames, and
 * the limits of sizes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_table.h"
#include "protocol/wire/frame.h"

static void print_u16(const char *key, uint32_t value)
{
    printf("%s=\"\\x%02" PRIx32 "\\x%02" PRIx32 "\"\n", key, value & 0xff, value >> 8 & 0xff);
}

static void print_u64(const char *key, uint64_t value)
{
    printf("%s=\"", key);
    for (int i = 0; i < 64; i += 8)
        printf("\\x%02" PRIx64, value >> i & 0xff);
    printf("\"\n");
}

/* Magic, version and kind: how a frame begins. */
static void print_kinds(void)
{
    for (uint32_t kind = 0; kind <= GF_FRAME_WORKER_GPU; kind++)
        if (strcmp(gf_frame_kind_name(kind), "unknown") != 0)
            printf("%s=\"GFPW\\x%02x\\x00\\x%02" PRIx32 "\\x00\"\n", gf_frame_kind_name(kind), GF_VERSION, kind);
}

static void print_limits(void)
{
    static const struct {
        const char *key;
        uint64_t value;
    } limits[] = {{"side", GF_MAX_SIDE},     {"samples", GF_MAX_SAMPLES}, {"elements", GF_MAX_ELEMENTS},
                  {"bytes", GF_MAX_BYTES},   {"payload", GF_MAX_PAYLOAD}, {"mask_side", GF_MAX_MASK_SIDE},
                  {"kernel", GF_MAX_KERNEL}, {"list", GF_MAX_LIST},       {"most", UINT64_MAX}};
    char key[64];
    for (size_t i = 0; i < GF_ARRAY_LEN(limits); i++) {
        print_u64(limits[i].key, limits[i].value);
        snprintf(key, sizeof key, "%s_over", limits[i].key);
        print_u64(key, limits[i].value + 1);
    }
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
            snprintf(key, sizeof key, "%.15s_%.15s", op->name, param->name);
            print_u16(key, GF_ATTR_PARAM + param->id);
        }
    }
    for (size_t i = 0; i < gf_n_words; i++)
        printf("\"%s\"\n", gf_words[i].word);
    for (uint32_t id = GF_ATTR_STATUS; id <= GF_ATTR_PART; id++)
        print_u16(gf_attr_name(id), id);
    print_kinds();
    print_limits();
    return 0;
}
