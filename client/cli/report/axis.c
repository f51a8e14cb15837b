/* SPDX-License-Identifier: MIT */
/* Chooses the ticks of an axis. Called while a histogram is drawn. */
#include "axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double gf_axis_share(const struct gf_axis *axis, double value)
{
    /* halved, because the range of all doubles overflows */
    return (value / 2 - axis->lo / 2) / (axis->hi / 2 - axis->lo / 2);
}

/* The smallest 1, 2 or 5 times a power of ten that is at least `raw`. */
static double round_up(double raw)
{
    double power = pow(10, floor(log10(raw)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < GF_ARRAY_LEN(factors); i++)
        if (factors[i] * power >= raw * (1 - 1e-9))
            return factors[i] * power;
    return 10 * power;
}

/* Writes enough digits to tell one tick from the next. */
static void put_text(char text[GF_NUMBER_TEXT], double value, double step)
{
    if (value == 0) {
        snprintf(text, GF_NUMBER_TEXT, "0");
        return;
    }
    double decimals = fmax(0, ceil(-log10(step) - 1e-9)), size = fmax(fabs(value), step);
    if (size < 1e7 && decimals <= 5)
        snprintf(text, GF_NUMBER_TEXT, "%.*f", (int)decimals, value);
    else
        snprintf(text, GF_NUMBER_TEXT, "%.*g",
                 (int)fmin(fmax(floor(log10(size)) - floor(log10(step) + 1e-9) + 1, 1), DBL_DIG), value);
}

static void add_tick(struct gf_axis *axis, double value, double step, double unit, const char *suffix)
{
    if (axis->n == GF_AXIS_TICKS)
        return;
    char *text = axis->texts[axis->n];
    axis->ticks[axis->n++] = value;
    put_text(text, value / unit, step / unit);
    if (value != 0)
        gf_text_append(text, GF_NUMBER_TEXT, "%s", suffix);
}

void gf_axis_init(struct gf_axis *axis, double lo, double hi, uint32_t n)
{
    *axis = (struct gf_axis){.lo = lo, .hi = hi};
    if (!(hi / 2 - lo / 2 > fabs(lo) * DBL_EPSILON)) { /* a single value: show its neighbourhood */
        double around = fmax(0.5, fabs(lo) / 1000);
        axis->lo = fmax(lo - around, -DBL_MAX);
        axis->hi = fmin(hi + around, DBL_MAX);
    }
    double step = round_up((axis->hi / 2 - axis->lo / 2) / fmax(n - 1.0, 1) * 2);
    double end = fmin(axis->hi + step * 1e-9, DBL_MAX);
    for (double k = ceil(axis->lo / step - 1e-9); k * step <= end && axis->n < n; k++)
        add_tick(axis, k * step, step, 1, "");
}

void gf_axis_init_ends(struct gf_axis *axis, double lo, double hi)
{
    gf_axis_init(axis, lo, hi, 1);
    axis->n = 2;
    for (uint32_t i = 0; i < axis->n; i++) {
        axis->ticks[i] = i == 0 ? axis->lo : axis->hi;
        gf_text_from_f64(axis->ticks[i], axis->texts[i], GF_NUMBER_TEXT);
    }
}

void gf_axis_init_from_zero(struct gf_axis *axis, double max, uint32_t n, bool whole)
{
    static const struct {
        double unit;
        const char *suffix;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    max = max > 0 ? max : 1;
    double step = round_up(max / n);
    size_t i = whole ? 0 : GF_ARRAY_LEN(units) - 1;
    if (whole)
        step = fmax(step, 1);
    *axis = (struct gf_axis){.hi = fmin(ceil(max / step - 1e-9), n) * step};
    while (units[i].unit > 1 && axis->hi < 10 * units[i].unit)
        i++;
    for (double k = 0; k * step <= axis->hi * (1 + 1e-9); k++)
        add_tick(axis, k * step, step, units[i].unit, units[i].suffix);
}

uint32_t gf_axis_text_length(const struct gf_axis *axis)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < axis->n; i++)
        longest = strlen(axis->texts[i]) > longest ? strlen(axis->texts[i]) : longest;
    return (uint32_t)longest;
}
