/* SPDX-License-Identifier: MIT */
/* See bench_case.h. */
#include "bench_case.h"

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "bench_check.h"
#include "kernels/cuda/cuda_run.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/registry.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"

namespace bench
{

namespace
{

/* The limits, in samples and in samples times taps, up to which the reference computes the expected result. It then
 * takes less than a second. */
constexpr double reference_samples = 1 << 20, reference_work = 1 << 24;
/* The limit of milliseconds for measuring a row, which in any case is measured at least five times. */
constexpr float row_ms = 300.0f;
constexpr size_t output_align = 256;

struct options {
    size_t runs = 15;
    const char *only = "";
    uint64_t most = UINT64_MAX;
    bool json = false, compile = false, dry = false;
};

struct sides {
    uint32_t shape;
    uint64_t width, height;
    const char *name;
};

const sides all_sides[] = {{small, 64, 64, "64x64"},
                           {full_hd, 1920, 1080, "1920x1080"},
                           {square_4k, 4096, 4096, "4096x4096"},
                           {photo, 6000, 4000, "6000x4000"},
                           {square_10k, 10000, 10000, "10000x10000"},
                           {square, 16384, 16384, "16384x16384"},
                           {array_64k, 1u << 16, 1, "2^16"},
                           {array_1m, 1u << 20, 1, "2^20"},
                           {array_2m, 1u << 21, 1, "2^21"},
                           {array_16m, 1u << 24, 1, "2^24"},
                           {array_256m, 1u << 28, 1, "2^28"},
                           {matrices, 512, 512, "512x512"},
                           {matrices, 1024, 1024, "1024x1024"},
                           {matrices, 4096, 4096, "4096x4096"}};

/* The figures of a row. */
struct result {
    std::vector<float> ms, job, host, cub, ratios; /* our kernels, the job, its host part, CUB, CUB / our kernels */
    uint64_t hash;
    bool reference, equal;
};

float median(std::vector<float> v)
{
    std::sort(v.begin(), v.end());
    return v.empty() ? 0.0f : v[v.size() / 2];
}

/* Parses `text`: name=value, separated by spaces. Parameters that are texts keep pointing into it. */
void set_params(const gf_op *op, const char *text, union gf_params *ret)
{
    char copy[2400], *rest = nullptr;
    gf_error err;
    gf_op_params_default(op, ret);
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(nullptr, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        const gf_param_desc *param = gf_op_param(op, word);
        if ((param->kind == GF_PARAM_TEXT ? gf_op_param_set(op, param, text + (value - copy), strlen(value), ret, &err)
                                          : gf_op_param_parse(op, param, value, ret, &err)) != GF_OK)
            die(text, err.text);
    }
}

/* Whether the op requires a mask. */
bool is_mask(const gf_op *op)
{
    return op->n_required > 1 && op->inputs[1].kind == GF_INPUT_COEFS;
}

/* Whether the op takes the taps of a 1-D kernel, whose shape differs from the first input's. */
bool is_line(const gf_op *op)
{
    return strcmp(op->name, "convolve1d") == 0 || strcmp(op->name, "correlate1d") == 0;
}

/* Whether the op takes a template, which must not be larger than the picture. */
bool is_template(const gf_op *op)
{
    return strcmp(op->name, "match") == 0;
}

work make_work(const test_case &c, const sides &s)
{
    work w = {};
    char params[160];
    gf_error err;
    w.c = &c;
    w.step.op = gf_op_by_name(c.op);
    w.view = w.in[0] = gf_view_tight(c.dtype, s.width, s.height, c.channels);
    w.samples = gf_view_samples(&w.view);
    if (w.step.op->n_required > 1)
        w.in[1] = is_mask(w.step.op)       ? gf_view_tight(GF_F32, c.taps, c.taps, 1)
                  : is_line(w.step.op)     ? gf_view_tight(c.dtype, c.taps, 1, 1)
                  : is_template(w.step.op) ? gf_view_tight(c.dtype, c.taps, c.taps, c.channels)
                                           : w.view;
    if (c.segment != 0)
        w.in[1] = gf_view_tight(GF_U64, (w.samples + c.segment - 1) / c.segment + 1, 1, 1);
    const char *text = c.params;
    if (c.room > 0) {
        snprintf(params, sizeof(params), "%s capacity=%.0f", c.params,
                 c.room * static_cast<double>(s.width) * static_cast<double>(s.height));
        text = params;
    }
    set_params(w.step.op, text, &w.step.params);
    for (uint32_t i = 0; i < GF_MAX_INPUTS; i++) {
        w.step.in[i].from = gf_view_given(&w.in[i]) ? GF_FROM_OPERAND : GF_FROM_NOTHING;
        w.step.in[i].index = gf_view_given(&w.in[i]) ? static_cast<uint16_t>(i) : 0;
    }
    const uint32_t given = gf_view_given(&w.in[1]) ? 2 : 1;
    if (gf_op_infer(w.step.op, w.in, given, &w.step.params, w.step.out, &err) != GF_OK)
        die(c.op, err.text);
    return w;
}

void name_of(const test_case &c, const sides &s, char *name, size_t size)
{
    static const char *const words[] = {"", " equal", " few", ""};
    char channels[12] = "", taps[24] = "", room[24] = "", segment[40] = "";
    const gf_op *op = gf_op_by_name(c.op);
    if (c.channels > 1)
        snprintf(channels, sizeof(channels), "x%u", c.channels);
    if (is_mask(op) || is_template(op))
        snprintf(taps, sizeof(taps), " %ux%u%s", c.taps, c.taps, c.whole ? " whole" : "");
    else if (is_line(op))
        snprintf(taps, sizeof(taps), " %u taps", c.taps);
    if (c.room > 0)
        snprintf(room, sizeof(room), " room=%g", c.room);
    if (c.segment != 0)
        snprintf(segment, sizeof(segment), " segments of %llu", static_cast<unsigned long long>(c.segment));
    snprintf(name, size, "%s %s%s%s%s%s%s%s %s%s%s%s", c.op, gf_dtype_word(c.dtype), channels, taps,
             c.params[0] != '\0' ? " " : "", c.params, room, segment, s.name, words[static_cast<int>(c.what)],
             c.note ? " " : "", c.note ? c.note : "");
}

/* Makes the list or mask of a case, in `memory`. */
gf_buf make_list(const work &w, std::vector<uint64_t> &memory)
{
    const uint64_t n = gf_view_samples(&w.in[1]);
    memory.resize(n);
    float *mask = reinterpret_cast<float *>(memory.data());
    for (uint64_t i = 0; i < n; i++)
        if (w.c->segment != 0)
            memory[i] = std::min(i * w.c->segment, w.samples);
        else
            mask[i] = w.c->whole ? static_cast<float>(i % 5) - 1.0f : 0.001f * static_cast<float>(i % 17) + 0.01f;
    return {memory.data(), w.in[1]};
}

/* The views of the outputs on the device, and their addresses in dst. */
struct outputs {
    gf_view view[GF_MAX_OUTPUTS];
    char *data[GF_MAX_OUTPUTS]; /* NULL: not requested */
};

outputs make_outputs(const place &b, const work &w)
{
    outputs o = {};
    size_t at = 0;
    for (uint32_t i = 0; i < w.step.op->n_outputs; i++) {
        uint64_t bytes = 0;
        if (gf_cuda_align_view(&w.step.out[i], &o.view[i], &bytes, nullptr) != GF_OK)
            die(w.c->op, "too large");
        if ((w.c->unwanted >> i & 1) != 0)
            continue;
        o.data[i] = b.dst + at;
        at += (bytes + output_align - 1) / output_align * output_align;
    }
    if (at > dst_bytes)
        die(w.c->op, "the results need more memory than dst has");
    return o;
}

/* The op as the worker passes it to the backend: a job of one step, with operands and results that stay on the device.
 */
struct request {
    gf_buf operands[2];
    gf_sink sinks[GF_MAX_OUTPUTS];
    gf_job job;
    struct gf_cuda_run run;
};

void make_request(const place &b, const work &w, const outputs &o, request *ret)
{
    *ret = {};
    char *const data[] = {b.src, b.other};
    gf_job *job = &ret->job;
    job->steps = &w.step;
    job->n_steps = 1;
    job->operands = ret->operands;
    job->sinks = ret->sinks;
    for (uint32_t i = 0; i < 2 && gf_view_given(&w.in[i]); i++, job->n_operands++) {
        if (i > 0 && w.list) {
            ret->operands[i] = *w.list;
            continue;
        }
        uint64_t bytes = 0;
        (void)gf_cuda_align_view(&w.in[i], &ret->operands[i].view, &bytes, nullptr);
        ret->operands[i].data = data[i];
        job->resident_operands |= uint64_t{1} << i;
    }
    for (uint32_t i = 0; i < w.step.op->n_outputs; i++) {
        if (!o.data[i])
            continue;
        job->resident_sinks |= uint64_t{1} << job->n_sinks;
        ret->sinks[job->n_sinks++] = {0, static_cast<uint8_t>(i), {o.data[i], o.view[i]}};
    }
}

/* Puts the job into the stream. The caller must call end() next. */
void begin(const place &b, request *r)
{
    gf_error err;
    if (gf_cuda_run_begin(b.exec, &r->job, GF_CUDA_ALL_ON_DEVICE, &r->run, &err) != GF_OK)
        die(r->job.steps->op->name, err.text);
}

/* Waits for the job. */
void end(request *r)
{
    gf_error err;
    if (gf_cuda_run_end(&r->run, GF_OK, &err) != GF_OK)
        die(r->job.steps->op->name, err.text);
}

/* Times our kernels and CUB's alternately. Our time is the job's kernel stage, between two events as CUB's time is; the
 * job also records events and makes small copies. The job must have run once before: gf_cuda_run_begin chooses the main
 * stream, in which timed() records its events. */
void measure(place &b, const work &w, request *r, cub_fn cub, size_t runs, result *ret)
{
    float spent = 0.0f, wait = least_wait;
    for (size_t i = 0; ret->ms.size() < runs && (i < 7 || spent < row_ms); i++) {
        const times_of job = timed(
            b, [&] { begin(b, r); }, wait);
        end(r);
        const float kernel = static_cast<float>(r->job.times.kernel) * 1e-6f;
        if (kernel <= 0.0f)
            die(w.c->op, "the job has no kernel stage");
        const times_of p = w.c->peer != 0 ? timed(b, [&] { check(cub(b, w), "CUB"); }) : times_of{};
        spent += job.device + p.device;
        wait = std::clamp(2.0f * job.host, wait, most_wait);
        if (i < 2)
            continue;
        ret->ms.push_back(kernel);
        ret->job.push_back(job.device);
        ret->host.push_back(job.host);
        ret->cub.push_back(p.device);
        ret->ratios.push_back(p.device / kernel);
    }
}

/* Multiplications per sample of the result; 0: unknown. */
double taps_of(const work &w)
{
    const double taps = w.c->taps;
    if (is_mask(w.step.op))
        return taps * taps;
    return strcmp(w.step.op->name, "matmul") == 0 ? static_cast<double>(w.view.width) : taps;
}

/* Runs the job once more, on memory with other contents, and compares its results with the host's. */
void compare(place &b, const bench_check &on_host, const work &w, const outputs &o, request *r, result *ret)
{
    gf_buf in[GF_MAX_INPUTS] = {{b.host, w.in[0]}}, out[GF_MAX_OUTPUTS] = {};
    gf_error err;
    if (w.list)
        in[1] = *w.list;
    else if (gf_view_given(&w.in[1]))
        in[1] = {b.host + other_shift, w.in[1]};
    for (uint32_t i = 0; i < w.step.op->n_outputs; i++)
        if (o.data[i])
            check(cudaMemsetAsync(o.data[i], 0xA5, gf_view_bytes(&o.view[i]), b.exec->main), "memory");
    begin(b, r);
    end(r);

    const double samples = static_cast<double>(w.samples);
    ret->reference = samples <= reference_samples && samples * taps_of(w) <= reference_work && w.c->segment == 0 &&
                     w.c->unwanted == 0;
    ret->hash = 0xCBF29CE484222325u;
    ret->equal = true;
    for (uint32_t i = 0; i < w.step.op->n_outputs; i++)
        out[i] = {o.data[i] ? b.made + (o.data[i] - b.dst) : nullptr, w.step.out[i]};
    if (bench_check_run(&on_host, ret->reference, &w.step, in, out, &err) != GF_OK)
        die(w.c->op, err.text);
    for (uint32_t i = 0; i < w.step.op->n_outputs; i++) {
        if (!o.data[i])
            continue;
        const size_t row = gf_view_row_bytes(&o.view[i]);
        char *got = b.got + (o.data[i] - b.dst);
        check(cudaMemcpy2D(got, row, o.data[i], o.view[i].pitch, row, o.view[i].height, cudaMemcpyDeviceToHost),
              "fetching the result");
        ret->equal = ret->equal && memcmp(got, out[i].data, row * o.view[i].height) == 0;
        ret->hash = bench_check_hash(ret->hash, got, row * o.view[i].height);
    }
}

/* The bytes that must move: inputs on the device, and outputs. */
double bytes_of(const work &w, const outputs &o)
{
    double bytes = static_cast<double>(gf_view_bytes(&w.in[0]));
    if (gf_view_given(&w.in[1]) && !w.list)
        bytes += static_cast<double>(gf_view_bytes(&w.in[1]));
    for (uint32_t i = 0; i < w.step.op->n_outputs; i++)
        bytes += o.data[i] ? static_cast<double>(gf_view_bytes(&w.step.out[i])) : 0.0;
    return bytes;
}

void print(const place &b, const work &w, const outputs &o, const char *name, const result &r, bool json)
{
    const double us = median(r.ms) * 1e3, bytes = bytes_of(w, o);
    const double tb = bytes / us * 1e-6,
                 pixels = static_cast<double>(w.view.width) * static_cast<double>(w.view.height);
    const double copy = 1e14 * tb / b.copy_rate,
                 gflops = 2e-3 * taps_of(w) * static_cast<double>(gf_view_samples(&w.step.out[0])) / us;
    const char *same = !r.equal ? "DIFFERS" : r.reference ? "reference" : "cpu";
    const unsigned long long hash = r.hash;
    if (json)
        printf("{\"name\": \"%s\", \"op\": \"%s\", \"dtype\": \"%s\", \"us\": %.2f, \"job_us\": %.2f, "
               "\"host_us\": %.1f, \"tb_s\": %.4f, "
               "\"gpix_s\": %.3f, \"gflop_s\": %.1f, \"copy\": %.4f, \"cub_us\": %.2f, \"cub\": %.3f, "
               "\"hash\": \"%016llx\", \"same_as\": \"%s\"}\n",
               name, w.c->op, gf_dtype_word(w.c->dtype), us, median(r.job) * 1e3, median(r.host) * 1e3, tb,
               pixels / us * 1e-3, gflops, copy * 1e-2, median(r.cub) * 1e3, median(r.ratios), hash, same);
    else {
        printf("%-56s %9.1f us %6.2f TB/s %5.1f %% of a copy %8.1f Gpix/s", name, us, tb, copy, pixels / us * 1e-3);
        if (gflops > 0)
            printf(" %8.0f GFLOP/s", gflops);
        if (w.c->peer != 0)
            printf(", CUB %.1f us, ratio %.2f", median(r.cub) * 1e3, median(r.ratios));
        printf(", %016llx %s%s\n", hash, r.equal ? "as " : "", same);
    }
    fflush(stdout);
}

/* Runs a row. Returns whether its result is right; true if the row is left out. */
bool run_row(place &b, const bench_check &on_host, const test_case &c, const sides &s, cub_fn cub, const options &opt)
{
    char name[160];
    std::vector<uint64_t> memory;
    result r = {};
    name_of(c, s, name, sizeof(name));
    if (!strstr(name, opt.only) || s.width * s.height > opt.most)
        return true;
    work w = make_work(c, s);
    gf_buf list = {};
    if (c.segment != 0 || is_mask(w.step.op)) {
        list = make_list(w, memory);
        w.list = &list;
    }
    const outputs o = make_outputs(b, w);
    request ours;
    make_request(b, w, o, &ours);
    if (!opt.dry)
        fill(b, c.dtype, c.what, std::max(gf_view_bytes(&w.in[0]), gf_view_bytes(&w.in[1])));
    begin(b, &ours);
    end(&ours);
    if (opt.dry) {
        printf("%s\n", name);
        return true;
    }
    measure(b, w, &ours, cub, opt.runs, &r);
    compare(b, on_host, w, o, &ours, &r);
    print(b, w, o, name, r, opt.json);
    return r.equal;
}

options parse(int argc, char **argv)
{
    options opt;
    int i = 1;
    for (; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            opt.json = true;
        else if (strcmp(argv[i], "--compile") == 0) /* otherwise expressions are interpreted */
            opt.compile = true;
        else if (strcmp(argv[i], "--dry") == 0)
            opt.dry = true;
        else if (i + 1 == argc)
            break;
        else if (strcmp(argv[i], "--runs") == 0)
            opt.runs = strtoul(argv[++i], nullptr, 10);
        else if (strcmp(argv[i], "--only") == 0)
            opt.only = argv[++i];
        else if (strcmp(argv[i], "--most") == 0)
            opt.most = strtoull(argv[++i], nullptr, 10);
        else
            break;
    }
    if (i < argc || opt.runs < 1 || opt.runs > 1000 || opt.most < 1)
        die("options", "must be --runs 1..1000, --only TEXT, --most PIXELS, --compile, --json or --dry");
    return opt;
}

void print_device(const place &b, int cub_version, bool json)
{
    gf_device_info info;
    int driver = 0;
    char cub[40] = "";
    (void)cudaDriverGetVersion(&driver);
    gf_cuda_backend.info(b.device, &info);
    if (cub_version != 0)
        snprintf(cub, sizeof(cub), "CUB %d.%d.%d", cub_version / 100000, cub_version / 100 % 1000, cub_version % 100);
    printf(
        json ? "{\"device\": \"%s\", \"detail\": \"%s\", \"cuda\": \"%d.%d\", \"driver\": \"%d.%d\", \"cub\": \"%s\", "
               "\"copy_tb_s\": %.3f, \"empty_us\": %.2f}\n"
             : "%s, %s; CUDA %d.%d, the driver's %d.%d; %s; a copy %.2f TB/s, an empty kernel %.1f us\n",
        info.title, info.detail, CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100, driver / 1000, driver / 10 % 100,
        cub, b.copy_rate * 1e-12, static_cast<double>(b.empty_us));
}

} // namespace

int run_all(int argc, char **argv, const test_case *cases, size_t n, cub_fn cub, int cub_version)
{
    const int compiled = gf_cuda_compiler(argc, argv, NULL); /* the device starts this program to compile kernels */
    if (compiled >= 0)
        return compiled;
    place b;
    bench_check on_host;
    gf_error err;
    const options opt = parse(argc, argv);
    bool equal = true;
    if (GF_QUICK_KERNELS)
        fprintf(stderr, "bench: the kernels of this build were compiled quickly (GF_CUDA_QUICK) and run slower\n");
    open(&b, opt.compile ? GF_COMPILE_ALL : GF_COMPILE_NONE);
    if (bench_check_open(&on_host, &err) != GF_OK)
        die("opening the CPU", err.text);
    if (!opt.dry) {
        measure_floors(&b);
        print_device(b, cub_version, opt.json);
    }
    for (size_t i = 0; i < n; i++)
        for (const sides &s : all_sides)
            if ((cases[i].shapes & s.shape) != 0)
                equal = run_row(b, on_host, cases[i], s, cub, opt) && equal;
    bench_check_close(&on_host);
    close(&b);
    return equal ? 0 : 1;
}

} // namespace bench
