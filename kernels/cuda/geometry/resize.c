/* SPDX-License-Identifier: MIT */
/* resize on CUDA: puts its tables on the device, chooses kernels, finds which source rows a row chunk needs, and
 * launches the kernels. Called through the op's row. */
#include "resize.h"

#include <string.h>

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/geometry/resize.h"
#include "kernels/shared/geometry/resize_tables.h"
#include "protocol/ops/enums.h"

/* The height of a tile; row chunks are a multiple of it. */
#define TILE_ROWS ((uint32_t)GF_RESIZE_TILE_ROWS)
/* The limit of shared memory per tile, so that a multiprocessor holds several blocks. */
#define TILE_BYTES (48u * 1024u)
/* The limit of device memory for column sums. */
#define SUMS_BYTES (UINT64_C(64) << 20)
/* The costs, in multiplications, of a sample without its taps and of a tap of a chain. */
#define SAMPLE_COST 32.0
#define TAP_COST 2.0

/* The device address of table `i`. */
static const void *table_of(const struct gf_resize_tables *t, enum gf_resize_table i)
{
    return (const char *)t->data + t->at[i];
}

/* Gives the kernels the addresses of their tables. */
static void bind_tables(const struct gf_resize_tables *t, bool nearest, struct gf_cuda_resizing *r)
{
    if (nearest) {
        r->columns = table_of(t, GF_RESIZE_COLUMNS);
        r->rows = table_of(t, GF_RESIZE_ROWS);
        return;
    }
    r->x = (struct gf_resize_groups){t->columns, table_of(t, GF_RESIZE_X_FIRST), table_of(t, GF_RESIZE_X_AT),
                                     table_of(t, GF_RESIZE_X_WEIGHTS)};
    r->y = (struct gf_resize_groups){t->rows, table_of(t, GF_RESIZE_Y_FIRST), table_of(t, GF_RESIZE_Y_AT),
                                     table_of(t, GF_RESIZE_Y_WEIGHTS)};
    r->spans = table_of(t, GF_RESIZE_SPANS);
    r->tile_groups = t->tile_groups;
    r->quads = t->quads;
}

static struct gf_cuda_resizing resizing_of(const struct gf_cuda_call *call, const struct gf_resize *resize)
{
    const struct gf_cuda_image *image = call->image[0], *out = &call->out[0];
    const struct gf_device *device = call->exec->device;
    const struct gf_view *view = &image->view;
    int32_t channels = (int32_t)view->channels;
    struct gf_cuda_resizing r = {
        .src = {.data = image->data,
                .pitch = (size_t)view->pitch,
                .width = (int32_t)view->width,
                .height = (int32_t)view->height,
                .channels = channels,
                .dtype = view->dtype,
                .premultiply = resize->premultiply},
        .dst = {.data = out->data,
                .pitch = (size_t)out->view.pitch,
                .samples = (int32_t)out->view.width * channels,
                .height = (int32_t)out->view.height,
                .dtype = view->dtype,
                .scale = 1.0f,
                .alpha_period = channels % 2 == 0 ? channels : 0,
                .alpha = resize->premultiply ? GF_ALPHA_PREMULTIPLIED : GF_ALPHA_STRAIGHT,
                .alpha_max = gf_sample_max(view->dtype)},
    };
    if (resize->linear) {
        r.src.decode = view->dtype == GF_U8 ? device->light_u8.decode : device->light_u16.decode;
        r.dst.encode = view->dtype == GF_U8 ? device->light_u8.encode : device->light_u16.encode;
        r.dst.encode_max = (int32_t)gf_sample_max(view->dtype);
    }
    r.halves = resize->halves && !resize->premultiply && !resize->linear && resize->across.origin == 0.0 &&
               resize->down.origin == 0.0;
    return r;
}

