/* SPDX-License-Identifier: MIT */
/* `info`: describes files by their headers, without a daemon. Called by main.c. */
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/io/input.h"
#include "client/lib/text/json.h"
#include "gpufilter/image.h"
#include "protocol/base/dtype.h"

/* Prints how the samples are stored, as far as other files of the format store them differently. */
static void print_coding(const struct gf_cli *cli, const gpufilter_view *v, const gpufilter_image_facts *f)
{
    static const char *const usual[] = {"", "deflate", "sequential", "LZW", "none", "HEVC", "AV1"};
    bool told = true;
    for (size_t i = 0; told && i < GF_ARRAY_LEN(usual); i++)
        told = strcmp(f->compression, usual[i]) != 0;
    if (f->bits != 8 * gf_dtype_size(v->dtype))
        fprintf(cli->out, ", %u bit%s", f->bits, f->bits == 1 ? "" : "s");
    if (told)
        fprintf(cli->out, ", %s", f->compression);
    if (f->sampling[0])
        fprintf(cli->out, ", chroma %s", f->sampling);
}

static void print_line(const struct gf_cli *cli, const char *path, const gpufilter_view *v,
                       const gpufilter_image_facts *f)
{
    char name[GF_PATH_TEXT], profile[GF_PATH_TEXT];
    fprintf(cli->out, "%s: %s %llux%llux%u:%s", gf_path_text(path, name, sizeof(name)), f->format,
            (unsigned long long)v->width, (unsigned long long)v->height, f->bands, gf_dtype_word(v->dtype));
    if (f->sides > 0)
        fprintf(cli->out, ", array of %u side%s%s", f->sides, f->sides == 1 ? "" : "s",
                v->channels > 1 ? ", channels along the last dimension" : "");
    else if (v->alpha != GPUFILTER_VIEW_NO_ALPHA)
        fprintf(cli->out, ", %salpha", (f->flags & GPUFILTER_IMAGE_IS_PREMULTIPLIED) != 0 ? "premultiplied " : "");
    print_coding(cli, v, f);
    if (f->pages > 1)
        fprintf(cli->out, ", %llu pages%s", (unsigned long long)f->pages,
                f->sides > 0 ? " along the first dimension" : "");
    if (f->per_metre_x > 0 || f->per_metre_y > 0)
        fprintf(cli->out, ", %ux%u pixels per metre", f->per_metre_x, f->per_metre_y);
    if (f->orientation > 0)
        fprintf(cli->out, ", EXIF orientation %u", f->orientation);
    if ((f->flags & GPUFILTER_IMAGE_IS_SRGB) != 0)
        fputs(", sRGB", cli->out);
    if (f->primaries > 0)
        fprintf(cli->out, ", primaries %u and transfer %u of H.273", f->primaries, f->transfer);
    if (f->gamma > 0)
        fprintf(cli->out, ", gamma %g", f->gamma / 1e5);
    if (f->profile_bytes > 0)
        fprintf(cli->out, ", colour profile%s%s%s of %llu bytes", f->profile[0] ? " \"" : "",
                gf_path_text(f->profile, profile, sizeof(profile)), f->profile[0] ? "\"" : "",
                (unsigned long long)f->profile_bytes);
    if (f->exif_bytes > 0)
        fputs(", EXIF", cli->out);
    if (f->xmp_bytes > 0)
        fputs(", XMP", cli->out);
    if (f->iptc_bytes > 0)
        fputs(", IPTC", cli->out);
    if (f->comment_bytes > 0)
        fputs(", comment", cli->out);
    if (f->text_bytes > 0)
        fputs(", text", cli->out);
    if ((f->flags & GPUFILTER_IMAGE_HAS_GAIN_MAP) != 0)
        fputs(", gain map", cli->out);
    if ((f->flags & GPUFILTER_IMAGE_HAS_AUXILIARY) != 0)
        fputs(", auxiliary pictures", cli->out);
    fputc('\n', cli->out);
}

