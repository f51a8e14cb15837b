/* SPDX-License-Identifier: MIT */
/* NVML, loaded at run time; see nvml.h. Its types and numbers are those of nvml.h of the CUDA Toolkit. */
#include "nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"

#define LIBRARY "libnvidia-ml.so.1"
#define FLAGS (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) /* NODELETE: a thread that hangs in it may outlive its close */
#define MHZ UINT64_C(1000000)
#define MAX_EVENTS 64 /* that one reading takes */

enum { SENSOR_GPU = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2, ECC_CORRECTED = 0, ECC_UNCORRECTED = 1, ECC_LIFETIME = 1 };
#define EVENT_XID UINT64_C(8)

struct memory {
    unsigned long long total, free, used;
};

struct utilization {
    unsigned gpu, memory;
};

struct place {
    char legacy[16];
    unsigned domain, bus, device, ids[2];
    char text[32];
};

struct event {
    void *gpu;
    unsigned long long kind, data;
    unsigned instance, part;
};

/* All functions return 0 on success. Old drivers lack some. */
struct calls {
    int (*init)(void);
    int (*end)(void);
    const char *(*error_text)(int error);
    int (*find)(const char *uuid, void **ret_gpu);
    int (*driver)(char *text, unsigned size);
    int (*cuda)(int *version);
    int (*place)(void *gpu, struct place *place);
    int (*memory)(void *gpu, struct memory *memory);
    int (*utilization)(void *gpu, struct utilization *utilization);
    int (*temperature)(void *gpu, int sensor, unsigned *celsius);
    int (*power)(void *gpu, unsigned *milliwatts);
    int (*power_limit)(void *gpu, unsigned *milliwatts);
    int (*energy)(void *gpu, unsigned long long *millijoules);
    int (*clock)(void *gpu, int clock, unsigned *mhz);
    int (*reasons)(void *gpu, unsigned long long *bits);
    int (*ecc)(void *gpu, int kind, int since, unsigned long long *errors);
    int (*remapped)(void *gpu, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed);
    int (*events_new)(void **ret_events);
    int (*events_add)(void *gpu, unsigned long long kinds, void *events);
    int (*events_take)(void *events, struct event *event, unsigned wait_ms);
    int (*events_free)(void *events);
};

static const struct {
    const char *name;
    size_t at;
    bool needed;
} g_names[] = {
    {"nvmlInit_v2", offsetof(struct calls, init), true},
    {"nvmlShutdown", offsetof(struct calls, end), true},
    {"nvmlErrorString", offsetof(struct calls, error_text), true},
    {"nvmlDeviceGetHandleByUUID", offsetof(struct calls, find), true},
    {"nvmlSystemGetDriverVersion", offsetof(struct calls, driver), true},
    {"nvmlSystemGetCudaDriverVersion_v2", offsetof(struct calls, cuda), false},
    {"nvmlDeviceGetPciInfo_v3", offsetof(struct calls, place), false},
    {"nvmlDeviceGetMemoryInfo", offsetof(struct calls, memory), false},
    {"nvmlDeviceGetUtilizationRates", offsetof(struct calls, utilization), false},
    {"nvmlDeviceGetTemperature", offsetof(struct calls, temperature), false},
    {"nvmlDeviceGetPowerUsage", offsetof(struct calls, power), false},
    {"nvmlDeviceGetEnforcedPowerLimit", offsetof(struct calls, power_limit), false},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct calls, energy), false},
    {"nvmlDeviceGetClockInfo", offsetof(struct calls, clock), false},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct calls, reasons), false},
    {"nvmlDeviceGetCurrentClocksEventReasons", offsetof(struct calls, reasons), false}, /* its later name */
    {"nvmlDeviceGetTotalEccErrors", offsetof(struct calls, ecc), false},
    {"nvmlDeviceGetRemappedRows", offsetof(struct calls, remapped), false},
    {"nvmlEventSetCreate", offsetof(struct calls, events_new), false},
    {"nvmlDeviceRegisterEvents", offsetof(struct calls, events_add), false},
    {"nvmlEventSetWait_v2", offsetof(struct calls, events_take), false},
    {"nvmlEventSetFree", offsetof(struct calls, events_free), false},
};

struct gf_nvml {
    void *library, *gpu, *events; /* events: NULL without Xid errors */
    bool begun;
    struct calls call;
    uint64_t xids, last_xid;
    char driver[GF_GPU_TEXT], cuda[GF_GPU_TEXT], place[GF_GPU_TEXT];
};

