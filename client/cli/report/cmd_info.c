/* SPDX-License-Identifier: MIT */
/* `info`: describes files by their headers, without a daemon. Called by main.c. */
#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/json.h"
#include "client/cli/io/input.h"
#include "protocol/base/dtype.h"

static void print_line(const struct gf_cli *cli, const char *path, const struct gf_image *image, uint64_t pages)
{
    const struct gf_view *v = &image->view;
    const struct gf_image_meta *m = &image->meta;
    char name[GF_PATH_TEXT];
    fprintf(cli->out, "%s: %s %llux%llux%u:%s", gf_path_text(path, name, sizeof(name)), image->kind,
            (unsigned long long)v->width, (unsigned long long)v->height, v->channels, gf_dtype_word(v->dtype));
    if (m->sides > 0)
        fprintf(cli->out, ", array of %u side%s", m->sides, m->sides == 1 ? "" : "s");
    else if (gf_image_has_alpha(image, image->view.channels))
        fputs(", alpha", cli->out);
    if (pages > 1)
        fprintf(cli->out, ", %llu pages", (unsigned long long)pages);
    if (m->per_metre_x > 0 || m->per_metre_y > 0)
        fprintf(cli->out, ", %ux%u pixels per metre", m->per_metre_x, m->per_metre_y);
    if (m->orientation > 0)
        fprintf(cli->out, ", EXIF orientation %u", m->orientation);
    if (m->srgb_intent > 0)
        fputs(", sRGB", cli->out);
    if (m->gamma > 0)
        fprintf(cli->out, ", gamma %g", m->gamma / 1e5);
    if (m->profile)
        fprintf(cli->out, ", colour profile of %zu bytes", m->profile_size);
    if (m->exif)
        fputs(", EXIF", cli->out);
    if (m->xmp)
        fputs(", XMP", cli->out);
    fputc('\n', cli->out);
}

static void print_json(const struct gf_cli *cli, const char *path, const struct gf_image *image, uint64_t pages)
{
    struct gf_json json = {.out = cli->out};
    const struct gf_image_meta *m = &image->meta;
    gf_json_object(&json, NULL);
    gf_json_text(&json, "path", path);
    gf_json_text(&json, "format", image->kind);
    gf_json_u64(&json, "width", image->view.width);
    gf_json_u64(&json, "height", image->view.height);
    gf_json_u64(&json, "channels", image->view.channels);
    gf_json_text(&json, "dtype", gf_dtype_word(image->view.dtype));
    gf_json_bool(&json, "alpha", gf_image_has_alpha(image, image->view.channels));
    gf_json_u64(&json, "bytes", image->file_bytes);
    gf_json_u64(&json, "pages", pages);
    gf_json_u64(&json, "per_metre_x", m->per_metre_x);
    gf_json_u64(&json, "per_metre_y", m->per_metre_y);
    gf_json_u64(&json, "orientation", m->orientation);
    gf_json_bool(&json, "srgb", m->srgb_intent > 0);
    gf_json_u64(&json, "profile_bytes", m->profile_size);
    gf_json_u64(&json, "exif_bytes", m->exif_size);
    gf_json_u64(&json, "xmp_bytes", m->xmp_size);
    gf_json_object_end(&json);
    fputc('\n', cli->out);
}

static int print_file(const struct gf_cli *cli, const char *path)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err;
    uint64_t pages = 1;
    const struct gf_image_load how = {.ret_pages = &pages, .only_head = true};
    if (gf_image_read(path, NULL, &how, &image, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    gf_cli_warn(cli, image.warning);
    const char *name = gf_input_name(path);
    if (cli->json)
        print_json(cli, name, &image, pages);
    else
        print_line(cli, name, &image, pages);
    return GF_EXIT_OK;
}

int gf_cmd_info(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_operands_deinit) struct gf_operands files = {.n = 0};
    const struct gf_help help = {
        .synopsis = "info [options] FILE...",
        .about =
            "Describes picture and array files: format, width x height x channels, type, and further facts in the\n"
            "file. Of several pages or frames it describes the first. Only headers are decoded where the format\n"
            "allows that: damaged samples are found by copy. No daemon is needed.",
        .example = "info *.png"};
    int code = gf_cli_parse_all(cli, args, &help.own, &files);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    if (files.n == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "FILE is missing; name a file, or - for standard input; see --help");
    for (size_t i = 0; i < files.n; i++) {
        int one = print_file(cli, files.of[i]);
        code = code == GF_EXIT_OK ? one : code;
    }
    return code;
}