static void print_json(const struct gf_cli *cli, const char *path, const gpufilter_view *v,
                       const gpufilter_image_facts *f)
{
    struct gf_json json = {.out = cli->out};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "path", path);
    gf_json_text(&json, "format", f->format);
    gf_json_u64(&json, "width", v->width);
    gf_json_u64(&json, "height", v->height);
    gf_json_u64(&json, "channels", f->bands);
    gf_json_text(&json, "dtype", gf_dtype_word(v->dtype));
    gf_json_bool(&json, "alpha", v->alpha != GPUFILTER_VIEW_NO_ALPHA);
    gf_json_bool(&json, "premultiplied", (f->flags & GPUFILTER_IMAGE_IS_PREMULTIPLIED) != 0);
    gf_json_u64(&json, "bits", f->bits);
    gf_json_text(&json, "compression", f->compression);
    gf_json_text(&json, "sampling", f->sampling);
    gf_json_u64(&json, "bytes", f->file_bytes);
    gf_json_u64(&json, "pages", f->pages);
    gf_json_u64(&json, "per_metre_x", f->per_metre_x);
    gf_json_u64(&json, "per_metre_y", f->per_metre_y);
    gf_json_u64(&json, "orientation", f->orientation);
    gf_json_bool(&json, "srgb", (f->flags & GPUFILTER_IMAGE_IS_SRGB) != 0);
    gf_json_text(&json, "profile", f->profile);
    gf_json_u64(&json, "primaries", f->primaries);
    gf_json_u64(&json, "transfer", f->transfer);
    gf_json_u64(&json, "profile_bytes", f->profile_bytes);
    gf_json_u64(&json, "exif_bytes", f->exif_bytes);
    gf_json_u64(&json, "xmp_bytes", f->xmp_bytes);
    gf_json_u64(&json, "iptc_bytes", f->iptc_bytes);
    gf_json_u64(&json, "comment_bytes", f->comment_bytes);
    gf_json_u64(&json, "text_bytes", f->text_bytes);
    gf_json_bool(&json, "gain_map", (f->flags & GPUFILTER_IMAGE_HAS_GAIN_MAP) != 0);
    gf_json_bool(&json, "auxiliary", (f->flags & GPUFILTER_IMAGE_HAS_AUXILIARY) != 0);
    gf_json_object_end(&json);
    fputc('\n', cli->out);
}

static int print_file(const struct gf_cli *cli, const char *path)
{
    gpufilter_image *image = NULL;
    gpufilter_image_facts facts = GPUFILTER_IMAGE_FACTS_INIT;
    gpufilter_error err;
    if (gpufilter_image_info(path, NULL, &image, &err) != GPUFILTER_OK)
        return gf_cli_fail_image(cli, &err);
    (void)gpufilter_image_describe(image, &facts, NULL);
    const gpufilter_view *view = gpufilter_image_view(image);
    gf_cli_warn(cli, facts.warning[0] ? facts.warning : NULL);
    const char *name = gf_input_name(path);
    if (cli->json)
        print_json(cli, name, view, &facts);
    else
        print_line(cli, name, view, &facts);
    gpufilter_image_free(image);
    return GF_EXIT_OK;
}

int gf_cmd_info(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_operands_deinit) struct gf_operands files = {.n = 0};
    const struct gf_help help = {
        .synopsis = "info [options] FILE...",
        .about =
            "Describes picture and array files: format, width x height x channels, type, and further facts in the\n"
            "file: the bits of a sample if they differ from the type, an unusual compression, how chroma is\n"
            "sampled, pages or frames, orientation, colours, metadata. --json has all facts, empty or 0 if the\n"
            "file or the reader does not tell. Of several pages or frames the first is described. Only headers\n"
            "are decoded where the format allows that: damaged samples are found by copy. No daemon is needed.",
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