void gf_nvml_close(struct gf_nvml *n)
{
    if (!n)
        return;
    if (n->events)
        (void)n->call.events_free(n->events);
    if (n->begun)
        (void)n->call.end();
    if (n->library)
        (void)dlclose(n->library);
    free(n);
}

static void closep(struct gf_nvml **n)
{
    gf_nvml_close(*n);
}

/* Loads the library and the addresses of its functions; POSIX guarantees that they fit object pointers. */
static enum gf_status load(struct gf_nvml *n, struct gf_error *err)
{
    const char *chosen = getenv("GPUFILTER_NVML");
    n->library = dlopen(chosen && *chosen ? chosen : LIBRARY, FLAGS);
    if (!n->library) {
        const char *why = dlerror();
        return gf_error_set(err, GF_E_UNSUPPORTED, "%.180s", why ? why : LIBRARY);
    }
    for (size_t i = 0; i < GF_ARRAY_LEN(g_names); i++) {
        void *address = dlsym(n->library, g_names[i].name);
        if (!address && g_names[i].needed)
            return gf_error_set(err, GF_E_UNSUPPORTED, LIBRARY " lacks %s", g_names[i].name);
        if (address)
            memcpy((char *)&n->call + g_names[i].at, &address, sizeof(address));
    }
    return GF_OK;
}

/* Registers for Xid errors, which an instance of a GPU in MIG mode does not have. */
static void expect_events(struct gf_nvml *n)
{
    if (!n->call.events_new || !n->call.events_add || !n->call.events_take || !n->call.events_free ||
        n->call.events_new(&n->events) != 0)
        n->events = NULL;
    else if (n->call.events_add(n->gpu, EVENT_XID, n->events) != 0) {
        (void)n->call.events_free(n->events);
        n->events = NULL;
    }
}

/* Reads what stays the same. */
static void read_texts(struct gf_nvml *n)
{
    char text[96] = "";
    int version = 0;
    struct place place = {.legacy = ""};
    if (n->call.driver(text, sizeof(text) - 1) == 0)
        gf_gpu_set_text(n->driver, text);
    if (n->call.cuda && n->call.cuda(&version) == 0 && version > 0) {
        (void)snprintf(text, sizeof(text), "%d.%d", version / 1000, version % 1000 / 10);
        gf_gpu_set_text(n->cuda, text);
    }
    if (n->call.place && n->call.place(n->gpu, &place) == 0) {
        (void)snprintf(text, sizeof(text), "%.*s", (int)sizeof(place.text), place.text);
        gf_gpu_set_text(n->place, text);
    }
}

enum gf_status gf_nvml_open(const char *uuid, struct gf_nvml **ret_nvml, struct gf_error *err)
{
    gf_cleanup(closep) struct gf_nvml *n = calloc(1, sizeof(*n));
    if (!n)
        return gf_error_set(err, GF_E_UNSUPPORTED, "no memory");
    enum gf_status status = load(n, err);
    if (status != GF_OK)
        return status;
    int error = n->call.init();
    n->begun = error == 0;
    if (error == 0)
        error = n->call.find(uuid, &n->gpu);
    if (error != 0)
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s: %.160s (NVML error %d)", uuid, n->call.error_text(error),
                            error);
    read_texts(n);
    expect_events(n);
    *ret_nvml = gf_steal_ptr(&n);
    return GF_OK;
}

static void read_memory_and_use(const struct gf_nvml *n, struct gf_gpu_figures *f)
{
    struct memory memory = {0};
    struct utilization use = {0};
    if (n->call.memory && n->call.memory(n->gpu, &memory) == 0) {
        gf_gpu_set(f, GF_GPU_MEMORY_TOTAL, memory.total);
        gf_gpu_set(f, GF_GPU_MEMORY_USED, memory.used);
    }
    if (n->call.utilization && n->call.utilization(n->gpu, &use) == 0) {
        gf_gpu_set(f, GF_GPU_UTILIZATION, use.gpu);
        gf_gpu_set(f, GF_GPU_MEMORY_UTILIZATION, use.memory);
    }
}

