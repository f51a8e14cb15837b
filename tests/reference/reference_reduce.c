/* SPDX-License-Identifier: MIT */
/* Sequences, the tree, and every reduction from its definition, docs/numerics.md, "reduce". */
#include "reference_reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"

#define CHUNK 4096u
#define TREE_LANES 128u
#define ROWS 64u

uint64_t gf_reference_sequences(const struct gf_view *view, uint32_t axis)
{
    return view->channels * (axis == GF_AXIS_ROWS ? view->height : axis == GF_AXIS_COLS ? view->width : 1);
}

void gf_reference_sequence_deinit(struct gf_reference_sequence *s)
{
    free(s->x);
    free(s->whole);
    free(s->there);
}

static void read_element(const char *p, uint32_t dtype, double *x, gf_reference_i128 *whole)
{
    int64_t bits = 0;
    memcpy(&bits, p, gf_dtype_size(dtype));
    float f;
    double d;
    memcpy(&f, &bits, sizeof(f));
    memcpy(&d, &bits, sizeof(d));
    *whole = dtype == GF_I8    ? (gf_reference_i128)(int8_t)bits
             : dtype == GF_I16 ? (gf_reference_i128)(int16_t)bits
             : dtype == GF_I32 ? (gf_reference_i128)(int32_t)bits
             : dtype == GF_I64 ? (gf_reference_i128)bits
                               : (gf_reference_i128)(uint64_t)bits;
    *x = dtype == GF_F32 ? (double)f : dtype == GF_F64 ? d : (double)*whole;
}

/* Elements `first` to `first + n` of a line of a channel. */
static enum gf_status read_sequence(const struct gf_reference_buf *buf, uint32_t axis, uint64_t index, uint64_t first,
                                    struct gf_reference_sequence s, bool omit, struct gf_reference_sequence *ret,
                                    struct gf_error *err)
{
    const struct gf_view *v = &buf->view;
    uint64_t c = index % v->channels, line = index / v->channels;
    s.x = malloc((s.n + 1) * sizeof(*s.x));
    s.whole = malloc((s.n + 1) * sizeof(*s.whole));
    s.there = malloc((s.n + 1) * sizeof(*s.there));
    if (!s.x || !s.whole || !s.there) {
        gf_reference_sequence_deinit(&s);
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a sequence");
    }
    for (uint64_t i = 0; i < s.n; i++) {
        uint64_t y = axis == GF_AXIS_ROWS ? line : axis == GF_AXIS_COLS ? i : (first + i) / v->width;
        uint64_t x = axis == GF_AXIS_ROWS ? i : axis == GF_AXIS_COLS ? line : (first + i) % v->width;
        read_element((const char *)buf->data + y * v->pitch + (x * v->channels + c) * gf_dtype_size(v->dtype), v->dtype,
                     &s.x[i], &s.whole[i]);
        s.there[i] = !(omit && isnan(s.x[i]));
    }
    *ret = s;
    return GF_OK;
}

enum gf_status gf_reference_sequence_init(const struct gf_reference_buf *buf, uint32_t axis, uint64_t index, bool omit,
                                          struct gf_reference_sequence *ret, struct gf_error *err)
{
    const struct gf_view *v = &buf->view;
    struct gf_reference_sequence s = {.dtype = v->dtype, .column = axis == GF_AXIS_COLS};
    s.n = axis == GF_AXIS_ROWS ? v->width : axis == GF_AXIS_COLS ? v->height : v->width * v->height;
    return read_sequence(buf, axis, index, 0, s, omit, ret, err);
}

enum gf_status gf_reference_sequence_cut(const struct gf_reference_buf *buf, uint32_t c, uint64_t first, uint64_t end,
                                         bool omit, struct gf_reference_sequence *ret, struct gf_error *err)
{
    struct gf_reference_sequence s = {.dtype = buf->view.dtype, .n = end - first};
    return read_sequence(buf, GF_AXIS_ALL, c, first, s, omit, ret, err);
}

