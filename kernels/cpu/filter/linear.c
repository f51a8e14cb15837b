/* SPDX-License-Identifier: MIT */
/*
 * Linear filters on the CPU: works the filter out, cuts the result into tiles, and lets the pool compute them. Tiles
 * change no bit: every output is its own chain.
 */
#include "linear.h"

#include "kernels/cpu/simd/light_estimate.h"
#include "protocol/ops/enums.h"

/* Floats that the lines of a tile may take, so that they stay in the second-level cache; and the shortest line worth
 * having, and the longest, so that wide images still make several tiles. */
#define TILE_FLOATS (96u * 1024u)
#define MIN_LINE 512u
#define MAX_LINE 8192u
/* Bytes a tile's lines may take when its halo asks for longer lines. */
#define MAX_TILE_BYTES (64u << 20)
/* Tiles per thread that make the load even. */
#define TILES_PER_THREAD 4u
/* Below this many rows a tile mostly loads its halo. */
#define MIN_TILE_HEIGHT 16u

struct engine {
    uint64_t (*workspace)(const struct gf_cpu_linear *);
    gf_cpu_tile_fn *tile;
};

static struct engine choose_engine(const struct gf_cpu_linear *p)
{
    if (p->f->kind == GF_FILTER_DISC)
        return (struct engine){gf_cpu_bilateral_workspace, gf_cpu_bilateral_tile};
    if (p->f->kind != GF_FILTER_BOX)
        return (struct engine){gf_cpu_fir_workspace, gf_cpu_fir_tile};
    if (gf_cpu_box_of_bytes(p->f, p))
        return (struct engine){gf_cpu_box_bytes_workspace, gf_cpu_box_bytes_tile};
    if (gf_cpu_box_in_integers(p->f, p->src.view.dtype))
        return (struct engine){gf_cpu_box_sum_workspace, gf_cpu_box_sum_tile};
    return (struct engine){gf_cpu_box_workspace, gf_cpu_box_tile};
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static size_t line_floats(uint64_t samples)
{
    size_t n = (size_t)(samples + GF_LINE_ALIGN - 1) / GF_LINE_ALIGN * GF_LINE_ALIGN;
    /* Lines a power of two apart would share their places in the first-level cache. */
    return n % 1024 == 0 ? n + GF_LINE_ALIGN : n;
}

/* Tile width: lines that fit the cache, longer where a wide mask's halo would outweigh them. */
static void choose_width(struct gf_cpu_linear *p)
{
    const struct gf_filter *f = p->f;
    uint64_t halo = (uint64_t)(f->width - 1) * p->channels, lines = f->kind == GF_FILTER_BOX ? 2 * p->ring : p->ring;
    uint64_t n = TILE_FLOATS / lines;
    n = n < MIN_LINE ? MIN_LINE : n > MAX_LINE ? MAX_LINE : n;
    if (n < 2 * halo && 2 * halo * lines * sizeof(float) <= MAX_TILE_BYTES)
        n = 2 * halo;
    uint64_t width = n / p->channels;
    p->tiles.width = p->dst.view.width;
    p->tiles.tile_width = divide_up(p->tiles.width, divide_up(p->tiles.width, width));
    uint64_t samples = p->tiles.tile_width * p->channels;
    p->line = line_floats(samples);
    p->wide_line = line_floats(samples + GF_LINE_ALIGN + halo);
}

/* Tile height: enough tiles for all threads, each tall against the halo it loads. */
static void choose_height(struct gf_cpu_linear *p, uint32_t threads)
{
    uint64_t height = p->dst.view.height, across = gf_tiles_across(&p->tiles);
    uint64_t wanted = divide_up((uint64_t)threads * TILES_PER_THREAD, across);
    uint64_t lowest = (uint64_t)p->f->height * 2, evenly = divide_up(height, threads);
    if (threads == 1)
        wanted = 1;
    if (lowest > evenly)
        lowest = evenly;
    if (lowest < MIN_TILE_HEIGHT)
        lowest = MIN_TILE_HEIGHT;
    uint64_t h = divide_up(height, wanted);
    h = h < lowest ? lowest : h;
    p->tiles.height = height;
    p->tiles.tile_height = divide_up(height, divide_up(height, h));
}

static void load_pixels(const void *context, const void *from, void *to, size_t pixels)
{
    const struct gf_cpu_linear *p = context;
    p->simd->samples->load(&p->source, from, to, pixels);
}

static void init_ends(struct gf_cpu_linear *p)
{
    const struct gf_filter *f = p->f;
    uint32_t dtype = p->src.view.dtype;
    float max = gf_sample_max(dtype);
    bool premultiplied = f->alpha == GF_ALPHA_PREMULTIPLIED;
    p->source = (struct gf_cpu_source){.dtype = dtype, .channels = p->channels, .premultiply = premultiplied};
    p->target = (struct gf_cpu_target){.dtype = p->dst.view.dtype,
                                       .channels = p->channels,
                                       .alpha_dtype = dtype,
                                       .scale = f->scale,
                                       .offset = f->offset,
                                       .max = max,
                                       .unpremultiply = premultiplied,
                                       .copy_alpha = f->alpha == GF_ALPHA_IGNORE};
    p->target.stream = !p->target.copy_alpha && gf_view_bytes(&p->dst.view) >= GF_STREAM_BYTES;
    if (f->linear) {
        struct gf_light_tables tables = gf_light_tables((uint32_t)max);
        p->source.decode = tables.decode;
        p->target.encode = tables.encode;
        p->target.encode_estimate = gf_cpu_light_estimate((uint32_t)max);
    }
    for (uint32_t c = 0; c < p->channels; c++) {
        float v = f->border_value[c];
        bool decode = f->linear && f->border == GF_BORDER_CONSTANT && !gf_is_alpha(p->channels, c);
        p->source.border[c] = decode ? p->source.decode[(uint32_t)v] : v;
    }
    p->border =
        (struct gf_cpu_border){f->border, &p->src, load_pixels, p, p->channels * sizeof(float), p->source.border};
}

static enum gf_status run_filter(const struct gf_cpu_call *call, const struct gf_filter *f, struct gf_error *err)
{
    struct gf_cpu_linear p = {.f = f,
                              .simd = call->simd,
                              .src = call->in[0],
                              .dst = call->out[0],
                              .channels = call->in[0].view.channels,
                              .ring = (size_t)f->height + 1};
    init_ends(&p);
    choose_width(&p);
    choose_height(&p, gf_cpu_pool_threads(call->pool));
    const struct engine engine = choose_engine(&p);
    p.tiles.room = engine.workspace(&p);
    return gf_cpu_tiles_run(call, &p.tiles, engine.tile, &p, err);
}

enum gf_status gf_cpu_linear(const struct gf_cpu_call *call, struct gf_error *err)
{
    gf_cleanup(gf_filter_deinit) struct gf_filter f = GF_FILTER_NULL;
    const struct gf_buf *mask = call->step->op->n_inputs > 1 ? &call->in[1] : NULL;
    enum gf_status status = gf_filter_init(&f, call->step, &call->in[0].view, mask, err);
    if (status != GF_OK)
        return status;
    return run_filter(call, &f, err);
}