/* The cost of a result row: chains along the columns of the source, then chains along the row. */
static double cost_of(const struct gf_cuda_resizing *r, const struct gf_resize *resize,
                      const struct gf_resize_tables *t)
{
    double source = (double)r->src.width * r->src.channels, made = r->dst.samples;
    if (resize->nearest || r->halves)
        return SAMPLE_COST * made;
    if (r->by_two.taps > 0)
        return source * r->by_two.taps + made * (SAMPLE_COST + r->by_two.taps);
    return source * (SAMPLE_COST + TAP_COST * t->most_y) + made * (SAMPLE_COST + TAP_COST * t->most_x);
}

struct run {
    struct gf_cuda_resizing *r;
    const struct gf_resize_map *down;
};

static enum gf_status launch(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    struct gf_cuda_resizing *r = ((struct run *)op)->r;
    const struct gf_by_two_inner *whole = &r->by_two.whole.rows;
    cudaStream_t stream = call->exec->main;
    r->first = (int32_t)(first / GF_RESIZE_GROUP);
    r->end = (int32_t)((end + GF_RESIZE_GROUP - 1) / GF_RESIZE_GROUP);
    cudaError_t error = r->columns || r->halves     ? gf_cuda_resize_pixels(r, stream)
                        : whole->first < whole->end ? gf_cuda_resize_by_two_bytes(r, stream)
                        : r->by_two.taps > 0        ? gf_cuda_resize_by_two(r, stream)
                        : r->quads > 0              ? gf_cuda_resize_tiles(r, stream)
                                                    : gf_cuda_resize_passes(r, stream);
    return gf_cuda_status(error, "starting to resize", err);
}

static uint64_t rows_needed(const void *op, uint32_t input, uint64_t end)
{
    (void)input;
    return gf_resize_needed(((const struct run *)op)->down, (uint32_t)end - 1);
}

/* With two kernels, a row chunk has at most `sums_rows` rows. */
static enum gf_status run_rows(struct gf_cuda_call *call, const struct gf_resize *resize,
                               const struct gf_resize_tables *tables, struct gf_cuda_resizing *r, uint64_t sums_rows,
                               struct gf_error *err)
{
    struct run run = {r, &resize->down};
    struct gf_cuda_row_chunks chunks =
        gf_cuda_row_chunks(call, gf_view_bytes(&call->image[0]->view) + gf_view_bytes(&call->out[0].view), TILE_ROWS);
    gf_cuda_row_chunks_limit(&chunks, call, cost_of(r, resize, tables), (uint64_t)r->dst.samples);
    if (sums_rows > 0 && chunks.rows > sums_rows)
        chunks.rows = sums_rows;
    return gf_cuda_run_rows(call, &chunks, &(struct gf_cuda_row_fns){launch, rows_needed, NULL}, &run, err);
}

/* Takes device memory for the column sums of whole groups of rows. */
static enum gf_status take_sums(struct gf_cuda_call *call, struct gf_cuda_resizing *r, void **ret_sums,
                                uint64_t *ret_rows, struct gf_error *err)
{
    uint64_t samples = (uint64_t)r->src.width * (uint64_t)r->src.channels, height = (uint64_t)r->dst.height;
    uint64_t pitch = gf_round_up(samples * sizeof(float), 16), rows = SUMS_BYTES / pitch / TILE_ROWS * TILE_ROWS;
    height = gf_round_up(height, GF_RESIZE_GROUP);
    rows = rows < TILE_ROWS ? TILE_ROWS : rows;
    rows = rows < height ? rows : height;
    enum gf_status status = gf_cuda_alloc(call->exec, (size_t)(rows * pitch), ret_sums, err);
    r->sums = *ret_sums;
    r->sums_pitch = (size_t)pitch;
    *ret_rows = rows;
    return status;
}

/* The key of cached tables: everything that they depend on. Padding is 0, since keys are compared as bytes. */
union tables_key {
    struct {
        struct gf_resize_map across, down;
        uint32_t channels;
        enum gf_dtype_kind kind;
    } of;
    unsigned char bytes[GF_CUDA_TABLES_KEY];
};

