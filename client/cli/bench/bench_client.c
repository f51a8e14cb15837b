/* SPDX-License-Identifier: MIT */
/* One client of the command bench. Called by bench_group.c; once connected, each client runs in a thread of its own. */
#include <string.h>

#include "bench.h"
#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "gpufilter/ops.h"
#include "protocol/base/clock.h"
#include "protocol/base/dtype.h"
#include "protocol/base/view.h"

/* A binomial mask. */
static const float mask[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

static struct gf_view view_of(const struct gf_bench_work *work)
{
    return gf_view_tight(work->dtype, work->width, work->height, work->channels);
}

uint64_t gf_bench_bytes(const struct gf_bench_work *work)
{
    struct gf_view view = view_of(work);
    return work->width > 0 ? gf_view_bytes(&view) : 0;
}

/* Fills memory with noise; f32 from 0 to 1. */
static void fill(void *data, uint32_t dtype, uint64_t bytes)
{
    uint32_t state = 1;
    for (uint64_t i = 0; i < bytes; i += dtype == GF_F32 ? sizeof(float) : 1) {
        state = state * 1664525u + 1013904223u;
        const float value = (float)(state >> 8) * 0x1p-24f;
        if (dtype == GF_F32)
            memcpy((char *)data + i, &value, sizeof(value));
        else
            ((uint8_t *)data)[i] = (uint8_t)(state >> 24);
    }
}

/* Makes the steps, each with the mask; without filters one copy. */
static void make_steps(struct gf_bench_client *c)
{
    static gpufilter_correlate_params sum = GPUFILTER_CORRELATE_INIT;
    static const gpufilter_copy_params copy = GPUFILTER_COPY_INIT;
    sum.normalize = GPUFILTER_NORMALIZE_SUM;
    for (uint32_t i = 0; i < c->work.filters; i++)
        c->steps[i] = (gpufilter_step){.params = &sum, .inputs = "mask=@1"};
    if (c->work.filters == 0)
        c->steps[0] = (gpufilter_step){.params = &copy};
}

bool gf_bench_client_once(struct gf_bench_client *c, bool keep)
{
    struct gf_sample sample = {.wall = 0};
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    if (c->work.width == 0) {
        c->failed = gpufilter_ping(c->client, &sample.wall, &c->err) != GPUFILTER_OK;
    } else {
        uint64_t start = gf_now_ns();
        c->failed = gpufilter_run(c->client, c->steps, c->work.filters > 0 ? c->work.filters : 1, c->operands,
                                  c->work.filters > 0 ? 2 : 1, &c->result, 1, NULL, &c->err) != GPUFILTER_OK;
        sample.wall = gf_now_ns() - start;
    }
    c->n_all++;
    if (c->failed || !keep)
        return !c->failed;
    if (c->work.width > 0 && gpufilter_last_times(c->client, &times, &c->err) == GPUFILTER_OK) {
        sample.queue = times.queue_ns;
        sample.copy_in = times.copy_in_ns;
        sample.kernel = times.kernel_ns;
        sample.copy_out = times.copy_out_ns;
        sample.total = times.total_ns;
        gf_bench_add_devices(c->devices, times.device);
    }
    c->n++;
    if (!gf_samples_add(&c->samples, &sample)) {
        c->err = (gpufilter_error){.status = GPUFILTER_E_NO_MEMORY, .text = "no memory for the times"};
        c->failed = true;
    }
    return !c->failed;
}

/* Allocates memory of the given way. Private memory is kept in `slot` of the client. */
static bool take(struct gf_bench_client *c, enum gf_bench_way way, uint32_t slot, uint64_t bytes, void **ret_data)
{
    if (way == GF_BENCH_ARENA)
        return gpufilter_alloc(c->client, bytes, ret_data, &c->err) == GPUFILTER_OK;
    *ret_data = c->plain[slot] = malloc(bytes);
    if (!*ret_data)
        c->err = (gpufilter_error){.status = GPUFILTER_E_NO_MEMORY, .text = "no memory for the pictures"};
    return *ret_data != NULL;
}

/* Makes the picture, and uploads it if it must be resident. */
static bool make_picture(struct gf_bench_client *c)
{
    const struct gf_bench_work *w = &c->work;
    gpufilter_view *v = &c->operands[0];
    *v = gpufilter_tight_view(NULL, w->width, w->height, w->dtype, w->channels);
    c->operands[1] = gpufilter_const_view(mask, 3, 3, GPUFILTER_F32, 1);
    if (!take(c, w->from, 0, gf_bench_bytes(w), &v->data))
        return false;
    fill(v->data, w->dtype, gf_bench_bytes(w));
    if (w->from != GF_BENCH_RESIDENT)
        return true;
    gpufilter_result there = {.view.data = GPUFILTER_RESIDENT};
    if (gpufilter_run_text(c->client, "copy", v, 1, &there, 1, NULL, &c->err) != GPUFILTER_OK)
        return false;
    *v = there.view;
    free(c->plain[0]);
    c->plain[0] = NULL;
    return true;
}

/* Prepares the result. A resident result is created by the first request and overwritten by the later ones. */
static bool make_result(struct gf_bench_client *c)
{
    const struct gf_bench_work *w = &c->work;
    c->result = (gpufilter_result){.view = gpufilter_tight_view(NULL, w->width, w->height, w->dtype, w->channels)};
    if (w->to != GF_BENCH_RESIDENT)
        return take(c, w->to, 1, gf_bench_bytes(w), &c->result.view.data);
    c->result.view.data = GPUFILTER_RESIDENT;
    return true;
}

int gf_bench_client_open(const struct gf_cli *cli, const struct gf_bench_work *work, struct gf_bench_client *c)
{
    struct gf_cli own = *cli;
    c->work = *work;
    if (work->device)
        own.device = work->device;
    int code = gf_cli_connect(&own, &c->client);
    if (code != GF_EXIT_OK || work->width == 0)
        return code;
    make_steps(c);
    return make_picture(c) && make_result(c) ? GF_EXIT_OK : gf_cli_fail_client(cli, &c->err);
}

void gf_bench_client_close(struct gf_bench_client *c)
{
    gf_cli_disconnectp(&c->client);
    for (size_t i = 0; i < GF_ARRAY_LEN(c->plain); i++) {
        free(c->plain[i]);
        c->plain[i] = NULL;
    }
}
