/* SPDX-License-Identifier: MIT */
/* The heights of bands. Called by linear_filter.c and the ops that work row by row. */
#include "bands.h"

/* Bytes of a band when copies overlap: large enough for the bus, small enough that little waits for the first one; and
 * so many bands at most. */
#define BAND_BYTES (1024u * 1024u)
#define MAX_BANDS 24u
/* From so many jobs on the device on, the copies of one overlap with the kernels of others, and bands only cost. */
#define MANY_JOBS 4u

static uint64_t band_bytes(const struct gf_cuda_call *call, uint64_t bytes)
{
    uint32_t running = __atomic_load_n(&call->lane->device->running, __ATOMIC_RELAXED);
    if (!call->overlap || running >= MANY_JOBS || bytes / MAX_BANDS >= GF_CUDA_PIECE_BYTES)
        return GF_CUDA_PIECE_BYTES;
    return bytes / MAX_BANDS > BAND_BYTES ? bytes / MAX_BANDS : BAND_BYTES;
}

static uint64_t round_up(uint64_t rows, uint32_t unit)
{
    return (rows + unit - 1) / unit * unit;
}

struct gf_cuda_bands gf_cuda_bands(const struct gf_cuda_call *call, uint64_t bytes, uint32_t unit)
{
    struct gf_cuda_bands bands = {.height = call->out[0].view.height, .unit = unit};
    uint64_t n = bytes / band_bytes(call, bytes);
    bands.rows = n < 2 ? bands.height : round_up((bands.height + n - 1) / n, unit);
    return bands;
}

/* The first one is half as high: nothing leaves before it is done. */
uint64_t gf_cuda_band_end(const struct gf_cuda_bands *bands, uint64_t first)
{
    uint64_t rows = bands->rows;
    if (first == 0 && rows < bands->height && rows > bands->unit)
        rows = round_up(rows / 2, bands->unit);
    return bands->height - first < rows ? bands->height : first + rows;
}
