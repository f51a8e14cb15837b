/* SPDX-License-Identifier: MIT */
/* Options that commands share, their values, the help of a command, and errors; see cli.h. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/cli/untrusted/untrusted.h"
#include "client/lib/text/json.h"
#include "exit_code.h"
#include "protocol/base/text.h"
#include "timeline.h"

#define MAX_SECONDS 86400.0

void gf_cli_init(struct gf_cli *cli, struct gf_cli_rows *ret_rows)
{
    const struct gf_cli_rows rows = {
        .common =
            {
                {"socket", '\0', "PATH", "socket of the daemon (found automatically)", &cli->socket},
                {"private", '\0', NULL, "use a private daemon, not the system's", &cli->only_private},
                {"no-autostart", '\0', NULL, "never start a private daemon", &cli->no_autostart},
                {"timeout", '\0', "SECONDS", "give up after this time (no limit)", &cli->timeout},
                {"wait", '\0', "SECONDS", "wait for a daemon that is not there, and start none", &cli->wait},
                {"json", '\0', NULL, "print one JSON object, errors too", &cli->json},
                {"quiet", 'q', NULL, "print nothing but errors", &cli->quiet},
                {"verbose", 'v', NULL, "report on standard error what was done", &cli->verbose},
                {"untrusted", '\0', NULL, "decode files in a process without rights", &cli->untrusted},
                {"no-color", '\0', NULL, "print charts without colours", &cli->no_color},
                {"help", 'h', NULL, "explain the command", &cli->help},
                {"version", '\0', NULL, "print the version", &cli->version},
            },
        .work = {
            {"device", '\0', "NAME", "auto, cpu, cuda:0, a UUID, see devices, or cuda:all (auto)", &cli->device},
            {"timing", '\0', NULL, "print on standard error how long each stage took", &cli->timing},
            {"explain", '\0', NULL, "print on standard error what will be computed", &cli->explain},
            {"hash", '\0', NULL, "print a hash of the result (FNV-1a 64 of its samples)", &cli->hash},
            {"page", '\0', "N|all", "page or frame to read of files that have several, from 1, or all", &cli->page},
            {"bands", '\0', "N[,N...]", "channels to read of TIFF, up to 4, from 1 (all)", &cli->bands},
            {"max-pixels", '\0', "N", "refuse a file whose header tells more pixels (2147483648)", &cli->max_pixels},
            {"salvage", '\0', NULL, "read what there is of a damaged png, jpeg or gif file", &cli->salvage},
            {"srgb", '\0', NULL, "convert pictures to sRGB by their colour profile, gamma or cICP", &cli->srgb},
            {"quality", '\0', "N", "quality of JPEG, AVIF, HEIC (90) and WebP, 1..100; or lossless for WebP",
             &cli->quality},
            {"subsampling", '\0', "444|422|420", "resolution of colour in JPEG (444 from quality 90 on, else 420)",
             &cli->subsampling},
            {"progressive", '\0', NULL, "write JPEG in scans that each show the whole picture", &cli->progressive},
            {"png-level", '\0', "N", "compression of PNG output, fast to small, 1..9 (1)", &cli->png_level},
            {"compression", '\0', "WORD", "compression of TIFF output: " GF_COMPRESSION_WORDS " (deflate)",
             &cli->compression},
            {"background", '\0', "COLOUR", "put it behind alpha in the file: white, black, #RGB or #RRGGBB",
             &cli->background},
            {"keep", '\0', "LIST", "metadata to keep: all, none, or some of " GF_KEEP_WORDS " (all)", &cli->keep},
            {"strip", '\0', NULL, "leave out metadata besides what colours need, as --keep icc,colour", &cli->strip},
            {"strict", '\0', NULL, "an error where a file lacks something of the input", &cli->strict},
            {"verify", '\0', NULL, "run on the CPU too and compare the hashes of all results", &cli->verify},
            {"trace", '\0', "FILE", "write a timeline for chrome://tracing or Perfetto", &cli->trace},
            {"otlp", '\0', "FILE|URL", "write the same as spans of OpenTelemetry, or post them to a collector",
             &cli->otlp},
            {"no-fuse", '\0', NULL, "compute each step of a pipe by itself", &cli->no_fuse},
        }};
    *ret_rows = rows;
    cli->out = stdout;
    cli->err = stderr;
    cli->common = (struct gf_option_set){ret_rows->common, GF_ARRAY_LEN(ret_rows->common)};
    cli->work = (struct gf_option_set){ret_rows->work, GF_ARRAY_LEN(ret_rows->work)};
}

bool gf_cli_wants_colour(const struct gf_cli *cli)
{
    const char *no = getenv("NO_COLOR");
    return !cli->no_color && (!no || no[0] == '\0');
}

int gf_cli_print_help(const struct gf_cli *cli, const struct gf_help *help)
{
    if (cli->taker) {
        cli->taker->take(cli->taker, cli, help);
        return GF_EXIT_OK;
    }
    printf("usage: " GF_CLI_NAME " %s\n\n%s\n\nOptions:\n", help->synopsis, help->about);
    gf_args_print(stdout, &help->own);
    if (cli->works)
        gf_args_print(stdout, &cli->work);
    gf_args_print(stdout, &cli->common);
    printf("\nExample:\n  " GF_CLI_NAME " %s\n", help->example);
    return GF_EXIT_OK;
}

/* Seconds as text, which may be NULL, in milliseconds. */
static int check_seconds(const struct gf_cli *cli, const char *option, const char *text, uint32_t *ret_ms)
{
    double seconds;
    if (!text)
        return GF_EXIT_OK;
    const char *end = gf_text_to_f64(text, &seconds);
    if (!end || *end || !(seconds >= 0.001 && seconds <= MAX_SECONDS))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s; allowed: 0.001..%.0f seconds", option, text, MAX_SECONDS);
    *ret_ms = (uint32_t)ceil(seconds * 1e3);
    return GF_EXIT_OK;
}

