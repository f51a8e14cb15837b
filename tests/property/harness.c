/* SPDX-License-Identifier: MIT */
/* Device, memory and random data of the property programs. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/registry.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"

#define MAX_BLOCKS 4096

const struct property_size property_sizes[PROPERTY_SIZES] = {
    {1, 1, 1}, {7, 1, 2}, {1, 130, 1}, {33, 17, 3}, {64, 129, 4}, {9001, 2, 1},
};

static const struct gf_backend *backend;
static struct gf_device *device;
static struct gf_exec *exec;
static void *blocks[MAX_BLOCKS];
static size_t n_blocks;

int property_open(int argc, char **argv)
{
    struct gf_error err = {0};
    const struct gf_device_options options = {.device = argc > 1 ? argv[1] : "cpu", .threads = 2};
    backend = gf_backend_for_device(options.device);
    if (backend == NULL) {
        printf("no such device: %s\n", options.device);
        return 1;
    }
    enum gf_status status = backend->open(&options, &device, &err);
    if (status == GF_OK)
        status = backend->exec_open(device, &exec, &err);
    if (status == GF_OK)
        return 0;
    printf("%s: %s\n", status == GF_E_NO_DEVICE ? "skipped" : options.device, err.text);
    property_close();
    return status == GF_E_NO_DEVICE ? 77 : 1;
}

void property_close(void)
{
    if (exec != NULL)
        backend->exec_close(exec);
    if (device != NULL)
        backend->close(device);
    exec = NULL;
    device = NULL;
}

uint64_t property_device_memory(void)
{
    struct gf_device_info info;
    backend->info(device, &info);
    return info.memory;
}

int property_teardown(void **state)
{
    UNUSED(state);
    while (n_blocks > 0)
        free(blocks[--n_blocks]);
    return 0;
}

static struct gf_buf buf_of_view(struct gf_view view, uint32_t pad)
{
    view.pitch = gf_view_row_bytes(&view) + pad * gf_dtype_size(view.dtype);
    size_t size = gf_view_bytes(&view);
    assert_true(n_blocks < MAX_BLOCKS);
    void *data = malloc(size);
    assert_non_null(data);
    memset(data, 0xA5, size);
    blocks[n_blocks++] = data;
    return (struct gf_buf){data, view};
}

struct gf_buf property_buf(uint32_t dtype, struct property_size size, uint32_t pad)
{
    return buf_of_view(gf_view_tight(dtype, size.width, size.height, size.channels), pad);
}

static double random_float(struct gf_prng *prng, enum property_kind kind)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 0x1p-140, -0x1p-149};
    if (kind == PROPERTY_SPECIAL && gf_prng_below(prng, 40) == 0)
        return specials[gf_prng_below(prng, GF_ARRAY_LEN(specials))];
    return (double)gf_prng_unit(prng) * 2000.0 - 1000.0;
}

struct gf_buf property_random(uint32_t dtype, struct property_size size, enum property_kind kind, uint64_t seed)
{
    struct gf_prng prng = {seed * 131 + dtype};
    struct gf_buf buf = property_buf(dtype, size, 0);
    size_t bytes = gf_dtype_size(dtype);
    unsigned char *p = buf.data;
    for (uint64_t i = 0; i < gf_view_samples(&buf.view); i++, p += bytes) {
        uint64_t bits = gf_prng_next(&prng);
        if (gf_dtype_kind(dtype) == GF_KIND_FLOAT) {
            double f64 = random_float(&prng, kind);
            float f32 = (float)f64;
            memcpy(p, dtype == GF_F32 ? (void *)&f32 : (void *)&f64, bytes);
        } else {
            memcpy(p, &bits, bytes);
        }
    }
    return buf;
}

struct gf_buf property_copy(const struct gf_buf *buf, uint32_t pad)
{
    struct gf_buf copy = buf_of_view(buf->view, pad);
    for (uint64_t y = 0; y < buf->view.height; y++)
        memcpy(property_at(&copy, 0, y, 0), property_at(buf, 0, y, 0), gf_view_row_bytes(&buf->view));
    return copy;
}

static void parse_params(const char *params, struct gf_step *step)
{
    char text[128], *rest = NULL;
    gf_op_params_default(step->op, &step->params);
    assert_true(strlen(params) < sizeof text);
    snprintf(text, sizeof text, "%s", params);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        const struct gf_param_desc *param = gf_op_param(step->op, word);
        assert_non_null(param);
        if (param->kind == GF_PARAM_TEXT) /* stays where the caller has it */
            assert_int_equal(
                gf_op_param_set(step->op, param, params + (value - text), strlen(value), &step->params, NULL), GF_OK);
        else
            assert_int_equal(gf_op_param_parse(step->op, param, value, &step->params, NULL), GF_OK);
    }
}

