/* SPDX-License-Identifier: MIT */
/* Runs a pipe on every page of a file; see pipe_pages.h. */
#include "pipe_pages.h"

#include <inttypes.h>
#include <string.h>

#include "client/cli/base/exit_code.h"
#include "client/cli/batch/batch_names.h"
#include "client/io/input.h"
#include "store.h"

#define SLOTS 2u /* pages in progress: one is computed while the next is read or the one before is written */

/* What the pages lose, which is reported for all of them together. */
struct loss {
    struct gf_fit fit;
    struct gf_fit_count count;
    uint64_t changed, pixels;
};

struct slot {
    struct gf_pipe *pipe;
    char *names[GF_PIPE_TARGETS + 1]; /* of the files of a page; the last is that of the drawing */
};

struct run {
    struct gf_cli cli; /* its file is the page */
    const struct gf_pages_work *work;
    char where[GF_PATH_TEXT];
    struct gf_said said;
    struct slot slots[SLOTS];
    struct gf_image_pages files[GF_PIPE_TARGETS];
    struct loss losses[GF_PIPE_TARGETS];
    struct gf_narrowed narrowed;
    uint64_t begun, ended;
    int code;
    bool is_different;
};

static void say_page(struct run *r, uint64_t page)
{
    snprintf(r->where, sizeof(r->where), "%s%spage %" PRIu64, r->said.file ? r->said.file : "",
             r->said.file ? ", " : "", page + 1);
    r->cli.file = r->where;
}

/* Makes a copy of the pipe. */
static int open_slot(struct run *r, struct slot *slot)
{
    const struct gf_pipe *pipe = r->work->pipe;
    slot->pipe = malloc(sizeof(*slot->pipe));
    if (!slot->pipe)
        return gf_cli_fail(&r->cli, GF_EXIT_SOFTWARE, "out of memory");
    *slot->pipe = *pipe;
    slot->pipe->model = pipe->model ? pipe->model : pipe;
    slot->pipe->is_frame = true;
    slot->pipe->operands[0] = (struct gf_pipe_operand){.path = strdup(pipe->operands[0].path)};
    return slot->pipe->operands[0].path ? GF_EXIT_OK : gf_cli_fail(&r->cli, GF_EXIT_SOFTWARE, "out of memory");
}

static void close_slot(struct slot *slot)
{
    if (slot->pipe)
        gf_pipe_deinit(slot->pipe);
    free(slot->pipe);
    for (size_t i = 0; i < GF_ARRAY_LEN(slot->names); i++)
        free(slot->names[i]);
}

/* Replaces the name of a file by that of the page. */
static int name_page(struct run *r, const char *name, uint64_t page, uint64_t n, char **owned, const char **ret)
{
    free(*owned);
    *ret = *owned = gf_batch_page_name(name, page, n);
    return *ret ? GF_EXIT_OK : gf_cli_fail(&r->cli, GF_EXIT_SOFTWARE, "out of memory");
}

static int name_files(struct run *r, struct slot *slot, uint64_t n)
{
    struct gf_pipe *p = slot->pipe;
    const struct gf_pipe *model = r->work->pipe;
    int code = GF_EXIT_OK;
    for (uint32_t i = 0; i < p->n_targets && code == GF_EXIT_OK; i++) {
        p->targets[i].pages = NULL;
        if (!model->targets[i].path)
            continue;
        if (gf_batch_has_page(model->targets[i].path)) {
            code = name_page(r, model->targets[i].path, p->page, n, &slot->names[i], &p->targets[i].path);
            continue;
        }
        r->files[i].n = n;
        p->targets[i].pages = &r->files[i];
    }
    if (p->plot && code == GF_EXIT_OK)
        code = name_page(r, model->plot, p->page, n, &slot->names[GF_PIPE_TARGETS], &p->plot);
    return code;
}

static int begin_page(struct run *r, struct gf_image *image)
{
    struct slot *slot = &r->slots[r->begun % SLOTS];
    int code = slot->pipe ? GF_EXIT_OK : open_slot(r, slot);
    if (code != GF_EXIT_OK)
        return code;
    slot->pipe->page = r->begun + 1;
    code = name_files(r, slot, image->pages);
    slot->pipe->operands[0].image = *image;
    *image = GF_IMAGE_NULL;
    if (code == GF_EXIT_OK)
        code = gf_pipe_read(&r->cli, slot->pipe, NULL);
    if (code == GF_EXIT_OK)
        code = gf_pipe_check(&r->cli, slot->pipe);
    return code == GF_EXIT_OK ? gf_pipe_submit(&r->cli, slot->pipe, r->work->client) : code;
}

