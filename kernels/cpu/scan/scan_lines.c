/* SPDX-License-Identifier: MIT */
/*
 * Runs one scan: prepares factors and limits, chooses the pass for the axis, and reports errors. Also the helpers that
 * all passes share.
 */
#include "scan_lines.h"

#include <math.h>
#include <string.h>

static void set_factors(double a, struct gf_scan_factors *f)
{
    double end = 1;
    f->row[0] = a;
    for (uint32_t j = 1; j < GF_SCAN_ROW_CHUNK; j++)
        f->row[j] = f->row[j - 1] * a;
    for (uint32_t i = 0; i < GF_SCAN_GROUP; i++)
        f->group[0][i] = f->row[GF_SCAN_ROW - 1];
    for (uint32_t step = 0, d = 1; step < GF_SCAN_STEPS; step++, d *= 2)
        for (uint32_t i = 0; i < GF_SCAN_GROUP; i++)
            f->group[step + 1][i] = i >= d ? f->group[step][i - d] * f->group[step][i] : f->group[step][i];
    const double *last = f->group[GF_SCAN_STEPS];
    for (uint32_t g = 0; g < GF_SCAN_GROUPS; g++) {
        double *offset = f->offset + (size_t)g * GF_SCAN_GROUP;
        offset[0] = end;
        for (uint32_t i = 1; i < GF_SCAN_GROUP; i++)
            offset[i] = g > 0 ? end * last[i - 1] : last[i - 1];
        end = g > 0 ? end * last[GF_SCAN_GROUP - 1] : last[GF_SCAN_GROUP - 1];
    }
    f->block = end;
}

void gf_cpu_scan_overflow(struct gf_cpu_scan *run, uint64_t sequence, uint64_t index)
{
    uint64_t at = sequence * gf_scan_length(&run->scan) + index;
    uint64_t before = __atomic_load_n(&run->overflow, __ATOMIC_RELAXED);
    while (at < before &&
           !__atomic_compare_exchange_n(&run->overflow, &before, at, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void gf_cpu_scan_prepare(const struct gf_scan *scan, union gf_scan_value *x, size_t n)
{
    if (scan->what == GF_SCAN_AFFINE)
        for (size_t i = 0; i < n; i++)
            x[i].f = scan->b * x[i].f;
    else if (scan->square && scan->in == GF_F32)
        for (size_t i = 0; i < n; i++)
            x[i].f = x[i].f * x[i].f;
    else if (scan->square)
        for (size_t i = 0; i < n; i++)
            x[i].u = x[i].u * x[i].u;
}

/* Finds where element `index` of a sequence lies. Returns how many of the n elements from there on lie in the same
 * row. */
static size_t locate(const struct gf_scan *scan, const struct gf_cpu_sequence *sequence, uint64_t index, size_t n,
                     uint64_t pitch, uint32_t dtype, uint64_t *ret_offset)
{
    size_t size = gf_dtype_size(dtype);
    uint64_t at = sequence->start + (scan->reverse ? sequence->length - 1 - index : index);
    bool folded = scan->axis == GF_AXIS_ALL && pitch != scan->width * scan->channels * size;
    uint64_t y = folded ? at / scan->width : sequence->y, x = folded ? at % scan->width : at;
    *ret_offset = y * pitch + (x * scan->channels + sequence->channel) * size;
    uint64_t left = scan->reverse ? x + 1 : scan->width - x;
    return folded && left < n ? (size_t)left : n;
}

void gf_cpu_scan_load(const struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t index, size_t n,
                      union gf_scan_value *x)
{
    const struct gf_scan *scan = &run->scan;
    ptrdiff_t stride = scan->reverse ? -(ptrdiff_t)scan->channels : (ptrdiff_t)scan->channels;
    for (size_t done = 0, part; done < n; done += part) {
        uint64_t offset;
        part = locate(scan, sequence, index + done, n - done, scan->src_pitch, scan->in, &offset);
        run->call->simd->samples->load_values(scan->in, (const char *)scan->src + offset, stride, part, x + done);
    }
    gf_cpu_scan_prepare(scan, x, n);
}

void gf_cpu_scan_store(const struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t index, size_t n,
                       const union gf_scan_value *x)
{
    const struct gf_scan *scan = &run->scan;
    ptrdiff_t stride = scan->reverse ? -(ptrdiff_t)scan->channels : (ptrdiff_t)scan->channels;
    for (size_t done = 0, part; done < n; done += part) {
        uint64_t offset;
        part = locate(scan, sequence, index + done, n - done, scan->dst_pitch, scan->out, &offset);
        run->call->simd->samples->store_values(scan->out, x + done, part, (char *)scan->dst + offset, stride);
    }
}

void gf_cpu_scan_begin(const struct gf_scan *scan, union gf_scan_value *x)
{
    if (scan->what == GF_SCAN_AFFINE && scan->started)
        x[0].f = fma(scan->a, scan->init.f, x[0].f);
}

union gf_scan_value gf_cpu_scan_carry(const struct gf_scan *scan)
{
    return scan->started && scan->what != GF_SCAN_AFFINE ? scan->init : scan->absent;
}

void gf_cpu_scan_short(struct gf_cpu_scan *run, uint64_t number, union gf_scan_value *x, size_t n)
{
    const struct gf_scan *scan = &run->scan;
    gf_cpu_scan_begin(scan, x);
    if (run->tree) {
        run->simd->group(scan->what, &run->factors, scan->started ? &scan->init.f : NULL, &x->f, n);
    } else {
        union gf_scan_value carry = gf_cpu_scan_carry(scan);
        size_t fit = run->simd->run(scan->what, scan->in, &run->limits, &carry, x, n);
        if (fit + scan->exclusive < n)
            gf_cpu_scan_overflow(run, number, fit + scan->exclusive);
    }
    if (scan->exclusive) {
        memmove(x + 1, x, (n - 1) * sizeof(*x));
        x[0] = scan->first;
    }
}

enum gf_status gf_cpu_scan_run(const struct gf_cpu_call *call, const struct gf_scan *scan, struct gf_error *err)
{
    struct gf_cpu_scan run = {.scan = *scan,
                              .call = call,
                              .stop = {.job = call->job},
                              .simd = call->simd->scan,
                              .limits = {scan->checked, scan->lo, scan->hi},
                              .overflow = UINT64_MAX};
    run.tree = gf_dtype_kind(scan->in) == GF_KIND_FLOAT && scan->what != GF_SCAN_MIN && scan->what != GF_SCAN_MAX;
    set_factors(scan->what == GF_SCAN_AFFINE ? scan->a : 1.0, &run.factors);
    enum gf_status status = GF_OK;
    if (scan->axis == GF_AXIS_COLS)
        gf_cpu_scan_columns(&run);
    else if (scan->segments)
        status = gf_cpu_scan_segments(&run, err);
    else
        status = gf_cpu_scan_blocks(&run, err);
    if (status != GF_OK)
        return status;
    if (run.stop.reason != GF_OK)
        return gf_error_set(err, (enum gf_status)run.stop.reason, "%s in the middle of %s",
                            run.stop.reason == GF_E_CANCELLED ? "cancelled" : "the deadline passed",
                            call->step->op->name);
    if (run.overflow == UINT64_MAX)
        return GF_OK;
    return gf_scan_overflow(call->step, run.overflow, err);
}
