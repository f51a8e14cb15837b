/* SPDX-License-Identifier: MIT */
/*
 * The memory that the CPU takes for a program, against the bound or the exact figure of protocol/ops/footprint.c: every
 * op on cases drawn at random, some with several steps, and on larger cases whose scratch grows with the data. Memory
 * is counted in the allocation functions of the C library and the system (linked with --wrap). mmap is mmap64 in
 * objects that are compiled for 64-bit file offsets.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "case.h"
#include "kernels/registry.h"
#include "protocol/ops/footprint.h"

#define EACH 24u                      /* random cases of an op */
#define BESIDE (UINT64_C(32) << 10)   /* the table of a run, and what the C library adds to blocks */
#define HUGE_PAGE (UINT64_C(2) << 20) /* by which a large block may first be larger */

static int64_t g_live, g_peak; /* atomic */

static void count(int64_t bytes)
{
    int64_t live = __atomic_add_fetch(&g_live, bytes, __ATOMIC_RELAXED),
            peak = __atomic_load_n(&g_peak, __ATOMIC_RELAXED);
    while (live > peak && !__atomic_compare_exchange_n(&g_peak, &peak, live, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t to, size_t size);
void __real_free(void *data);
void *__real_mmap64(void *at, size_t size, int access, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t to, size_t size);
void __wrap_free(void *data);
void *__wrap_mmap64(void *at, size_t size, int access, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);

static void *counted(void *data)
{
    if (data)
        count((int64_t)malloc_usable_size(data));
    return data;
}

void *__wrap_malloc(size_t size)
{
    return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return counted(__real_calloc(n, size));
}

void *__wrap_aligned_alloc(size_t to, size_t size)
{
    return counted(__real_aligned_alloc(to, size));
}

void __wrap_free(void *data)
{
    if (data)
        count(-(int64_t)malloc_usable_size(data));
    __real_free(data);
}

/* Large blocks are mapped with one more huge page, which is unmapped in up to two parts before the block is used. */
void *__wrap_mmap64(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
    void *data = __real_mmap64(at, size, access, flags, fd, offset);
    if (data != MAP_FAILED)
        count((int64_t)size - (int64_t)HUGE_PAGE);
    return data;
}

int __wrap_munmap(void *at, size_t size)
{
    if (size > HUGE_PAGE)
        count(-(int64_t)size);
    return __real_munmap(at, size);
}

/* A case as a program, with its data. */
struct made {
    struct gf_program program;
    struct gf_buf operands[GF_MAX_OPERANDS];
    struct gf_sink sinks[GF_MAX_RESULTS];
};

static uint16_t add_operand(struct made *m, const struct gf_view *view)
{
    uint32_t i = m->program.n_operands++;
    m->program.operands[i] = (struct gf_operand){.way = GF_WAY_INLINE, .offset = i, .view = *view};
    m->operands[i] = (struct gf_buf){calloc(1, gf_view_bytes(view) + 64), *view};
    if (!m->operands[i].data)
        abort();
    return (uint16_t)i;
}

static void make(const struct gf_case *c, struct made *m)
{
    struct gf_prng prng = {c->seed};
    struct gf_program *p = &m->program;
    memset(m, 0, sizeof(*m));
    add_operand(m, &c->src);
    gf_data_fill(c->data_kind, &prng, 0, &c->src, m->operands[0].data);
    p->n_steps = c->n_steps;
    for (uint32_t s = 0; s < c->n_steps; s++) {
        const struct gf_case_step *from = &c->steps[s];
        struct gf_step *to = &p->steps[s];
        const struct gf_view *first = from->source < 0 ? &c->src : &c->steps[from->source].out[0];
        to->op = from->op;
        to->params = from->params;
        memcpy(to->out, from->out, sizeof(to->out));
        if (from->source >= 0)
            to->in[0] = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)from->source};
        for (uint32_t i = 1; i < from->op->n_inputs; i++) {
            const struct gf_view *view = &from->inputs[i].view;
            to->in[i].from = GF_FROM_NOTHING;
            if (!gf_view_given(view))
                continue;
            to->in[i] = (struct gf_ref){.index = add_operand(m, view)};
            void *data = m->operands[to->in[i].index].data;
            if (from->op->inputs[i].kind == GF_INPUT_COEFS)
                gf_data_mask(from->inputs[i].kind, &prng, c->src.dtype, view, data);
            else
                gf_data_fill(from->inputs[i].kind, &prng, first->width * first->height, view, data);
        }
        for (uint32_t i = 0; from->kept && i < from->op->n_outputs; i++) {
            uint32_t k = p->n_results++;
            p->results[k] = (struct gf_result){.step = (uint16_t)s, .output = (uint8_t)i, .view = from->out[i]};
            m->sinks[k] =
                (struct gf_sink){(uint16_t)s, (uint8_t)i, {malloc(gf_view_bytes(&from->out[i])), from->out[i]}};
            if (!m->sinks[k].buf.data)
                abort();
        }
    }
}

