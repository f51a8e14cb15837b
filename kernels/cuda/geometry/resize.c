/* SPDX-License-Identifier: MIT */
/* resize on CUDA: its tables on the device, which kernels it takes, what is needed for which rows of the result, and
 * their launches. Called through the op's row. */
#include "resize.h"

#include <string.h>

#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/geometry/resize.h"
#include "kernels/shared/geometry/resize_tables.h"
#include "protocol/ops/enums.h"

/* Rows of a tile, of which row chunks have whole ones. */
#define TILE_ROWS ((uint32_t)GF_RESIZE_TILE_ROWS)
/* Bytes of shared memory of a tile, so that several blocks run on a multiprocessor. */
#define TILE_BYTES (48u * 1024u)
/* Bytes of columns' sums that are there at a time. */
#define SUMS_BYTES (UINT64_C(64) << 20)
/* What a sample costs beside its taps, in multiplications, and a tap of a chain. */
#define SAMPLE_COST 32.0
#define TAP_COST 2.0

/* Table `i` on the device. */
static const void *table_of(const struct gf_resize_tables *t, enum gf_resize_table i)
{
    return (const char *)t->data + t->at[i];
}

/* Tells the kernels where their tables are. */
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

/* What a row of the result costs: chains over its columns, then over its own pixels. */
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

static enum gf_status launch(const struct gf_cuda_resizing *r, cudaStream_t stream, struct gf_error *err)
{
    const struct gf_by_two_inner *whole = &r->by_two.whole.rows;
    cudaError_t error = r->columns || r->halves     ? gf_cuda_resize_pixels(r, stream)
                        : whole->first < whole->end ? gf_cuda_resize_by_two_bytes(r, stream)
                        : r->by_two.taps > 0        ? gf_cuda_resize_by_two(r, stream)
                        : r->quads > 0              ? gf_cuda_resize_tiles(r, stream)
                                                    : gf_cuda_resize_passes(r, stream);
    return gf_cuda_status(error, "starting to resize", err);
}

/* Row chunk after row chunk; of two kernels no more than there is room for sums. */
static enum gf_status start_chunks(struct gf_cuda_call *call, const struct gf_resize *resize,
                                   const struct gf_resize_tables *tables, struct gf_cuda_resizing *r,
                                   uint64_t sums_rows, struct gf_error *err)
{
    const struct gf_view *dst = &call->out[0].view;
    double row = cost_of(r, resize, tables);
    struct gf_cuda_row_chunks chunks =
        gf_cuda_row_chunks(call, gf_view_bytes(&call->image[0]->view) + gf_view_bytes(dst), TILE_ROWS);
    gf_cuda_row_chunks_limit(&chunks, call, row, (uint64_t)r->dst.samples);
    enum gf_status status = GF_OK;
    for (uint64_t first = 0; first < dst->height && status == GF_OK;) {
        uint64_t end = gf_cuda_row_chunk_end(&chunks, first);
        if (sums_rows > 0 && end - first > sums_rows)
            end = first + sums_rows;
        r->first = (int32_t)(first / GF_RESIZE_GROUP);
        r->end = (int32_t)((end + GF_RESIZE_GROUP - 1) / GF_RESIZE_GROUP);
        uint64_t bytes = dst->pitch * (end - first), cost = gf_cuda_row_chunk_cost(call, row, end - first);
        status = gf_cuda_go_on(call->exec, call->job, bytes > cost ? bytes : cost, err);
        if (status == GF_OK)
            status = gf_cuda_need(call, call->image[0], gf_resize_needed(&resize->down, (uint32_t)end - 1), err);
        if (status == GF_OK)
            status = launch(r, call->exec->main, err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, end, err);
        first = end;
    }
    return status;
}

/* Room for columns' sums of whole groups of rows. */
static enum gf_status take_sums(struct gf_cuda_call *call, struct gf_cuda_resizing *r, void **ret_sums,
                                uint64_t *ret_rows, struct gf_error *err)
{
    uint64_t samples = (uint64_t)r->src.width * (uint64_t)r->src.channels, height = (uint64_t)r->dst.height;
    uint64_t pitch = (samples * sizeof(float) + 15) / 16 * 16, rows = SUMS_BYTES / pitch / TILE_ROWS * TILE_ROWS;
    height = (height + GF_RESIZE_GROUP - 1) / GF_RESIZE_GROUP * GF_RESIZE_GROUP;
    rows = rows < TILE_ROWS ? TILE_ROWS : rows;
    rows = rows < height ? rows : height;
    enum gf_status status = gf_cuda_take(call->exec, (size_t)(rows * pitch), ret_sums, err);
    r->sums = *ret_sums;
    r->sums_pitch = (size_t)pitch;
    *ret_rows = rows;
    return status;
}

/* What tables are made from, and what is kept with them. Bytes beside these are 0. */
union tables_key {
    struct {
        struct gf_resize_map across, down;
        uint32_t channels;
        enum gf_dtype_kind kind;
    } of;
    unsigned char bytes[GF_CUDA_TABLES_KEY];
};

union tables_note {
    struct gf_resize_tables tables; /* `data` is the device's */
    unsigned char bytes[GF_CUDA_TABLES_NOTE];
};

_Static_assert(sizeof(union tables_key) == GF_CUDA_TABLES_KEY, "the key is too large");
_Static_assert(sizeof(union tables_note) == GF_CUDA_TABLES_NOTE, "the note is too large");

/* The tables of a step; `made`: by this one. */
struct tables {
    union tables_key key;
    union tables_note note;
    bool made;
};

/* Makes tables, and copies them into memory from the pool. The host's may go at once: a copy from memory that is not
 * page-locked has read them when it returns. */
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
        status = gf_cuda_take(call->exec, tables.size, &data, err);
    if (status != GF_OK)
        return status;
    ret->note.tables = tables;
    ret->note.tables.data = data;
    ret->made = true;
    return gf_cuda_status(cudaMemcpyAsync(data, tables.data, tables.size, cudaMemcpyHostToDevice, call->exec->main),
                          "copying weights", err);
}

/* The tables of a step that takes any, those of an earlier job where they are still there. */
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

/* Once no more work of this step will read them: in the order of the main stream, so it may still be under way. */
static void leave_tables(struct gf_cuda_call *call, const struct tables *t, enum gf_status status)
{
    if (t->made && status == GF_OK)
        gf_cuda_keep_tables(call->exec, t->note.tables.data, t->key.bytes, t->note.bytes);
    else if (t->made)
        gf_cuda_give(call->exec, t->note.tables.data);
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
        status = start_chunks(call, &resize, &tables.note.tables, &r, sums_rows, err);
    gf_cuda_give(call->exec, sums);
    leave_tables(call, &tables, status);
    return status;
}
