/* SPDX-License-Identifier: MIT */
/* Lists of files, shards of lists, and files that are done already. Called by cmd_op.c and cmd_pipe.c. */
#include "batch.h"

#include <string.h>
#include <sys/stat.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/io/output.h"

#define MAX_LIST (UINT64_C(1) << 28) /* bytes: some millions of names */
#define MAX_SHARDS 1000000u

void gf_batch_list_deinit(struct gf_batch_list *list)
{
    gf_operands_deinit(&list->names);
    gf_bytes_deinit(&list->bytes);
}

bool gf_batch_list_wanted(const struct gf_batch_options *options)
{
    return options->files_from || options->shard || options->skip_existing;
}

/* Finds the first name, after the byte order mark that some editors write into UTF-8. A list in UTF-16 is refused: it
 * has NULs, and would pass for a NUL-separated list. */
static int find_begin(const struct gf_cli *cli, const char *name, const struct gf_bytes *bytes, bool has_nul,
                      size_t *ret_begin)
{
    const uint8_t *b = bytes->data;
    *ret_begin = 0;
    if (bytes->size >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return gf_cli_fail(cli, GF_EXIT_DATA,
                           "%s: the list is UTF-16; names are taken byte for byte, so it must be UTF-8", name);
    if (!has_nul && bytes->size >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0)
        *ret_begin = 3;
    return GF_EXIT_OK;
}

/* Ends the name at `at` and returns the beginning of the next one. Names in a NUL-separated list may contain any other
 * byte; lines may end with CR LF. */
static size_t end_name(struct gf_bytes *bytes, size_t at, uint8_t separator)
{
    uint8_t *end = memchr(bytes->data + at, separator, bytes->size - at);
    size_t stop = end ? (size_t)(end - bytes->data) : bytes->size;
    bytes->data[stop] = '\0';
    if (separator == '\n' && stop > at && bytes->data[stop - 1] == '\r')
        bytes->data[stop - 1] = '\0';
    return end ? stop + 1 : stop;
}

/* Splits the bytes into names. There must be room for one byte after them. */
static int split(const struct gf_cli *cli, const char *name, struct gf_batch_list *list)
{
    struct gf_bytes *bytes = &list->bytes;
    bool has_nul = bytes->size > 0 && memchr(bytes->data, '\0', bytes->size);
    uint8_t separator = has_nul ? '\0' : '\n';
    size_t at, n = 2, entry = 0; /* a last name without a separator, and one spare entry */
    int code = find_begin(cli, name, bytes, has_nul, &at);
    if (code != GF_EXIT_OK)
        return code;
    for (size_t i = 0; i < bytes->size; i++)
        n += bytes->data[i] == separator;
    list->names.of = calloc(n, sizeof(*list->names.of));
    if (!list->names.of)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s: no memory for %zu names", name, n);
    while (at < bytes->size) {
        const char *one = (const char *)bytes->data + at;
        at = end_name(bytes, at, separator);
        entry++;
        if (strcmp(one, "-") == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE,
                               "%s: name %zu is -, which means standard input; a file named - is ./-", name, entry);
        if (*one)
            list->names.of[list->names.n++] = one;
    }
    return GF_EXIT_OK;
}

int gf_batch_list_read(const struct gf_cli *cli, const char *path, struct gf_batch_list *ret_list)
{
    gf_cleanup(gf_batch_list_deinit) struct gf_batch_list list = {.names = {.n = 0}};
    const char *name = gf_input_name(path);
    struct gf_io_error err;
    if (gf_image_refuse_header(path, "--files-from", &err) != GF_IO_OK)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "--files-from %s: must be a list of names, but has the extension of a picture or an array",
                           path);
    if (gf_input_read(path, MAX_LIST, "a list may have at most", &list.bytes, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    uint8_t *more = realloc(list.bytes.data, list.bytes.size + 1);
    if (!more)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s: no memory for %zu bytes", name, list.bytes.size);
    list.bytes.data = more;
    int code = split(cli, name, &list);
    if (code != GF_EXIT_OK)
        return code;
    if (list.names.n == 0 && !cli->quiet)
        fprintf(cli->err, GF_CLI_NAME ": %s: %s: lists no files; nothing to do\n", cli->command, name);
    *ret_list = list;
    list = (struct gf_batch_list){.names = {.n = 0}};
    return GF_EXIT_OK;
}

struct shard {
    uint32_t k, n;
};

/* Parses a number without sign or blanks from 1 to MAX_SHARDS; NULL if there is none. */
static const char *parse_number(const char *text, uint32_t *ret)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || number < 1 || number > MAX_SHARDS)
        return NULL;
    *ret = (uint32_t)number;
    return end;
}