/* Reads a number 1..max. */
static bool read_number(const char *text, uint32_t max, uint32_t *ret)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || n < 1 || n > max)
        return false;
    *ret = (uint32_t)n;
    return true;
}

int gf_cli_number(const struct gf_cli *cli, const char *option, const char *text, uint32_t max, uint32_t *ret)
{
    return !text || read_number(text, max, ret)
               ? GF_EXIT_OK
               : gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s; allowed: 1..%u", option, text, max);
}

/* Devices have a kind and a number; a name alone is what people try first. */
static int check_device(const struct gf_cli *cli)
{
    static const char *const tried[] = {"cuda", "gpu", "nvidia", "cuda0", "gpu0", "gpu:0"};
    for (size_t i = 0; cli->device && i < GF_ARRAY_LEN(tried); i++)
        if (strcasecmp(cli->device, tried[i]) == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE,
                               "there is no device %s; did you mean cuda:0? " GF_CLI_NAME " devices lists them",
                               cli->device);
    return GF_EXIT_OK;
}

/* "white", "#fff" or "#ffffff". */
static int check_background(struct gf_cli *cli)
{
    const char *text = cli->background;
    if (!text)
        return GF_EXIT_OK;
    const char *hex = strcmp(text, "white") == 0 ? "#fff" : strcmp(text, "black") == 0 ? "#000" : text;
    size_t n = strlen(hex), digits = n == 4 ? 1 : 2;
    if (hex[0] != '#' || (n != 4 && n != 7) || strspn(hex + 1, "0123456789abcdefABCDEF") != n - 1)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--background %s; allowed: white, black, #RGB or #RRGGBB", text);
    unsigned long rgb = strtoul(hex + 1, NULL, 16);
    for (size_t i = 0; i < 3; i++) {
        unsigned long part = rgb >> (4 * digits * (2 - i)) & (digits == 1 ? 0xf : 0xff);
        cli->save.background[i] = (uint8_t)(digits == 1 ? part * 0x11 : part);
    }
    cli->save.flatten = true;
    return GF_EXIT_OK;
}

static int check_quality(struct gf_cli *cli)
{
    const char *text = cli->quality;
    cli->save.lossless = text && strcmp(text, "lossless") == 0;
    if (cli->save.lossless)
        cli->save.quality = 0; /* in place of a default */
    return !text || cli->save.lossless || read_number(text, 100, &cli->save.quality)
               ? GF_EXIT_OK
               : gf_cli_fail(cli, GF_EXIT_USAGE, "--quality %s; allowed: 1..100, or lossless for webp", text);
}

