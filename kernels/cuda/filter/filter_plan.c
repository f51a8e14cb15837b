/* SPDX-License-Identifier: MIT */
/* Plans linear filters; see filter_plan.h. */
#include "filter_plan.h"

#include <math.h>

#include "protocol/ops/enums.h"

/* The height of a row chunk is a multiple of this, so that it fills whole thread blocks. */
#define CHUNK_ROWS 64u
/* A row chunk of a box is at least this many windows high. */
#define BOX_CHUNK 4u
/* A mask with more taps than LIGHT_TAPS computes longer than its copies take, so its row chunks must fill the device:
 * at least HEAVY_SAMPLES samples per multiprocessor. */
#define LIGHT_TAPS 225u
#define HEAVY_SAMPLES 65536u
/* The cost of a sample beside its taps, in multiplications: with a mask; with two passes, where a tap costs PASS_TAP;
 * with a box, where it is the whole cost. */
#define SAMPLE_COST 32.0
#define PASS_COST 80.0
#define PASS_TAP 1.25
#define BOX_COST 128.0
/* The cost of a pixel of a disc, for which a weight is computed. */
#define DISC_TAP 16.0

/* Sets the constant border as the filter reads it: decoded, then premultiplied. */
static void set_outside(const struct gf_filter *f, struct gf_cuda_source *src)
{
    uint32_t channels = (uint32_t)src->channels;
    for (uint32_t c = 0; c < channels && f->border == GF_BORDER_CONSTANT; c++) {
        float v = f->border_value[c];
        if (!gf_is_alpha(channels, c)) {
            if (f->linear)
                v = gf_light_tables((uint32_t)gf_sample_max(src->dtype)).decode[(uint32_t)v];
            if (f->alpha == GF_ALPHA_PREMULTIPLIED)
                v = v * f->border_value[channels - 1];
        }
        src->outside[c] = v;
    }
}

static struct gf_cuda_source source_of(const struct gf_cuda_call *call, const struct gf_filter *f)
{
    const struct gf_cuda_image *image = call->image[0];
    const struct gf_device *device = call->exec->device;
    struct gf_cuda_source src = {.data = image->data,
                                 .pitch = (size_t)image->view.pitch,
                                 .width = (int32_t)image->view.width,
                                 .height = (int32_t)image->view.height,
                                 .channels = (int32_t)image->view.channels,
                                 .dtype = image->view.dtype,
                                 .border = f->border,
                                 .premultiply = f->alpha == GF_ALPHA_PREMULTIPLIED};
    if (f->linear)
        src.decode = image->view.dtype == GF_U8 ? device->light_u8.decode : device->light_u16.decode;
    set_outside(f, &src);
    return src;
}

static struct gf_cuda_target target_of(const struct gf_cuda_call *call, const struct gf_cuda_filter_group *group)
{
    const struct gf_filter *f = &group->filter;
    const struct gf_cuda_image *image = call->image[0], *out = &call->out[0];
    const struct gf_device *device = call->exec->device;
    int32_t channels = (int32_t)out->view.channels;
    struct gf_cuda_target dst = {.data = out->data,
                                 .pitch = (size_t)out->view.pitch,
                                 .samples = (int32_t)out->view.width * channels,
                                 .height = (int32_t)out->view.height,
                                 .dtype = out->view.dtype,
                                 .scale = f->scale,
                                 .offset = f->offset,
                                 .alpha_period = channels % 2 == 0 ? channels : 0,
                                 .alpha = f->alpha,
                                 .alpha_max = gf_sample_max(out->view.dtype),
                                 .copy_data = image->data,
                                 .copy_pitch = (size_t)image->view.pitch,
                                 .copy_dtype = image->view.dtype,
                                 .epilogue = group->epilogue};
    /* size=valid: output (0, 0) lies under the anchor. Views of the same size have the same origin. */
    if (out->view.width != image->view.width)
        dst.copy_dx = (int32_t)f->anchor_x * channels;
    if (out->view.height != image->view.height)
        dst.copy_dy = (int32_t)f->anchor_y;
    if (f->linear) {
        dst.encode = out->view.dtype == GF_U8 ? device->light_u8.encode : device->light_u16.encode;
        dst.encode_max = (int32_t)gf_sample_max(out->view.dtype);
    }
    return dst;
}

