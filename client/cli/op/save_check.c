/* SPDX-License-Identifier: MIT */
/* Options of output formats; see save_check.h. */
#include "save_check.h"

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"

void gf_save_record(struct gf_save_formats *seen, enum gf_image_format format, const char *path)
{
    seen->unknown |= format == GF_FORMAT_NONE;
    seen->quality |= gf_image_has_quality(format);
    seen->png_level |= format == GF_FORMAT_PNG;
    if (!seen->path) {
        seen->path = path;
        seen->format = format;
    }
}

static int refuse(const struct gf_cli *cli, const struct gf_save_formats *seen, const char *option, const char *value,
                  const char *whose)
{
    char name[GF_PATH_TEXT];
    if (!seen->path)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s: applies only to %s, and no such file is written; leave it out",
                           option, value, whose);
    gf_path_text(seen->path, name, sizeof(name));
    return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s: applies only to %s, but %s is written as %s; leave it out", option,
                       value, whose, name, gf_image_format_word(seen->format));
}

int gf_save_check(const struct gf_cli *cli, const struct gf_save_formats *seen)
{
    if (cli->quality && !seen->quality && !seen->unknown)
        return refuse(cli, seen, "quality", cli->quality, "jpeg, webp, avif or heic");
    if (cli->png_level && !seen->png_level && !seen->unknown)
        return refuse(cli, seen, "png-level", cli->png_level, "png");
    return GF_EXIT_OK;
}