static void unmake(struct made *m)
{
    for (uint32_t i = 0; i < m->program.n_operands; i++)
        free(m->operands[i].data);
    for (uint32_t i = 0; i < m->program.n_results; i++)
        free(m->sinks[i].buf.data);
}

static unsigned g_failed, g_run;
static double g_share; /* of the figure, the greatest that was taken */

/* Whether the figure is exact and not a bound, because kernels and footprint.c share the plan. */
static bool is_exact(const struct gf_case *c)
{
    const struct gf_op *op = c->steps[0].op;
    bool taps = op->work.kind == GF_WORK_SEPARABLE || op->work.kind == GF_WORK_STENCIL;
    bool planned = op->scratch == GF_SCRATCH_WINDOWS || op->scratch == GF_SCRATCH_TILES ||
                   op->scratch == GF_SCRATCH_HEIGHTS || op->scratch == GF_SCRATCH_TEMPLATE ||
                   op->scratch == GF_SCRATCH_TAPS || op->scratch == GF_SCRATCH_EDGES ||
                   (op->scratch == GF_SCRATCH_LINES && taps);
    return c->n_steps == 1 && planned;
}

/* Runs the case on a new device, which keeps no memory of the previous case. */
static void try(const struct gf_case *c, uint32_t threads)
{
    static struct made m;
    struct gf_device_options options = {.device = "cpu", .threads = threads};
    struct gf_device *device;
    struct gf_exec *exec;
    struct gf_footprint figure;
    struct gf_error err = {0};
    make(c, &m);
    gf_footprint_find(&m.program, threads, false, &figure);
    if (gf_cpu_backend.open(&options, &device, &err) != GF_OK || gf_cpu_backend.exec_open(device, &exec, &err) != GF_OK)
        abort();
    struct gf_job job = {.steps = m.program.steps,
                         .operands = m.operands,
                         .sinks = m.sinks,
                         .n_steps = m.program.n_steps,
                         .n_operands = m.program.n_operands,
                         .n_sinks = m.program.n_results};
    int64_t before = __atomic_load_n(&g_live, __ATOMIC_RELAXED);
    __atomic_store_n(&g_peak, before, __ATOMIC_RELAXED);
    enum gf_status status = gf_cpu_backend.run(exec, &job, &err);
    uint64_t taken = (uint64_t)(__atomic_load_n(&g_peak, __ATOMIC_RELAXED) - before);
    g_run += status == GF_OK;
    if (taken > figure.work + BESIDE) {
        g_failed++;
        printf("FAILED with %u threads: %" PRIu64 " bytes were taken, at most %" PRIu64 " were expected: %s\n", threads,
               taken, figure.work, c->text);
    } else if (status == GF_OK && is_exact(c) && taken + BESIDE < figure.work) {
        g_failed++;
        printf("FAILED with %u threads: only %" PRIu64 " bytes were taken of %" PRIu64 ": %s\n", threads, taken,
               figure.work, c->text);
    } else if (taken > UINT64_C(4) << 20 && (double)taken / (double)figure.work > g_share)
        g_share = (double)taken / (double)figure.work;
    gf_cpu_backend.exec_close(exec);
    gf_cpu_backend.close(device);
    unmake(&m);
}

