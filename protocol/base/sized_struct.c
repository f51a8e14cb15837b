/* SPDX-License-Identifier: MIT */
/* Structs that begin with their size; see sized_struct.h. */
#include "sized_struct.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_STRUCT 4096 /* larger than any struct of the public headers will be */

const char *gf_struct_macro(const char *name, char *text, size_t size)
{
    static const char suffix[] = "_params";
    size_t n = strlen(name), end = sizeof(suffix) - 1;
    if (n > end && strcmp(name + n - end, suffix) == 0)
        n -= end;
    snprintf(text, size, "%.*s_INIT", (int)n, name);
    for (char *c = text; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    return text;
}

/* Checks the size at the start of a caller's struct. A struct that was not initialised with its macro has 0 or stack
 * garbage there. */
static enum gf_status check_size(uint32_t given, const char *name, struct gf_error *err)
{
    char macro[GF_STRUCT_NAME];
    if (given >= sizeof(given) && given <= MAX_STRUCT)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s has struct_size=%" PRIu32 "; initialise it with %s", name, given,
                        gf_struct_macro(name, macro, sizeof(macro)));
}

enum gf_status gf_struct_check(const void *from, size_t size, const char *name, struct gf_error *err)
{
    uint32_t given;
    memcpy(&given, from, sizeof(given));
    enum gf_status status = check_size(given, name, err);
    if (status != GF_OK)
        return status;
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)from)[i] != 0)
            return gf_error_set(err, GF_E_BAD_ARGUMENT,
                                "%s of %" PRIu32
                                " bytes has members that this library does not know; it knows %zu bytes",
                                name, given, size);
    return GF_OK;
}

enum gf_status gf_struct_in(void *ret, size_t size, const void *from, const char *name, struct gf_error *err)
{
    uint32_t given;
    enum gf_status status = gf_struct_check(from, size, name, err);
    if (status != GF_OK)
        return status;
    memcpy(&given, from, sizeof(given));
    memcpy(ret, from, given < size ? given : size);
    return GF_OK;
}

enum gf_status gf_reserved_check(uint32_t reserved, const char *name, struct gf_error *err)
{
    char macro[GF_STRUCT_NAME];
    if (reserved == 0)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s has reserved=%" PRIu32 "; initialise it with %s", name, reserved,
                        gf_struct_macro(name, macro, sizeof(macro)));
}

enum gf_status gf_struct_out(void *to, const void *from, size_t size, const char *name, struct gf_error *err)
{
    uint32_t capacity;
    memcpy(&capacity, to, sizeof(capacity));
    enum gf_status status = check_size(capacity, name, err);
    if (status != GF_OK)
        return status;
    memset(to, 0, capacity);
    memcpy(to, from, capacity < size ? capacity : size);
    memcpy(to, &capacity, sizeof(capacity));
    return GF_OK;
}
