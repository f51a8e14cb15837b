/* SPDX-License-Identifier: MIT */
#include "vectors.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "tests/support/sha256.h"

#define FOLDER "vectors/"       /* in the archive */
#define FILE_SAMPLES 1021u      /* of a file at most */
#define SHOWN 32u               /* bytes of an output that the manifest states beside its hash, at most */
#define PARAM_TEXT GF_CASE_LINE /* room for the value of a parameter */
#define BLOCK 512u
#define SIZE_FIELD 124u /* in the header of a member: its size, in 12 characters */

/* Bytes that a stream of memory wrote. */
struct bytes {
    FILE *to;
    char *data;
    size_t size;
};

/* What the vectors of an operation cover: sets of GF_DT(), and of the numbers of words. */
struct coverage {
    uint32_t dtypes[GF_MAX_INPUTS];
    bool left_out[GF_MAX_INPUTS];
    uint32_t words[GF_MAX_PARAMS];    /* that a parameter has in a vector */
    uint32_t possible[GF_MAX_PARAMS]; /* that it could have there, all else being as it is */
    bool changed[GF_MAX_PARAMS];      /* from the default */
};

struct input {
    struct input *next;
    char name[sizeof(((struct gf_vector_file *)NULL)->name)];
    struct bytes npy;
};

struct gf_vectors {
    struct bytes manifest;
    struct input *first, **end; /* in the order of their first use */
    struct coverage ops[GF_N_OPS];
    uint32_t n[GF_N_OPS]; /* cases of each operation */
};

/* Whether the case is one with another word of a parameter, too. */
static bool takes_word(const struct gf_case *c, const struct gf_param_desc *param, const struct gf_word *word)
{
    const struct gf_case_step *step = &c->steps[0];
    struct gf_view in[GF_MAX_INPUTS] = {c->src}, out[GF_MAX_OUTPUTS];
    union gf_params params = step->params;
    for (uint32_t i = 1; i < step->op->n_inputs; i++)
        in[i] = step->inputs[i].view;
    return gf_op_param_set(step->op, param, &word->number, sizeof(word->number), &params, NULL) == GF_OK &&
           gf_op_infer(step->op, in, step->op->n_inputs, &params, out, NULL) == GF_OK;
}

static void add_word(struct coverage *coverage, const struct gf_case *c, uint32_t i)
{
    const struct gf_param_desc *param = &c->steps[0].op->params[i];
    const void *value;
    uint32_t number;
    (void)gf_op_param_get(param, &c->steps[0].params, &value);
    memcpy(&number, value, sizeof(number));
    coverage->words[i] |= 1u << number;
    for (uint32_t k = 0; k < gf_n_words; k++)
        if (gf_enum_is_choice(&gf_words[k], param->e, param->words) && takes_word(c, param, &gf_words[k]))
            coverage->possible[i] |= 1u << gf_words[k].number;
}

/* Notes a case with one step that has results. */
static void coverage_add(struct coverage *coverage, const struct gf_case *c)
{
    const struct gf_case_step *step = &c->steps[0];
    coverage->dtypes[0] |= GF_DT(c->src.dtype);
    for (uint32_t i = 1; i < step->op->n_inputs; i++) {
        if (gf_view_given(&step->inputs[i].view))
            coverage->dtypes[i] |= GF_DT(step->inputs[i].view.dtype);
        else
            coverage->left_out[i] = true;
    }
    for (uint32_t i = 0; i < step->op->n_params; i++) {
        if (!gf_op_param_is_default(&step->op->params[i], &step->params))
            coverage->changed[i] = true;
        if (step->op->params[i].kind == GF_PARAM_ENUM)
            add_word(coverage, c, i);
    }
}

/* Names what is missing; returns false. */
static bool missing(const struct gf_op *op, const char *verb, const char *name, const char *value)
{
    printf("FAILED: no vector of %s %s %s%s%s: add a line to tests/conformance/vectors.csv\n", op->name, verb, name,
           value[0] == '\0' ? "" : " ", value);
    return false;
}

/* Whether vectors have every type of each input, leave out each that may be, have every word that is possible, and
 * change every parameter from its default. What is missing is named on stdout. */
