/* SPDX-License-Identifier: MIT */
/* Prints tables; trims and reports lists. Called by the commands that run operations. */
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/io/number.h"
#include "protocol/base/dtype.h"

#define NAME_WIDTH 9    /* width of "underflow" */
#define NUMBER_WIDTH 22 /* width of any f64 */
#define CELL_TEXT (2 * GF_NUMBER_TEXT)

/* Outputs with one row per channel, and the names of the numbers in a row; "" if the row is one list. */
static const struct {
    const char *op, *output, *columns;
} rows[] = {
    {"histogram", "counts", ""},
    {"histogram", "outside", "underflow overflow nan"},
    {"stats", "counts", "count argmin argmax nan"},
    {"stats", "range", "min max"},
    {"stats", "sums", "sum"},
    {"stats", "reals", "mean var std l1 l2 linf"},
    {"select", "count", "count"},
    {"label", "count", "count"},
    {"match", "count", "count"},
};

/* The names of an output's columns; NULL if the output is one list for all channels. */
static const char *columns_of(const struct gf_op *op, uint32_t output)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].op, op->name) == 0 && strcmp(rows[i].output, op->outputs[output].name) == 0)
            return rows[i].columns;
    return NULL;
}

/* Whether the output lists places with their scores. The next table holds their number, which may exceed the room. */
static bool is_found(const struct gf_op *op, uint32_t output)
{
    return strcmp(op->name, "match") == 0 && strcmp(op->outputs[output].name, "found") == 0;
}

static uint64_t n_found(const gpufilter_result *found)
{
    uint64_t count = *(const uint64_t *)found[1].view.data;
    return count < found->view.width ? count : found->view.width;
}

bool gf_op_is_table(const struct gf_op *op)
{
    return op->outputs[0].shape == GF_SHAPE_TABLE;
}

static bool is_comparison(const struct gf_op *op)
{
    return strcmp(op->name, "compare") == 0;
}

const char *gf_table_note(const struct gf_op *op)
{
    if (strcmp(op->name, "stats") == 0)
        return "argmin and argmax give the first place of the least and the greatest sample: x,y from 0,0 at the top "
               "left;\n"
               "in a single row, the index. Channels are counted from 1. The daemon's figures are printed by metrics";
    if (!is_comparison(op))
        return NULL;
    return "Also printed, for each channel and for all together: psnr in dB, 10 log10(peak^2 / mse). The peak is the\n"
           "greatest value of an integer type (255, 65535), and 1 for floats. The exit status is 1 if the inputs "
           "differ";
}

uint32_t gf_op_tables(const struct gf_op *op, uint32_t ret_outputs[GF_MAX_OUTPUTS])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->n_outputs; i++)
        if (op->outputs[i].shape == GF_SHAPE_TABLE)
            ret_outputs[n++] = i;
    return n;
}

bool gf_table_says_different(const struct gf_op *op, const gpufilter_result *results)
{
    if (!is_comparison(op))
        return false;
    const gpufilter_view *counts = &results[0].view;
    for (uint64_t row = 0; row < counts->height; row++)
        if (((const uint64_t *)((const char *)counts->data + row * counts->pitch))[1] != 0)
            return true;
    return false;
}

static const char *number(const gpufilter_view *v, uint64_t row, uint64_t i, char *text)
{
    return gf_number_text(v->dtype, (const char *)v->data + row * v->pitch, i, text);
}

/* A score is an f32. */
static const char *score_text(const gpufilter_view *v, uint64_t i, char *text)
{
    float score = (float)((const double *)v->data)[3 * i + 2];
    return gf_number_text(GF_F32, &score, 0, text);
}

/* Whether a column of stats is the index of a sample, which is shown as x and y in a picture. */
static bool is_index(const char *column)
{
    return strncmp(column, "arg", 3) == 0;
}

/* Returns whether the sample exists, and its place in rows of this width. */
static bool place_of(const gpufilter_view *v, uint64_t row, uint64_t i, uint64_t width, uint64_t *ret_x,
                     uint64_t *ret_y)
{
    uint64_t index = ((const uint64_t *)(const void *)((const char *)v->data + row * v->pitch))[i];
    *ret_x = width > 0 ? index % width : 0;
    *ret_y = width > 0 ? index / width : 0;
    return index != UINT64_MAX && width > 0;
}

