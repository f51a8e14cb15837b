/* SPDX-License-Identifier: MIT */
/*
 * match on the CPU, docs/numerics.md, "match". Called through the op's row.
 *
 * Tiles of scores are computed independently. The products of the template with the picture under it are summed by
 * parts of the template: in 32 bits within a part, which is small enough for that, and in 64 bits over all parts. The
 * sums of samples and of their squares slide down the columns and then along the rows. Once all scores are known, rows
 * are searched for peaks, and each thread keeps its best ones.
 */
#include <math.h>
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "protocol/base/base.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/match.h"
#include "protocol/ops/plan/plans.h"
#include "simd_match.h"

#define TILE_COLUMNS GF_MATCH_TILE_COLUMNS
#define TILE_ROWS GF_MATCH_TILE_ROWS
#define PART_COLUMNS GF_MATCH_PART_COLUMNS
#define PART_ROWS GF_MATCH_PART_ROWS
#define BAND 16u /* rows searched for peaks per task */

_Static_assert(TILE_COLUMNS % GF_MATCH_COLUMNS == 0 && TILE_ROWS % 2 == 0 && PART_COLUMNS % 4 == 0, "whole units");
_Static_assert(TILE_COLUMNS + PART_COLUMNS <= GF_MATCH_WORDS, "rows are made at once");
_Static_assert(UINT64_C(65025) * PART_COLUMNS * PART_ROWS <= INT32_MAX, "sums of a part fit");

struct matching {
    const struct gf_cpu_call *call;
    const struct gf_simd_match *simd;
    const struct gf_buf *src, *templ, *scores;
    uint32_t method;
    float sign;                             /* score * sign is greater for better scores */
    uint64_t channels, w, h, width, height; /* w, h: the template's size; width, height: the size of the scores */
    uint64_t sums[GF_MAX_CHANNELS];         /* sums of the template's channels */
    uint64_t all_squares;                   /* sum of the squares of the template's samples */
    double square;                          /* the template's factor under the root */
    struct gf_match_workspace *workspaces;  /* one per thread, and so are the following arrays */
    uint32_t *columns;                      /* sums and squares of the columns of a tile under the template */
    size_t n_columns;
    uint64_t
        *best; /* per thread, keys of the best peaks; once there are `rows` of them, a heap with the least one first */
    uint64_t *counts, *n_best;
    uint32_t rows; /* rows of the table of peaks */
};

/* A tile of scores. */
struct tile {
    uint64_t x, y;
    size_t width, height, columns; /* columns: width rounded up to GF_MATCH_COLUMNS */
};

static const uint8_t *sample_at(const struct gf_buf *buf, uint64_t y, uint64_t x)
{
    return (const uint8_t *)buf->data + y * buf->view.pitch + x * buf->view.channels;
}

static const char *scores_at(const struct matching *m, uint64_t y)
{
    return (const char *)m->scores->data + y * m->scores->view.pitch;
}

static float score_at(const struct matching *m, uint64_t y, uint64_t x)
{
    float score;
    memcpy(&score, scores_at(m, y) + x * sizeof(score), sizeof(score));
    return score;
}

/* Computes the template's sums and its factor under the root. */
static void measure_template(struct matching *m)
{
    for (uint64_t y = 0; y < m->h; y++) {
        const uint8_t *row = sample_at(m->templ, y, 0);
        for (uint64_t i = 0; i < m->w * m->channels; i++) {
            m->sums[i % m->channels] += row[i];
            m->all_squares += (uint64_t)row[i] * row[i];
        }
    }
    uint64_t square = m->all_squares;
    if (m->method == GF_MATCH_CCOEFF) {
        square *= m->w * m->h;
        for (uint64_t c = 0; c < m->channels; c++)
            square -= m->sums[c] * m->sums[c];
    }
    m->square = (double)(int64_t)square;
}

/* Packs a part of the template into `rows` rows of n words, from row y and column x on, with a row of zeros before and
 * after. */
static void fill_template(const struct matching *m, uint64_t y, uint64_t x, uint64_t c, size_t rows, size_t n,
                          int32_t *templ)
{
    const uint32_t taps = m->simd->taps, bits = 32 / taps;
    memset(templ, 0, (rows + 2) * n * sizeof(*templ));
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *row = sample_at(m->templ, y + r, x) + c;
        for (size_t i = 0; i < taps * n && x + i < m->w; i++) {
            uint32_t value = (uint32_t)(row[i * m->channels] - m->simd->less) & UINT32_MAX >> (32 - bits);
            uint32_t word = (uint32_t)templ[(r + 1) * n + i / taps] | value << bits * (i % taps);
            templ[(r + 1) * n + i / taps] = (int32_t)word;
        }
    }
}