/* "444", "422" or "420". */
static int check_subsampling(struct gf_cli *cli)
{
    static const uint32_t allowed[] = {444, 422, 420};
    char text[16];
    for (size_t i = 0; cli->subsampling && i < GF_ARRAY_LEN(allowed); i++) {
        snprintf(text, sizeof(text), "%u", allowed[i]);
        if (strcmp(cli->subsampling, text) == 0)
            cli->save.subsampling = allowed[i];
    }
    cli->save.progressive = cli->progressive;
    if (cli->subsampling && cli->save.subsampling == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--subsampling %s; allowed: 444, 422 or 420", cli->subsampling);
    return GF_EXIT_OK;
}

static int check_compression(struct gf_cli *cli)
{
    uint32_t n = 1;
    if (!cli->compression)
        return GF_EXIT_OK;
    while (n < GF_N_COMPRESSIONS && strcmp(cli->compression, gf_compression_words[n]) != 0)
        n++;
    if (n == GF_N_COMPRESSIONS)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--compression %s; allowed: " GF_COMPRESSION_WORDS, cli->compression);
    cli->save.compression = (enum gf_compression)n;
    return GF_EXIT_OK;
}

/* "4,3,2". */
static int check_bands(struct gf_cli *cli)
{
    char word[16];
    struct gf_image_load *load = &cli->load;
    load->n_bands = 0;
    for (const char *at = cli->bands; at; at = *at == ',' ? at + 1 : NULL) {
        size_t n = strcspn(at, ",");
        snprintf(word, sizeof(word), "%.*s", n < sizeof(word) ? (int)n : 0, at);
        if (load->n_bands == GF_MAX_CHANNELS || !read_number(word, UINT16_MAX, &load->bands[load->n_bands++]))
            return gf_cli_fail(cli, GF_EXIT_USAGE, "--bands %s; allowed: up to %u numbers of 1..%u, as in 4,3,2",
                               cli->bands, GF_MAX_CHANNELS, UINT16_MAX);
        at += n;
    }
    return GF_EXIT_OK;
}

static int check_keep(struct gf_cli *cli)
{
    struct gf_io_error err;
    if (cli->keep && cli->strip)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--strip: cannot be used with --keep; leave one of them out");
    if (cli->keep && gf_image_keep_parse(cli->keep, &cli->save.drop, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (cli->strip)
        cli->save.drop = gf_image_strip;
    cli->save.strict = cli->strict != NULL;
    return GF_EXIT_OK;
}

static int check_page(struct gf_cli *cli)
{
    cli->all_pages = cli->page && strcmp(cli->page, "all") == 0;
    if (cli->all_pages && cli->salvage)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "--salvage and --page all: choose the page of a damaged file by --page N");
    return !cli->page || cli->all_pages || read_number(cli->page, UINT32_MAX, &cli->load.page)
               ? GF_EXIT_OK
               : gf_cli_fail(cli, GF_EXIT_USAGE, "--page %s; allowed: 1..%u and all", cli->page, UINT32_MAX);
}

static int check_values(struct gf_cli *cli)
{
    cli->load.salvage = cli->salvage != NULL;
    cli->load.srgb = cli->srgb || cli->is_thumbnail;
    cli->load.srgb_is_optional = cli->is_thumbnail && !cli->srgb;
    int code = check_seconds(cli, "timeout", cli->timeout, &cli->timeout_ms);
    if (code == GF_EXIT_OK)
        code = check_seconds(cli, "wait", cli->wait, &cli->wait_ms);
    if (code == GF_EXIT_OK)
        code = check_device(cli);
    if (code == GF_EXIT_OK)
        code = check_background(cli);
    if (code == GF_EXIT_OK)
        code = check_keep(cli);
    if (code == GF_EXIT_OK && cli->only_private && cli->socket)
        code = gf_cli_fail(cli, GF_EXIT_USAGE, "--private: cannot be used with --socket; leave one of them out");
    if (code == GF_EXIT_OK)
        code = check_quality(cli);
    if (code == GF_EXIT_OK)
        code = check_subsampling(cli);
    if (code == GF_EXIT_OK)
        code = check_compression(cli);
    if (code == GF_EXIT_OK)
        code = check_bands(cli);
    if (code == GF_EXIT_OK)
        code = check_page(cli);
    if (code == GF_EXIT_OK)
        code = gf_cli_number(cli, "max-pixels", cli->max_pixels, GF_MAX_SAMPLES, &cli->load.max_pixels);
    return code == GF_EXIT_OK ? gf_cli_number(cli, "png-level", cli->png_level, 9, &cli->save.png_level) : code;
}

/* Values, and what they ask for; after the last error of the command line itself. */
static int take_values(struct gf_cli *cli)
{
    struct gf_error err;
    int code = check_values(cli);
    if (code == GF_EXIT_OK && !cli->help && cli->untrusted && gf_untrusted_begin(&err) != GF_OK)
        code = gf_cli_fail(cli, GF_EXIT_UNAVAILABLE, "--untrusted: files are not decoded: %s", err.text);
    return code == GF_EXIT_OK && !cli->help ? gf_timeline_begin(cli) : code;
}

static enum gf_io_status read_all(const struct gf_cli *cli, struct gf_args *args, const struct gf_option_set *own,
                                  struct gf_operands *ret_operands, struct gf_io_error *err)
{
    args->n_sets = 0;
    args->sets[args->n_sets++] = *own;
    if (cli->works)
        args->sets[args->n_sets++] = cli->work;
    args->sets[args->n_sets++] = cli->common;
    return gf_args_all(args, ret_operands, err);
}

int gf_cli_parse_all(struct gf_cli *cli, struct gf_args *args, const struct gf_option_set *own,
                     struct gf_operands *ret_operands)
{
    struct gf_io_error err;
    if (read_all(cli, args, own, ret_operands, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    return take_values(cli);
}

int gf_cli_parse(struct gf_cli *cli, struct gf_args *args, const struct gf_help *help, const char *const *names,
                 size_t n, const char **ret_operands)
{
    gf_cleanup(gf_operands_deinit) struct gf_operands operands = {.n = 0};
    struct gf_io_error err;
    enum gf_io_status r = read_all(cli, args, &help->own, &operands, &err);
    if (r == GF_IO_OK)
        r = gf_args_match(args, &operands, names, n, ret_operands, &err);
    int code = r == GF_IO_OK ? take_values(cli) : gf_cli_fail_io(cli, &err);
    return code == GF_EXIT_OK && cli->help ? gf_cli_print_help(cli, help) : code;
}

/* Drops the operation from "gaussian: sigma=-1 ...", because the line already names the command. */
static const char *without_op(const struct gf_cli *cli, const char *text)
{
    size_t n = cli->op ? strlen(cli->op->name) : 0;
    if (n > 0 && strncmp(text, cli->op->name, n) == 0 && strncmp(text + n, ": ", 2) == 0)
        return text + n + 2;
    return text;
}

/* Prints one line, whatever bytes the names and files contain. */
static void print_line(const struct gf_cli *cli, const char *kind, const char *text)
{
    const char *command = cli->command, *file = cli->file;
    char line[GF_PATH_TEXT + GF_IO_ERROR_TEXT + 128];
    bool named = !file || strncmp(text, file, strlen(file)) == 0;
    snprintf(line, sizeof(line), "%s%s%s%s%s%s", command ? command : "", command ? ": " : "", kind, named ? "" : file,
             named ? "" : ": ", text);
    fprintf(cli->err, GF_CLI_NAME ": %s\n", gf_text_clean(line));
}

/* `request` is "" if the error is none of a request. */
static int fail(const struct gf_cli *cli, int code, const char *status, const char *text, const char *request)
{
    text = without_op(cli, text);
    print_line(cli, "", text);
    if (cli->json) {
        struct gf_json json = {.out = cli->out};
        gf_json_object(&json, NULL);
        if (cli->file) {
            gf_json_object(&json, "input");
            gf_json_text(&json, "path", cli->file);
            gf_json_object_end(&json);
        }
        gf_json_object(&json, "error");
        gf_json_text(&json, "status", status);
        gf_json_text(&json, "text", text);
        if (request[0])
            gf_json_text(&json, "request", request);
        gf_json_object_end(&json);
        gf_json_object_end(&json);
        fputc('\n', cli->out);
    }
    return code;
}

int gf_cli_fail(const struct gf_cli *cli, int code, const char *fmt, ...)
{
    char text[GF_IO_ERROR_TEXT];
    va_list args;
    va_start(args, fmt);
    gf_text_sentence(text, sizeof(text), fmt, args);
    va_end(args);
    return fail(cli, code, gf_exit_word(code), text, "");
}

int gf_cli_fail_io(const struct gf_cli *cli, const struct gf_io_error *err)
{
    const int code = (int)gf_exit_of_io(err->status);
    return fail(cli, code, gf_exit_word(code), err->text, "");
}

int gf_cli_fail_error(const struct gf_cli *cli, const struct gf_error *err)
{
    return fail(cli, (int)gf_exit_of_status((uint32_t)err->status), gf_status_name((uint32_t)err->status), err->text,
                "");
}

int gf_cli_fail_image(const struct gf_cli *cli, const gpufilter_error *err)
{
    const bool is_kind = err->status == GPUFILTER_E_UNSUPPORTED, is_memory = err->status == GPUFILTER_E_NO_MEMORY;
    const enum gf_exit code = is_kind     ? GF_EXIT_DATA
                              : is_memory ? GF_EXIT_SOFTWARE
                                          : gf_exit_of_status((uint32_t)err->status);
    return fail(cli, (int)code, gf_exit_word((int)code), err->text, "");
}

int gf_cli_fail_request(const struct gf_cli *cli, const gpufilter_error *err, const char *request)
{
    char text[GF_IO_ERROR_TEXT];
    int n = snprintf(text, sizeof(text), "%s", err->text);
    bool told = strstr(err->text, "--private"); /* the text says what to do already */
    if (err->status == GPUFILTER_E_NO_DAEMON && !told)
        snprintf(text + n, sizeof(text) - (size_t)n, "; start one with %s",
                 cli->only_private ? "an operation" : "gpufilterd, or with systemctl start gpufilterd.socket");
    else if (err->retry_ms > 0)
        snprintf(text + n, sizeof(text) - (size_t)n, "; try again in %u ms", (unsigned)err->retry_ms);
    return fail(cli, (int)gf_exit_of_status((uint32_t)err->status), gpufilter_status_name(err->status), text, request);
}

int gf_cli_fail_client(const struct gf_cli *cli, const gpufilter_error *err)
{
    return gf_cli_fail_request(cli, err, "");
}

int gf_cli_lose(const struct gf_cli *cli, const char *text)
{
    if (text && cli->strict)
        return gf_cli_fail(cli, GF_EXIT_DATA, "%s; leave --strict out to accept that", text);
    gf_cli_warn(cli, text);
    return GF_EXIT_OK;
}

void gf_said_deinit(struct gf_said *said)
{
    for (size_t i = 0; i < said->n; i++)
        free(said->texts[i]);
    said->n = 0;
}

/* Whether a text was not printed before, as far as there is room to remember it. */
static bool is_new(struct gf_said *said, const char *text)
{
    for (size_t i = 0; i < said->n; i++)
        if (strcmp(said->texts[i], text) == 0)
            return false;
    char *copy = said->n < GF_SAID_TEXTS ? strdup(text) : NULL;
    if (copy)
        said->texts[said->n++] = copy;
    return true;
}

/* Prints a line, once for all pages or frames. */
static void say(const struct gf_cli *cli, const char *kind, const char *text)
{
    struct gf_cli whole = *cli;
    if (cli->said && !is_new(cli->said, text))
        return;
    if (cli->said)
        whole.file = cli->said->file;
    print_line(&whole, kind, text);
}

void gf_cli_warn(const struct gf_cli *cli, const char *text)
{
    if (text && !cli->quiet)
        say(cli, "warning: ", text);
}

void gf_cli_note(const struct gf_cli *cli, const char *text)
{
    if (text && cli->verbose)
        say(cli, "", text);
}
