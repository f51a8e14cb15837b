/* SPDX-License-Identifier: MIT */
/* Metadata that results keep, conversions to what a format holds, and options of formats; see store.h. */
#include "store.h"

#include <inttypes.h>
#include <string.h>

#include "client/cli/base/exit_code.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/histogram.h"
#include "protocol/ops/params/map.h"

bool gf_op_needs_upright(const struct gf_op *op)
{
    return op->family == GF_OP_FAMILY_GEOMETRY || op->index == GF_INDEX_expr;
}

enum gf_keep gf_op_keeps(const struct gf_op *op, uint32_t output)
{
    switch (op->outputs[output].shape) {
    case GF_SHAPE_SAME_SHAPE:
    case GF_SHAPE_FILTER:
    case GF_SHAPE_BRIGHTNESS:
    case GF_SHAPE_CHANNELS:
        return GF_KEEP_ALL;
    case GF_SHAPE_OWN:
        if (op->family == GF_OP_FAMILY_GEOMETRY)
            return GF_KEEP_MOVED;
        return op->index == GF_INDEX_copy || op->index == GF_INDEX_expr ? GF_KEEP_ALL : GF_KEEP_UNROTATED;
    default:
        return GF_KEEP_NOTHING;
    }
}

struct gf_image_save gf_keep_save(const struct gf_cli *cli, const struct gf_image_meta *meta, enum gf_keep keep)
{
    struct gf_image_save save = cli->save;
    save.meta = keep == GF_KEEP_NOTHING ? NULL : meta;
    save.as_stored = keep == GF_KEEP_UNROTATED;
    save.is_moved = keep != GF_KEEP_ALL;
    return save;
}

static int check_place(const struct gf_cli *cli, const struct gf_image_save *save, enum gf_image_format format,
                       const struct gf_view *view, const char *path)
{
    char text[GF_IO_ERROR_TEXT];
    if (!save->meta || !save->meta->geo || (save->drop & GF_FACT(GEO)) || gf_image_keeps_geo(format, view, save))
        return GF_EXIT_OK;
    snprintf(text, sizeof(text), "%s: the GeoTIFF tags of the input are left out: %s", path,
             format == GF_FORMAT_TIFF ? "the picture has another geometry" : "only tiff holds them");
    return gf_cli_lose(cli, text);
}

static int check_alpha(const struct gf_cli *cli, const struct gf_image_save *save, enum gf_image_format format,
                       const struct gf_view *view, const char *path)
{
    char text[GF_IO_ERROR_TEXT];
    if (!save->no_alpha || view->channels % 2 != 0 || !gf_image_implies_alpha(format))
        return GF_EXIT_OK;
    snprintf(text, sizeof(text), "%s: the last of %u channels is not alpha, but in a %s file it means alpha", path,
             view->channels, gf_image_format_word(format));
    return gf_cli_lose(cli, text);
}

int gf_keep_check(const struct gf_cli *cli, const struct gf_image_save *save, enum gf_image_format format,
                  const struct gf_view *view, const char *path)
{
    struct gf_io_error loss;
    int code = check_place(cli, save, format, view, path);
    if (code == GF_EXIT_OK)
        code = check_alpha(cli, save, format, view, path);
    if (code == GF_EXIT_OK && gf_image_loss(path, format, view, save, &loss) != GF_IO_OK)
        code = gf_cli_lose(cli, loss.text);
    return code;
}

void gf_keep_warn(const struct gf_cli *cli, const struct gf_image_save *save, enum gf_image_format format,
                  const char *path)
{
    char text[GF_IO_ERROR_TEXT];
    struct gf_image_save rotated = *save;
    rotated.as_stored = false;
    if (!save->as_stored || !gf_image_rotates(format, &rotated))
        return;
    snprintf(text, sizeof(text),
             "%s: uses rows and columns as stored, while viewers rotate the input (EXIF orientation %u)", path,
             save->meta->orientation);
    gf_cli_warn(cli, text);
}

bool gf_op_decodes(const struct gf_op *op, const union gf_params *params)
{
    return gf_op_param_word(op, params, GF_ENUM_LIGHT, GF_LIGHT_ENCODED) == GF_LIGHT_LINEAR;
}

/* Whether the result has samples of both signs: true for operations whose result is always f32, except magnitudes. */
static bool is_signed(const struct gf_op *op, const union gf_params *params)
{
    return op->outputs[0].dtype == GF_RULE_PARAM_DTYPE_F32 &&
           gf_op_param_word(op, params, GF_ENUM_GRADIENT, GF_GRADIENT_DX) != GF_GRADIENT_MAGNITUDE;
}

static bool is_picture(const struct gf_op *op)
{
    return gf_op_keeps(op, 0) < GF_KEEP_UNROTATED;
}

bool gf_fit_concerns(const struct gf_op *op)
{
    return is_picture(op) && (op->inputs[0].dtypes & (GF_DT_U16 | GF_DT_F32)) != 0;
}