static bool is_covered(const struct gf_op *op, const struct coverage *coverage)
{
    bool ok = true;
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        for (uint32_t dtype = 1; gf_dtype_known(dtype); dtype++)
            if ((op->inputs[i].dtypes & ~coverage->dtypes[i] & GF_DT(dtype)) != 0)
                ok = missing(op, "has", op->inputs[i].name, gf_dtype_word(dtype));
        if (op->inputs[i].optional && !coverage->left_out[i])
            ok = missing(op, "leaves out", op->inputs[i].name, "");
    }
    for (uint32_t i = 0; i < op->n_params; i++) {
        const struct gf_param_desc *param = &op->params[i];
        for (uint32_t number = 0; number < 32; number++)
            if ((coverage->possible[i] & ~coverage->words[i] & 1u << number) != 0)
                ok = missing(op, "has", param->name, gf_enum_word(param->e, number));
        if (!coverage->changed[i])
            ok = missing(op, "changes", param->name, "");
    }
    return ok;
}

/* False with a sentence on stdout. */
static bool bytes_open(struct bytes *bytes)
{
    bytes->to = open_memstream(&bytes->data, &bytes->size);
    if (bytes->to == NULL)
        printf("FAILED: no memory for the vectors\n");
    return bytes->to != NULL;
}

/* Makes data hold everything that was written so far. */
static bool bytes_flush(struct bytes *bytes)
{
    if (fflush(bytes->to) == 0 && !ferror(bytes->to))
        return true;
    printf("FAILED: no memory for the vectors\n");
    return false;
}

static void bytes_close(struct bytes *bytes)
{
    if (bytes->to != NULL)
        fclose(bytes->to);
    free(bytes->data);
}

struct gf_vectors *gf_vectors_new(void)
{
    struct gf_vectors *vectors = calloc(1, sizeof(*vectors));
    if (vectors == NULL)
        return NULL;
    vectors->end = &vectors->first;
    if (!bytes_open(&vectors->manifest))
        gf_vectors_freep(&vectors);
    else
        fprintf(vectors->manifest.to, "gpufilterd test vectors, form 1\n");
    return vectors;
}

void gf_vectors_freep(struct gf_vectors **vectors)
{
    if (*vectors == NULL)
        return;
    for (struct input *input = (*vectors)->first, *next; input != NULL; input = next) {
        next = input->next;
        bytes_close(&input->npy);
        free(input);
    }
    bytes_close(&(*vectors)->manifest);
    free(*vectors);
    *vectors = NULL;
}

struct gf_vector_file gf_vector_file(const struct gf_input_desc *input, const struct gf_view *view, const char *kind,
                                     uint64_t limit)
{
    struct gf_vector_file file = {.seed = 0xCBF29CE484222325u};
    uint64_t most = FILE_SAMPLES / view->channels; /* pixels: whole rows where there is room for one */
    uint64_t width = gf_min_u64(view->width, most);
    file.view = gf_view_tight(view->dtype, width, gf_min_u64(view->height, most / width), view->channels);
    snprintf(file.name, sizeof(file.name), "%s_%" PRIu64 "x%" PRIu64 "x%" PRIu32 "_%s%s", gf_dtype_word(view->dtype),
             file.view.width, file.view.height, file.view.channels, input->kind == GF_INPUT_COEFS ? "mask_" : "", kind);
    if (input->kind == GF_INPUT_LIST)
        gf_text_append(file.name, sizeof(file.name), "_%" PRIu64, limit);
    gf_text_append(file.name, sizeof(file.name), ".npy");
    for (const char *p = file.name; *p != '\0'; p++) /* FNV-1a */
        file.seed = (file.seed ^ (unsigned char)*p) * 0x100000001B3u;
    return file;
}

/* Samples row after row, without what lies between rows: as many rows, and of each as many bytes, as the view has. */
static void write_rows(const struct gf_buf *buf, const struct gf_view *view, FILE *to)
{
    for (uint64_t y = 0; y < view->height; y++)
        fwrite((const char *)buf->data + y * buf->view.pitch, 1, gf_view_row_bytes(view), to);
}

/* A file of numpy's form 1.0: the header ends at a multiple of 64. */
static void write_npy(const struct gf_buf *buf, const struct gf_view *view, FILE *to)
{
    static const char kinds[] = {[GF_KIND_UINT] = 'u', [GF_KIND_SINT] = 'i', [GF_KIND_FLOAT] = 'f'};
    char text[118];
    size_t size = gf_dtype_size(view->dtype);
    snprintf(text, sizeof(text),
             "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%" PRIu64 ", %" PRIu64 ", %" PRIu32 "), }",
             size == 1 ? '|' : '<', kinds[gf_dtype_kind(view->dtype)], size, view->height, view->width, view->channels);
    fprintf(to, "\x93NUMPY\x01%c%c%c%-117s\n", 0, (int)sizeof(text), 0, text);
    write_rows(buf, view, to);
}