/* What the cache keeps beside the tables. */
union tables_note {
    struct gf_resize_tables tables; /* `data` points to the device */
    unsigned char bytes[GF_CUDA_TABLES_NOTE];
};

_Static_assert(sizeof(union tables_key) == GF_CUDA_TABLES_KEY, "the key is too large");
_Static_assert(sizeof(union tables_note) == GF_CUDA_TABLES_NOTE, "the note is too large");

/* The tables of a step. `made`: this step has made them. */
struct tables {
    union tables_key key;
    union tables_note note;
    bool made;
};

/* Makes the tables and copies them to the device. */
static enum gf_status make_tables(struct gf_cuda_call *call, struct gf_resize *resize, struct tables *ret,
                                  struct gf_error *err)
{
    gf_cleanup(gf_resize_tables_deinit) struct gf_resize_tables tables = GF_RESIZE_TABLES_NULL;
    const struct gf_view *src = &call->image[0]->view;
    void *data = NULL;
    enum gf_status status = gf_resize_axes_init(resize, err);
    if (status == GF_OK)
        status = gf_resize_tables_init(&tables, resize, src->dtype, src->channels, TILE_BYTES, err);
    if (status == GF_OK)
        status = gf_cuda_alloc(call->exec, tables.size, &data, err);
    if (status != GF_OK)
        return status;
    ret->note.tables = tables;
    ret->note.tables.data = data;
    ret->made = true;
    return gf_cuda_upload(call->exec, data, tables.data, tables.size, err);
}

/* Finds the tables of a step in the cache, or makes them. */
static enum gf_status find_tables(struct gf_cuda_call *call, struct gf_resize *resize, struct tables *ret,
                                  struct gf_error *err)
{
    const struct gf_view *src = &call->image[0]->view;
    ret->key.of.across = resize->across;
    ret->key.of.down = resize->down;
    ret->key.of.channels = src->channels;
    ret->key.of.kind = gf_dtype_kind(src->dtype);
    return gf_cuda_find_tables(call->exec, ret->key.bytes, ret->note.bytes) ? GF_OK
                                                                            : make_tables(call, resize, ret, err);
}

/* Caches tables that this step has made, or frees them after an error. The kernels that read them may still be running:
 * both calls are in the order of the main stream. */
static void leave_tables(struct gf_cuda_call *call, const struct tables *t, enum gf_status status)
{
    if (t->made && status == GF_OK)
        gf_cuda_keep_tables(call->exec, t->note.tables.data, t->key.bytes, t->note.bytes);
    else if (t->made)
        gf_cuda_free(call->exec, t->note.tables.data);
}

enum gf_status gf_cuda_resize(struct gf_cuda_call *call, struct gf_error *err)
{
    gf_cleanup(gf_resize_deinit) struct gf_resize resize = GF_RESIZE_NULL;
    struct tables tables;
    void *sums = NULL;
    uint64_t sums_rows = 0;
    memset(&tables, 0, sizeof tables);
    gf_resize_plan(&resize, call->step, &call->image[0]->view);
    struct gf_cuda_resizing r = resizing_of(call, &resize);
    enum gf_status status = GF_OK;
    if (!r.halves)
        status = gf_resize_by_two_init(&r.by_two, &resize, &call->image[0]->view, err);
    const bool takes_tables = !r.halves && r.by_two.taps == 0;
    if (status == GF_OK && takes_tables)
        status = find_tables(call, &resize, &tables, err);
    if (status == GF_OK && takes_tables)
        bind_tables(&tables.note.tables, resize.nearest, &r);
    if (status == GF_OK && takes_tables && !resize.nearest && r.quads == 0)
        status = take_sums(call, &r, &sums, &sums_rows, err);
    if (status == GF_OK)
        status = run_rows(call, &resize, &tables.note.tables, &r, sums_rows, err);
    gf_cuda_free(call->exec, sums);
    leave_tables(call, &tables, status);
    return status;
}
