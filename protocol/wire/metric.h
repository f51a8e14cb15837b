/* SPDX-License-Identifier: MIT */
/*
 * Metrics of a server inside INFO_REPLY: families with a name and one value per set of labels, so that a client can
 * show families that it does not know. Encoded by the front, decoded by the client library. The daemon's families are a
 * table, metrics.def: metrics_report.c reports them, the command's dashboard.c draws them.
 */
#ifndef GF_PROTOCOL_METRIC_H
#define GF_PROTOCOL_METRIC_H

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_MAX_METRIC_TEXT 127u /* bytes of a name, of labels, of a help text */
#define GF_MAX_METRIC_BINS 32u

enum gf_metric_kind {
    GF_METRIC_COUNTER = 1,  /* only increases, from the start of the server */
    GF_METRIC_GAUGE = 2,    /* the current value */
    GF_METRIC_HISTOGRAM = 3 /* counts by size */
};

#define GF_FAMILY(name, kind, labels, panel, help) GF_FAMILY_##name,
enum gf_family {
#include "metrics.def"
    GF_N_FAMILIES
};
#undef GF_FAMILY

/* A family's description. */
struct gf_family_row {
    const char *name;
    enum gf_metric_kind kind;
    const char *labels; /* keys, separated by commas; may be empty */
    const char *panel;  /* title of its graph; empty: none */
    const char *help;   /* one sentence */
};

extern const struct gf_family_row gf_families[GF_N_FAMILIES];

/* One value with its description. */
struct gf_metric {
    char name[GF_MAX_METRIC_TEXT + 1];   /* letters, digits, '_' */
    char labels[GF_MAX_METRIC_TEXT + 1]; /* device="cpu",status="OK"; may be empty */
    char help[GF_MAX_METRIC_TEXT + 1];   /* a sentence; may be empty */
    uint32_t kind;
    uint32_t n_bins;                 /* of a histogram, at least 2; otherwise 0 */
    double value;                    /* for a histogram, the sum of the observations */
    double bound;                    /* bin 0 counts up to this, bin k up to bound * 2^k, the last bin the rest */
    double bins[GF_MAX_METRIC_BINS]; /* not cumulative */
};

/*
 * Writes families into a body, which is one page of several if they do not fit: always whole families, and the number
 * of the family that begins the next page. The writer is given the same sequence of families for each page, and skips
 * those of other pages. Of a family that no page can have as a whole, values that do not fit are counted and left out.
 */
struct gf_metric_writer {
    struct gf_writer *w;
    const char *name, *help;
    enum gf_metric_kind kind;
    bool begun;             /* the family's name is in the body */
    bool skips;             /* the family is on another page */
    size_t page;            /* size of the body before all families */
    size_t start;           /* size of the body before the family */
    size_t size;            /* of the family with all its values so far, also those of other pages */
    uint32_t first, number; /* of the page's first family and of this one, from 1 on */
    uint32_t next;          /* the family that begins the next page; 0: this is the last page so far */
    uint32_t left_out;      /* values of all pages */
};

/* `first`: the number of the page's first family; 0 and 1: the first page. */
void gf_metric_writer_init(struct gf_metric_writer *m, struct gf_writer *w, uint32_t first);
/* Begins a family; the caller keeps the texts. A family without values is not written, but has a number. */
void gf_metric_family(struct gf_metric_writer *m, const char *name, enum gf_metric_kind kind, const char *help);
/* Writes the value of a counter or gauge; `labels` may be empty. */
void gf_metric_put(struct gf_metric_writer *m, const char *labels, double value);
/* Writes the value of a histogram. */
void gf_metric_put_bins(struct gf_metric_writer *m, const char *labels, double sum, double bound, const uint64_t *bins,
                        uint32_t n);
/* Writes NEXT, or on the last page the last family: the number of values that all pages leave out. */
void gf_metric_writer_finish(struct gf_metric_writer *m);

/* Passes each value to `take` (NULL: only checks). Unknown attributes and families of unknown kinds are skipped;
 * everything else is checked as if the server were hostile (BAD_REPLY). */
enum gf_status gf_metrics_decode(const uint8_t *body, size_t size,
                                 void (*take)(void *data, const struct gf_metric *metric), void *data,
                                 struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
