/* SPDX-License-Identifier: MIT */
/* Names and texts of the statuses, from status.def. */
#include "status.h"

#include <stddef.h>

#include "base.h"

static const struct {
    uint32_t number;
    const char *name;
    const char *text;
} table[] = {
#define GF_STATUS(name, number, text) {number, #name, text},
#include "status.def"
#undef GF_STATUS
};

static int find(uint32_t status)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(table); i++)
        if (table[i].number == status)
            return (int)i;
    return -1;
}

const char *gf_status_name(uint32_t status)
{
    int i = find(status);
    return i < 0 ? "UNKNOWN" : table[i].name;
}

const char *gf_status_text(uint32_t status)
{
    int i = find(status);
    return i < 0 ? "unknown status" : table[i].text;
}

bool gf_status_known(uint32_t status)
{
    return find(status) >= 0;
}