/* Formats a number for the table. */
static const char *cell(const gpufilter_view *v, uint64_t row, uint64_t i, const char *column, const struct gf_view *in,
                        char text[CELL_TEXT])
{
    uint64_t x, y;
    if (!is_index(column))
        return number(v, row, i, text);
    if (!place_of(v, row, i, in->width, &x, &y))
        return "none";
    if (in->height == 1)
        return number(v, row, i, text);
    snprintf(text, CELL_TEXT, "%" PRIu64 ",%" PRIu64, x, y);
    return text;
}

/* Takes the first word off a list. */
static const char *next_word(const char **list, char *word, size_t size)
{
    size_t n = strcspn(*list, " ");
    snprintf(word, size, "%.*s", (int)n, *list);
    *list += n + ((*list)[n] == ' ');
    return word;
}

static uint64_t n_rows(const struct gf_op *op, const gpufilter_result *results)
{
    uint32_t outputs[GF_MAX_OUTPUTS], n = gf_op_tables(op, outputs);
    for (uint32_t i = 0; i < n; i++)
        if (columns_of(op, outputs[i]))
            return results[i].view.height;
    return 0;
}

static void put_row(struct gf_json *json, const char *key, const gpufilter_view *v, uint64_t row)
{
    char text[GF_NUMBER_TEXT];
    gf_json_array(json, key);
    for (uint64_t i = 0; i < v->width * v->channels; i++)
        gf_json_number(json, NULL, number(v, row, i, text));
    gf_json_array_end(json);
}

/* Writes "argmin_xy":[3,1]; the array is empty if there is no such sample. */
static void put_place(struct gf_json *json, const char *column, const gpufilter_view *v, uint64_t row, uint64_t i,
                      uint64_t width)
{
    char key[40];
    uint64_t x, y;
    snprintf(key, sizeof(key), "%s_xy", column);
    gf_json_array(json, key);
    if (place_of(v, row, i, width, &x, &y)) {
        gf_json_u64(json, NULL, x);
        gf_json_u64(json, NULL, y);
    }
    gf_json_array_end(json);
}

static void put_channel(struct gf_json *json, const struct gf_op *op, const gpufilter_result *results,
                        const struct gf_view *in, uint64_t row)
{
    char text[GF_NUMBER_TEXT], word[32];
    uint32_t outputs[GF_MAX_OUTPUTS], n = gf_op_tables(op, outputs);
    gf_json_object(json, NULL);
    for (uint32_t i = 0; i < n; i++) {
        const char *columns = columns_of(op, outputs[i]);
        if (columns && columns[0] == '\0')
            put_row(json, op->outputs[outputs[i]].name, &results[i].view, row);
        for (uint64_t k = 0; columns && columns[0] != '\0'; k++) {
            next_word(&columns, word, sizeof(word));
            gf_json_number(json, word, number(&results[i].view, row, k, text));
            if (is_index(word))
                put_place(json, word, &results[i].view, row, k, in->width);
        }
    }
    gf_json_object_end(json);
}

/* The result of compare for one channel or for all, with the peak signal-to-noise ratio. */
struct differences {
    uint64_t equal, different;
    double max, mae, mse;
    double psnr; /* in dB: 10 log10(peak^2 / mse); infinite if mse is 0 */
};

static void add_channel(struct differences *d, const gpufilter_result *results, uint64_t channel)
{
    const char *counts = (const char *)results[0].view.data + channel * results[0].view.pitch;
    const char *errors = (const char *)results[1].view.data + channel * results[1].view.pitch;
    const uint64_t *n = (const uint64_t *)(const void *)counts;
    const double *e = (const double *)(const void *)errors;
    d->equal += n[0];
    d->different += n[1];
    d->max = isnan(d->max) || e[0] <= d->max ? d->max : e[0];
    d->mae += e[1];
    d->mse += e[2];
}

/* Reads channel `channel` of the outputs of compare. If there is no such channel, combines all channels: the greatest
 * max, the means of mae and mse. `dtype` is the type of the compared samples; the peak is the greatest value of an
 * integer type (255, 65535), and 1 for floats. */
static void read_differences(struct differences *d, const gpufilter_result *results, uint32_t dtype, uint64_t channel)
{
    uint64_t n = results[0].view.height;
    double peak = gf_dtype_kind(dtype) == GF_KIND_FLOAT ? 1.0 : ldexp(1.0, 8 * (int)gf_dtype_size(dtype)) - 1.0;
    *d = (struct differences){.equal = 0};
    if (channel < n) {
        add_channel(d, results, channel);
    } else {
        for (uint64_t i = 0; i < n; i++)
            add_channel(d, results, i);
        d->mae /= (double)n;
        d->mse /= (double)n;
    }
    d->psnr = d->mse == 0 ? (double)INFINITY : 20.0 * log10(peak) - 10.0 * log10(d->mse);
}