/* Adds the products of a part of the template, from row y and column x on, to the products of a tile. */
static void add_part(const struct matching *m, const struct tile *t, uint64_t y, uint64_t x, uint64_t c,
                     struct gf_match_workspace *w)
{
    const size_t taps = m->simd->taps, rows = (size_t)gf_min_u64(PART_ROWS, m->h - y);
    const size_t n = ((size_t)gf_min_u64(PART_COLUMNS, m->w - x) + taps - 1) / taps;
    const size_t even = (t->height + 1) / 2 * 2, needed = t->columns + taps * n;
    uint64_t left = m->src->view.width - (t->x + x), top = t->y + y;
    fill_template(m, y, x, c, rows, n, w->templ);
    for (size_t r = 0; r < even + rows - 1; r++) {
        if (top + r < m->src->view.height)
            m->simd->spread(sample_at(m->src, top + r, t->x + x) + c, (size_t)m->channels, (size_t)left, needed,
                            w->words[r]);
        else /* only a row of scores that is not stored needs this row */
            memset(w->words[r], 0, needed * sizeof(w->words[r][0]));
    }
    for (size_t r = 0; r < even; r += 2) {
        int32_t *const sums[2] = {w->part[0], w->part[1]};
        m->simd->correlate(w->words[r], TILE_COLUMNS + PART_COLUMNS, w->templ, rows, n, t->columns, sums);
        for (size_t i = 0; i < t->columns; i++) {
            w->products[r][i] += w->part[0][i];
            w->products[r + 1][i] += w->part[1][i];
        }
    }
}

/* Computes the numerators and squares of a row of scores by sliding the columns' sums along the row. */
static inline void sum_row(const struct matching *m, const struct tile *t, const uint32_t *sums,
                           const uint32_t *squares, const int64_t *products, uint64_t channels,
                           struct gf_match_workspace *w)
{
    uint64_t n = m->w * m->h, square = 0, sum[GF_MAX_CHANNELS] = {0};
    for (uint64_t i = 0; i + 1 < m->w; i++)
        for (uint64_t c = 0; c < channels; c++) {
            sum[c] += sums[i * channels + c];
            square += squares[i * channels + c];
        }
    for (size_t x = 0; x < t->width; x++) {
        uint64_t cross = 0, means = 0, all = 0;
        for (uint64_t c = 0; c < channels; c++) {
            uint64_t first = x * channels + c, last = first + (m->w - 1) * channels;
            sum[c] += sums[last];
            square += squares[last];
            all += sum[c];
            cross += sum[c] * m->sums[c];
            means += sum[c] * sum[c];
        }
        uint64_t product = (uint64_t)(products[x] + m->simd->less * (int64_t)all), numerator = product;
        if (m->method == GF_MATCH_CCOEFF)
            numerator = n * product - cross;
        else if (m->method == GF_MATCH_SQDIFF)
            numerator = square + m->all_squares - 2 * product;
        w->numerators[x] = (int64_t)numerator;
        w->squares[x] = (int64_t)(m->method == GF_MATCH_CCOEFF ? n * square - means : square);
        for (uint64_t c = 0; c < channels; c++) {
            sum[c] -= sums[x * channels + c];
            square -= squares[x * channels + c];
        }
    }
}

/* Computes the scores of a tile from its products. */
static void score_tile(const struct matching *m, const struct tile *t, uint32_t *sums, struct gf_match_workspace *w)
{
    size_t n = (size_t)((t->width + m->w - 1) * m->channels);
    uint32_t *squares = sums + m->n_columns;
    memset(sums, 0, n * sizeof(*sums));
    memset(squares, 0, n * sizeof(*squares));
    for (uint64_t y = 0; y + 1 < m->h; y++)
        m->simd->slide(sample_at(m->src, t->y + y, t->x), NULL, n, sums, squares);
    for (size_t r = 0; r < t->height; r++) {
        uint64_t y = t->y + r;
        m->simd->slide(sample_at(m->src, y + m->h - 1, t->x), r > 0 ? sample_at(m->src, y - 1, t->x) : NULL, n, sums,
                       squares);
        if (m->channels == 1)
            sum_row(m, t, sums, squares, w->products[r], 1, w);
        else
            sum_row(m, t, sums, squares, w->products[r], m->channels, w);
        m->simd->score(w->numerators, w->squares, m->square, m->method == GF_MATCH_SQDIFF, t->width,
                       (char *)m->scores->data + y * m->scores->view.pitch + t->x * sizeof(float));
    }
}