static struct gf_cuda_filter_pass *add_pass(struct gf_cuda_filter_plan *plan, const struct gf_cuda_source *src,
                                            const struct gf_cuda_target *dst)
{
    struct gf_cuda_filter_pass *pass = &plan->pass[plan->n_passes++];
    *pass = (struct gf_cuda_filter_pass){.src = *src, .dst = *dst};
    return pass;
}

static void add_temp(struct gf_cuda_filter_plan *plan, enum gf_cuda_filter_use use, size_t bytes, const void *values)
{
    plan->temp[plan->n_temps++] =
        (struct gf_cuda_filter_temp){.use = use, .pass = plan->n_passes - 1, .bytes = bytes, .values = values};
}

/* Returns the cost of a row of results, docs/kernels.md: its taps, and loading, storing and alpha in units of taps. */
static double row_cost(const struct gf_view *out, const struct gf_filter *f)
{
    double sample = SAMPLE_COST;
    if (f->kind == GF_FILTER_MASK)
        sample += (double)f->width * f->height;
    else if (f->kind == GF_FILTER_STENCIL)
        sample += gf_stencil_samples(&f->stencils[0]) + gf_stencil_samples(&f->stencils[1]);
    else if (f->kind == GF_FILTER_SEPARABLE)
        sample = (PASS_COST + PASS_TAP * (f->width + f->height)) * (f->after == GF_AFTER_SUM ? 2 : 1);
    else if (f->kind == GF_FILTER_DISC)
        sample += DISC_TAP * f->n_disc;
    else
        sample = BOX_COST;
    if (f->alpha == GF_ALPHA_PREMULTIPLIED || f->linear)
        sample *= 2;
    return sample * (double)(out->width * out->channels);
}

static void raise_rows(struct gf_cuda_row_chunks *row_chunks, uint64_t rows)
{
    if (row_chunks->rows < rows)
        row_chunks->rows = rows < row_chunks->height ? rows : row_chunks->height;
}

/* Each row chunk of a box also sums the rows around it, so rows at its edges are summed twice. That pays while they are
 * few. */
static void plan_row_chunks(struct gf_cuda_filter_plan *plan, const struct gf_cuda_call *call,
                            const struct gf_cuda_filter_group *group)
{
    const struct gf_filter *f = &group->filter;
    const struct gf_view *out = &call->out[0].view;
    uint64_t samples = out->width * out->channels;
    struct gf_cuda_row_chunks *row_chunks = &plan->row_chunks;
    plan->lead = f->border == GF_BORDER_WRAP ? call->image[0]->view.height : f->height;
    if (group->has_second)
        plan->lead++; /* the row below, of the 3 x 3 mask */
    *row_chunks = gf_cuda_row_chunks(call, gf_view_bytes(out), CHUNK_ROWS);
    double taps = f->kind == GF_FILTER_MASK ? (double)f->width * f->height : DISC_TAP * f->n_disc;
    if (taps > LIGHT_TAPS) { /* 0 for all other kinds */
        uint64_t all = (uint64_t)call->exec->device->info.units * HEAVY_SAMPLES;
        raise_rows(row_chunks, (all / samples + CHUNK_ROWS) / CHUNK_ROWS * CHUNK_ROWS);
    }
    gf_cuda_row_chunks_limit(row_chunks, call, row_cost(out, f), samples);
    if (f->kind == GF_FILTER_BOX) {
        raise_rows(row_chunks, (uint64_t)f->height * BOX_CHUNK);
        if (f->border == GF_BORDER_WRAP)
            row_chunks->rows = row_chunks->height;
    }
    plan->by_pass = f->kind != GF_FILTER_BOX && gf_cuda_stream_pair_helps(call, row_chunks);
}

static void plan_mask(struct gf_cuda_filter_plan *plan, const struct gf_cuda_call *call, const struct gf_filter *f,
                      const struct gf_cuda_source *src, const struct gf_cuda_target *dst)
{
    struct gf_cuda_filter_pass *pass = add_pass(plan, src, dst);
    gf_cuda_mask_plan(pass, f);
    if (pass->launch != gf_cuda_any_mask_launch)
        return;
    gf_cuda_any_mask_plan(pass, call->exec->device->shared_memory, (int32_t)plan->row_chunks.rows);
    add_temp(plan, GF_CUDA_TEMP_COEFS, (size_t)f->width * f->height * sizeof(float), f->coefs);
}

static size_t sums_pitch(const struct gf_cuda_target *dst)
{
    return gf_round_up((size_t)dst->samples * sizeof(float), GF_CUDA_ALIGN);
}

