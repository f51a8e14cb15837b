/* SPDX-License-Identifier: MIT */
/*
 * Matrix products on the CPU, docs/numerics.md, "matmul". Called through the op's row. Threads take tiles of the
 * product. For each tile a thread packs blocks of a and b, k ascending, and the inner loops multiply them.
 */
#include "kernels/shared/matmul.h"

#include <math.h>
#include <string.h>

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "max_magnitude.h"
#include "protocol/base/base.h"
#include "simd_linalg.h"

#define WORD sizeof(union gf_scan_value)
#define TILE_BYTES (GF_MATMUL_ROWS * GF_MATMUL_COLS * WORD)
#define A_BYTES (GF_MATMUL_DEPTH * GF_MATMUL_ROWS * WORD)
#define B_BYTES (GF_MATMUL_DEPTH * GF_MATMUL_COLS * WORD)
#define SLOT_BYTES (TILE_BYTES + A_BYTES + B_BYTES)

struct product {
    const struct gf_cpu_call *call;
    const struct gf_buf *a, *b, *out;
    uint32_t kind; /* enum gf_cpu_matmul_kind */
    size_t size;   /* bytes per element of this kind */
    char *scratch; /* SLOT_BYTES per slot */
    uint64_t tiles_across, n_tiles;
    uint32_t n_tasks;
    struct gf_cpu_stop stop;
};

static const char *element(const struct gf_buf *buf, uint64_t y, uint64_t x)
{
    return (const char *)buf->data + y * buf->view.pitch + x * gf_dtype_size(buf->view.dtype);
}

/* Loads n elements of a row in the form of the inner loops. */
static void load(const struct product *p, const struct gf_buf *buf, uint64_t y, uint64_t x, size_t n, void *to)
{
    if (p->kind == GF_MATMUL_F32)
        memcpy(to, element(buf, y, x), n * sizeof(float));
    else
        p->call->simd->samples->load_values(buf->view.dtype, element(buf, y, x), 1, n, to);
}

static void pack_a(const struct product *p, uint64_t y, uint64_t k, const struct gf_cpu_matmul *tile, char *a)
{
    union gf_scan_value row[GF_MATMUL_DEPTH];
    for (size_t i = 0; i < tile->rows; i++) {
        load(p, p->a, y + i, k, tile->depth, row);
        if (p->kind == GF_MATMUL_F32)
            for (size_t j = 0; j < tile->depth; j++)
                memcpy(a + (j * GF_MATMUL_ROWS + i) * sizeof(float), (const char *)row + j * sizeof(float),
                       sizeof(float));
        else
            for (size_t j = 0; j < tile->depth; j++)
                memcpy(a + (j * GF_MATMUL_ROWS + i) * WORD, &row[j], WORD);
    }
}

static void pack_b(const struct product *p, uint64_t k, uint64_t x, const struct gf_cpu_matmul *tile, char *b)
{
    for (size_t j = 0; j < tile->depth; j++)
        load(p, p->b, k + j, x, tile->cols, b + j * GF_MATMUL_COLS * p->size);
}

static void store(const struct product *p, uint64_t y, uint64_t x, const struct gf_cpu_matmul *tile)
{
    const struct gf_view *view = &p->out->view;
    for (size_t i = 0; i < tile->rows; i++) {
        char *row = (char *)p->out->data + (y + i) * view->pitch + x * p->size;
        char *acc = (char *)tile->acc + i * GF_MATMUL_COLS * p->size;
        float *line = (float *)(void *)acc;
        if (p->kind == GF_MATMUL_F32) {
            for (size_t j = 0; j < tile->cols; j++)
                line[j] = line[j] != line[j] ? NAN : line[j];
            memcpy(row, line, tile->cols * sizeof(float));
        } else {
            p->call->simd->samples->store_values(view->dtype, (const void *)acc, tile->cols, row, 1);
        }
    }
}

static void multiply_tile(struct product *p, uint64_t number, uint32_t slot)
{
    uint64_t y = number / p->tiles_across * GF_MATMUL_ROWS, x = number % p->tiles_across * GF_MATMUL_COLS;
    uint64_t depth = p->a->view.width;
    char *acc = p->scratch + slot * SLOT_BYTES, *a = acc + TILE_BYTES, *b = a + A_BYTES;
    struct gf_cpu_matmul tile = {.acc = acc, .a = a, .b = b};
    tile.rows = (size_t)gf_min_u64(GF_MATMUL_ROWS, p->out->view.height - y);
    tile.cols = (size_t)gf_min_u64(GF_MATMUL_COLS, p->out->view.width - x);
    memset(acc, 0, TILE_BYTES);
    for (uint64_t k = 0; k < depth; k += GF_MATMUL_DEPTH) {
        if (gf_cpu_stopped(&p->stop))
            return;
        tile.depth = (size_t)gf_min_u64(GF_MATMUL_DEPTH, depth - k);
        pack_a(p, y, k, &tile, a);
        pack_b(p, k, x, &tile, b);
        p->call->simd->linalg->matmul(p->kind, &tile);
    }
    store(p, y, x, &tile);
}

static void tile_task(void *context, uint32_t task, uint32_t slot)
{
    struct product *p = context;
    uint64_t first = p->n_tiles / p->n_tasks * task + gf_min_u64(task, p->n_tiles % p->n_tasks);
    uint64_t n = p->n_tiles / p->n_tasks + (task < p->n_tiles % p->n_tasks);
    for (uint64_t i = 0; i < n && !gf_cpu_stopped(&p->stop); i++)
        multiply_tile(p, first + i, slot);
}

static enum gf_status check_data(const struct product *p, struct gf_error *err)
{
    uint64_t depth = p->a->view.width;
    if (!gf_matmul_checked(p->call->step, p->a->view.dtype, depth))
        return GF_OK;
    uint64_t product = gf_cpu_max_magnitude(p->call, p->a) * gf_cpu_max_magnitude(p->call, p->b);
    return product > gf_matmul_limit(depth) ? gf_matmul_overflow(p->call->step, product, err) : GF_OK;
}

enum gf_status gf_cpu_matmul(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct product p = {
        .call = call, .stop = {.job = call->job}, .a = &call->in[0], .b = &call->in[1], .out = &call->out[0]};
    uint64_t threads = gf_cpu_pool_threads(call->pool);
    uint32_t dtype = p.a->view.dtype;
    void *scratch = NULL;
    p.kind = dtype == GF_F32 ? GF_MATMUL_F32 : dtype == GF_F64 ? GF_MATMUL_F64 : GF_MATMUL_INT;
    p.size = p.kind == GF_MATMUL_F32 ? sizeof(float) : WORD;
    p.tiles_across = (p.out->view.width + GF_MATMUL_COLS - 1) / GF_MATMUL_COLS;
    p.n_tiles = p.tiles_across * ((p.out->view.height + GF_MATMUL_ROWS - 1) / GF_MATMUL_ROWS);
    p.n_tasks = (uint32_t)gf_min_u64(p.n_tiles, 16 * threads);
    enum gf_status status = check_data(&p, err);
    if (status == GF_OK)
        status = gf_cpu_scratch_get(call, threads * SLOT_BYTES, &scratch, err);
    if (status != GF_OK)
        return status;
    p.scratch = scratch;
    gf_cpu_pool_run(call->pool, tile_task, &p, p.n_tasks);
    return gf_cpu_stop_error(call, &p.stop, err);
}