static void match_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct matching *m = context;
    struct gf_match_workspace *w = &m->workspaces[tile->slot];
    struct tile t = {.x = tile->x, .y = tile->y, .width = (size_t)tile->width, .height = (size_t)tile->height};
    t.columns = (size_t)gf_round_up(t.width, GF_MATCH_COLUMNS);
    memset(w->products, 0, sizeof(w->products));
    for (uint64_t y = 0; y < m->h; y += PART_ROWS)
        for (uint64_t x = 0; x < m->w; x += PART_COLUMNS)
            for (uint64_t c = 0; c < m->channels; c++) {
                if (gf_cpu_stopped(tile->stop))
                    return;
                add_part(m, &t, y, x, c, w);
            }
    score_tile(m, &t, m->columns + 2 * m->n_columns * tile->slot, w);
}

/* Whether one of columns [from, to] of a row beats a score, which is multiplied by `sign`. An equal score beats it if
 * its place comes before. */
static inline bool row_beats(const struct matching *m, uint64_t y, uint64_t from, uint64_t to, float score, bool before)
{
    const char *row = scores_at(m, y);
    for (uint64_t x = from; x <= to; x++) {
        float other;
        memcpy(&other, row + x * sizeof(other), sizeof(other));
        other *= m->sign;
        if (other > score || (before && other == score))
            return true;
    }
    return false;
}

/*
 * Whether no score around (x, y) beats it, from distance d on. Rings of growing distance are compared. Of two places
 * one beats the other, so places that pass distance d are at least d apart, and there are about pixels / d^2 of them at
 * most. Each compares 8 d pixels at distance d; all comparisons together are therefore about pixels times the logarithm
 * of the distance.
 */
static bool is_peak(const struct matching *m, uint64_t x, uint64_t y, uint64_t d)
{
    uint64_t across = gf_max_u64(1, m->w / 2), down = gf_max_u64(1, m->h / 2), most = gf_max_u64(across, down);
    float score = m->sign * score_at(m, y, x);
    for (; d <= most; d++) {
        uint64_t left = gf_min_u64(x, gf_min_u64(d, across)),
                 right = gf_min_u64(m->width - 1 - x, gf_min_u64(d, across));
        uint64_t above = gf_min_u64(y, gf_min_u64(d - 1, down)),
                 below = gf_min_u64(m->height - 1 - y, gf_min_u64(d - 1, down));
        if (d <= down && d <= y && row_beats(m, y - d, x - left, x + right, score, true))
            return false;
        if (d <= down && d < m->height - y && row_beats(m, y + d, x - left, x + right, score, false))
            return false;
        for (uint64_t i = y - above; d <= across && i <= y + below; i++) {
            if (d <= x && row_beats(m, i, x - d, x - d, score, i <= y))
                return false;
            if (d < m->width - x && row_beats(m, i, x + d, x + d, score, i < y))
                return false;
        }
    }
    return true;
}

/* A key that is greater for better scores, and for earlier places with equal scores. */
static uint64_t key_of(const struct matching *m, uint64_t x, uint64_t y)
{
    float score = score_at(m, y, x);
    uint32_t bits;
    memcpy(&bits, &score, sizeof(bits));
    bits = bits >> 31 != 0 ? ~bits : bits | UINT32_C(1) << 31;
    bits = m->method == GF_MATCH_SQDIFF ? ~bits : bits;
    return (uint64_t)bits << 32 | (UINT32_MAX - (uint32_t)(y * m->width + x));
}