static int parse_shard(const struct gf_cli *cli, const char *text, struct shard *ret_shard)
{
    struct shard s = {0, 0};
    const char *end = parse_number(text, &s.k);
    if (end)
        end = *end == '/' ? parse_number(end + 1, &s.n) : NULL;
    if (!end || *end || s.k > s.n)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "--shard %s; allowed: K/N, part K of N, with K from 1 to N and N at most %u, e.g. 1/3", text,
                           MAX_SHARDS);
    *ret_shard = s;
    return GF_EXIT_OK;
}

static bool is_of_shard(const struct gf_batch_names *names, size_t i, const void *data)
{
    const struct shard *s = data;
    (void)names;
    return i % s->n == s->k - 1;
}

int gf_batch_take_shard(const struct gf_cli *cli, const struct gf_batch_options *options, struct gf_batch_names *names)
{
    struct shard shard;
    struct gf_io_error err;
    size_t all = names->wish.n;
    if (!options->shard)
        return GF_EXIT_OK;
    int code = parse_shard(cli, options->shard, &shard);
    if (code == GF_EXIT_OK && gf_batch_names_check_texts(names, &err) != GF_IO_OK)
        code = gf_cli_fail_io(cli, &err);
    if (code != GF_EXIT_OK)
        return code;
    gf_batch_names_keep(names, is_of_shard, &shard);
    if (names->wish.n == 0 && all > 0 && !cli->quiet)
        fprintf(cli->err, GF_CLI_NAME ": %s: --shard %s of %zu files is empty; nothing to do\n", cli->command,
                options->shard, all);
    return GF_EXIT_OK;
}

/* Whether a result of file i is missing. A run that was interrupted leaves no file of this name, see output.h. An empty
 * file counts as missing: no format allows one, but some programs and file systems leave them. */
static bool is_to_do(const struct gf_batch_names *names, size_t i, const void *data)
{
    const struct gf_batch_wish *w = &names->wish;
    struct stat st;
    bool there = true;
    (void)data;
    for (size_t t = 0; t < w->n_out && there; t++)
        there = stat(names->out[i * w->n_out + t], &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    return !there;
}

int gf_batch_skip_existing(const struct gf_cli *cli, const struct gf_batch_options *options,
                           struct gf_batch_names *names)
{
    size_t all = names->wish.n;
    if (!options->skip_existing)
        return GF_EXIT_OK;
    if (names->wish.in_place)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "--skip-existing and --in-place: a replaced file always exists; leave one "
                           "out, or name other files with -o");
    if (names->wish.n_out == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--skip-existing: no result is written to a file; name one with -o");
    for (size_t i = 0; i < all * names->wish.n_out; i++)
        if (gf_output_is_stdout(names->out[i]))
            return gf_cli_fail(cli, GF_EXIT_USAGE, "--skip-existing: standard output cannot be skipped; name a file");
    gf_output_set_durable();
    gf_batch_names_keep(names, is_to_do, NULL);
    if (names->wish.n < all && !cli->quiet)
        fprintf(cli->err, GF_CLI_NAME ": %s: %zu of %zu files are skipped: their results exist\n", cli->command,
                all - names->wish.n, all);
    return GF_EXIT_OK;
}
