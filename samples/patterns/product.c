/* SPDX-License-Identifier: MIT */
/* One connection to a daemon for all ladders; see product.h. If no daemon is found, a private one is started. */
#include "product.h"

#include <gpufilter/ops.h>
#include <stdio.h>
#include <string.h>

#define SMALL ((size_t)1 << 20) /* a result up to this size is fetched each time, a larger one stays on the device */

static gpufilter_client *g_client;

static bool connect_once(const char *device, char *ret_why, size_t size)
{
    if (g_client != NULL)
        return true;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_error err;
    options.autostart = 1;
    options.device = device;
    if (gpufilter_open(&options, &g_client, &err) == GPUFILTER_OK)
        return true;
    snprintf(ret_why, size, "%s", err.text);
    return false;
}

void product_close(void)
{
    g_client = gpufilter_close(g_client);
}

/* Stores the result as the ladder expects it, 64-bit numbers narrowed to 32. Returns false if shape or type differ. */
static bool take_result(const gpufilter_view *view, void *out, size_t out_size)
{
    size_t count = (size_t)(view->width * view->height * view->channels);
    bool wide = view->dtype == GPUFILTER_U64 || view->dtype == GPUFILTER_I64;
    if (wide && out_size == count * sizeof(uint32_t)) {
        const uint64_t *from = view->data;
        uint32_t *to = out;
        for (size_t i = 0; i < count; i++)
            to[i] = (uint32_t)from[i];
        return true;
    }
    if (view->dtype == GPUFILTER_F64 && out_size == count * sizeof(float)) {
        const double *from = view->data;
        float *to = out;
        for (size_t i = 0; i < count; i++)
            to[i] = (float)from[i];
        return true;
    }
    if ((size_t)(view->pitch * view->height) != out_size)
        return false;
    memcpy(out, view->data, out_size);
    return true;
}

static int run(const char *program, const gpufilter_view *in, uint32_t n_in, gpufilter_view *out, gpufilter_error *err)
{
    gpufilter_result result = {*out, NULL};
    int status = gpufilter_run_text(g_client, program, in, n_in, &result, 1, NULL, err);
    *out = result.view;
    return status;
}

/* Measures the seconds of the kernels in n runs. */
static int time_it(const char *program, const gpufilter_view *in, uint32_t n_in, bool stays, unsigned n,
                   double *ret_times, gpufilter_error *err)
{
    gpufilter_view out = {.data = stays ? GPUFILTER_RESIDENT : NULL};
    int status = GPUFILTER_OK;
    for (unsigned i = 0; i < n && status == GPUFILTER_OK; i++) {
        gpufilter_times times = GPUFILTER_TIMES_INIT;
        status = run(program, in, n_in, &out, err);
        if (status == GPUFILTER_OK)
            status = gpufilter_last_times(g_client, &times, err);
        ret_times[i] = 1e-9 * (double)times.kernel_ns;
        if (!stays) {
            gpufilter_free(g_client, out.data);
            out = (gpufilter_view){.data = NULL};
        }
    }
    if (stays && out.data != GPUFILTER_RESIDENT)
        gpufilter_free(g_client, out.data);
    return status;
}

bool product_run(const struct ladder *ladder, const char *program, const char *device, size_t n,
                 void *const in[MAX_INPUTS], void *out, size_t out_size, unsigned n_times, double *ret_times,
                 bool *ret_absent, char *ret_why, size_t why_size)
{
    *ret_absent = false;
    if (!connect_once(device, ret_why, why_size)) {
        *ret_absent = true;
        return false;
    }
    gpufilter_view views[MAX_INPUTS], result = {.data = NULL};
    uint32_t n_in = 0;
    gpufilter_error err = {0};
    int status = GPUFILTER_OK;
    struct views here;
    ladder->views(n, &here);
    for (; n_in < MAX_INPUTS && here.in[n_in].channels > 0; n_in++) {
        gpufilter_view *v = &here.in[n_in];
        *v = gpufilter_const_view(in[n_in], v->width, v->height, v->dtype, v->channels);
        views[n_in] = n_in < here.n_resident ? (gpufilter_view){.data = GPUFILTER_RESIDENT} : *v;
    }
    for (uint32_t i = 0; i < here.n_resident && status == GPUFILTER_OK; i++)
        status = gpufilter_copy(g_client, &here.in[i], &views[i], NULL, NULL, &err);
    if (status == GPUFILTER_OK)
        status = run(program, views, n_in, &result, &err);
    bool fits = status == GPUFILTER_OK && take_result(&result, out, out_size);
    if (status == GPUFILTER_OK && !fits)
        snprintf(ret_why, why_size, "the daemon's result of %s has another shape", program);
    gpufilter_free(g_client, result.data);
    if (status == GPUFILTER_OK)
        status = time_it(program, views, n_in, out_size > SMALL, n_times, ret_times, &err);
    for (uint32_t i = 0; i < here.n_resident; i++)
        if (views[i].data != GPUFILTER_RESIDENT)
            gpufilter_free(g_client, views[i].data);
    if (status != GPUFILTER_OK)
        snprintf(ret_why, why_size, "%s", err.text);
    return status == GPUFILTER_OK && fits;
}
