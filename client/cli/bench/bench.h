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

#define GF_BENCH_CLIENTS 64u /* at most, at once */
#define GF_BENCH_GROUPS 8u   /* numbers in --clients, at most */
#define GF_BENCH_FILTERS 5u  /* 3x3 filters in a row, at most */
#define GF_BENCH_ROWS 24u    /* of one part, at most */
#define GF_BENCH_GPUS 16u    /* at most */
#define GF_BENCH_DEVICE 72u

struct gf_bench;

/* ---- One client: bench_client.c ---- */

/* Where a picture lies, or its result goes. */
enum gf_bench_way {
    GF_BENCH_PLAIN,   /* memory of the program: the library copies it */
    GF_BENCH_ARENA,   /* memory shared with the daemon */
    GF_BENCH_RESIDENT /* on the device */
};

/* What a client does again and again. */
struct gf_bench_work {
    const char *name;
    uint64_t width, height; /* of the picture; 0: no picture, a ping */
    uint32_t channels, dtype;
    enum gf_bench_way from, to;
    uint32_t filters;   /* 3x3 masks, one after the other; 0: a copy */
    const char *device; /* NULL: as --device says */
};

struct gf_bench_client {
    struct gf_bench_work work;
    gpufilter_client *client;
    void *plain[2];
    gpufilter_view operands[2]; /* picture, mask */
    gpufilter_result result;
    gpufilter_step steps[GF_BENCH_FILTERS];
    gpufilter_ref refs[GF_BENCH_FILTERS][2];
    gpufilter_param params[1];
    struct gf_samples samples;
    uint64_t n, busy_ns;           /* requests while it was measured, and how long that was */
    uint64_t n_all;                /* requests, those before it was measured too */
    uint64_t front_ns;             /* processor time of the front for each request of all at once */
    char devices[GF_BENCH_DEVICE]; /* where it ran, "cuda:0,cuda:1" */
    gpufilter_error err;           /* of the request that failed */
    bool failed;
};

/* Bytes of the picture, and the same of the result. */
uint64_t gf_bench_bytes(const struct gf_bench_work *work);
/* Connects, makes the picture and the memory of the result. Says what is wrong and returns an exit code. The client
 * does not move any more. Close in any case. */
int gf_bench_client_open(const struct gf_cli *cli, const struct gf_bench_work *work, struct gf_bench_client *c);
void gf_bench_client_close(struct gf_bench_client *c);
/* One request; false when it failed, which is kept in *c. Adds a sample where `keep`. */
bool gf_bench_client_once(struct gf_bench_client *c, bool keep);

/* ---- Clients at once: bench_group.c ---- */

/* Set by a signal: measure no more. */
void gf_bench_stop(void);
bool gf_bench_stopped(void);

/* Opens a client for each work, has all of them do it at once, a thread each, as long as b->seconds says, and closes
 * them but for their samples, which are sorted. Says what is wrong, in b->error too, and returns an exit code. Freed by
 * gf_bench_group_deinit in any case. */
int gf_bench_group_run(struct gf_bench *b, const struct gf_bench_work *works, uint32_t n,
                       struct gf_bench_client **ret_clients);
void gf_bench_group_deinit(struct gf_bench_client **clients, uint32_t n);

/* ---- Floors: bench_floor.c ---- */

/* Median time in which another thread sends back a byte over a pair of sockets; 0 where none can be made. */
uint64_t gf_bench_echo_ns(void);
/* Median time of copying so many bytes from one place in memory to another; 0 without memory. */
uint64_t gf_bench_copy_ns(uint64_t bytes);

/* ---- What is reported: bench_report.c ---- */

/* In the order in which they are measured. */
enum gf_bench_part { GF_BENCH_LATENCY, GF_BENCH_LINK, GF_BENCH_THROUGHPUT, GF_BENCH_FAIRNESS, GF_BENCH_N_PARTS };

/* One line of the table. */
struct gf_bench_row {
    const char *name, *way;       /* way "": none */
    uint32_t clients;             /* that did it at once */
    uint64_t bytes_in, bytes_out; /* of one request to and from the daemon, in shared memory or through the socket */
    uint64_t n, p50_ns, p99_ns;
    struct gf_sample median;                          /* the stages of the request at p50 */
    double per_second, in_per_second, out_per_second; /* requests and bytes of all clients */
    uint64_t front_ns;                                /* processor time of the daemon's front, for each request */
    uint64_t fastest_kernel;                          /* of all requests, ns */
    char devices[GF_BENCH_DEVICE];                    /* where they ran */
    /* What no daemon could beat, and where it comes from; 0: was not measured. In the part latency for p50_ns, in
     * throughput for per_second, in link for the bytes per second, in fairness for p99_ns. */
    double floor;
    const char *floor_text;
};

struct gf_bench {
    struct gf_cli cli; /* its errors are text alone: the JSON object has what was measured too */
    bool json;
    char error[256]; /* the first; "" none */
    double seconds;
    uint32_t groups[GF_BENCH_GROUPS], n_groups; /* numbers of clients */
    bool wanted[GF_BENCH_N_PARTS];
    char gpus[GF_BENCH_GPUS][GF_BENCH_DEVICE]; /* those that the daemon may choose */
    uint32_t n_gpus;
    char server[GF_BENCH_DEVICE], socket[256];
    struct gf_bench_row rows[GF_BENCH_N_PARTS][GF_BENCH_ROWS];
    uint32_t n_rows[GF_BENCH_N_PARTS];
    double p99_ratio, jain; /* of the part fairness; 0: not measured */
};

/* "latency". Static text. */
const char *gf_bench_part_word(enum gf_bench_part part);
/* "arena". Static text. */
const char *gf_bench_way_word(enum gf_bench_way way);
/* Adds names of devices, with commas between, to others, each once. */
void gf_bench_add_devices(char devices[GF_BENCH_DEVICE], const char *names);
/* Adds a row from clients that worked at once, under the name of the first one's work; takes their samples together.
 * NULL where nothing was measured. */
struct gf_bench_row *gf_bench_add(struct gf_bench *b, enum gf_bench_part part, const struct gf_bench_client *clients,
                                  uint32_t n);
/* Prints the part that was just measured, unless --json or --quiet. */
void gf_bench_print(const struct gf_bench *b, enum gf_bench_part part);
/* Prints everything as one JSON object; `code` is the exit code. */
void gf_bench_json(const struct gf_bench *b, int code);

/* ---- The parts; each returns an exit code ---- */

int gf_bench_latency(struct gf_bench *b);    /* bench_latency.c */
int gf_bench_throughput(struct gf_bench *b); /* bench_load.c */
int gf_bench_link(struct gf_bench *b);
int gf_bench_fairness(struct gf_bench *b);

#endif