/* The figures of compare for one channel or for all, in the order in which they are shown. */
#define N_DIFFERENCES 6

static const char *difference(const struct differences *d, uint32_t i, char *text, const char **ret_name)
{
    static const char *const names[N_DIFFERENCES] = {"equal", "different", "max", "mae", "mse", "psnr"};
    const double reals[N_DIFFERENCES] = {0, 0, d->max, d->mae, d->mse, d->psnr};
    *ret_name = names[i];
    if (i < 2)
        return gf_number_text(GF_U64, i == 0 ? &d->equal : &d->different, 0, text);
    return gf_number_text(GF_F64, reals, i, text);
}

static void put_differences(struct gf_json *json, const char *key, const struct differences *d)
{
    char text[GF_NUMBER_TEXT];
    const char *name;
    gf_json_object(json, key);
    for (uint32_t i = 0; i < N_DIFFERENCES; i++) {
        difference(d, i, text, &name);
        gf_json_number(json, name, text);
    }
    gf_json_object_end(json);
}

static void put_comparison(struct gf_json *json, const gpufilter_result *results, uint32_t dtype)
{
    struct differences d;
    uint64_t n = results[0].view.height;
    gf_json_array(json, "channels");
    for (uint64_t i = 0; i < n; i++) {
        read_differences(&d, results, dtype, i);
        put_differences(json, NULL, &d);
    }
    gf_json_array_end(json);
    read_differences(&d, results, dtype, n);
    put_differences(json, "all", &d);
}