static struct gf_step make_step(const char *op, const char *params, const struct gf_buf *in, uint32_t n_in)
{
    struct gf_error err = {0};
    struct gf_step step = {.op = gf_op_by_name(op)};
    struct gf_view views[GF_MAX_INPUTS];
    assert_non_null(step.op);
    parse_params(params, &step);
    for (uint32_t i = n_in; i < step.op->n_inputs; i++)
        step.in[i].from = GF_FROM_NOTHING;
    for (uint32_t i = 0; i < n_in; i++) {
        views[i] = in[i].view;
        step.in[i].index = (uint16_t)i;
    }
    enum gf_status status = gf_op_infer(step.op, views, n_in, &step.params, step.out, &err);
    if (status != GF_OK)
        fail_msg("%s %s: %s", op, params, err.text);
    return step;
}

static void run_step(const struct gf_step *step, const struct gf_buf *in, uint32_t n_in, const struct gf_sink *sinks,
                     uint32_t n_sinks)
{
    struct gf_error err = {0};
    bool cancel = false;
    struct gf_job job = {.steps = step,
                         .operands = in,
                         .sinks = sinks,
                         .n_steps = 1,
                         .n_operands = n_in,
                         .n_sinks = n_sinks,
                         .cancel = &cancel};
    if (backend->run(exec, &job, &err) != GF_OK)
        fail_msg("%s: %s", step->op->name, err.text);
}

void property_run_padded(const char *op, const char *params, const struct gf_buf *in, uint32_t n_in, uint32_t pad,
                         struct gf_buf *ret_out)
{
    struct gf_step step = make_step(op, params, in, n_in);
    struct gf_sink sinks[GF_MAX_OUTPUTS];
    for (uint32_t i = 0; i < step.op->n_outputs; i++) {
        ret_out[i] = buf_of_view(step.out[i], pad);
        sinks[i] = (struct gf_sink){0, (uint8_t)i, ret_out[i]};
    }
    run_step(&step, in, n_in, sinks, step.op->n_outputs);
}

struct gf_buf property_run_for(const char *op, const char *params, const struct gf_buf *in, uint8_t output)
{
    struct gf_step step = make_step(op, params, in, 1);
    struct gf_sink sink = {0, output, buf_of_view(step.out[output], 0)};
    run_step(&step, in, 1, &sink, 1);
    return sink.buf;
}

struct gf_buf property_run(const char *op, const char *params, const struct gf_buf *in)
{
    struct gf_buf out[GF_MAX_OUTPUTS];
    property_run_padded(op, params, in, 1, 0, out);
    return out[0];
}

void *property_at(const struct gf_buf *buf, uint64_t x, uint64_t y, uint32_t channel)
{
    uint64_t sample = x * buf->view.channels + channel;
    return (unsigned char *)buf->data + y * buf->view.pitch + sample * gf_dtype_size(buf->view.dtype);
}

uint64_t property_u64(const struct gf_buf *buf, uint64_t x, uint64_t y, uint32_t channel)
{
    size_t size = gf_dtype_size(buf->view.dtype);
    uint32_t unused = 64 - 8 * (uint32_t)size;
    uint64_t bits = 0;
    memcpy(&bits, property_at(buf, x, y, channel), size);
    if (gf_dtype_kind(buf->view.dtype) == GF_KIND_SINT)
        return (uint64_t)((int64_t)(bits << unused) >> unused);
    return bits;
}

double property_f64(const struct gf_buf *buf, uint64_t x, uint64_t y, uint32_t channel)
{
    uint64_t bits = property_u64(buf, x, y, channel);
    float f32;
    double f64;
    memcpy(&f32, &bits, sizeof f32);
    memcpy(&f64, &bits, sizeof f64);
    if (gf_dtype_kind(buf->view.dtype) == GF_KIND_FLOAT)
        return buf->view.dtype == GF_F32 ? (double)f32 : f64;
    return gf_dtype_kind(buf->view.dtype) == GF_KIND_SINT ? (double)(int64_t)bits : (double)bits;
}

void property_same(const struct gf_buf *a, const struct gf_buf *b, const char *what)
{
    assert_true(gf_view_same_shape(&a->view, &b->view));
    for (uint64_t y = 0; y < a->view.height; y++)
        for (uint64_t x = 0; x < a->view.width; x++)
            for (uint32_t c = 0; c < a->view.channels; c++)
                if (memcmp(property_at(a, x, y, c), property_at(b, x, y, c), gf_dtype_size(a->view.dtype)) != 0)
                    fail_msg("%s: %s differs at x=%llu y=%llu channel %u: %.17g and %.17g", what,
                             gf_dtype_word(a->view.dtype), (unsigned long long)x, (unsigned long long)y, c,
                             property_f64(a, x, y, c), property_f64(b, x, y, c));
}
