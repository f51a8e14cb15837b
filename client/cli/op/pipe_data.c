/* SPDX-License-Identifier: MIT */
/* Reads the data of a pipe, and settles what the steps do about their types, sizes and alpha; see pipe.h. */
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/timeline.h"
#include "client/io/input.h"
#include "pipe.h"
#include "protocol/base/clock.h"
#include "protocol/ops/alpha.h"
#include "shrink.h"
#include "store.h"

void gf_pipe_lap(const struct gf_cli *cli, const char *name, const char *detail, uint64_t *start, uint64_t *spent)
{
    gf_timeline_add(cli->timeline, name, detail, *start);
    uint64_t now = gf_now_ns();
    *spent += now - *start;
    *start = now;
}

struct gf_image_load gf_pipe_load(const struct gf_pipe *p, const struct gf_image_load *how)
{
    struct gf_image_load own = *how;
    if (p->may_shrink && gf_shrink_may(&p->program.steps[0])) {
        own.shrink = gf_shrink_choose;
        own.shrink_user = (void *)(uintptr_t)&p->program.steps[0];
    }
    return own;
}

/* Reads a picture. For IN all options of the command line apply. */
static enum gf_io_status read_picture(const struct gf_cli *cli, struct gf_pipe *p, uint32_t i,
                                      const struct gf_image_load *how, struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    struct gf_pipe_operand *o = &p->operands[i];
    uint64_t start = gf_now_ns();
    enum gf_io_status r = gf_input_read(o->path, GF_IMAGE_MAX_FILE, "an image file may have at most", &bytes, err);
    gf_pipe_lap(cli, "read", o->path, &start, &p->spent.read);
    if (r != GF_IO_OK)
        return r;
    const char *name = gf_input_name(o->path);
    struct gf_image_load own = i == 0 ? gf_pipe_load(p, how) : *how;
    own.is_stream = bytes.is_stream;
    r = p->text_dtype && (i == 0 || cli->op)
            ? gf_array_decode_text(name, bytes.data, bytes.size, p->text_dtype, &o->image, err)
            : gf_image_decode(name, bytes.data, bytes.size, &own, &o->image, err);
    gf_pipe_lap(cli, "decode", o->path, &start, &p->spent.decode);
    return r;
}

static enum gf_io_status read_file(const struct gf_cli *cli, struct gf_pipe *p, uint32_t i,
                                   const struct gf_image_load *how, struct gf_io_error *err)
{
    struct gf_pipe_operand *o = &p->operands[i];
    if (!o->input && !(i == 0 && p->is_raw))
        return read_picture(cli, p, i, how, err);
    uint64_t start = gf_now_ns();
    enum gf_io_status r = !o->input                          ? gf_image_read(o->path, &p->raw, how, &o->image, err)
                          : o->input->kind == GF_INPUT_COEFS ? gf_coefs_read(o->path, &o->mask, err)
                                                             : gf_data_option_read(o->input, o->path, &o->image, err);
    gf_pipe_lap(cli, "read", o->path, &start, &p->spent.read);
    return r;
}

/* Whether a step depends on left and right as viewers show them. All pictures are then turned upright, so that they
 * match. */
static bool sees_upright(const struct gf_pipe *p)
{
    bool found = false;
    for (uint32_t i = 0; i < p->program.n_steps; i++)
        found = found || gf_op_needs_upright(p->program.steps[i].op);
    return found;
}

static gpufilter_view client_view(const struct gf_view *view, void *data)
{
    gpufilter_view v = gpufilter_tight_view(data, view->width, view->height, view->dtype, view->channels);
    v.pitch = view->pitch;
    return v;
}

/* Changes the parameters of a resize according to IN. */
static void fit_step(struct gf_pipe *p, uint32_t orientation)
{
    const struct gf_image *in = &p->operands[0].image;
    const union gf_params asked = p->program.steps[0].params;
    bool is_shrunk = in->shrink > 1;
    if (is_shrunk)
        gf_shrink_fit(&p->program.steps[0], in, orientation);
    if (is_shrunk || (p->only_shrinks && gf_shrink_keep(&p->program.steps[0], &in->view))) {
        p->asked = asked;
        p->is_changed = true;
    }
}

/* Reads an operand unless its data are present. */
static int read_operand(const struct gf_cli *cli, struct gf_pipe *p, uint32_t i, const struct gf_image_load *how)
{
    struct gf_pipe_operand *o = &p->operands[i];
    struct gf_io_error err;
    if (o->view.data)
        return GF_EXIT_OK;
    if (!o->image.data && !o->mask.data && read_file(cli, p, i, how, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (cli->all_pages && i > 0 && o->image.pages > 1)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "%s: has %llu %ss; --page all takes those of the first input, and every other one must have "
                           "one page",
                           o->path, (unsigned long long)o->image.pages, o->image.page_word);
    uint32_t orientation = o->image.meta.orientation;
    if (sees_upright(p) && gf_image_rotate_upright(&o->image, o->path, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    int code = gf_cli_lose(cli, o->image.warning);
    if (code != GF_EXIT_OK)
        return code;
    gf_cli_note(cli, o->image.note);
    uint64_t start = gf_now_ns();
    if (gf_narrow(&p->program, i, o->path, &o->image, &o->narrowed, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (o->narrowed.dtype)
        gf_pipe_lap(cli, "convert", o->path, &start, &p->spent.decode);
    if (i == 0)
        fit_step(p, orientation);
    o->view = o->mask.data ? client_view(&o->mask.view, o->mask.data) : client_view(&o->image.view, o->image.data);
    return GF_EXIT_OK;
}

static int read_operands(const struct gf_cli *cli, struct gf_pipe *p, uint32_t first, const struct gf_image_load *how)
{
    int code = GF_EXIT_OK;
    for (uint32_t i = first; i < p->program.n_operands && code == GF_EXIT_OK; i++)
        code = read_operand(cli, p, i, how ? how : &cli->load);
    return code;
}

int gf_pipe_read(const struct gf_cli *cli, struct gf_pipe *p, const struct gf_image_load *how)
{
    p->begin_ns = gf_now_ns();
    p->spent = (struct gf_pipe_spent){.read = 0};
    return read_operands(cli, p, 0, how);
}

void gf_pipe_report_narrowed(const struct gf_cli *cli, const struct gf_pipe *p, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        gf_narrow_report(cli, &p->operands[i].narrowed, p->operands[i].path);
}

int gf_pipe_read_others(const struct gf_cli *cli, struct gf_pipe *p)
{
    int code = read_operands(cli, p, 1, NULL);
    if (code == GF_EXIT_OK)
        gf_pipe_report_narrowed(cli, p, 1, p->program.n_operands);
    return code;
}

static bool operand_has_alpha(const struct gf_pipe_operand *o)
{
    return gf_image_has_alpha(&o->image, o->view.channels);
}

void gf_pipe_settle_alpha(struct gf_pipe *p)
{
    uint64_t operands = 0;
    for (uint32_t i = 0; i < p->program.n_operands; i++)
        operands |= operand_has_alpha(&p->operands[i]) ? UINT64_C(1) << i : 0;
    p->has_alpha = gf_program_settle_alpha(&p->program, operands, p->open_alpha);
}

bool gf_pipe_has_alpha(const struct gf_pipe *p, const struct gf_pipe_target *t)
{
    return t->output == 0 && (p->has_alpha >> t->step & 1) != 0;
}
