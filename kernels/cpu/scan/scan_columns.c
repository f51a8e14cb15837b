/* SPDX-License-Identifier: MIT */
/* Scans of columns: bands of neighbouring columns go to the threads, each from its first row to its last. */
#include <math.h>
#include <string.h>

#include "scan_lines.h"

#define BAND 256u /* columns of one task, at most */

/* State of a band. */
struct band {
    union gf_scan_value x[BAND], s[BAND], prefix[BAND]; /* s: the results so far where the order does not count */
};

struct bands {
    struct gf_cpu_scan *run;
    uint64_t columns, n_tasks;
};

static uint64_t row_of(const struct gf_scan *scan, uint64_t index)
{
    return scan->reverse ? scan->height - 1 - index : index;
}

static void load_row(const struct gf_cpu_scan *run, uint64_t first, size_t n, uint64_t index, union gf_scan_value *x)
{
    const struct gf_scan *scan = &run->scan;
    const char *row = (const char *)scan->src + row_of(scan, index) * scan->src_pitch;
    run->rows->load(scan->in, row + first * gf_dtype_size(scan->in), 1, n, x);
    gf_cpu_scan_prepare(scan, x, n);
    if (index == 0 && scan->what == GF_SCAN_AFFINE && scan->started)
        for (size_t i = 0; i < n; i++)
            x[i].f = fma(scan->a, scan->init.f, x[i].f);
}

static void store_row(const struct gf_cpu_scan *run, uint64_t first, size_t n, uint64_t index,
                      const union gf_scan_value *x)
{
    const struct gf_scan *scan = &run->scan;
    char *row = (char *)scan->dst + row_of(scan, index) * scan->dst_pitch;
    run->rows->store(scan->out, x, n, row + first * gf_dtype_size(scan->out), 1);
}

/* x holds the elements of a row, and afterwards the results. */
static void tree_row(const struct gf_cpu_scan *run, struct band *band, size_t n, uint64_t index)
{
    uint32_t j = (uint32_t)(index % GF_SCAN_STRIP);
    const double *init = run->scan.started ? &run->scan.init.f : NULL;
    run->rows->strip(run->scan.what, &run->factors, j, index >= GF_SCAN_STRIP ? &band->prefix->f : NULL, init,
                     &band->s->f, &band->x->f, n);
    if (j + 1 < GF_SCAN_STRIP)
        return;
    if (index >= GF_SCAN_STRIP)
        run->rows->strip_end(run->scan.what, &run->factors, &band->s->f, &band->prefix->f, n);
    else
        memcpy(band->prefix, band->s, n * sizeof(*band->s));
}

static void exact_row(struct gf_cpu_scan *run, struct band *band, uint64_t first, size_t n, uint64_t index)
{
    uint64_t shift = run->scan.exclusive;
    size_t fit = run->rows->run_across(run->scan.what, run->scan.in, &run->limits, band->s, band->x, n);
    if (fit < n && index + shift < run->scan.height)
        gf_cpu_scan_overflow(run, first + fit, index + shift);
}

static void scan_band(struct gf_cpu_scan *run, uint64_t first, size_t n)
{
    const struct gf_scan *scan = &run->scan;
    struct band band;
    for (size_t i = 0; i < n; i++) {
        band.s[i] = scan->started && scan->what != GF_SCAN_AFFINE ? scan->init : scan->absent;
        band.x[i] = scan->first;
    }
    if (scan->exclusive)
        store_row(run, first, n, 0, band.x);
    for (uint64_t index = 0; index + scan->exclusive < scan->height; index++) {
        if (index % GF_SCAN_STRIP == 0 && gf_cpu_scan_stopped(run))
            return;
        load_row(run, first, n, index, band.x);
        if (run->tree)
            tree_row(run, &band, n, index);
        else
            exact_row(run, &band, first, n, index);
        store_row(run, first, n, index + scan->exclusive, band.x);
    }
}

static void band_task(void *context, uint32_t task, uint32_t slot)
{
    (void)slot;
    const struct bands *bands = context;
    uint64_t first = bands->columns * task / bands->n_tasks, end = bands->columns * (task + 1) / bands->n_tasks;
    for (; first < end; first += BAND)
        scan_band(bands->run, first, end - first < BAND ? (size_t)(end - first) : BAND);
}

void gf_cpu_scan_columns(struct gf_cpu_scan *run)
{
    struct bands bands = {.run = run, .columns = run->scan.width * run->scan.channels};
    uint64_t threads = gf_cpu_pool_threads(run->call->pool), full = (bands.columns + BAND - 1) / BAND;
    uint64_t most = bands.columns < threads ? bands.columns : threads;
    bands.n_tasks = full < most ? most : full < 16 * threads ? full : 16 * threads;
    gf_cpu_pool_run(run->call->pool, band_task, &bands, (uint32_t)bands.n_tasks);
}