/* Larger ones. */
static const struct {
    const char *op, *line;
} g_large[] = {
    {"matmul", "f32,1x2048x1,2048x1:random,0,random,"},
    {"matmul", "i32,300x200x1,300x300:small:i32,0,small,"},
    {"histogram", "u8,64x64x4,-,0,random,bins=1000003"},
    {"histogram", "u16,512x512x3,-,0,random,"},
    {"histogram", "f32,300x300x2,100001x1:ascending:f64,0,random,"},
    {"integral", "u8,4096x512x3,-,0,random,"},
    {"integral", "f32,2000x1500x1,-,0,random,"},
    {"integral", "u16,2000x1000x1,-,0,random,"},
    {"gaussian", "u8,4000x200x4,-,0,random,sigma=30"},
    {"gaussian", "f32,3000x100x4,-,0,random,sigma=500"},
    {"log", "u8,2000x200x3,-,0,random,sigma=40"},
    {"unsharp", "u16,2000x200x3,-,0,random,sigma=8"},
    {"box", "f32,4000x300x4,-,0,random,size=255x511"},
    {"box", "u16,4000x300x4,-,0,random,size=63"},
    {"correlate", "f32,4000x300x3,101x101:random,0,random,"},
    {"reduce", "f64,3000000x1x1,-,0,random,op=var"},
    {"reduce", "f32,1x65535x2,-,0,random,op=affine axis=rows"},
    {"reduce", "f64,1000x1000x4,-,0,random,op=matmul2"},
    {"reduce", "f32,4000000x1x1,200001x1:offsets:u32,0,random,op=var"},
    {"reduce", "u8,2000x2000x1,-,0,random,op=std axis=cols"},
    {"stats", "f32,2000x1000x4,-,0,random,"},
    {"compare", "f64,2000x1000x1,-,0,random,"},
    {"scan", "f64,6000000x1x1,-,0,random,"},
    {"scan", "i32,4000000x1x1,100001x1:offsets:u64,0,random,"},
    {"select", "f32,3000x1000x3,-,0,random,lo=0"},
    {"label", "u8,3000x1000x1,-,0,speckled,"},
    {"label", "u8,3001x1001x1,-,0,blobs,connectivity=8"},
    {"distance", "u8,3000x1000x1,-,0,speckled,"},
    {"distance", "u16,65535x5x1,-,0,blobs,squared=1"},
    {"canny", "u8,3000x1000x1,-,0,random,"},
    {"canny", "u16,2001x701x4,-,0,random,l2=1 aperture=7"},
    {"canny", "u8,1x65535x1,-,0,random,"},
    {"pyramid", "u8,65535x40x4,-,0,random,"},
    {"pyramid", "u16,1500x1000x4,-,0,random,level=3 alpha=auto"},
    {"pyramid", "f16,3000x1000x3,-,0,random,level=5"},
    {"pyramid", "f32,700x500x1,-,0,random,level=3 direction=up"},
    {"match", "u8,600x500x4,60x50x4:random:u8,0,random,peaks=4096"},
    {"match", "u8,65535x8x1,32768x7x1:random:u8,0,random,"},
    {"sort", "f32,3000000x1x1,-,0,random,"},
    {"sort", "u8,1x260000x4,-,0,random,axis=cols"},
    {"argsort", "u16,1000x2000x3,-,0,random,"},
    {"topk", "f64,2000000x1x1,-,0,random,k=1000"},
    {"topk", "u8,2000000x1x1,-,0,random,k=900000"},
    {"topk", "f32,64x65535x1,-,0,random,k=900 axis=cols"},
    {"convolve1d", "f64,200000x1x1,65535x1:random,0,random,"},
    {"threshold", "f32,1000x1000x4,-,0,random,bins=65536 channels=each"},
    {"equalize", "u16,1000x1000x4,-,0,random,"},
    {"autocontrast", "u16,1000x1000x4,-,0,random,"},
    {"clahe", "u8,1000x700x4,-,0,random,tiles=32"},
    {"clahe", "u16,1000x700x3,-,0,random,"},
    {"bilateral", "u8,3000x300x4,-,0,random,radius=20 alpha=straight"},
    {"median", "u8,3000x500x4,-,0,random,size=31"},
    {"median", "f32,1000x500x3,-,0,random,size=9"},
    {"rank", "u16,1000x500x1,-,0,random,size=7x5 index=3"},
    {"map", "f32,1000x1000x3,-,0,random,gamma=2.2"},
};

