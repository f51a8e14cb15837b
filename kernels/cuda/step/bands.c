/* SPDX-License-Identifier: MIT */
/* The heights of bands. Called by linear_filter.c and the ops that work row by row. */
#include "bands.h"

#include <math.h>

#include "cuda_copies.h"
#include "kernels/cuda/device/cuda_status.h"

/* Bytes of a band when copies overlap, at least: large enough for the bus. */
#define BAND_BYTES (1024u * 1024u)
/* A band costs a few microseconds, and half of another one passes before the first leaves and after the last has come:
 * together least where a band has the root of these bytes times all. The other is for kernels that need many rows to
 * fill the device, which cost so many multiplications a sample. */
#define LIGHT_BAND 166e3
#define HEAVY_BAND 250e3
#define HEAVY_COST 125.0
/* From so many jobs on the device on, the copies of one overlap with the kernels of others, and bands only cost. */
#define MANY_JOBS 4u
/* Multiplications of a unit for each multiprocessor, 3 to 4 ms, and samples with which two units keep it busy. */
#define UNIT_WORK 0x1p29
#define UNIT_SAMPLES (11u << 10)

static uint64_t band_bytes(const struct gf_cuda_call *call, uint64_t bytes, double part)
{
    uint32_t running = __atomic_load_n(&call->lane->device->running, __ATOMIC_RELAXED);
    if (!call->overlap || running >= MANY_JOBS)
        return GF_CUDA_PIECE_BYTES;
    double band = sqrt(part * (double)bytes);
    return band > BAND_BYTES ? (uint64_t)fmin(band, GF_CUDA_PIECE_BYTES) : BAND_BYTES;
}

static uint64_t round_up(uint64_t rows, uint32_t unit)
{
    return (rows + unit - 1) / unit * unit;
}

static uint64_t band_rows(const struct gf_cuda_call *call, uint64_t bytes, uint32_t unit, double part)
{
    uint64_t height = call->out[0].view.height, n = bytes / band_bytes(call, bytes, part);
    return n < 2 ? height : round_up((height + n - 1) / n, unit);
}

struct gf_cuda_bands gf_cuda_bands(const struct gf_cuda_call *call, uint64_t bytes, uint32_t unit)
{
    return (struct gf_cuda_bands){
        .height = call->out[0].view.height, .rows = band_rows(call, bytes, unit, LIGHT_BAND), .unit = unit};
}

static double unit_work(const struct gf_cuda_call *call)
{
    return UNIT_WORK * call->lane->device->info.units;
}

void gf_cuda_bands_limit(struct gf_cuda_bands *bands, const struct gf_cuda_call *call, double row, uint64_t samples)
{
    if (row > HEAVY_COST * (double)samples) {
        uint64_t heavy = band_rows(call, gf_view_bytes(&call->out[0].view), bands->unit, HEAVY_BAND);
        bands->rows = heavy > bands->rows ? heavy : bands->rows;
    }
    double n = row * (double)bands->height / unit_work(call) + 0.75; /* up to a quarter more are one */
    if (n < 2.0)
        return;
    uint64_t least = (uint64_t)UNIT_SAMPLES * call->lane->device->info.units / samples + 1;
    uint64_t rows = round_up((uint64_t)((double)bands->height / floor(n)) + 1, bands->unit);
    rows = rows > least ? rows : round_up(least, bands->unit);
    bands->rows = rows < bands->rows ? rows : bands->rows;
}

uint64_t gf_cuda_band_cost(const struct gf_cuda_call *call, double row, uint64_t rows)
{
    return (uint64_t)(row * (double)rows / unit_work(call) * GF_CUDA_PIECE_BYTES);
}

/* The first one is half as high: nothing leaves before it is done. */
uint64_t gf_cuda_band_end(const struct gf_cuda_bands *bands, uint64_t first)
{
    uint64_t rows = bands->rows;
    if (first == 0 && rows < bands->height && rows > bands->unit)
        rows = round_up(rows / 2, bands->unit);
    return bands->height - first < rows ? bands->height : first + rows;
}

enum gf_status gf_cuda_turns_begin(struct gf_cuda_call *call, const struct gf_cuda_bands *bands,
                                   struct gf_cuda_turns *ret_turns, struct gf_error *err)
{
    struct gf_lane *lane = call->lane;
    *ret_turns = (struct gf_cuda_turns){
        .lane = lane, .two = bands->rows < bands->height && !call->overlap && lane->main == lane->steady};
    return ret_turns->two ? gf_cuda_status(gf_cuda_follow(lane, lane->in, lane->main), "ordering streams", err) : GF_OK;
}

cudaStream_t gf_cuda_turns_next(struct gf_cuda_turns *turns)
{
    struct gf_lane *lane = turns->lane;
    if (!turns->two)
        return lane->main;
    turns->odd = !turns->odd;
    lane->last = turns->odd ? lane->in : lane->main;
    return lane->last;
}

enum gf_status gf_cuda_turns_join(struct gf_cuda_turns *turns, struct gf_error *err)
{
    struct gf_lane *lane = turns->lane;
    if (!turns->two)
        return GF_OK;
    lane->last = lane->main;
    cudaError_t error = gf_cuda_follow(lane, lane->main, lane->in);
    if (error == cudaSuccess)
        error = gf_cuda_follow(lane, lane->in, lane->main);
    return gf_cuda_status(error, "ordering streams", err);
}