static struct gf_cuda_fused fused_of(const struct gf_filter *f, const float *x, const float *y)
{
    return (struct gf_cuda_fused){.taps_x = x,
                                  .taps_y = y,
                                  .n_x = (int32_t)f->width,
                                  .n_y = (int32_t)f->height,
                                  .anchor_x = (int32_t)f->anchor_x,
                                  .anchor_y = (int32_t)f->anchor_y};
}

/* Plans rows and columns in one kernel. Returns false where shared memory is too small for it. */
static bool plan_fused(struct gf_cuda_filter_pass *pass, const struct gf_cuda_call *call, const struct gf_filter *f,
                       const float *x, const float *y)
{
    pass->launch = gf_cuda_fused_launch;
    pass->fused = fused_of(f, x, y);
    return gf_cuda_fused_plan(pass, call->exec->device->shared_memory);
}

/* Returns a pass of a separable filter over the image of the call, before planning. */
static struct gf_cuda_filter_pass unplanned_pass(const struct gf_cuda_call *call, const struct gf_filter *f)
{
    const struct gf_view *view = &call->image[0]->view;
    return (struct gf_cuda_filter_pass){.src = {.dtype = view->dtype, .channels = (int32_t)view->channels},
                                        .fused = fused_of(f, NULL, NULL)};
}

static bool is_rows_and_columns(const struct gf_filter *f)
{
    return f->kind == GF_FILTER_SEPARABLE && f->after == GF_AFTER_NOTHING;
}

bool gf_cuda_filter_fuses_previous(const struct gf_cuda_call *call, const struct gf_filter *f)
{
    struct gf_cuda_filter_pass pass = unplanned_pass(call, f);
    return is_rows_and_columns(f) && gf_cuda_fused_plan(&pass, call->exec->device->shared_memory);
}

bool gf_cuda_filter_fuses_next(const struct gf_cuda_call *call, const struct gf_filter *f)
{
    const struct gf_device *device = call->exec->device;
    struct gf_cuda_filter_pass pass = unplanned_pass(call, f);
    return is_rows_and_columns(f) && !device->inexact_roots && gf_cuda_fused_second_plan(&pass, device->shared_memory);
}

static int32_t border_index(uint32_t border, int64_t i, int32_t n)
{
    return (int32_t)gf_border_index(border, i, n);
}

/* Plans both filters in one pass. The target's scale and offset are the second filter's. */
static void plan_second(struct gf_cuda_filter_plan *plan, const struct gf_cuda_call *call,
                        const struct gf_cuda_filter_group *group, const struct gf_cuda_source *src,
                        const struct gf_cuda_target *dst)
{
    const struct gf_filter *first = &group->filter, *f = &group->second;
    struct gf_cuda_filter_pass *pass = add_pass(plan, src, dst);
    struct gf_cuda_second *second = &pass->second;
    int32_t width = dst->samples, height = dst->height;
    *second = (struct gf_cuda_second){.between = group->between,
                                      .scale = first->scale,
                                      .offset = first->offset,
                                      .width = width,
                                      .height = height,
                                      .left = border_index(f->border, -1, width),
                                      .right = border_index(f->border, width, width),
                                      .top = border_index(f->border, -1, height),
                                      .bottom = border_index(f->border, height, height),
                                      .outside = f->border_value[0],
                                      .gradient = gf_cuda_gradient_of(f)};
    pass->dst.scale = f->scale;
    pass->dst.offset = f->offset;
    pass->launch = gf_cuda_fused_second_launch;
    pass->fused = fused_of(first, first->taps_x, first->taps_y);
    (void)gf_cuda_fused_second_plan(pass, call->exec->device->shared_memory); /* gf_cuda_filter_fuses_next checked it */
}