static void read_heat_and_power(const struct gf_nvml *n, struct gf_gpu_figures *f)
{
    unsigned value = 0;
    unsigned long long energy = 0;
    if (n->call.temperature && n->call.temperature(n->gpu, SENSOR_GPU, &value) == 0)
        gf_gpu_set(f, GF_GPU_TEMPERATURE, value);
    if (n->call.power && n->call.power(n->gpu, &value) == 0)
        gf_gpu_set(f, GF_GPU_POWER, value);
    if (n->call.power_limit && n->call.power_limit(n->gpu, &value) == 0)
        gf_gpu_set(f, GF_GPU_POWER_LIMIT, value);
    if (n->call.energy && n->call.energy(n->gpu, &energy) == 0)
        gf_gpu_set(f, GF_GPU_ENERGY, energy);
}

/* The bits by which the driver says why a clock is lower, without bit 0: nothing to do. */
static const struct {
    enum gf_gpu_figure figure;
    unsigned long long bit;
} g_reasons[] = {
    {GF_GPU_THROTTLED_CLOCKS, 0x2},    {GF_GPU_THROTTLED_SW_POWER, 0x4},    {GF_GPU_THROTTLED_HW, 0x8},
    {GF_GPU_THROTTLED_SYNC, 0x10},     {GF_GPU_THROTTLED_SW_THERMAL, 0x20}, {GF_GPU_THROTTLED_HW_THERMAL, 0x40},
    {GF_GPU_THROTTLED_HW_BRAKE, 0x80}, {GF_GPU_THROTTLED_DISPLAY, 0x100},
};

static void read_clocks(const struct gf_nvml *n, struct gf_gpu_figures *f)
{
    unsigned mhz = 0;
    unsigned long long bits = 0;
    if (n->call.clock && n->call.clock(n->gpu, CLOCK_SM, &mhz) == 0)
        gf_gpu_set(f, GF_GPU_CLOCK_SM, mhz * MHZ);
    if (n->call.clock && n->call.clock(n->gpu, CLOCK_MEMORY, &mhz) == 0)
        gf_gpu_set(f, GF_GPU_CLOCK_MEMORY, mhz * MHZ);
    if (!n->call.reasons || n->call.reasons(n->gpu, &bits) != 0)
        return;
    for (size_t i = 0; i < GF_ARRAY_LEN(g_reasons); i++)
        gf_gpu_set(f, g_reasons[i].figure, (bits & g_reasons[i].bit) != 0);
}

static void read_memory_errors(const struct gf_nvml *n, struct gf_gpu_figures *f)
{
    unsigned long long errors = 0;
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (n->call.ecc && n->call.ecc(n->gpu, ECC_CORRECTED, ECC_LIFETIME, &errors) == 0)
        gf_gpu_set(f, GF_GPU_ECC_CORRECTED, errors);
    if (n->call.ecc && n->call.ecc(n->gpu, ECC_UNCORRECTED, ECC_LIFETIME, &errors) == 0)
        gf_gpu_set(f, GF_GPU_ECC_UNCORRECTED, errors);
    if (!n->call.remapped || n->call.remapped(n->gpu, &corrected, &uncorrected, &pending, &failed) != 0)
        return;
    gf_gpu_set(f, GF_GPU_REMAPPED_CORRECTABLE, corrected);
    gf_gpu_set(f, GF_GPU_REMAPPED_UNCORRECTABLE, uncorrected);
    gf_gpu_set(f, GF_GPU_REMAP_PENDING, pending != 0);
    gf_gpu_set(f, GF_GPU_REMAP_FAILURE, failed != 0);
}

/* Takes the errors that have come, without waiting for any. */
static void read_xids(struct gf_nvml *n, struct gf_gpu_figures *f)
{
    if (!n->events)
        return;
    for (int i = 0; i < MAX_EVENTS; i++) {
        struct event event = {.kind = 0};
        if (n->call.events_take(n->events, &event, 0) != 0)
            break;
        if (event.kind != EVENT_XID)
            continue;
        n->xids++;
        n->last_xid = event.data;
    }
    gf_gpu_set(f, GF_GPU_XID_ERRORS, n->xids);
    gf_gpu_set(f, GF_GPU_XID_LAST, n->last_xid);
}

void gf_nvml_read(struct gf_nvml *n, struct gf_gpu_figures *ret_figures)
{
    struct gf_gpu_figures f = {.known = 0};
    memcpy(f.driver, n->driver, sizeof(f.driver));
    memcpy(f.cuda, n->cuda, sizeof(f.cuda));
    memcpy(f.pci, n->place, sizeof(f.pci));
    read_xids(n, &f);
    read_memory_and_use(n, &f);
    read_heat_and_power(n, &f);
    read_clocks(n, &f);
    read_memory_errors(n, &f);
    *ret_figures = f;
}