/* Adds an input's file to the archive, where it is not in it yet. */
static bool add_file(struct gf_vectors *v, const struct gf_vector_file *file, const struct gf_buf *buf)
{
    struct input *input = calloc(1, sizeof(*input)), *old = v->first;
    if (input == NULL || !bytes_open(&input->npy)) {
        free(input);
        printf("FAILED: no memory for the vectors\n");
        return false;
    }
    write_npy(buf, &file->view, input->npy.to);
    bool ok = bytes_flush(&input->npy);
    while (old != NULL && strcmp(old->name, file->name) != 0)
        old = old->next;
    if (ok && old == NULL) {
        memcpy(input->name, file->name, sizeof(input->name));
        *v->end = input;
        v->end = &input->next;
        return true;
    }
    if (ok && (input->npy.size != old->npy.size || memcmp(input->npy.data, old->npy.data, old->npy.size) != 0)) {
        printf("FAILED: two inputs with different samples are both called %s\n", file->name);
        ok = false;
    }
    bytes_close(&input->npy);
    free(input);
    return ok;
}

static bool add_input(struct gf_vectors *v, const struct gf_case *c, uint32_t i, const struct gf_buf *buf)
{
    const struct gf_input_desc *input = &c->steps[0].op->inputs[i];
    struct gf_vector_file file = gf_vector_file(input, &buf->view, i == 0 ? c->data_kind : c->steps[0].inputs[i].kind,
                                                c->src.width * c->src.height);
    char shape[64];
    fprintf(v->manifest.to, "input %s %s %s\n", input->name, gf_view_text(&buf->view, shape, sizeof(shape)), file.name);
    return add_file(v, &file, buf);
}

static void add_params(struct gf_vectors *v, const struct gf_case_step *step)
{
    for (uint32_t i = 0; i < step->op->n_params; i++) {
        char text[PARAM_TEXT];
        gf_op_param_text(&step->op->params[i], &step->params, text, sizeof(text));
        if (text[0] != '\0') /* is given */
            fprintf(v->manifest.to, "param %s %s\n", step->op->params[i].name, text);
    }
}

static bool add_output(struct gf_vectors *v, const char *name, const struct gf_buf *buf)
{
    struct bytes samples;
    char shape[64], hash[GF_SHA256_TEXT];
    bool ok = bytes_open(&samples);
    if (ok) {
        write_rows(buf, &buf->view, samples.to);
        ok = bytes_flush(&samples);
    }
    if (ok) {
        fprintf(v->manifest.to, "output %s %s %s", name, gf_view_text(&buf->view, shape, sizeof(shape)),
                gf_sha256(samples.data, samples.size, hash));
        for (size_t i = 0; i < samples.size && samples.size <= SHOWN; i++)
            fprintf(v->manifest.to, "%s%02x", i == 0 ? " " : "", (unsigned char)samples.data[i]);
        fprintf(v->manifest.to, "\n");
    }
    bytes_close(&samples);
    return ok;
}

bool gf_vectors_add(struct gf_vectors *v, const struct gf_runner_case *rc)
{
    const struct gf_case_step *step = &rc->c->steps[0];
    if (rc->status == GF_OK)
        coverage_add(&v->ops[step->op->index], rc->c);
    fprintf(v->manifest.to, "\ncase %s %" PRIu32 "\n", step->op->name, ++v->n[step->op->index]);
    bool ok = add_input(v, rc->c, 0, &rc->image.buf);
    for (uint32_t i = 1; i < step->op->n_inputs && ok; i++)
        if (gf_view_given(&step->inputs[i].view))
            ok = add_input(v, rc->c, i, &rc->inputs[0][i].buf);
    add_params(v, step);
    if (rc->status != GF_OK)
        fprintf(v->manifest.to, "refused %s\n", gf_status_name(rc->status));
    for (uint32_t i = 0; i < step->op->n_outputs && ok && rc->status == GF_OK; i++)
        ok = add_output(v, step->op->outputs[i].name, &rc->references[0][i].buf);
    return ok;
}