/* Plans row taps x, then column taps y, of the filter's tap counts: in one pass or in two. */
static void plan_taps(struct gf_cuda_filter_plan *plan, const struct gf_cuda_call *call, const struct gf_filter *f,
                      const struct gf_cuda_source *src, const struct gf_cuda_target *dst, const float *x,
                      const float *y, struct gf_cuda_after after)
{
    struct gf_cuda_filter_pass *rows = add_pass(plan, src, dst);
    rows->after = after;
    if (plan_fused(rows, call, f, x, y))
        return;
    size_t pitch = sums_pitch(dst);
    rows->launch = gf_cuda_rows_launch;
    rows->of_source = true;
    rows->taps = (struct gf_cuda_taps){.n = (int32_t)f->width, .anchor = (int32_t)f->anchor_x, .sums_pitch = pitch};
    add_temp(plan, GF_CUDA_TEMP_TAPS, f->width * sizeof(*x), x);
    add_temp(plan, GF_CUDA_TEMP_SUMS, pitch * (size_t)src->height, NULL);

    struct gf_cuda_filter_pass *columns = add_pass(plan, src, dst);
    columns->launch = gf_cuda_columns_launch;
    columns->after = after;
    columns->taps = (struct gf_cuda_taps){.n = (int32_t)f->height, .anchor = (int32_t)f->anchor_y, .sums_pitch = pitch};
    for (int32_t c = 0; c < src->channels; c++)
        for (uint32_t i = 0; i < f->width; i++)
            columns->taps.sums_outside[c] = fmaf(src->outside[c], x[i], columns->taps.sums_outside[c]);
    add_temp(plan, GF_CUDA_TEMP_TAPS, f->height * sizeof(*y), y);
}

/* Plans a filter that may be the sum of two. The sums of the first filter are kept in f32. */
static void plan_separable(struct gf_cuda_filter_plan *plan, const struct gf_cuda_call *call, const struct gf_filter *f,
                           const struct gf_cuda_source *src, const struct gf_cuda_target *dst)
{
    struct gf_cuda_after after = {.what = f->after, .amount = f->amount, .threshold = f->threshold};
    if (f->after != GF_AFTER_SUM) {
        plan_taps(plan, call, f, src, dst, f->taps_x, f->taps_y, after);
        return;
    }
    /* x * 1 + -0 is x, for both zeros. The second filter reads whole quads of samples, so whole quads are written. */
    const struct gf_cuda_target sums = {.pitch = sums_pitch(dst),
                                        .samples = (dst->samples + 3) / 4 * 4,
                                        .height = dst->height,
                                        .dtype = GF_F32,
                                        .scale = 1.0f,
                                        .offset = -0.0f,
                                        .alpha = GF_ALPHA_STRAIGHT};
    plan_taps(plan, call, f, src, &sums, f->taps_x, f->taps_y, (struct gf_cuda_after){.what = GF_AFTER_NOTHING});
    add_temp(plan, GF_CUDA_TEMP_SUM, sums.pitch * (size_t)sums.height, NULL);
    after.add_pitch = sums.pitch;
    plan_taps(plan, call, f, src, dst, f->second_x, f->second_y, after);
}

/* Returns the window sum of a constant by the doubling rule, docs/numerics.md, "box". */
static float constant_window(float v, uint32_t n)
{
    float sum = 0.0f;
    bool first = true;
    for (uint32_t bit = 1u << 31; bit > 0; bit >>= 1) {
        if ((n & bit) == 0)
            continue;
        float sum_of_power = v;
        for (uint32_t m = 1; m < bit; m *= 2)
            sum_of_power = sum_of_power + sum_of_power;
        sum = first ? sum_of_power : sum + sum_of_power;
        first = false;
    }
    return sum;
}

/* Returns a border value as an integer sample. Only copied alpha may be out of range, and its sums are not used. */
static int32_t integer_sample(float v)
{
    return v >= -32768.0f && v <= 65535.0f ? (int32_t)v : 0;
}

static void plan_box(struct gf_cuda_filter_plan *plan, const struct gf_filter *f, const struct gf_cuda_source *src,
                     const struct gf_cuda_target *dst)
{
    struct gf_cuda_filter_pass *pass = add_pass(plan, src, dst);
    struct gf_cuda_box *box = &pass->box;
    pass->launch = gf_cuda_box_launch;
    *box = (struct gf_cuda_box){.n_x = (int32_t)f->width,
                                .n_y = (int32_t)f->height,
                                .anchor_x = (int32_t)f->anchor_x,
                                .anchor_y = (int32_t)f->anchor_y,
                                .integers = f->integer_exact};
    for (int32_t c = 0; c < src->channels; c++) {
        box->samples.f32[c] = src->outside[c];
        box->samples.i32[c] = integer_sample(src->outside[c]);
        box->rows.f32[c] = constant_window(src->outside[c], f->width);
        box->rows.i32[c] = box->samples.i32[c] * (int32_t)f->width;
    }
    uint64_t rows = plan->row_chunks.rows + f->height, height = plan->row_chunks.height;
    size_t bytes =
        gf_cuda_box_plane_bytes(src->width, (int32_t)(rows < height ? rows : height)) * (size_t)src->channels;
    add_temp(plan, GF_CUDA_TEMP_PLANES, bytes, NULL);
    if (!gf_cuda_box_has_columns(box))
        add_temp(plan, GF_CUDA_TEMP_TRANSPOSED, bytes, NULL);
}

