/* SPDX-License-Identifier: MIT */
/* The problems of scan_uses.cu; the rung's parameter names one. Numbers have 32 bits and wrap around. */
#include "scan_uses.cu"
#include "samples/patterns/patterns.h"

#include <string.h>

enum use { SANDWICH, COMPACTION, SLOTS, POLYNOMIAL, RECURRENCE, RADIX_1_BIT, RADIX_4_BITS };
enum { MOST_SLOTS = 4, POINT = 3 }; /* as in scan_uses.cu */

static const size_t checked[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 513, 1000, 3001};

static size_t results(size_t n, unsigned parameter)
{
    return parameter == SLOTS ? MOST_SLOTS * n : parameter == POLYNOMIAL ? 1 : n;
}

/* The temporary storage has room for a number per element and for the totals of blocks of 256, two numbers each, the
 * totals of these, and so on. */
SIZES(.in = {n * sizeof(uint32_t), n * sizeof(uint32_t), n * sizeof(uint32_t)},
      .out = results(n, parameter) * sizeof(uint32_t), .temp = (n + n / 64 + 1024) * sizeof(uint32_t))

/* The inputs: lengths, half of which are 0; keys or coefficients; and odd factors, whose products never become 0. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    uint32_t *asked = in[0], *keys = in[1], *factors = in[2];
    for (size_t i = 0; i < n; i++) {
        uint32_t x = random_bits((uint32_t)i);
        asked[i] = x % 8 <= MOST_SLOTS ? x % 8 : 0;
        keys[i] = random_bits(x + 1);
        factors[i] = x | 1;
    }
}

static void cut(size_t n, const uint32_t *asked, uint32_t *out)
{
    uint32_t end = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = end += asked[i];
}

static void compact(size_t n, const uint32_t *in, uint32_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i] > 0)
            out[kept++] = in[i];
}

static void lay_out(size_t n, const uint32_t *asked, uint32_t *out)
{
    size_t next = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < asked[i]; k++)
            out[next++] = (uint32_t)i + 1;
}

/* Horner's scheme. */
static void evaluate(size_t n, const uint32_t *c, uint32_t *out)
{
    uint32_t sum = 0;
    for (size_t i = n; i > 0; i--)
        sum = sum * POINT + c[i - 1];
    *out = sum;
}

static void recur(size_t n, const uint32_t *a, const uint32_t *b, uint32_t *out)
{
    uint32_t x = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = x = a[i] * x + b[i];
}

static void sort_by_digit(size_t n, const uint32_t *keys, uint32_t digits, uint32_t *out)
{
    size_t count[DIGITS] = {0}, place[DIGITS], next = 0;
    for (size_t i = 0; i < n; i++)
        count[keys[i] % digits]++;
    for (uint32_t digit = 0; digit < digits; digit++) {
        place[digit] = next;
        next += count[digit];
    }
    for (size_t i = 0; i < n; i++)
        out[place[keys[i] % digits]++] = keys[i];
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    memset(out, 0, results(n, parameter) * sizeof(uint32_t)); /* after the kept elements, and in unused slots */
    switch ((enum use)parameter) {
    case SANDWICH:
        cut(n, in[0], out);
        break;
    case COMPACTION:
        compact(n, in[0], out);
        break;
    case SLOTS:
        lay_out(n, in[0], out);
        break;
    case POLYNOMIAL:
        evaluate(n, in[1], out);
        break;
    case RECURRENCE:
        recur(n, in[2], in[0], out);
        break;
    case RADIX_1_BIT:
        sort_by_digit(n, in[1], 2, out);
        break;
    case RADIX_4_BITS:
        sort_by_digit(n, in[1], DIGITS, out);
        break;
    }
}

PLAIN_LOOP(sequential)

TRAFFIC(bytes, (double)((parameter == RECURRENCE ? 2 : 1) * n + results(n, parameter)) * sizeof(uint32_t))

VIEWS(1, PICTURE(n, 1, GPUFILTER_I32))

static const struct rung rungs[] = {
    HOST(sequential, "cut-the-sandwich-host", "a list of lengths to cut; each cut depends on the one before",
         .parameter = SANDWICH),
    KERNEL(scan_uses_cut_the_sandwich, "cut-the-sandwich",
           "the cuts are the scan of the lengths; limited by its two passes over memory", .parameter = SANDWICH),
    PRODUCT("scan op=sum dtype=i32", "cut-the-sandwich-product", "the daemon's scan, in one pass",
            .parameter = SANDWICH),
    HOST(sequential, "compaction-host", "keeps the positive elements in order, one after the other", .begins = true,
         .parameter = COMPACTION),
    KERNEL(scan_uses_compaction, "compaction", "flags, their scan, scatter; limited by the passes of flags over memory",
           .parameter = COMPACTION),
    PRODUCT("select lo=1", "compaction-product", "the daemon's select, in one pass", .parameter = COMPACTION),
    HOST(sequential, "slots-host", "every item gets as many slots of a buffer as it asks for", .begins = true,
         .parameter = SLOTS),
    KERNEL(scan_uses_slots, "slots", "a scan says where each item's slots begin, and all are filled at once",
           .parameter = SLOTS),
    HOST(sequential, "polynomial-host", "Horner's scheme, a chain of n multiplications and additions", .begins = true,
         .parameter = POLYNOMIAL),
    KERNEL(scan_uses_polynomial, "polynomial",
           "powers by a scan with products, terms by a reduction; limited by the traffic of the powers",
           .parameter = POLYNOMIAL),
    HOST(sequential, "recurrence-host", "x[i] = a[i] x[i-1] + b[i], a chain of n steps", .begins = true,
         .parameter = RECURRENCE),
    KERNEL(scan_uses_recurrence, "recurrence", "a scan of pairs (a, b), of which two compose to one",
           .parameter = RECURRENCE),
    HOST(sequential, "radix-pass-1-bit-host", "moves keys with a lowest bit of 0 before the others, in order",
         .begins = true, .parameter = RADIX_1_BIT),
    KERNEL(scan_uses_radix_pass_1_bit, "radix-pass-1-bit",
           "the scan of the bits gives the places of zeros and ones; a sort takes 32 passes", .parameter = RADIX_1_BIT),
    HOST(sequential, "radix-pass-4-bits-host", "orders keys by their lowest 4 bits, and leaves equal ones in order",
         .begins = true, .parameter = RADIX_4_BITS),
    KERNEL(scan_uses_radix_pass_4_bits, "radix-pass-4-bits",
           "scans counts of 16 digits per block instead of bits; a sort takes 8 passes", .parameter = RADIX_4_BITS),
};

LADDER(g_scan_uses, .name = "scan-uses", .title = "what scans are for", .n = (size_t)1 << 26, .max_n = (size_t)1 << 28,
       .counts = "elements", .bytes = bytes, .views = views);