uint64_t gf_reference_offset(const struct gf_reference_buf *list, uint64_t i)
{
    double x;
    gf_reference_i128 whole;
    read_element((const char *)list->data + i * gf_dtype_size(list->view.dtype), list->view.dtype, &x, &whole);
    return whole < 0 ? UINT64_MAX : (uint64_t)whole;
}

enum gf_status gf_reference_check_segments(const struct gf_reference_buf *list, uint64_t n, struct gf_error *err)
{
    for (uint64_t i = 0; i < list->view.width; i++)
        if (gf_reference_offset(list, i) > n ||
            (i > 0 && gf_reference_offset(list, i) < gf_reference_offset(list, i - 1)))
            return gf_error_set(err, GF_E_BAD_PARAM, "offset %llu", (unsigned long long)i);
    return GF_OK;
}

/* A value that may be absent. */
struct cell {
    bool there;
    double v;
};

static struct cell join(enum gf_reference_step step, struct cell a, struct cell b)
{
    if (!a.there)
        return b;
    if (b.there)
        a.v = step == GF_REFERENCE_PRODUCT ? a.v * b.v : a.v + b.v;
    return a;
}

/* A lane and one more element. */
static struct cell add(enum gf_reference_step step, struct cell acc, double x, double other)
{
    if (step == GF_REFERENCE_SQUARES || step == GF_REFERENCE_DOT)
        return (struct cell){true, fma(x, step == GF_REFERENCE_DOT ? other : x, acc.there ? acc.v : 0.0)};
    return join(step, acc, (struct cell){true, step == GF_REFERENCE_ABS ? fabs(x) : x});
}

/* Folds lanes until one is left, halves onto halves. */
static struct cell fold(enum gf_reference_step step, struct cell *lanes, uint32_t n)
{
    for (uint32_t half = n / 2; half > 0; half /= 2)
        for (uint32_t i = 0; i < half; i++)
            lanes[i] = join(step, lanes[i], lanes[i + half]);
    return lanes[0];
}

/* The tree over cells that are results of chunks. */
static struct cell tree_of_cells(enum gf_reference_step step, struct cell *cells, uint64_t n, bool column)
{
    uint32_t chunk = column ? ROWS : CHUNK, n_lanes = column ? 1 : TREE_LANES;
    while (n > 1) {
        uint64_t chunks = (n + chunk - 1) / chunk;
        for (uint64_t k = 0; k < chunks; k++) {
            struct cell lanes[TREE_LANES] = {0};
            for (uint64_t i = k * chunk; i < n && i < (k + 1) * chunk; i++)
                lanes[i % chunk % n_lanes] = join(step, lanes[i % chunk % n_lanes], cells[i]);
            cells[k] = fold(step, lanes, n_lanes);
        }
        n = chunks;
    }
    return cells[0];
}

static struct cell tree_of_chunk(const struct gf_reference_sequence *s, enum gf_reference_step step, const double *x,
                                 const double *other, uint64_t first)
{
    uint32_t chunk = s->column ? ROWS : CHUNK, n_lanes = s->column ? 1 : TREE_LANES;
    struct cell lanes[TREE_LANES] = {0};
    for (uint64_t i = first; i < s->n && i < first + chunk; i++)
        if (s->there[i])
            lanes[(i - first) % n_lanes] = add(step, lanes[(i - first) % n_lanes], x[i], other ? other[i] : 0.0);
    return fold(step, lanes, n_lanes);
}

double gf_reference_tree(const struct gf_reference_sequence *s, enum gf_reference_step step, const double *other)
{
    uint32_t chunk = s->column ? ROWS : CHUNK;
    uint64_t chunks = (s->n + chunk - 1) / chunk;
    struct cell gf_cleanup(gf_freep) *cells = calloc(chunks + 1, sizeof(*cells));
    if (!cells)
        return NAN;
    for (uint64_t k = 0; k < chunks; k++)
        cells[k] = tree_of_chunk(s, step, s->x, other, k * chunk);
    struct cell r = tree_of_cells(step, cells, chunks, s->column);
    return r.there ? r.v : step == GF_REFERENCE_PRODUCT ? 1.0 : 0.0;
}