static void plan_disc(struct gf_cuda_filter_plan *plan, const struct gf_filter *f, const struct gf_cuda_source *src,
                      const struct gf_cuda_target *dst)
{
    struct gf_cuda_filter_pass *pass = add_pass(plan, src, dst);
    pass->disc = (struct gf_cuda_disc){.radius = (int32_t)f->anchor_x, .n = (int32_t)f->n_disc, .range = f->range};
    gf_cuda_bilateral_plan(pass);
    add_temp(plan, GF_CUDA_TEMP_DISC, (f->n_disc + 1) * sizeof(*f->disc), f->disc);
}

void gf_cuda_filter_plan(const struct gf_cuda_call *call, const struct gf_cuda_filter_group *group,
                         struct gf_cuda_filter_plan *ret_plan)
{
    const struct gf_filter *f = &group->filter;
    const struct gf_cuda_source src = source_of(call, f);
    const struct gf_cuda_target dst = target_of(call, group);
    ret_plan->n_passes = ret_plan->n_temps = 0;
    plan_row_chunks(ret_plan, call, group);
    if (group->has_second)
        plan_second(ret_plan, call, group, &src, &dst);
    else if (f->kind == GF_FILTER_MASK)
        plan_mask(ret_plan, call, f, &src, &dst);
    else if (f->kind == GF_FILTER_STENCIL)
        gf_cuda_stencil_plan(add_pass(ret_plan, &src, &dst), f, call->exec->device->inexact_roots);
    else if (f->kind == GF_FILTER_SEPARABLE)
        plan_separable(ret_plan, call, f, &src, &dst);
    else if (f->kind == GF_FILTER_DISC)
        plan_disc(ret_plan, f, &src, &dst);
    else
        plan_box(ret_plan, f, &src, &dst);
    ret_plan->pass[0].prologue =
        group->prologue; /* without prologue, or a single pass: gf_cuda_filter_fuses_previous */
}

void gf_cuda_filter_bind(struct gf_cuda_filter_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_temps; i++) {
        const struct gf_cuda_filter_temp *temp = &plan->temp[i];
        struct gf_cuda_filter_pass *pass = &plan->pass[temp->pass];
        switch (temp->use) {
        case GF_CUDA_TEMP_COEFS:
            pass->any_mask.coefs = temp->data;
            break;
        case GF_CUDA_TEMP_TAPS:
            pass->taps.taps = temp->data;
            break;
        case GF_CUDA_TEMP_DISC:
            pass->disc.taps = temp->data;
            break;
        case GF_CUDA_TEMP_SUMS:
            pass[0].taps.sums = pass[1].taps.sums = temp->data;
            break;
        case GF_CUDA_TEMP_SUM:
            pass->dst.data = temp->data;
            plan->pass[plan->n_passes - 1].after.add = temp->data;
            break;
        case GF_CUDA_TEMP_PLANES:
            pass->box.planes = temp->data;
            break;
        case GF_CUDA_TEMP_TRANSPOSED:
            pass->box.transposed = temp->data;
            break;
        }
    }
}

uint64_t gf_cuda_filter_reach(const struct gf_cuda_filter_plan *plan, int32_t end)
{
    uint64_t height = (uint64_t)plan->pass[0].src.height;
    return height - (uint64_t)end <= plan->lead ? height : (uint64_t)end + plan->lead;
}

struct gf_cuda_row_chunk gf_cuda_filter_rows(const struct gf_cuda_filter_plan *plan,
                                             const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk row_chunk)
{
    /* Pass by pass, the columns start after all rows have been computed, and source and target are equally high. */
    if (!pass->of_source || plan->by_pass)
        return row_chunk;
    int32_t first = row_chunk.first > 0 ? (int32_t)gf_cuda_filter_reach(plan, row_chunk.first) : 0;
    return (struct gf_cuda_row_chunk){first, (int32_t)gf_cuda_filter_reach(plan, row_chunk.end)};
}
