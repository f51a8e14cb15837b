/* SPDX-License-Identifier: MIT */
/* The command thumbnail; see thumbnail.h. */
#include "thumbnail.h"

#include <string.h>

#include "client/cli/base/exit_code.h"
#include "protocol/ops/op_codec.h"

/* Quality of lossy formats. */
#define QUALITY 80
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define QUALITY_TEXT TEXT(QUALITY)

#define EXAMPLE "thumbnail 400x400 photo.png -o 'small/{stem}.jpg'"
#define ABOUT                                                                                                          \
    "Makes small pictures for web pages: resize with --fit WxH, --only-shrink and --filter lanczos3, stored\n"         \
    "with --strip and --quality " QUALITY_TEXT                                                                         \
    ", which gives JPEG of 4:2:0. A picture is turned upright, converted to\n"                                         \
    "sRGB as by --srgb, keeps its shape, is never enlarged, and keeps no metadata besides what colours need.\n"        \
    "Colours that cannot be converted stay as they are, with a warning. One number stands for both sides of\n"         \
    "WxH."

/* The value of a parameter of resize, as its option. */
static const char **value_of(struct gf_op_options *o, const char *name)
{
    const struct gf_op *op = &gf_ops[GF_INDEX_resize];
    return &o->params[gf_op_param(op, name) - op->params];
}

void gf_thumbnail_options(struct gf_op_options *o)
{
    size_t n = 0, first_file = 0;
    for (size_t i = 0; i < o->n; i++) {
        const char **ret = o->rows[i].ret;
        bool is_file = i >= o->first_file;
        if (is_file ? ret == &o->shrink || ret == &o->only_shrink : ret != value_of(o, "light"))
            continue;
        first_file += !is_file;
        o->rows[n++] = o->rows[i];
    }
    o->n = n;
    o->first_param = 0;
    o->first_file = first_file;
    o->only_shrink = "1";
    *value_of(o, "filter") = "lanczos3";
}

int gf_thumbnail_take_fit(const struct gf_cli *cli, struct gf_op_options *o, struct gf_operands *operands)
{
    const struct gf_op *op = &gf_ops[GF_INDEX_resize];
    union gf_params params;
    struct gf_error err;
    gf_op_params_default(op, &params);
    if (operands->n == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "the largest size is missing, as in " GF_CLI_NAME " " EXAMPLE);
    const char *fit = operands->of[0];
    if (gf_op_param_parse(op, gf_op_param(op, "fit"), fit, &params, &err) != GF_OK)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "\"%s\" is not the largest size, which must be before the files, one number or WxH of "
                           "1..65535, as in " GF_CLI_NAME " " EXAMPLE,
                           fit);
    *value_of(o, "fit") = fit;
    operands->n--;
    memmove(operands->of, operands->of + 1, operands->n * sizeof(*operands->of));
    return GF_EXIT_OK;
}

int gf_thumbnail_help(const struct gf_cli *cli)
{
    struct gf_op_options options;
    gf_op_options_init(cli->op, &options);
    gf_thumbnail_options(&options);
    const struct gf_help help = {.synopsis = "thumbnail [options] WxH IN OUT\n"
                                             "       " GF_CLI_NAME " thumbnail [options] WxH -o 'DIR/{stem}.NEW' IN...",
                                 .about = ABOUT,
                                 .example = EXAMPLE,
                                 .own = {options.rows, options.n}};
    return gf_cli_print_help(cli, &help);
}

int gf_cmd_thumbnail(struct gf_cli *cli, struct gf_args *args)
{
    cli->is_thumbnail = true;
    cli->op = &gf_ops[GF_INDEX_resize];
    cli->save.quality = QUALITY;
    cli->save.drop = gf_image_strip; /* unless --keep says otherwise */
    return gf_cmd_op(cli, args);
}