static bool dtype_is_asked(const struct gf_op *op, const union gf_params *params)
{
    return gf_op_param_word(op, params, GF_ENUM_DTYPE, GF_DTYPE_SAME) != GF_DTYPE_SAME;
}

int gf_fit_refuse(const struct gf_cli *cli, const struct gf_op *op, const union gf_params *params,
                  enum gf_image_format format, const char *path)
{
    if (dtype_is_asked(op, params) || !is_signed(op, params) || gf_image_holds_dtype(format, GF_F32))
        return GF_EXIT_OK;
    return gf_cli_fail(
        cli, GF_EXIT_USAGE, "%s: %s holds no negative samples, but %s gives them; use %s, or write npy, pfm or raw",
        path, gf_image_format_word(format), op->name, cli->op ? "--dtype u8 --offset 128" : "dtype=u8 offset=128");
}

struct gf_fit gf_fit_choose(const struct gf_op *op, const union gf_params *params, uint32_t in_dtype,
                            const struct gf_view *view, enum gf_image_format format)
{
    struct gf_fit fit = {.dtype = 0, .alpha = GF_ALPHA_AUTO, .scale = 1.0f};
    bool is_float = view->dtype == GF_F32 || view->dtype == GF_F16;
    bool has_white = (GF_DT(in_dtype) & GF_DT_UNWHITE) == 0;
    if (!(is_float ? has_white : view->dtype == GF_U16) || gf_image_holds_dtype(format, view->dtype) ||
        !gf_image_holds_dtype(format, GF_U8) || !is_picture(op) || dtype_is_asked(op, params) ||
        gf_view_check_image(view, "the result", NULL) != GF_OK)
        return fit;
    bool keeps = op->outputs[0].dtype == GF_RULE_PARAM_DTYPE_F32 && (in_dtype == GF_U8 || in_dtype == GF_U16);
    if (gf_op_param_word(op, params, GF_ENUM_ALPHA, GF_ALPHA_AUTO) == GF_ALPHA_STRAIGHT)
        fit.alpha = GF_ALPHA_STRAIGHT;
    fit.from = view->dtype;
    fit.dtype = gf_image_holds_dtype(format, GF_U16) && !(keeps && in_dtype == GF_U8) ? GF_U16 : GF_U8;
    fit.range = is_float && keeps ? GF_RANGE_VALUE : GF_RANGE_FULL;
    if (fit.range == GF_RANGE_VALUE && fit.dtype != in_dtype)
        fit.scale = (float)UINT8_MAX / (float)UINT16_MAX;
    return fit;
}

uint32_t gf_fit_n_steps(const struct gf_fit *fit)
{
    return fit->dtype == 0 ? 0 : fit->from == GF_U16 ? 1 : gf_fit_stored(fit) + 2;
}

uint32_t gf_fit_stored(const struct gf_fit *fit)
{
    return fit->from == GF_F16 ? 1 : 0;
}

uint32_t gf_fit_steps_init(struct gf_step steps[GF_FIT_STEPS], const struct gf_fit *fit, uint32_t step, uint32_t first)
{
    double max = fit->dtype == GF_U8 ? UINT8_MAX : UINT16_MAX;
    double unit = fit->range == GF_RANGE_FULL ? max : (double)fit->scale;
    const uint32_t n = gf_fit_n_steps(fit), stored = gf_fit_stored(fit);
    if (n == 0)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = i > 0 && stored > 0 ? first : step; /* behind the step that makes f32 of f16 */
        steps[i] = (struct gf_step){.op = &gf_ops[i > stored ? GF_INDEX_histogram : GF_INDEX_map],
                                    .in = {{.from = GF_FROM_STEP, .index = (uint16_t)from}}};
        for (uint32_t k = 1; k < steps[i].op->n_inputs; k++)
            steps[i].in[k].from = GF_FROM_NOTHING;
        gf_op_params_default(steps[i].op, &steps[i].params);
    }
    struct gf_map_params map = gf_map_params_get(&steps[0].params);
    map.dtype = GF_F32;
    if (stored > 0)
        gf_map_params_set(&steps[0].params, &map);
    map.scale = fit->scale;
    map.range = fit->range;
    map.dtype = fit->dtype;
    map.alpha = fit->alpha;
    gf_map_params_set(&steps[stored].params, &map);
    if (n == 1)
        return n;
    /* One bin over all values that round to a valid sample. Ties round to even, so the upper edge is excluded. */
    struct gf_histogram_params histogram = gf_histogram_params_get(&steps[stored + 1].params);
    histogram.bins = 1;
    histogram.range = GF_HIST_RANGE_GIVEN;
    histogram.lo = -0.5 / unit;
    histogram.hi = (max + 0.5) / unit;
    gf_histogram_params_set(&steps[stored + 1].params, &histogram);
    return n;
}

