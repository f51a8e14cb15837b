/* SPDX-License-Identifier: MIT */
/* Reads the outputs of a histogram. Called while it is drawn. */
#include "histogram.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "client/io/number.h"

#define LABEL_SHORT 10 /* characters */

enum output { COUNTS, OUTSIDE, EDGES };

uint64_t gf_histogram_channels(const struct gf_histogram *h)
{
    return h->results[COUNTS].view.height;
}

uint64_t gf_histogram_n_bins(const struct gf_histogram *h)
{
    return h->results[COUNTS].view.width;
}

static const char *row_of(const gpufilter_view *v, uint64_t row)
{
    return (const char *)v->data + row * v->pitch;
}

double gf_histogram_value(const struct gf_histogram *h, uint64_t channel, uint64_t bin)
{
    const gpufilter_view *counts = &h->results[COUNTS].view;
    double value = gf_number_value(counts->dtype, row_of(counts, channel), bin);
    return isnan(value) ? 0 : value;
}

double gf_histogram_edge(const struct gf_histogram *h, uint64_t channel, uint64_t bin)
{
    const gpufilter_view *edges = &h->results[EDGES].view;
    double edge = gf_number_value(edges->dtype, row_of(edges, channel < edges->height ? channel : 0), bin);
    return isnan(edge) ? 0 : fmax(-DBL_MAX, fmin(edge, DBL_MAX));
}

double gf_histogram_group(const struct gf_histogram *h, uint64_t channel, uint64_t from, uint64_t to)
{
    double sum = 0, width = 0;
    if (from >= to)
        return 0;
    if (h->params.cumulative || to - from == 1)
        return gf_histogram_value(h, channel, to - 1);
    for (uint64_t i = from; i < to; i++) {
        double own = gf_histogram_edge(h, channel, i + 1) - gf_histogram_edge(h, channel, i);
        double weight = h->params.density ? own : 1;
        sum += gf_histogram_value(h, channel, i) * weight;
        width += own;
    }
    return !h->params.density ? sum : width > 0 ? sum / width : 0;
}

const char *gf_histogram_edge_text(double edge, double width, char text[GF_NUMBER_TEXT])
{
    /* first try 12 digits, which hide the rounding errors in the last bits of lo + i * width */
    for (int digits = 12, next = 1; digits <= DBL_DIG; digits = next++) {
        double back = NAN;
        int length = snprintf(text, GF_NUMBER_TEXT, "%.*g", digits, edge);
        gf_text_to_f64(text, &back);
        if ((next > 1 || length <= LABEL_SHORT) && (back == edge || fabs(back - edge) < width / 500))
            return text;
    }
    return gf_text_from_f64(edge, text, GF_NUMBER_TEXT);
}

void gf_histogram_outside(const struct gf_histogram *h, uint64_t ret[3])
{
    const gpufilter_view *outside = &h->results[OUTSIDE].view;
    for (uint64_t i = 0; i < 3; i++) {
        ret[i] = 0;
        for (uint64_t row = 0; row < outside->height; row++)
            ret[i] += ((const uint64_t *)(const void *)row_of(outside, row))[i];
    }
}