/* Moves key i of a heap, whose least key comes first, down to its place. */
static void sink(uint64_t *heap, uint64_t n, uint64_t i)
{
    for (;;) {
        uint64_t least = i;
        for (uint64_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
            least = heap[k] < heap[least] ? k : least;
        if (least == i)
            return;
        uint64_t key = heap[i];
        heap[i] = heap[least];
        heap[least] = key;
        i = least;
    }
}

/* Keeps the greatest keys, at most `rows`; *n is their number. */
static void keep(uint64_t *heap, uint64_t *n, uint64_t rows, uint64_t key)
{
    if (*n < rows) {
        heap[(*n)++] = key;
        for (uint64_t i = *n == rows ? rows / 2 : 0; i > 0; i--) /* full: it becomes a heap now */
            sink(heap, rows, i - 1);
    } else if (key > heap[0]) {
        heap[0] = key;
        sink(heap, rows, 0);
    }
}

static void search_band(void *context, const struct gf_cpu_tile *band)
{
    const struct matching *m = context;
    const struct gf_f32v threshold = gf_match_params_get(&m->call->step->params).threshold;
    const uint32_t slot = band->slot;
    uint8_t flags[TILE_COLUMNS];
    for (uint64_t y = band->y; y < band->y + band->height; y++) {
        for (uint64_t x = 0; x < m->width; x += TILE_COLUMNS) {
            size_t n = (size_t)gf_min_u64(TILE_COLUMNS, m->width - x), at = (size_t)x * sizeof(float);
            m->simd->tops(y > 0 ? scores_at(m, y - 1) + at : NULL, scores_at(m, y) + at,
                          y + 1 < m->height ? scores_at(m, y + 1) + at : NULL, m->sign, n, flags);
            for (size_t i = 0; i < n; i++) {
                bool inside = i > 0 && i + 1 < n; /* all neighbours have been compared */
                if (flags[i] == 0 || (threshold.n > 0 && m->sign * score_at(m, y, x + i) < m->sign * threshold.v[0]) ||
                    !is_peak(m, x + i, y, inside ? 2 : 1))
                    continue;
                keep(m->best + (uint64_t)slot * m->rows, &m->n_best[slot], m->rows, key_of(m, x + i, y));
                m->counts[slot]++;
            }
        }
    }
}

/* Stores the best peaks of all threads, sorted, and the number of all peaks. */
static void store_table(struct matching *m)
{
    uint32_t threads = gf_cpu_pool_threads(m->call->pool);
    uint64_t count = m->counts[0], *best = m->best, n = m->n_best[0];
    double *found = m->call->out[1].data;
    for (uint32_t s = 1; s < threads; s++) {
        for (uint64_t i = 0; i < m->n_best[s]; i++)
            keep(best, &n, m->rows, m->best[(uint64_t)s * m->rows + i]);
        count += m->counts[s];
    }
    for (uint64_t i = n / 2; i > 0; i--)
        sink(best, n, i - 1);
    for (uint64_t i = 3 * n; i < 3 * (uint64_t)m->rows; i++)
        found[i] = (double)NAN;
    for (; n > 0; n--) { /* the worst remaining peak goes last */
        uint64_t place = UINT32_MAX - (uint32_t)best[0], x = place % m->width, y = place / m->width;
        found[3 * n - 3] = (double)x;
        found[3 * n - 2] = (double)y;
        found[3 * n - 1] = (double)score_at(m, y, x);
        best[0] = best[n - 1];
        sink(best, n - 1, 0);
    }
    memcpy(m->call->out[2].data, &count, sizeof(count));
}

/* Allocates the memory of all threads. */
static enum gf_status make_room(struct matching *m, struct gf_error *err)
{
    const uint32_t threads = gf_cpu_pool_threads(m->call->pool);
    void *room = NULL;
    enum gf_status status = gf_cpu_scratch_get(m->call, gf_match_scratch(m->n_columns, m->rows, threads), &room, err);
    if (status != GF_OK)
        return status;
    m->workspaces = room;
    m->best = (void *)(m->workspaces + threads);
    m->counts = m->best + (uint64_t)threads * m->rows;
    m->n_best = m->counts + threads;
    m->columns = (void *)(m->n_best + threads);
    memset(m->counts, 0, 2 * threads * sizeof(*m->counts));
    return GF_OK;
}

enum gf_status gf_cpu_match(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct matching m = {.call = call,
                         .simd = call->simd->match,
                         .src = &call->in[0],
                         .templ = &call->in[1],
                         .scores = &call->out[0],
                         .method = gf_match_params_get(&call->step->params).method,
                         .sign = gf_match_params_get(&call->step->params).method == GF_MATCH_SQDIFF ? -1.0f : 1.0f,
                         .channels = call->in[0].view.channels,
                         .w = call->in[1].view.width,
                         .h = call->in[1].view.height,
                         .width = call->out[0].view.width,
                         .height = call->out[0].view.height,
                         .rows = gf_match_params_get(&call->step->params).peaks};
    const struct gf_tiles tiles = {m.width, m.height, TILE_COLUMNS, TILE_ROWS, 0};
    const struct gf_tiles bands = {m.width, m.height, m.width, BAND, 0};
    m.n_columns = (size_t)gf_match_columns(&m.scores->view, &m.templ->view);
    enum gf_status status = make_room(&m, err);
    if (status != GF_OK)
        return status;
    measure_template(&m);
    status = gf_cpu_tiles_run(call, &tiles, match_tile, &m, err);
    if (status == GF_OK)
        status = gf_cpu_tiles_run(call, &bands, search_band, &m, err);
    if (status == GF_OK)
        store_table(&m);
    return status;
}