bool gf_vectors_complete(const struct gf_vectors *vectors)
{
    bool ok = true;
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        if (!is_covered(&gf_ops[i], &vectors->ops[i]))
            ok = false;
    return ok;
}

/* A regular file of a ustar archive, the same at any time on any machine. */
static void write_member(const char *name, const struct bytes *bytes, FILE *to)
{
    char header[BLOCK] = {0};
    uint32_t sum = 0;
    snprintf(header, 100, FOLDER "%s", name);
    snprintf(header + 100, 8, "%07o", 0644u);
    snprintf(header + 108, 8, "%07o", 0u);
    snprintf(header + 116, 8, "%07o", 0u);
    snprintf(header + SIZE_FIELD, 12, "%011zo", bytes->size);
    snprintf(header + 136, 12, "%011o", 0u);
    memset(header + 148, ' ', 8); /* in place of the sum */
    memcpy(header + 156, "0\0", 2);
    memcpy(header + 257, "ustar\00000", 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    fwrite(header, 1, BLOCK, to);
    fwrite(bytes->data, 1, bytes->size, to);
    memset(header, 0, BLOCK);
    fwrite(header, 1, (BLOCK - bytes->size % BLOCK) % BLOCK, to);
}

/* The whole archive; closed by the caller. */
static bool archive(struct gf_vectors *v, struct bytes *ret)
{
    static const char end[2 * BLOCK];
    if (!bytes_flush(&v->manifest) || !bytes_open(ret))
        return false;
    write_member("manifest.txt", &v->manifest, ret->to);
    for (const struct input *input = v->first; input != NULL; input = input->next)
        write_member(input->name, &input->npy, ret->to);
    fwrite(end, 1, sizeof(end), ret->to);
    return bytes_flush(ret);
}

static bool read_file(const char *path, struct bytes *ret)
{
    char block[1 << 14];
    FILE *file = fopen(path, "re");
    size_t n = 0;
    if (file == NULL) {
        printf("FAILED: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (!bytes_open(ret)) {
        fclose(file);
        return false;
    }
    while ((n = fread(block, 1, sizeof(block), file)) > 0)
        fwrite(block, 1, n, ret->to);
    bool ok = !ferror(file) && bytes_flush(ret);
    fclose(file);
    return ok;
}

/* Prints the first line of the manifest that differs from the file's. */
static void explain(const struct gf_vectors *v, const struct bytes *made, const struct bytes *old)
{
    const char *line = made->data + BLOCK, *of = line;
    const char *end = line + v->manifest.size;
    while (line < end) {
        size_t n = strcspn(line, "\n") + 1, at = (size_t)(line - made->data);
        if (strncmp(line, "case ", 5) == 0)
            of = line;
        if (at + n > old->size || memcmp(line, old->data + at, n) != 0)
            break;
        line += n;
    }
    bool same_size = old->size >= BLOCK && memcmp(made->data + SIZE_FIELD, old->data + SIZE_FIELD, 12) == 0;
    if (line >= end && !same_size)
        printf("  the old manifest has lines behind the last of the new one\n");
    else if (line >= end)
        printf("  the manifests are equal, the files of the inputs are not\n");
    else
        printf("  %.*s: the first line that differs is now '%.*s'\n", (int)strcspn(of, "\n"), of,
               (int)strcspn(line, "\n"), line);
}

bool gf_vectors_check(struct gf_vectors *v, const char *path)
{
    struct bytes made = {0}, old = {0};
    bool ok = archive(v, &made) && read_file(path, &old);
    if (ok && (made.size != old.size || memcmp(made.data, old.data, made.size) != 0)) {
        printf("FAILED: %s is not what the reference makes of tests/conformance/vectors.csv:\n", path);
        explain(v, &made, &old);
        printf("  renew it: cmake --build BUILD --target vectors\n");
        ok = false;
    }
    bytes_close(&made);
    bytes_close(&old);
    return ok;
}

bool gf_vectors_write(struct gf_vectors *v, const char *path)
{
    struct bytes made = {0};
    FILE *file = NULL;
    bool ok = archive(v, &made);
    if (ok) {
        file = fopen(path, "we");
        ok = file != NULL && fwrite(made.data, 1, made.size, file) == made.size;
        ok = (file == NULL || fclose(file) == 0) && ok;
        if (!ok)
            printf("FAILED: %s: %s\n", path, strerror(errno));
    }
    bytes_close(&made);
    return ok;
}