/* What var is made of; n = 0: absent. */
struct triple {
    double n, m, q;
};

static struct triple join_triples(struct triple a, struct triple b)
{
    if (a.n == 0)
        return b;
    if (b.n == 0)
        return a;
    double n = a.n + b.n, r = b.n / n, delta = b.m - a.m;
    return (struct triple){n, fma(delta, r, a.m), (a.q + b.q) + (delta * delta) * (a.n * r)};
}

static struct triple triple_of_chunk(const struct gf_reference_sequence *s, uint64_t first, double *room)
{
    uint32_t chunk = s->column ? ROWS : CHUNK;
    struct triple t = {0};
    for (uint64_t i = first; i < s->n && i < first + chunk; i++)
        t.n += s->there[i];
    if (t.n == 0)
        return t;
    t.m = tree_of_chunk(s, GF_REFERENCE_SUM, s->x, NULL, first).v / t.n;
    for (uint64_t i = first; i < s->n && i < first + chunk; i++)
        room[i] = s->x[i] - t.m;
    t.q = tree_of_chunk(s, GF_REFERENCE_SQUARES, room, NULL, first).v;
    return t;
}

static struct triple tree_of_triples(struct triple *t, uint64_t n, bool column)
{
    uint32_t chunk = column ? ROWS : CHUNK, n_lanes = column ? 1 : TREE_LANES;
    while (n > 1) {
        uint64_t chunks = (n + chunk - 1) / chunk;
        for (uint64_t k = 0; k < chunks; k++) {
            struct triple lanes[TREE_LANES] = {0};
            for (uint64_t i = k * chunk; i < n && i < (k + 1) * chunk; i++)
                lanes[i % chunk % n_lanes] = join_triples(lanes[i % chunk % n_lanes], t[i]);
            for (uint32_t half = n_lanes / 2; half > 0; half /= 2)
                for (uint32_t i = 0; i < half; i++)
                    lanes[i] = join_triples(lanes[i], lanes[i + half]);
            t[k] = lanes[0];
        }
        n = chunks;
    }
    return t[0];
}

/* Q of the whole sequence. */
static double squared_distances(const struct gf_reference_sequence *s)
{
    uint32_t chunk = s->column ? ROWS : CHUNK;
    uint64_t chunks = (s->n + chunk - 1) / chunk;
    struct triple gf_cleanup(gf_freep) *t = malloc(chunks * sizeof(*t));
    double gf_cleanup(gf_freep) *room = malloc(s->n * sizeof(*room));
    if (!t || !room)
        return NAN;
    for (uint64_t k = 0; k < chunks; k++)
        t[k] = triple_of_chunk(s, k * chunk, room);
    return tree_of_triples(t, chunks, s->column).q;
}

static bool is_float(const struct gf_reference_sequence *s)
{
    return gf_dtype_kind(s->dtype) == GF_KIND_FLOAT;
}

static bool is_short(const struct gf_reference_sequence *s)
{
    return gf_dtype_size(s->dtype) <= 2;
}

static uint64_t present(const struct gf_reference_sequence *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->n; i++)
        n += s->there[i];
    return n;
}

static gf_reference_i128 exact_sum(const struct gf_reference_sequence *s)
{
    gf_reference_i128 sum = 0;
    for (uint64_t i = 0; i < s->n; i++)
        sum += s->whole[i];
    return sum;
}

static gf_reference_u128 exact_squares(const struct gf_reference_sequence *s)
{
    gf_reference_u128 sum = 0;
    for (uint64_t i = 0; i < s->n; i++)
        sum += (gf_reference_u128)(s->whole[i] * s->whole[i]);
    return sum;
}

