/* SPDX-License-Identifier: MIT */
/* The problem of device.cu: an array in another place; and what the GPU says of itself. */
#include <string.h>

#include "samples/patterns/machine.h"
#include "samples/patterns/patterns.h"

DECLARE_RUNG(device_host_to_device);
DECLARE_RUNG(device_device_to_host);
DECLARE_RUNG(device_device_to_device);
DECLARE_RUNG(device_device_to_device_16);

enum { OVER_LINK, ON_DEVICE };

static const size_t checked[] = {0, 1, 2, 3, 4, 5, 31, 33, 1023, 1024, 1027, 5000};

static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    *ret_sizes = (struct sizes){.in = {n * sizeof(uint32_t)}, .out = n * sizeof(uint32_t)};
}

static void fill(size_t n, void *const in[MAX_INPUTS])
{
    uint32_t *a = in[0];
    for (size_t i = 0; i < n; i++)
        a[i] = (uint32_t)i * 2654435761u;
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    memcpy(out, in[0], n * sizeof(uint32_t));
}

/* A link carries each byte once; on the device it is read and written. */
static double bytes(size_t n, unsigned parameter)
{
    return (double)n * sizeof(uint32_t) * (parameter == ON_DEVICE ? 2 : 1);
}

static void beside(void)
{
    if (g_machine_cuda.describe != NULL)
        g_machine_cuda.describe();
}

static const struct rung rungs[] = {
    {RUNG_FORMS(device_host_to_device), .name = "host-to-device", .parameter = OVER_LINK, .in_on_host = true,
     .about = "from pageable memory, through a buffer of the driver"},
    {RUNG_FORMS(device_host_to_device), .name = "host-to-device-pinned", .parameter = OVER_LINK, .in_on_host = true,
     .locked = true, .about = "from locked pages: the link's rate; gpufilter-client bench link measures the daemon's"},
    {RUNG_FORMS(device_device_to_host), .name = "device-to-host", .begins = true, .parameter = OVER_LINK,
     .out_on_host = true, .about = "to pageable memory"},
    {RUNG_FORMS(device_device_to_host), .name = "device-to-host-pinned", .parameter = OVER_LINK, .out_on_host = true,
     .locked = true, .about = "to locked pages"},
    {RUNG_FORMS(device_device_to_device), .name = "device-to-device", .begins = true, .parameter = ON_DEVICE,
     .about = "a kernel that copies 4 bytes per thread; read and written"},
    {RUNG_FORMS(device_device_to_device_16), .name = "device-to-device-16", .parameter = ON_DEVICE,
     .about = "16 bytes per thread: a quarter of the instructions, more bytes on their way"},
};

const struct ladder g_device = {
    .name = "device",
    .title = "copies to, from and on the GPU, and its facts; the daemon's view: gpufilter-client "
             "devices, bench link",
    .n = (size_t)1 << 26,
    .counts = "elements of 4 bytes",
    .checked = checked,
    .n_checked = sizeof(checked) / sizeof(checked[0]),
    .sizes = sizes,
    .fill = fill,
    .reference = reference,
    .bytes = bytes,
    .beside = beside,
    .rungs = rungs,
    .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
