/* SPDX-License-Identifier: MIT */
/* Metadata that results keep; see keep.h. */
#include "keep.h"

#include "client/cli/base/cli.h"

bool gf_op_needs_upright(const struct gf_op *op)
{
    return op->family == GF_OP_FAMILY_GEOMETRY || op->index == GF_INDEX_expr;
}

enum gf_keep gf_op_keeps(const struct gf_op *op, uint32_t output)
{
    switch (op->outputs[output].shape) {
    case GF_SHAPE_SAME_SHAPE:
    case GF_SHAPE_FILTER:
    case GF_SHAPE_CHANNELS:
        return GF_KEEP_ALL;
    case GF_SHAPE_OWN:
        return op->index == GF_INDEX_copy || gf_op_needs_upright(op) ? GF_KEEP_ALL : GF_KEEP_UNROTATED;
    default:
        return GF_KEEP_NOTHING;
    }
}

struct gf_image_save gf_keep_save(const struct gf_cli *cli, const struct gf_image_meta *meta, enum gf_keep keep)
{
    struct gf_image_save save = cli->save;
    save.meta = keep == GF_KEEP_NOTHING ? NULL : meta;
    save.as_stored = keep == GF_KEEP_UNROTATED;
    return save;
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