static gf_reference_u128 exact_abs(const struct gf_reference_sequence *s)
{
    gf_reference_u128 sum = 0;
    for (uint64_t i = 0; i < s->n; i++)
        sum += (gf_reference_u128)(s->whole[i] < 0 ? -s->whole[i] : s->whole[i]);
    return sum;
}

static bool fits(const struct gf_reference_sequence *s, gf_reference_i128 v)
{
    if (gf_dtype_kind(s->dtype) == GF_KIND_SINT)
        return v >= INT64_MIN && v <= INT64_MAX;
    return v >= 0 && v <= (gf_reference_i128)UINT64_MAX;
}

/* The product modulo 2^64, and whether it is exact. */
static bool exact_product(const struct gf_reference_sequence *s, uint64_t *ret)
{
    gf_reference_u128 magnitude = 1;
    bool zero = false, negative = false;
    *ret = 1;
    for (uint64_t i = 0; i < s->n; i++) {
        gf_reference_i128 v = s->whole[i];
        *ret *= (uint64_t)v;
        zero = zero || v == 0;
        negative = negative != (v < 0);
        if (v != 0)
            magnitude *= (gf_reference_u128)(v < 0 ? -v : v);
        if (magnitude > UINT64_MAX)
            magnitude = (gf_reference_u128)UINT64_MAX + 1;
    }
    if (zero)
        return true;
    return fits(s, negative ? -(gf_reference_i128)magnitude : (gf_reference_i128)magnitude);
}

/* The index of min or max: NaN first of all, then the first of equals; GF's "none" where nothing is there. */
static uint64_t extreme_index(const struct gf_reference_sequence *s, bool least)
{
    uint64_t at = UINT64_MAX;
    for (uint64_t i = 0; i < s->n; i++) {
        if (!s->there[i])
            continue;
        if (is_float(s) && isnan(s->x[i]))
            return i;
        bool better = at == UINT64_MAX;
        if (!better && is_float(s))
            better = least ? s->x[i] < s->x[at] : s->x[i] > s->x[at];
        else if (!better)
            better = least ? s->whole[i] < s->whole[at] : s->whole[i] > s->whole[at];
        if (better)
            at = i;
    }
    return at;
}

/* min or max of floats: -0 is less than +0. */
static double extreme(const struct gf_reference_sequence *s, bool least)
{
    uint64_t at = extreme_index(s, least);
    if (at == UINT64_MAX || s->x[at] != 0.0)
        return at == UINT64_MAX ? NAN : s->x[at];
    for (uint64_t i = 0; i < s->n; i++)
        if (s->x[i] == 0.0 && signbit(s->x[i]) == least)
            return s->x[i];
    return s->x[at];
}

uint64_t gf_reference_f64_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return isnan(x) ? UINT64_C(0x7FF8000000000000) : bits;
}

/* The greatest or least integer of a dtype. */
static uint64_t limit_bits(uint32_t dtype, bool greatest)
{
    bool is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    uint32_t bits = 8 * (uint32_t)gf_dtype_size(dtype) - is_signed;
    gf_reference_i128 most = ((gf_reference_i128)1 << bits) - 1;
    return (uint64_t)(greatest ? most : is_signed ? -most - 1 : 0);
}

static uint64_t extreme_bits(const struct gf_reference_sequence *s, bool least)
{
    if (!is_float(s) && s->n == 0)
        return limit_bits(s->dtype, least);
    if (!is_float(s))
        return (uint64_t)s->whole[extreme_index(s, least)];
    double v = extreme(s, least);
    if (s->dtype == GF_F64)
        return gf_reference_f64_bits(v);
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    return isnan(v) ? 0x7FC00000u : bits;
}

