/* SPDX-License-Identifier: MIT */
/* `info`: describes files by their headers, without a daemon. Called by main.c. */
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/io/input.h"
#include "client/lib/text/json.h"
#include "protocol/base/dtype.h"
#include "protocol/base/text.h"

/* Bits of a sample in the file: those of the type unless the decoder knows better. */
static uint32_t bits_of(const struct gf_image *image)
{
    return image->coding.bits ? image->coding.bits : 8 * (uint32_t)gf_dtype_size(image->view.dtype);
}

/* Channels of the file, of which some can be chosen if they are more than a picture may have. */
static uint32_t channels_of(const struct gf_image *image)
{
    return image->coding.bands ? image->coding.bands : image->view.channels;
}

/* Prints how the samples are stored, as far as other files of the format store them differently. */
static void print_coding(const struct gf_cli *cli, const struct gf_image *image)
{
    static const char *const usual[] = {"deflate", "sequential", "LZW", "none", "HEVC", "AV1"};
    const struct gf_image_coding *c = &image->coding;
    bool told = c->compression != NULL;
    for (size_t i = 0; told && i < GF_ARRAY_LEN(usual); i++)
        told = strcmp(c->compression, usual[i]) != 0;
    if (bits_of(image) != 8 * gf_dtype_size(image->view.dtype))
        fprintf(cli->out, ", %u bit%s", bits_of(image), bits_of(image) == 1 ? "" : "s");
    if (told)
        fprintf(cli->out, ", %s", c->compression);
    if (c->sampling[0])
        fprintf(cli->out, ", chroma %s", c->sampling);
}

static void print_line(const struct gf_cli *cli, const char *path, const struct gf_image *image)
{
    const struct gf_view *v = &image->view;
    const struct gf_image_meta *m = &image->meta;
    char name[GF_PATH_TEXT];
    fprintf(cli->out, "%s: %s %llux%llux%u:%s", gf_path_text(path, name, sizeof(name)), image->kind,
            (unsigned long long)v->width, (unsigned long long)v->height, channels_of(image), gf_dtype_word(v->dtype));
    if (m->sides > 0)
        fprintf(cli->out, ", array of %u side%s%s", m->sides, m->sides == 1 ? "" : "s",
                v->channels > 1 ? ", channels along the last dimension" : "");
    else if (gf_image_has_alpha(image, image->view.channels))
        fprintf(cli->out, ", %salpha", image->coding.is_premultiplied ? "premultiplied " : "");
    print_coding(cli, image);
    if (image->pages > 1)
        fprintf(cli->out, ", %llu pages%s", (unsigned long long)image->pages,
                m->sides > 0 ? " along the first dimension" : "");
    if (m->per_metre_x > 0 || m->per_metre_y > 0)
        fprintf(cli->out, ", %ux%u pixels per metre", m->per_metre_x, m->per_metre_y);
    if (m->orientation > 0)
        fprintf(cli->out, ", EXIF orientation %u", m->orientation);
    if (m->srgb_intent > 0)
        fputs(", sRGB", cli->out);
    if (m->cicp[0] > 0)
        fprintf(cli->out, ", primaries %u and transfer %u of H.273", m->cicp[0], m->cicp[1]);
    if (m->gamma > 0)
        fprintf(cli->out, ", gamma %g", m->gamma / 1e5);
    gf_cleanup(gf_freep) char *profile = gf_image_profile_name(m);
    if (m->profile)
        fprintf(cli->out, ", colour profile%s%s%s of %zu bytes", profile ? " \"" : "",
                profile ? gf_text_clean(profile) : "", profile ? "\"" : "", m->profile_size);
    if (m->exif)
        fputs(", EXIF", cli->out);
    if (m->xmp)
        fputs(", XMP", cli->out);
    if (m->iptc.bytes)
        fputs(", IPTC", cli->out);
    if (m->comment.bytes)
        fputs(", comment", cli->out);
    if (m->text.bytes)
        fputs(", text", cli->out);
    if (m->has_gain_map)
        fputs(", gain map", cli->out);
    if (m->has_auxiliary)
        fputs(", auxiliary pictures", cli->out);
    fputc('\n', cli->out);
}

static void print_json(const struct gf_cli *cli, const char *path, const struct gf_image *image)
{
    struct gf_json json = {.out = cli->out};
    const struct gf_image_meta *m = &image->meta;
    gf_cleanup(gf_freep) char *profile = gf_image_profile_name(m);
    gf_json_object(&json, NULL);
    gf_json_text(&json, "path", path);
    gf_json_text(&json, "format", image->kind);
    gf_json_u64(&json, "width", image->view.width);
    gf_json_u64(&json, "height", image->view.height);
    gf_json_u64(&json, "channels", channels_of(image));
    gf_json_text(&json, "dtype", gf_dtype_word(image->view.dtype));
    gf_json_bool(&json, "alpha", gf_image_has_alpha(image, image->view.channels));
    gf_json_bool(&json, "premultiplied", image->coding.is_premultiplied);
    gf_json_u64(&json, "bits", bits_of(image));
    gf_json_text(&json, "compression", image->coding.compression ? image->coding.compression : "");
    gf_json_text(&json, "sampling", image->coding.sampling);
    gf_json_u64(&json, "bytes", image->file_bytes);
    gf_json_u64(&json, "pages", image->pages > 0 ? image->pages : 1);
    gf_json_u64(&json, "per_metre_x", m->per_metre_x);
    gf_json_u64(&json, "per_metre_y", m->per_metre_y);
    gf_json_u64(&json, "orientation", m->orientation);
    gf_json_bool(&json, "srgb", m->srgb_intent > 0);
    gf_json_text(&json, "profile", profile ? profile : "");
    gf_json_u64(&json, "primaries", m->cicp[0]);
    gf_json_u64(&json, "transfer", m->cicp[1]);
    gf_json_u64(&json, "profile_bytes", m->profile_size);
    gf_json_u64(&json, "exif_bytes", m->exif_size);
    gf_json_u64(&json, "xmp_bytes", m->xmp_size);
    gf_json_u64(&json, "iptc_bytes", m->iptc.size);
    gf_json_u64(&json, "comment_bytes", m->comment.size);
    gf_json_u64(&json, "text_bytes", m->text.size);
    gf_json_bool(&json, "gain_map", m->has_gain_map);
    gf_json_bool(&json, "auxiliary", m->has_auxiliary);
    gf_json_object_end(&json);
    fputc('\n', cli->out);
}

static int print_file(const struct gf_cli *cli, const char *path)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err;
    const struct gf_image_load how = {.only_head = true};
    if (gf_image_read(path, NULL, &how, &image, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    gf_cli_warn(cli, image.warning);
    const char *name = gf_input_name(path);
    if (cli->json)
        print_json(cli, name, &image);
    else
        print_line(cli, name, &image);
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
