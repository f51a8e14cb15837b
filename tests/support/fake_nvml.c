/* SPDX-License-Identifier: MIT */
/*
 * A library that $GPUFILTER_NVML can name in NVML's place, with one GPU, "GPU-fake". $GF_FAKE_NVML says how it behaves:
 *   "poor"     it knows the memory alone, and refuses everything else, as for an instance of a GPU in MIG mode
 *   "wild"     its values cannot be right, and its texts are no labels
 *   "mismatch" it does not start, as after an upgrade of the driver
 *   "hang"     it does not come back from the first question about the GPU
 * Otherwise the driver has reported two Xid errors, 31 and 79, before the first reading.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS, NOT_SUPPORTED = 3, NOT_FOUND = 6, TIMEOUT = 10, MISMATCH = 18 };

/* Declares a function and begins its definition. */
#define NVML(name, params)                                                                                             \
    __attribute__((visibility("default"))) int name params;                                                            \
    int name params

static int g_gpu, g_events, g_taken;

static int is(const char *mode)
{
    const char *chosen = getenv("GF_FAKE_NVML");
    return chosen && strcmp(chosen, mode) == 0;
}

/* What a function returns that only some GPUs have. */
static int supported(void)
{
    return is("poor") ? NOT_SUPPORTED : SUCCESS;
}

__attribute__((visibility("default"))) const char *nvmlErrorString(int error);
const char *nvmlErrorString(int error)
{
    return error == MISMATCH ? "Driver/library version mismatch" : "Not Found";
}

NVML(nvmlInit_v2, (void))
{
    return is("mismatch") ? MISMATCH : SUCCESS;
}

NVML(nvmlShutdown, (void))
{
    return SUCCESS;
}

NVML(nvmlDeviceGetHandleByUUID, (const char *uuid, void **gpu))
{
    *gpu = &g_gpu;
    return strcmp(uuid, "GPU-fake") == 0 ? SUCCESS : NOT_FOUND;
}

NVML(nvmlSystemGetDriverVersion, (char *text, unsigned size))
{
    (void)snprintf(text, size, "%s", is("wild") ? "5\"80" : "580.95.05");
    return SUCCESS;
}

NVML(nvmlSystemGetCudaDriverVersion_v2, (int *version))
{
    *version = 13010;
    return supported();
}

NVML(nvmlDeviceGetPciInfo_v3, (void *gpu, char *place))
{
    (void)gpu;
    memset(place, 0, 68);
    memset(place + 36, 'B', is("wild") ? 32 : 0); /* without an end */
    if (!is("wild"))
        memcpy(place + 36, "00000000:1B:00.0", 16);
    return supported();
}

NVML(nvmlDeviceGetMemoryInfo, (void *gpu, unsigned long long memory[3]))
{
    (void)gpu;
    while (is("hang"))
        (void)pause();
    memory[0] = is("wild") ? ~0ULL : 1000ULL << 20;
    memory[1] = 700ULL << 20;
    memory[2] = 300ULL << 20;
    return SUCCESS;
}

NVML(nvmlDeviceGetUtilizationRates, (void *gpu, unsigned rates[2]))
{
    (void)gpu;
    rates[0] = is("wild") ? 101 : 75;
    rates[1] = 25;
    return supported();
}

NVML(nvmlDeviceGetTemperature, (void *gpu, int sensor, unsigned *celsius))
{
    (void)gpu;
    *celsius = is("wild") ? ~0U : 41;
    return sensor == 0 ? supported() : NOT_SUPPORTED;
}

NVML(nvmlDeviceGetPowerUsage, (void *gpu, unsigned *milliwatts))
{
    (void)gpu;
    *milliwatts = 123456;
    return supported();
}

NVML(nvmlDeviceGetEnforcedPowerLimit, (void *gpu, unsigned *milliwatts))
{
    (void)gpu;
    *milliwatts = 700000;
    return supported();
}

NVML(nvmlDeviceGetTotalEnergyConsumption, (void *gpu, unsigned long long *millijoules))
{
    (void)gpu;
    *millijoules = is("wild") ? ~0ULL : 5000500ULL;
    return supported();
}

NVML(nvmlDeviceGetClockInfo, (void *gpu, int clock, unsigned *mhz))
{
    (void)gpu;
    *mhz = is("wild") ? ~0U : clock == 1 ? 1980 : clock == 2 ? 3201 : 0;
    return supported();
}

NVML(nvmlDeviceGetCurrentClocksEventReasons, (void *gpu, unsigned long long *bits))
{
    (void)gpu;
    *bits = 0x1 | 0x4 | 0x40; /* nothing to do, a software power cap, heat */
    return supported();
}

NVML(nvmlDeviceGetTotalEccErrors, (void *gpu, int kind, int since, unsigned long long *errors))
{
    (void)gpu;
    *errors = is("wild") ? ~0ULL : kind == 0 ? 12 : 1;
    return since == 1 ? supported() : NOT_SUPPORTED;
}

NVML(nvmlDeviceGetRemappedRows,
     (void *gpu, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed))
{
    (void)gpu;
    *corrected = 4;
    *uncorrected = 2;
    *pending = 1;
    *failed = 0;
    return supported();
}

NVML(nvmlEventSetCreate, (void **events))
{
    *events = &g_events;
    return SUCCESS;
}

NVML(nvmlDeviceRegisterEvents, (void *gpu, unsigned long long kinds, void *events))
{
    (void)gpu, (void)events;
    return kinds == 8 ? supported() : NOT_SUPPORTED;
}

struct event {
    void *gpu;
    unsigned long long kind, data;
    unsigned instance, part;
};

NVML(nvmlEventSetWait_v2, (void *events, struct event *event, unsigned wait_ms))
{
    (void)events;
    if (wait_ms != 0)
        abort();
    if (g_taken == 2)
        return TIMEOUT;
    *event = (struct event){.gpu = &g_gpu, .kind = 8, .data = g_taken++ == 0 ? 31 : 79};
    return SUCCESS;
}

NVML(nvmlEventSetFree, (void *events))
{
    (void)events;
    return SUCCESS;
}