static void put_found(struct gf_json *json, const gpufilter_result *found)
{
    char text[GF_NUMBER_TEXT];
    gf_json_array(json, "found");
    for (uint64_t i = 0; i < n_found(found); i++) {
        gf_json_object(json, NULL);
        gf_json_number(json, "x", number(&found->view, 0, 3 * i, text));
        gf_json_number(json, "y", number(&found->view, 0, 3 * i + 1, text));
        gf_json_number(json, "score", score_text(&found->view, i, text));
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
}

void gf_table_json(struct gf_json *json, const struct gf_op *op, const gpufilter_result *results,
                   const struct gf_view *in)
{
    if (is_comparison(op)) {
        put_comparison(json, results, in->dtype);
        return;
    }
    char text[GF_NUMBER_TEXT];
    uint32_t outputs[GF_MAX_OUTPUTS], n_tables = gf_op_tables(op, outputs);
    uint64_t n = n_rows(op, results);
    if (n > 0)
        gf_json_array(json, "channels");
    for (uint64_t row = 0; row < n; row++)
        put_channel(json, op, results, in, row);
    if (n > 0)
        gf_json_array_end(json);
    for (uint32_t i = 0; i < n_tables; i++) {
        const gpufilter_view *v = &results[i].view;
        if (columns_of(op, outputs[i]))
            continue;
        if (is_found(op, outputs[i])) {
            put_found(json, &results[i]);
            continue;
        }
        gf_json_array(json, op->n_outputs == 1 ? "values" : op->outputs[outputs[i]].name);
        for (uint64_t row = 0; row < v->height; row++)
            for (uint64_t k = 0; k < v->width * v->channels; k++)
                gf_json_number(json, NULL, number(v, row, k, text));
        gf_json_array_end(json);
    }
}

/* Prints lists, one line per row. The list of an op with a single output needs no name. */
static void print_lists(FILE *out, const struct gf_op *op, uint32_t output, const gpufilter_view *v)
{
    char text[GF_NUMBER_TEXT];
    for (uint64_t row = 0; row < v->height; row++) {
        if (op->n_outputs > 1 && v->height > 1)
            fprintf(out, "%s %" PRIu64 ": ", op->outputs[output].name, row + 1);
        else if (op->n_outputs > 1)
            fprintf(out, "%s: ", op->outputs[output].name);
        for (uint64_t i = 0; i < v->width * v->channels; i++)
            fprintf(out, "%s%s", i > 0 ? " " : "", number(v, row, i, text));
        fputc('\n', out);
    }
}

/* Prints a line for each place. */
static void print_found(FILE *out, const gpufilter_result *found)
{
    char x[GF_NUMBER_TEXT], y[GF_NUMBER_TEXT], score[GF_NUMBER_TEXT];
    for (uint64_t i = 0; i < n_found(found); i++)
        fprintf(out, "%s,%s %s\n", number(&found->view, 0, 3 * i, x), number(&found->view, 0, 3 * i + 1, y),
                score_text(&found->view, i, score));
}

/* Prints a line for each name, with a column for each channel. */
static void print_named(FILE *out, const gpufilter_view *v, const char *columns, const struct gf_view *in)
{
    char text[CELL_TEXT], word[32];
    for (uint64_t i = 0; columns[0] != '\0'; i++) {
        fprintf(out, "%-*s", NAME_WIDTH, next_word(&columns, word, sizeof(word)));
        for (uint64_t row = 0; row < v->height; row++)
            fprintf(out, " %*s", NUMBER_WIDTH, cell(v, row, i, word, in, text));
        fputc('\n', out);
    }
}

/* Prints the heading of several columns. Channels count from 1, as in `copy channel=1`; a last column may stand for
 * all. */
static void print_head(FILE *out, uint64_t n, bool all)
{
    if (n < 2)
        return;
    fprintf(out, "%-*s", NAME_WIDTH, "channel");
    for (uint64_t i = 0; i < n; i++)
        fprintf(out, " %*" PRIu64, NUMBER_WIDTH, i + 1);
    fprintf(out, all ? " %*s\n" : "\n", NUMBER_WIDTH, "all");
}

static void print_comparison(FILE *out, const gpufilter_result *results, uint32_t dtype)
{
    struct differences d;
    char text[GF_NUMBER_TEXT];
    const char *name;
    uint64_t n = results[0].view.height, columns = n > 1 ? n + 1 : 1;
    print_head(out, n, true);
    for (uint32_t i = 0; i < N_DIFFERENCES; i++)
        for (uint64_t k = 0; k < columns; k++) {
            read_differences(&d, results, dtype, k);
            difference(&d, i, text, &name);
            if (k == 0)
                fprintf(out, "%-*s", NAME_WIDTH, name);
            fprintf(out, " %*s%s", NUMBER_WIDTH, text, k + 1 == columns ? "\n" : "");
        }
}

void gf_table_print(FILE *out, const struct gf_op *op, const gpufilter_result *results, const struct gf_view *in)
{
    bool headed = false;
    if (is_comparison(op)) {
        print_comparison(out, results, in->dtype);
        return;
    }
    uint32_t outputs[GF_MAX_OUTPUTS], n = gf_op_tables(op, outputs);
    for (uint32_t i = 0; i < n; i++) {
        const char *columns = columns_of(op, outputs[i]);
        if (is_found(op, outputs[i])) {
            print_found(out, &results[i]);
            continue;
        }
        if (!columns || columns[0] == '\0') {
            print_lists(out, op, outputs[i], &results[i].view);
            continue;
        }
        if (!headed)
            print_head(out, results[i].view.height, false);
        headed = true;
        print_named(out, &results[i].view, columns, in);
    }
}

bool gf_op_is_list(const struct gf_op *op)
{
    return gf_output_is_list(op, 0);
}

bool gf_output_is_list(const struct gf_op *op, uint32_t output)
{
    return output < op->n_outputs && op->outputs[output].shape == GF_SHAPE_COUNTED;
}

static uint64_t count_of(const gpufilter_view *counts, uint64_t row)
{
    return *(const uint64_t *)((const char *)counts->data + row * counts->pitch);
}

void gf_list_cut(gpufilter_view *list, const gpufilter_view *counts)
{
    uint64_t longest = 0;
    for (uint64_t row = 0; row < counts->height; row++)
        longest = count_of(counts, row) > longest ? count_of(counts, row) : longest;
    if (longest < list->width)
        list->width = longest;
    if (list->width == 0 || list->height == 1)
        list->pitch = list->width * list->channels * gf_dtype_size(list->dtype);
}

void gf_list_report(const struct gf_cli *cli, const gpufilter_view *counts, uint64_t capacity)
{
    for (uint64_t row = 0; row < counts->height && !cli->quiet; row++)
        if (count_of(counts, row) > capacity)
            fprintf(cli->err,
                    GF_CLI_NAME ": %s: %" PRIu64 " in channel %" PRIu64 ", of which the first %" PRIu64
                                " are written\n",
                    cli->command, count_of(counts, row), row + 1, capacity);
}

struct gf_view gf_list_view(const gpufilter_view *v)
{
    return (struct gf_view){v->dtype, v->channels, v->width, v->height, v->pitch};
}