struct gf_fit_count gf_fit_count_of(const gpufilter_view *stored, const gpufilter_view *outside)
{
    struct gf_fit_count count = {.samples = stored->width * stored->height * stored->channels};
    for (uint64_t y = 0; y < outside->height; y++) {
        const uint64_t *row = (const uint64_t *)(const void *)((const char *)outside->data + y * outside->pitch);
        count.saturated += row[0] + row[1];
        count.nan += row[2];
    }
    return count;
}

void gf_fit_count_add(struct gf_fit_count *sum, const struct gf_fit_count *more)
{
    sum->samples += more->samples;
    sum->saturated += more->saturated;
    sum->nan += more->nan;
}

void gf_fit_report(const struct gf_cli *cli, const struct gf_fit *fit, const struct gf_fit_count *count,
                   const char *path)
{
    char outside[96] = "", nan[64] = "", name[GF_PATH_TEXT];
    bool is_float = fit->from != GF_U16;
    const char *white = fit->range == GF_RANGE_VALUE && fit->scale == 1.0f ? ""
                        : is_float && fit->range == GF_RANGE_FULL          ? ", 1.0 as white"
                                                                           : ", 65535 as white";
    if (fit->dtype == 0 || cli->quiet || (!is_float && !cli->verbose))
        return;
    if (count->nan > 0)
        snprintf(nan, sizeof(nan), ", %" PRIu64 " NaN became 0", count->nan);
    if (is_float)
        snprintf(outside, sizeof(outside), ", %" PRIu64 " of %" PRIu64 " samples saturated", count->saturated,
                 count->samples);
    fprintf(cli->err, GF_CLI_NAME ": %s: %s: %s stored as %s%s%s%s\n", cli->command,
            gf_path_text(path, name, sizeof(name)), gf_dtype_word(fit->from), gf_dtype_word(fit->dtype), white, outside,
            nan);
}

void gf_palette_report(const struct gf_cli *cli, uint64_t changed, uint64_t pixels, const char *path)
{
    char text[GF_IO_ERROR_TEXT];
    snprintf(text, sizeof(text),
             "%s: %" PRIu64 " of %" PRIu64 " pixels changed: a frame of gif has 256 colours and no partial alpha", path,
             changed, pixels);
    if (changed > 0)
        gf_cli_warn(cli, text);
}

bool gf_spread_bool(const struct gf_view *view, void *data, enum gf_image_format format)
{
    uint8_t *bytes = data, all = 0;
    const uint64_t row = view->width * view->channels;
    if (view->dtype != GF_U8 || gf_image_is_array(format))
        return false;
    for (uint64_t y = 0; y < view->height; y++)
        for (uint64_t x = 0; x < row; x++)
            all |= bytes[y * view->pitch + x];
    for (uint64_t y = 0; y < view->height && all == 1; y++)
        for (uint64_t x = 0; x < row; x++)
            bytes[y * view->pitch + x] *= UINT8_MAX;
    return all == 1;
}

void gf_save_record(struct gf_save_formats *seen, enum gf_image_format format, const char *path)
{
    seen->unknown |= format == GF_FORMAT_NONE;
    seen->quality |= gf_image_has_quality(format);
    seen->jpeg |= format == GF_FORMAT_JPEG;
    seen->png |= format == GF_FORMAT_PNG;
    seen->webp |= format == GF_FORMAT_WEBP;
    seen->tiff |= format == GF_FORMAT_TIFF;
    if (!seen->path) {
        seen->path = path;
        seen->format = format;
    }
}

static int refuse_option(const struct gf_cli *cli, const struct gf_save_formats *seen, const char *option,
                         const char *whose)
{
    char name[GF_PATH_TEXT];
    if (!seen->path)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s: applies only to %s, and no such file is written; leave it out",
                           option, whose);
    gf_path_text(seen->path, name, sizeof(name));
    return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s: applies only to %s, but %s is written as %s; leave it out", option,
                       whose, name, gf_image_format_word(seen->format));
}

int gf_save_check(const struct gf_cli *cli, const struct gf_save_formats *seen)
{
    const struct {
        const char *option, *value, *whose;
        bool applies;
    } options[] = {
        {"quality", cli->quality, cli->save.lossless ? "webp" : "jpeg, webp, avif or heic",
         cli->save.lossless ? seen->webp : seen->quality},
        {"subsampling", cli->subsampling, "jpeg", seen->jpeg},
        {"progressive", cli->progressive, "jpeg", seen->jpeg},
        {"png-level", cli->png_level, "png", seen->png},
        {"compression", cli->compression, "tiff", seen->tiff},
    };
    char option[64];
    for (size_t i = 0; i < GF_ARRAY_LEN(options) && !seen->unknown; i++)
        if (options[i].value && !options[i].applies) {
            snprintf(option, sizeof(option), "%s%s%s", options[i].option, options[i].value[0] ? " " : "",
                     options[i].value);
            return refuse_option(cli, seen, option, options[i].whose);
        }
    return GF_EXIT_OK;
}
