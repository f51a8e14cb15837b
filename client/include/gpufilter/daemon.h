/* SPDX-License-Identifier: MIT */
/* The state of the daemon: its devices, its metrics, and the resident buffers of a client. Included by
 * gpufilter/client.h. */
#ifndef GPUFILTER_DAEMON_H
#define GPUFILTER_DAEMON_H

#include <stddef.h>

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a round trip without work; ret_ns may be NULL. Errors: the connection errors of gpufilter_run. */
int gpufilter_ping(gpufilter_client *client, uint64_t *ret_ns, gpufilter_error *err);

/* ---- Health ---- */

enum gpufilter_health_state {
    GPUFILTER_HEALTH_STARTING = 1, /* alive, but no device has run a kernel yet */
    GPUFILTER_HEALTH_READY = 2,    /* every configured device runs kernels */
    GPUFILTER_HEALTH_DEGRADED = 3  /* a device is missing; the others serve requests */
};

typedef struct gpufilter_health_info {
    uint32_t struct_size;
    uint32_t state; /* enum gpufilter_health_state */
    char text[256]; /* why */
} gpufilter_health_info;

#define GPUFILTER_HEALTH_INFO_INIT                                                                                     \
    {                                                                                                                  \
        sizeof(gpufilter_health_info), 0, ""                                                                           \
    }

/* Whether the daemon can do work. Fills the members that info->struct_size covers. Errors: the connection errors of
 * gpufilter_run. */
int gpufilter_health(gpufilter_client *client, gpufilter_health_info *info, gpufilter_error *err);

/* ---- Devices ---- */

enum gpufilter_device_state {
    GPUFILTER_DEVICE_STARTING = 1,
    GPUFILTER_DEVICE_READY = 2,
    GPUFILTER_DEVICE_RESTARTING = 3, /* its worker died; a new one is starting */
    GPUFILTER_DEVICE_ASIDE = 4,      /* died too often, or the system is not ready; see the daemon's log */
    GPUFILTER_DEVICE_ABSENT = 5,     /* configured, but not present */
    GPUFILTER_DEVICE_IDLE = 6        /* its memory is released; the next request takes some seconds to start it */
};

/* One device of the daemon. The struct may grow at its end, see gpufilter_devices. */
typedef struct gpufilter_device {
    char name[72];   /* "cpu", "cuda:0": a value for gpufilter_call.device */
    char title[72];  /* the manufacturer's name for it */
    char uuid[72];   /* "" for the CPU */
    char detail[72]; /* driver, instruction set */
    uint64_t memory; /* bytes */
    uint32_t units;  /* processor cores, multiprocessors */
    uint32_t state;  /* enum gpufilter_device_state */
} gpufilter_device;

/* Copies up to `room` devices and stores the total number. device_size is sizeof(gpufilter_device). Errors: the
 * connection errors of gpufilter_run. */
int gpufilter_devices(gpufilter_client *client, gpufilter_device *devices, size_t device_size, uint32_t room,
                      uint32_t *ret_n, gpufilter_error *err);

/* ---- Metrics ---- */

enum gpufilter_metric_kind {
    GPUFILTER_METRIC_COUNTER = 1,  /* only increases, from the start of the daemon */
    GPUFILTER_METRIC_GAUGE = 2,    /* the current value */
    GPUFILTER_METRIC_HISTOGRAM = 3 /* counts by size */
};

/* A metric of the daemon. Its unit is in its name, seconds or bytes; otherwise it is a count. */
typedef struct gpufilter_metric {
    char name[128];   /* "gpufilter_device_answers_total": letters, digits and '_' */
    char labels[128]; /* device="cpu",status="OK"; values contain no quotes or backslashes; may be empty */
    char help[128];   /* one sentence, the same for all values of this name; may be empty */
    uint32_t kind;    /* enum gpufilter_metric_kind */
    uint32_t n_bins;  /* of a histogram, otherwise 0 */
    double value;     /* for a histogram, the sum of the observations */
    double bound;     /* bins[0] counts up to this, bins[k] from there to bound * 2^k, the last one everything above */
    double bins[32];
} gpufilter_metric;

/* Copies up to `room` metrics of the daemon and stores the total number: some 3000 with 64 users and 8 GPUs.
 * metric_size is sizeof(gpufilter_metric). Values of one name are adjacent. Later daemons may have more metrics; only
 * root and the daemon's own user get metrics of other users. Errors: the connection errors of gpufilter_run, and
 * UNSUPPORTED from a daemon without metrics. */
int gpufilter_metrics(gpufilter_client *client, gpufilter_metric *metrics, size_t metric_size, uint32_t room,
                      uint32_t *ret_n, gpufilter_error *err);

/* ---- Resident buffers ---- */

enum gpufilter_resident_state {
    GPUFILTER_RESIDENT_MAKING = 1, /* its run has not ended */
    GPUFILTER_RESIDENT_READY = 2,
    GPUFILTER_RESIDENT_FAILED = 3, /* its run failed */
    GPUFILTER_RESIDENT_LOST = 4    /* its device died */
};

/* One resident buffer of a client. The struct may grow at its end, see gpufilter_residents. */
typedef struct gpufilter_resident {
    const void *data; /* as in views; NULL if the library has no address for it (any more) */
    uint64_t width, height, depth;
    uint64_t bytes; /* charged bytes */
    uint32_t dtype; /* enum gpufilter_dtype */
    uint32_t channels;
    uint32_t state;    /* enum gpufilter_resident_state */
    uint32_t reserved; /* 0 */
    char device[72];   /* device that holds it */
} gpufilter_resident;

/* Copies up to `room` of this client's resident buffers as the daemon knows them, and stores the total number.
 * resident_size is sizeof(gpufilter_resident). Errors: the connection errors of gpufilter_run, and BAD_REQUEST from a
 * daemon that cannot list them. */
int gpufilter_residents(gpufilter_client *client, gpufilter_resident *residents, size_t resident_size, uint32_t room,
                        uint32_t *ret_n, gpufilter_error *err);

#ifdef __cplusplus
}
#endif
#endif
