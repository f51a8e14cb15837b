/* SPDX-License-Identifier: MIT */
/* Segments of a scan on the device: their offsets, and how blocks of elements are numbered. Called by scan_blocks.cu.
 */
#include <stdlib.h>

#include "cuda_pool.h"
#include "cuda_status.h"
#include "kernels/segments.h"
#include "scan_run.h"

/* Fills both tables of n + 1. */
static void fill(struct gf_cuda_segments *segments, const struct gf_scan *scan, uint64_t *offsets,
                 uint64_t *first_blocks)
{
    uint64_t block = 0;
    for (uint64_t s = 0; s <= scan->n_segments; s++) {
        offsets[s] = gf_segments_at(scan->segments, s);
        first_blocks[s] = block;
        if (s == scan->n_segments)
            break;
        uint64_t length = gf_segments_at(scan->segments, s + 1) - offsets[s];
        if (length > GF_SCAN_GROUP * GF_SCAN_ROW)
            block += (length + GF_SCAN_BLOCK - 1) / GF_SCAN_BLOCK;
        else if (length > 0)
            segments->any_short = true;
    }
    segments->n_blocks = block;
}

enum gf_status gf_cuda_segments_init(struct gf_cuda_segments *segments, struct gf_lane *lane,
                                     const struct gf_scan *scan, struct gf_error *err)
{
    uint64_t n = scan->n_segments + 1;
    uint64_t gf_cleanup(gf_freep) *tables = calloc(2 * n, sizeof(*tables));
    void *data = NULL;
    if (tables == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the offsets of segments");
    fill(segments, scan, tables, tables + n);
    enum gf_status status = gf_cuda_take(lane, 2 * n * sizeof(*tables), &data, err);
    if (status != GF_OK)
        return status;
    segments->offsets = data;
    segments->first_blocks = segments->offsets + n;
    return gf_cuda_status(cudaMemcpyAsync(data, tables, 2 * n * sizeof(*tables), cudaMemcpyHostToDevice, lane->main),
                          "copying the offsets of segments", err);
}

void gf_cuda_segments_deinit(struct gf_cuda_segments *segments, struct gf_lane *lane)
{
    gf_cuda_give(lane, segments->offsets);
    *segments = (struct gf_cuda_segments){0};
}
