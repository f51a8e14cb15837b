/* SPDX-License-Identifier: MIT */
/*
 * Small helpers for every folder: cleanup by attribute, ownership transfer, checked arithmetic, minimum and maximum,
 * array length. Depends on nothing; included nearly everywhere.
 */
#ifndef GF_PROTOCOL_BASE_H
#define GF_PROTOCOL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs fn(&variable) when the variable leaves its scope. */
#define gf_cleanup(fn) __attribute__((cleanup(fn)))
#define gf_printf(fmt, args) __attribute__((format(printf, fmt, args)))

#define GF_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Checked unsigned arithmetic: returns true and stores the result only if the result fits. */
static inline bool gf_add_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
    uint64_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *ret = r;
    return true;
}

static inline bool gf_mul_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
    uint64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *ret = r;
    return true;
}

/* Rounds up to a power of two; false on overflow. */
static inline bool gf_align_u64(uint64_t a, uint64_t to, uint64_t *ret)
{
    uint64_t r;
    if (!gf_add_u64(a, to - 1, &r))
        return false;
    *ret = r & ~(to - 1);
    return true;
}

static inline uint64_t gf_divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Rounds up to a multiple of `to`. The result must fit; sizes from outside are rounded by gf_align_u64. */
static inline uint64_t gf_round_up(uint64_t a, uint64_t to)
{
    return (a + to - 1) / to * to;
}

static inline uint64_t gf_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t gf_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#ifndef __cplusplus
static inline void gf_freep(void *p)
{
    free(*(void **)p);
}
#endif

static inline void gf_closep(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* Moves the descriptor out of the variable, so that its cleanup does nothing. */
static inline int gf_steal_fd(int *fd)
{
    int r = *fd;
    *fd = -1;
    return r;
}

#ifndef __cplusplus
static inline void *gf_steal_ptr_(void *pp)
{
    void *r = *(void **)pp;
    *(void **)pp = NULL;
    return r;
}
/* Moves the pointer out of the variable, so that its cleanup does nothing. */
#define gf_steal_ptr(pp) ((__typeof__(*(pp)))gf_steal_ptr_(pp))
#endif

#ifdef __cplusplus
}
#endif
#endif
