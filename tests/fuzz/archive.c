/* SPDX-License-Identifier: MIT */
#include "archive.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/base.h"

#define BLOCK 512u

/* A header of POSIX.1-1988. */
struct ustar {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], unused[12];
};
_Static_assert(sizeof(struct ustar) == BLOCK, "a header is one block");

static int gf_printf(2, 3) refuse(struct gf_archive *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->error, sizeof a->error, format, args);
    va_end(args);
    return -1;
}

/* Octal digits, ended by a NUL or a blank. Fields have at most 12 bytes, so that the number fits. */
static bool octal(const char *field, size_t size, uint64_t *ret)
{
    uint64_t v = 0;
    size_t n = 0;
    while (n < size && field[n] >= '0' && field[n] <= '7')
        v = v * 8 + (uint64_t)(field[n++] - '0');
    if (n == 0 || n == size || (field[n] != '\0' && field[n] != ' '))
        return false;
    *ret = v;
    return true;
}

/* The checksum of a header: the sum of its bytes, with blanks in the checksum's own field. */
static uint64_t sum_of(const uint8_t *block)
{
    uint64_t sum = 8 * ' ';
    for (size_t i = 0; i < BLOCK; i++)
        if (i < offsetof(struct ustar, sum) || i >= offsetof(struct ustar, sum) + 8)
            sum += block[i];
    return sum;
}

static bool is_zero(const uint8_t *block)
{
    for (size_t i = 0; i < BLOCK; i++)
        if (block[i] != 0)
            return false;
    return true;
}

/* Two blocks of zeros, then nothing. */
static int end_of_archive(struct gf_archive *a)
{
    size_t left = a->size - a->at;
    if (left < 2 * BLOCK || !is_zero(a->bytes + a->at + BLOCK))
        return refuse(a, "byte %zu: one block of zeros instead of the two that end an archive", a->at);
    if (left > 2 * BLOCK)
        return refuse(a, "byte %zu: %zu bytes behind the end of the archive", a->at, left - 2 * BLOCK);
    return 0;
}

/* Takes the name, if it may come after the one before. */
static int take_name(struct gf_archive *a, const struct ustar *h)
{
    char name[GF_ARCHIVE_NAME + 1] = "";
    memcpy(name, h->name, sizeof h->name);
    if (h->prefix[0] != '\0' || name[0] == '\0' || strchr(name, '/') != NULL)
        return refuse(a, "byte %zu: \"%s\" is no name of a case: not empty, up to %d bytes, no folders", a->at, name,
                      GF_ARCHIVE_NAME);
    int order = strcmp(name, a->name);
    if (order == 0)
        return refuse(a, "byte %zu: case %s is there twice", a->at, name);
    if (order < 0)
        return refuse(a, "byte %zu: case %s comes after %s; names ascend", a->at, name, a->name);
    memcpy(a->name, name, sizeof name);
    return 1;
}

int gf_archive_next(struct gf_archive *a, const uint8_t **ret_data, size_t *ret_size)
{
    size_t left = a->size - a->at;
    if (left < BLOCK)
        return refuse(a, "byte %zu: truncated: %zu bytes are left where a header of %u bytes must be", a->at, left,
                      BLOCK);
    const uint8_t *block = a->bytes + a->at;
    if (is_zero(block))
        return end_of_archive(a);
    struct ustar h;
    uint64_t sum, size, padded;
    memcpy(&h, block, sizeof h);
    if (memcmp(h.magic, "ustar", 6) != 0 || memcmp(h.version, "00", 2) != 0)
        return refuse(a, "byte %zu: no ustar header", a->at);
    if (!octal(h.sum, sizeof h.sum, &sum) || sum != sum_of(block))
        return refuse(a, "byte %zu: the checksum of the header is wrong", a->at);
    int taken = take_name(a, &h);
    if (taken < 0)
        return taken;
    if (h.type != '0')
        return refuse(a, "byte %zu: case %s is no regular file", a->at, a->name);
    if (!octal(h.size, sizeof h.size, &size) || !gf_align_u64(size, BLOCK, &padded))
        return refuse(a, "byte %zu: the size of case %s is no octal number", a->at, a->name);
    if (padded > left - BLOCK)
        return refuse(a, "byte %zu: truncated: %zu bytes are left of the %" PRIu64 " of case %s", a->at, left - BLOCK,
                      padded, a->name);
    *ret_data = block + BLOCK;
    *ret_size = (size_t)size;
    a->at += BLOCK + (size_t)padded;
    return 1;
}