static void add_loss(struct run *r, const struct gf_pipe *p)
{
    for (uint32_t i = 0; i < p->n_targets; i++) {
        const struct gf_pipe_target *t = &p->targets[i];
        struct loss *loss = &r->losses[i];
        if (t->fit.dtype)
            loss->fit = t->fit;
        if (t->fit.dtype)
            gf_fit_count_add(&loss->count, &t->count);
        loss->changed += t->changed;
        loss->pixels += t->stored.width * t->stored.height;
    }
    gf_narrowed_add(&r->narrowed, &p->operands[0].narrowed);
}

static int end_page(struct run *r)
{
    struct gf_pipe *p = r->slots[r->ended % SLOTS].pipe;
    say_page(r, r->ended);
    int code = r->work->finish(&r->cli, p, r->work->report);
    r->is_different |= code == GF_EXIT_DIFFERENT;
    code = code == GF_EXIT_DIFFERENT ? GF_EXIT_OK : code;
    add_loss(r, p);
    gf_pipe_reset(p);
    r->ended++;
    return code;
}

static enum gf_io_status take(void *user, struct gf_image *image, struct gf_io_error *err)
{
    struct run *r = user;
    if (r->begun - r->ended == SLOTS)
        r->code = end_page(r);
    say_page(r, r->begun);
    if (r->code == GF_EXIT_OK)
        r->code = begin_page(r, image);
    r->begun += r->code == GF_EXIT_OK;
    return r->code == GF_EXIT_OK ? GF_IO_OK : gf_io_fail(err, GF_IO_DATA, "a page failed");
}

/* Puts the files in place and reports what they lack. */
static int commit(const struct gf_cli *cli, struct run *r)
{
    struct gf_io_error err;
    const struct gf_pipe *p = r->work->pipe;
    for (uint32_t i = 0; i < p->n_targets; i++) {
        const struct loss *loss = &r->losses[i];
        const char *path = p->targets[i].path;
        if (r->files[i].n > 0 && gf_image_pages_commit(&r->files[i], &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        if (!path)
            continue;
        if (r->files[i].colours_differ) {
            snprintf(r->where, sizeof(r->where), "%s: " GF_COLOURS_DIFFER, path);
            gf_cli_warn(cli, r->where);
        }
        gf_palette_report(cli, loss->changed, loss->pixels, path);
        gf_fit_report(cli, &loss->fit, &loss->count, path);
    }
    gf_narrow_report(cli, &r->narrowed, p->operands[0].path);
    return GF_EXIT_OK;
}

static int read_pages(struct run *r)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    gf_cleanup(gf_image_deinit) struct gf_image none = GF_IMAGE_NULL;
    const struct gf_pipe *p = r->work->pipe;
    const char *path = p->operands[0].path;
    struct gf_image_load how = gf_pipe_load(p, r->work->how);
    struct gf_io_error err;
    if (gf_input_read(path, GF_IMAGE_MAX_FILE, "an image file may have at most", &bytes, &err) != GF_IO_OK)
        return gf_cli_fail_io(&r->cli, &err);
    how.is_stream = bytes.is_stream;
    how.take = take;
    how.take_user = r;
    enum gf_io_status s = gf_image_decode(gf_input_name(path), bytes.data, bytes.size, &how, &none, &err);
    r->cli.file = r->said.file;
    if (r->code != GF_EXIT_OK)
        return r->code;
    while (r->code == GF_EXIT_OK && r->ended < r->begun)
        r->code = end_page(r);
    r->cli.file = r->said.file;
    if (s == GF_IO_OK || r->code != GF_EXIT_OK)
        return r->code;
    if (r->begun > 0)
        say_page(r, r->begun);
    return gf_cli_fail_io(&r->cli, &err);
}

int gf_pages_run(const struct gf_cli *cli, const struct gf_pages_work *work)
{
    struct run *r = calloc(1, sizeof(*r));
    if (!r)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    r->cli = *cli;
    r->said.file = cli->file;
    r->cli.said = &r->said;
    r->work = work;
    int code =
        work->pipe->plot && !gf_batch_has_page(work->pipe->plot)
            ? gf_cli_fail(cli, GF_EXIT_USAGE,
                          "--plot %s: draws each page by itself; put " GF_BATCH_PAGE " into the name", work->pipe->plot)
            : read_pages(r);
    for (size_t i = 0; i < SLOTS; i++)
        close_slot(&r->slots[i]);
    if (code == GF_EXIT_OK)
        code = commit(cli, r);
    if (code == GF_EXIT_OK && cli->verbose)
        fprintf(cli->err, GF_CLI_NAME ": %s: %s%s%" PRIu64 " page%s done\n", cli->command, cli->file ? cli->file : "",
                cli->file ? ": " : "", r->ended, r->ended == 1 ? "" : "s");
    if (code == GF_EXIT_OK && r->is_different)
        code = GF_EXIT_DIFFERENT;
    for (size_t i = 0; i < GF_PIPE_TARGETS; i++)
        gf_image_pages_deinit(&r->files[i]);
    gf_said_deinit(&r->said);
    free(r);
    return code;
}
