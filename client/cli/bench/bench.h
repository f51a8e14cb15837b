/* SPDX-License-Identifier: MIT */
/*
 * Shared by the parts of the command bench: its options, one client that repeats a request, groups of clients, floors,
 * and the rows of the report. cmd_bench.c owns the rows; bench_latency.c and bench_load.c fill them, bench_report.c
 * prints them.
 */
#ifndef GF_CLI_BENCH_H
#define GF_CLI_BENCH_H

#include "client/cli/base/cli.h"
#include "client/cli/report/samples.h"
#include "gpufilter/client.h"

#define GF_BENCH_CLIENTS 64u /* most clients at once */
#define GF_BENCH_GROUPS 8u   /* most numbers in --clients */
#define GF_BENCH_FILTERS 5u  /* most 3x3 filters in a row */
#define GF_BENCH_ROWS 24u    /* most rows of one part */
#define GF_BENCH_GPUS 16u    /* most GPUs */
#define GF_BENCH_DEVICE 72u

struct gf_bench;

/* ---- One client: bench_client.c ---- */

/* Where the picture is, or where its result goes. */
enum gf_bench_way {
    GF_BENCH_PLAIN,   /* private memory of the program: the library copies it */
    GF_BENCH_ARENA,   /* memory shared with the daemon */
    GF_BENCH_RESIDENT /* resident on the device */
};

/* The request that a client repeats. */
struct gf_bench_work {
    const char *name;
    uint64_t width, height; /* of the picture; 0: no picture, just a ping */
    uint32_t channels, dtype;
    enum gf_bench_way from, to;
    uint32_t filters;   /* 3x3 masks, applied one after the other; 0: a copy */
    const char *device; /* NULL: the device that --device names */
};

struct gf_bench_client {
    struct gf_bench_work work;
    gpufilter_client *client;
    void *plain[2];
    gpufilter_view operands[2]; /* picture, mask */
    gpufilter_result result;
    gpufilter_step steps[GF_BENCH_FILTERS];
    struct gf_samples samples;
    uint64_t n, busy_ns;           /* measured requests, and the time they took */
    uint64_t n_all;                /* all requests, including the warm-up */
    uint64_t front_ns;             /* processor time of the front per request of the whole group */
    char devices[GF_BENCH_DEVICE]; /* devices that ran the requests: "cuda:0,cuda:1" */
    gpufilter_error err;           /* error of the request that failed */
    bool failed;
};

/* Bytes of the picture; the result has as many. */
uint64_t gf_bench_bytes(const struct gf_bench_work *work);
/* Connects and makes the picture and the memory of the result. Reports the error and returns an exit code. Afterwards
 * *c must not move. It must be closed in any case. */
int gf_bench_client_open(const struct gf_cli *cli, const struct gf_bench_work *work, struct gf_bench_client *c);
void gf_bench_client_close(struct gf_bench_client *c);
/* Runs one request; false if it failed, with the error in *c. Adds a sample if `keep`. */
bool gf_bench_client_once(struct gf_bench_client *c, bool keep);

/* ---- Clients at once: bench_group.c ---- */

/* Called by a signal handler: stop measuring. */
void gf_bench_stop(void);
bool gf_bench_stopped(void);

/* Opens one client per work, runs them all concurrently, one thread each, for b->seconds, and closes them; their
 * samples remain, sorted. Reports the error, also in b->error, and returns an exit code. *ret_clients must be freed by
 * gf_bench_group_deinit in any case. */
int gf_bench_group_run(struct gf_bench *b, const struct gf_bench_work *works, uint32_t n,
                       struct gf_bench_client **ret_clients);
void gf_bench_group_deinit(struct gf_bench_client **clients, uint32_t n);

/* ---- Floors: bench_floor.c ---- */

/* Median time in which another thread sends back a byte over a socket pair; 0 without a socket pair. */
uint64_t gf_bench_echo_ns(void);
/* Median time of copying this many bytes in memory; 0 without memory. */
uint64_t gf_bench_copy_ns(uint64_t bytes);

/* ---- What is reported: bench_report.c ---- */

/* In the order in which they are measured. */
enum gf_bench_part { GF_BENCH_LATENCY, GF_BENCH_LINK, GF_BENCH_THROUGHPUT, GF_BENCH_FAIRNESS, GF_BENCH_N_PARTS };

/* One line of the table. */
struct gf_bench_row {
    const char *name, *way;       /* way "": not applicable */
    uint32_t clients;             /* how many ran concurrently */
    uint64_t bytes_in, bytes_out; /* per request, through shared memory or the socket */
    uint64_t n, p50_ns, p99_ns;
    struct gf_sample median;                          /* the stages of the request at p50 */
    double per_second, in_per_second, out_per_second; /* requests and bytes of all clients together */
    uint64_t front_ns;                                /* processor time of the daemon's front per request */
    uint64_t fastest_kernel;                          /* in nanoseconds, over all requests */
    char devices[GF_BENCH_DEVICE];                    /* devices that ran the requests */
    /* A limit that no daemon could beat, and its source; 0: not measured. It bounds p50_ns in the part latency, bytes
     * per second in link, per_second in throughput and p99_ns in fairness. */
    double floor;
    const char *floor_text;
};

struct gf_bench {
    struct gf_cli cli; /* reports errors as text only: the measurements go into one JSON object */
    bool json;
    char error[256]; /* the first error; "": none */
    double seconds;
    uint32_t groups[GF_BENCH_GROUPS], n_groups; /* numbers of clients */
    bool wanted[GF_BENCH_N_PARTS];
    char gpus[GF_BENCH_GPUS][GF_BENCH_DEVICE]; /* the GPUs that the daemon may choose */
    uint32_t n_gpus;
    char server[GF_BENCH_DEVICE], socket[256];
    struct gf_bench_row rows[GF_BENCH_N_PARTS][GF_BENCH_ROWS];
    uint32_t n_rows[GF_BENCH_N_PARTS];
    double p99_ratio, jain; /* of the part fairness; 0: not measured */
};

/* The name of a part, e.g. "latency". Static text. */
const char *gf_bench_part_word(enum gf_bench_part part);
/* The name of a way, e.g. "arena". Static text. */
const char *gf_bench_way_word(enum gf_bench_way way);
/* Adds comma-separated names of devices to a list, each name once. */
void gf_bench_add_devices(char devices[GF_BENCH_DEVICE], const char *names);
/* Adds a row that combines the samples of clients that ran concurrently; the first client's work names it. NULL if
 * nothing was measured. */
struct gf_bench_row *gf_bench_add(struct gf_bench *b, enum gf_bench_part part, const struct gf_bench_client *clients,
                                  uint32_t n);
/* Prints the rows of a part, unless --json or --quiet. */
void gf_bench_print(const struct gf_bench *b, enum gf_bench_part part);
/* Prints all rows as one JSON object. `code` is the exit code. */
void gf_bench_json(const struct gf_bench *b, int code);

/* ---- The parts; each function returns an exit code ---- */

int gf_bench_latency(struct gf_bench *b);    /* bench_latency.c */
int gf_bench_throughput(struct gf_bench *b); /* bench_load.c */
int gf_bench_link(struct gf_bench *b);
int gf_bench_fairness(struct gf_bench *b);

#endif