/* Two steps, of which the first leaves scratch memory that the second does not use. */
static const struct {
    const char *first, *line, *second, *next; /* the second case reads what the first gives */
} g_pairs[] = {
    {"canny", "u8,3000x1000x1,-,0,random,", "distance", "u8,3000x1000x1,-,0,random,"},
    {"canny", "u8,3000x1000x1,-,0,random,", "pyramid", "u8,3000x1000x1,-,0,random,level=5"},
    {"canny", "u8,3000x1000x1,-,0,random,", "opening", "u8,3000x1000x1,-,0,random,size=15"},
    {"canny", "u8,3000x1000x1,-,0,random,", "resize", "u8,3000x1000x1,-,0,random,size=4000x2000 filter=lanczos3"},
    {"canny", "u8,3000x1000x1,-,0,random,", "sort", "u8,3000x1000x1,-,0,random,"},
    {"canny", "u8,3000x1000x1,-,0,random,", "histogram", "u8,3000x1000x1,-,0,random,bins=1000003"},
    {"canny", "u8,3000x1000x1,-,0,random,", "equalize", "u8,3000x1000x1,-,0,random,"},
};

static void try_pair(size_t i)
{
    static struct gf_case c, next;
    struct gf_error err = {0};
    if (gf_case_parse(gf_op_by_name(g_pairs[i].first), g_pairs[i].line, i, &c, &err) != GF_OK ||
        gf_case_parse(gf_op_by_name(g_pairs[i].second), g_pairs[i].next, i, &next, &err) != GF_OK) {
        printf("FAILED to read %s and %s: %s\n", g_pairs[i].line, g_pairs[i].next, err.text);
        g_failed++;
        return;
    }
    gf_case_step_copy(&next.steps[0], &c.steps[1]);
    c.steps[0].kept = false;
    c.steps[1].source = 0;
    c.n_steps = 2;
    snprintf(c.text, sizeof(c.text), "%s: %s | %s: %s", g_pairs[i].first, g_pairs[i].line, g_pairs[i].second,
             g_pairs[i].next);
    try(&c, 1);
    try(&c, 3);
}

int main(void)
{
    static struct gf_case c;
    struct gf_prng prng = {20261123};
    struct gf_error err = {0};
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        for (uint32_t k = 0; k < EACH; k++) {
            gf_case_random(&gf_ops[i], &prng, k, &c);
            try(&c, k % 2 ? 3 : 1);
        }
    for (size_t i = 0; i < GF_ARRAY_LEN(g_large); i++) {
        if (gf_case_parse(gf_op_by_name(g_large[i].op), g_large[i].line, i, &c, &err) != GF_OK) {
            printf("FAILED to read %s: %s\n", g_large[i].line, err.text);
            g_failed++;
            continue;
        }
        try(&c, 1);
        try(&c, 3);
    }
    for (size_t i = 0; i < GF_ARRAY_LEN(g_pairs); i++)
        try_pair(i);
    printf("%u programs ran, up to %.0f %% of what was expected; %u failed\n", g_run, 100 * g_share, g_failed);
    return g_failed > 0 || g_run < GF_N_OPS * EACH / 2;
}