static double greatest_magnitude(const struct gf_reference_sequence *s)
{
    double most = 0;
    gf_reference_i128 whole = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        if (!s->there[i])
            continue;
        if (isnan(s->x[i]))
            return NAN;
        most = fabs(s->x[i]) > most ? fabs(s->x[i]) : most;
        gf_reference_i128 a = s->whole[i] < 0 ? -s->whole[i] : s->whole[i];
        whole = a > whole ? a : whole;
    }
    return is_float(s) ? most : (double)whole;
}

static double variance(const struct gf_reference_sequence *s, uint32_t ddof)
{
    uint64_t n = present(s);
    if (n <= ddof)
        return NAN;
    if (!is_short(s))
        return squared_distances(s) / (double)(n - ddof);
    gf_reference_i128 sum = exact_sum(s);
    gf_reference_u128 v = (gf_reference_u128)n * exact_squares(s) - (gf_reference_u128)(sum * sum);
    return (double)v / (double)n / (double)(n - ddof);
}

static uint64_t nonzero(const struct gf_reference_sequence *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->n; i++)
        n += s->there[i] && (is_float(s) ? s->x[i] != 0.0 : s->whole[i] != 0);
    return n;
}

/* The reductions whose result is f64. */
static double real_reduction(const struct gf_reference_sequence *s, uint32_t reduction, uint32_t ddof)
{
    switch (reduction) {
    case GF_REDUCTION_MEAN:
        if (present(s) == 0)
            return NAN;
        return (is_float(s) ? gf_reference_tree(s, GF_REFERENCE_SUM, NULL) : (double)exact_sum(s)) / (double)present(s);
    case GF_REDUCTION_VAR:
        return variance(s, ddof);
    case GF_REDUCTION_STD:
        return sqrt(variance(s, ddof));
    case GF_REDUCTION_L1:
        return is_float(s) ? gf_reference_tree(s, GF_REFERENCE_ABS, NULL) : (double)exact_abs(s);
    case GF_REDUCTION_L2:
        return sqrt(is_short(s) ? (double)exact_squares(s) : gf_reference_tree(s, GF_REFERENCE_SQUARES, NULL));
    default:
        return greatest_magnitude(s);
    }
}

bool gf_reference_reduce_one(const struct gf_reference_sequence *s, uint32_t reduction, uint32_t ddof, bool wrap,
                             uint64_t *ret_bits)
{
    bool exact = true;
    switch (reduction) {
    case GF_REDUCTION_SUM:
        exact = is_float(s) || fits(s, exact_sum(s));
        *ret_bits =
            is_float(s) ? gf_reference_f64_bits(gf_reference_tree(s, GF_REFERENCE_SUM, NULL)) : (uint64_t)exact_sum(s);
        break;
    case GF_REDUCTION_PRODUCT:
        if (is_float(s))
            *ret_bits = gf_reference_f64_bits(gf_reference_tree(s, GF_REFERENCE_PRODUCT, NULL));
        else
            exact = exact_product(s, ret_bits);
        break;
    case GF_REDUCTION_MIN:
    case GF_REDUCTION_MAX:
        *ret_bits = extreme_bits(s, reduction == GF_REDUCTION_MIN);
        break;
    case GF_REDUCTION_ARGMIN:
    case GF_REDUCTION_ARGMAX:
        *ret_bits = extreme_index(s, reduction == GF_REDUCTION_ARGMIN);
        break;
    case GF_REDUCTION_COUNT:
        *ret_bits = nonzero(s);
        break;
    case GF_REDUCTION_ANY:
        *ret_bits = nonzero(s) > 0;
        break;
    case GF_REDUCTION_ALL:
        *ret_bits = nonzero(s) == present(s);
        break;
    default:
        *ret_bits = gf_reference_f64_bits(real_reduction(s, reduction, ddof));
    }
    return exact || wrap;
}

void gf_reference_put(struct gf_reference_buf *out, uint64_t sample, uint64_t y, uint64_t bits)
{
    size_t size = gf_dtype_size(out->view.dtype);
    memcpy((char *)out->data + y * out->view.pitch + sample * size, &bits, size);
}
