/* SPDX-License-Identifier: MIT */
/*
 * Figures of a server inside INFO_REPLY: families, each with one name and a value per set of labels, so that a client
 * can show families it does not know. Encoded by the front, decoded by the client library. The families that the daemon
 * has are a table, metrics.def: the front reports them (metrics_report.c), the command draws them (dashboard.c).
 */
#ifndef GF_PROTOCOL_METRIC_H
#define GF_PROTOCOL_METRIC_H

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_MAX_METRIC_TEXT 127u /* bytes of a name, of labels, of a sentence */
#define GF_MAX_METRIC_BINS 32u

enum gf_metric_kind {
    GF_METRIC_COUNTER = 1,  /* only grows, from the start of the server on */
    GF_METRIC_GAUGE = 2,    /* how it is now */
    GF_METRIC_HISTOGRAM = 3 /* counts by size */
};

#define GF_FAMILY(name, kind, labels, panel, help) GF_FAMILY_##name,
enum gf_family {
#include "metrics.def"
    GF_N_FAMILIES
};
#undef GF_FAMILY

/* What is known of a family before it has values. */
struct gf_family_row {
    const char *name;
    enum gf_metric_kind kind;
    const char *labels; /* keys, separated by commas; may be empty */
    const char *panel;  /* title of its picture; empty: none */
    const char *help;   /* a sentence */
};

extern const struct gf_family_row gf_families[GF_N_FAMILIES];

/* One value with all that belongs to it. */
struct gf_metric {
    char name[GF_MAX_METRIC_TEXT + 1];   /* letters, digits, '_' */
    char labels[GF_MAX_METRIC_TEXT + 1]; /* device="cpu",status="OK"; may be empty */
    char help[GF_MAX_METRIC_TEXT + 1];   /* a sentence; may be empty */
    uint32_t kind;
    uint32_t n_bins;                 /* of a histogram, from 2 on; else 0 */
    double value;                    /* of a histogram the sum of what it counted */
    double bound;                    /* bin 0 counts up to here, bin k up to bound * 2^k, the last one all beyond */
    double bins[GF_MAX_METRIC_BINS]; /* not cumulative */
};

/* Writes families into a body. What does not fit is counted and left out; a family that begins after that may fit. */
struct gf_metric_writer {
    struct gf_writer *w;
    const char *name, *help;
    enum gf_metric_kind kind;
    bool begun; /* the family's name is in the body */
    uint32_t left_out;
};

void gf_metric_writer_init(struct gf_metric_writer *m, struct gf_writer *w);
/* The next values are of this family; the texts stay the caller's. A family without values is not written. */
void gf_metric_family(struct gf_metric_writer *m, const char *name, enum gf_metric_kind kind, const char *help);
/* A counter's or a gauge's value; `labels` may be empty. */
void gf_metric_put(struct gf_metric_writer *m, const char *labels, double value);
/* A histogram's. */
void gf_metric_put_bins(struct gf_metric_writer *m, const char *labels, double sum, double bound, const uint64_t *bins,
                        uint32_t n);
/* The last family: how many values were left out. */
void gf_metric_writer_finish(struct gf_metric_writer *m);

/* Hands each value to `take` (NULL: checks alone). Attributes it does not know and families of kinds it does not know
 * are passed over; everything else is checked as if the server were hostile (BAD_REPLY). */
enum gf_status gf_metrics_decode(const uint8_t *body, size_t size,
                                 void (*take)(void *data, const struct gf_metric *metric), void *data,
                                 struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
