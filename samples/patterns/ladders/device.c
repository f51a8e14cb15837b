/* SPDX-License-Identifier: MIT */
/* The problem of device.cu: an array copied to another place. The ladder also prints the GPU's attributes. */
#include <string.h>

#include "device.cu"
#include "samples/patterns/machine.h"
#include "samples/patterns/patterns.h"

enum { OVER_LINK, ON_DEVICE };

static const size_t checked[] = {0, 1, 2, 3, 4, 5, 31, 33, 1023, 1024, 1027, 5000};

SIZES(.in = {n * sizeof(uint32_t)}, .out = n * sizeof(uint32_t))

FILL(uint32_t, n, (uint32_t)i * 2654435761u)

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    memcpy(out, in[0], n * sizeof(uint32_t));
}

/* A link carries each byte once; a copy on the device reads and writes it. */
TRAFFIC(bytes, (double)n * sizeof(uint32_t) * (parameter == ON_DEVICE ? 2 : 1))

static void beside(void)
{
    if (g_machine_cuda.describe != NULL)
        g_machine_cuda.describe();
}

static const struct rung rungs[] = {
    KERNEL(device_host_to_device, "host-to-device", "from pageable memory, through a buffer of the driver",
           .parameter = OVER_LINK, .in_on_host = true),
    KERNEL(device_host_to_device, "host-to-device-pinned",
           "from locked pages: the link's rate; gpufilter-client bench link measures the daemon's",
           .parameter = OVER_LINK, .in_on_host = true, .locked = true),
    KERNEL(device_device_to_host, "device-to-host", "to pageable memory", .begins = true, .parameter = OVER_LINK,
           .out_on_host = true),
    KERNEL(device_device_to_host, "device-to-host-pinned", "to locked pages", .parameter = OVER_LINK,
           .out_on_host = true, .locked = true),
    KERNEL(device_device_to_device, "device-to-device", "a kernel that copies 4 bytes per thread; read and written",
           .begins = true, .parameter = ON_DEVICE),
    KERNEL(device_device_to_device_16, "device-to-device-16",
           "16 bytes per thread: a quarter of the instructions, more bytes in flight", .parameter = ON_DEVICE),
};

LADDER(
    g_device, .name = "device",
    .title =
        "copies to, from and on the GPU, and its properties; the daemon's view: gpufilter-client devices, bench link",
    .n = (size_t)1 << 26, .counts = "elements of 4 bytes", .bytes = bytes, .beside = beside);
