/* SPDX-License-Identifier: MIT */
/* What drivers tell about GPUs, as families of metrics. Texts come from workers, which may have been taken over. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/clock.h"
#include "sessions.h"

#define GF_GPU(name, family, labels, units, max) [GF_GPU_##name] = {GF_FAMILY_##family, labels, units},
static const struct {
    enum gf_family family;
    const char *labels; /* after the device's */
    double units;       /* of the worker in one of the family */
} g_figures[GF_N_GPU_FIGURES] = {
#include "protocol/wire/gpu_figures.def"
};
#undef GF_GPU

static void begin(struct gf_metric_writer *m, enum gf_family family)
{
    gf_metric_family(m, gf_families[family].name, gf_families[family].kind, gf_families[family].help);
}

/* Adds a label as far as there is room: the end of a value that is too long is left out. Quotes, and characters that
 * are not ASCII, become '?'. */
static void add_label(char labels[GF_MAX_METRIC_TEXT + 1], const char *key, const char *value)
{
    size_t n = strlen(labels);
    if (n + strlen(key) + sizeof(",=\"\"") > GF_MAX_METRIC_TEXT)
        return;
    n += (size_t)snprintf(labels + n, GF_MAX_METRIC_TEXT - n, "%s%s=\"", n > 0 ? "," : "", key);
    for (; *value != '\0' && n + 1 < GF_MAX_METRIC_TEXT; value++)
        labels[n++] = (char)(*value < ' ' || *value > '~' || *value == '"' || *value == '\\' ? '?' : *value);
    labels[n++] = '"';
    labels[n] = '\0';
}

/* A worker that describes its GPU. */
static bool describes(const struct gf_gpu_figures *f)
{
    return f->driver[0] != '\0';
}

static void report_names(struct gf_metric_writer *m, const struct gf_workers *ws, const struct gf_gpu_figures *figures)
{
    begin(m, GF_FAMILY_device_gpu_info);
    for (uint32_t i = 0; i < ws->n; i++) {
        char labels[GF_MAX_METRIC_TEXT + 1] = "";
        const struct gf_device_entry *device = &ws->list[i]->hello.device;
        add_label(labels, "device", device->name);
        add_label(labels, "uuid", device->uuid);
        add_label(labels, "name", device->title);
        if (describes(&figures[i]))
            gf_metric_put(m, labels, 1);
    }
    begin(m, GF_FAMILY_device_driver_info);
    for (uint32_t i = 0; i < ws->n; i++) {
        char labels[GF_MAX_METRIC_TEXT + 1] = "";
        add_label(labels, "device", ws->list[i]->hello.device.name);
        add_label(labels, "pci", figures[i].pci);
        add_label(labels, "driver", figures[i].driver);
        add_label(labels, "cuda", figures[i].cuda);
        if (describes(&figures[i]))
            gf_metric_put(m, labels, 1);
    }
}

void gf_gpus_report(const struct gf_workers *ws, struct gf_metric_writer *m)
{
    struct gf_gpu_figures figures[GF_MAX_DEVICES];
    const uint64_t now = gf_now_ns();
    for (uint32_t i = 0; i < ws->n; i++)
        figures[i] = gf_worker_gpu_now(ws->list[i], now);
    report_names(m, ws, figures);
    for (uint32_t k = 0; k < GF_N_GPU_FIGURES; k++) {
        if (k == 0 || g_figures[k].family != g_figures[k - 1].family)
            begin(m, g_figures[k].family);
        for (uint32_t i = 0; i < ws->n; i++) {
            char labels[GF_MAX_METRIC_TEXT + 1];
            (void)snprintf(labels, sizeof(labels), "device=\"%s\"%s", ws->list[i]->hello.device.name,
                           g_figures[k].labels);
            if (gf_gpu_knows(&figures[i], k))
                gf_metric_put(m, labels, (double)figures[i].of[k] / g_figures[k].units);
        }
    }
}
