/* SPDX-License-Identifier: MIT */
/* The problem of matrix_product.cu: C = A B, with cuBLAS for comparison. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

#include "matrix_product.cu"
#include "samples/patterns/patterns.h"

/* With up to FULL rows the reference computes all of C; beyond, every 61st row and the last, which occur at every
 * position in a tile. */
enum { FULL = 512, ROW_STEP = 61 };

static const size_t checked[] = {0, 1, 2, 17, 33, 64, 65, 100};

SIZES(.in = {n * n * sizeof(float), n *n * sizeof(float)}, .out = n * n * sizeof(float))

/* Integers from -4 to 4: sums of up to 2^20 products are exact in any order. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    float *a = in[0], *b = in[1];
    uint32_t random = 1;
    for (size_t i = 0; i < n * n; i++) {
        random = random * 1664525u + 1013904223u;
        a[i] = (float)(random / 1024 % 9) - 4;
        b[i] = (float)(random / 16384 % 9) - 4;
    }
}

static bool is_checked(size_t row, size_t n)
{
    return n <= FULL || row % ROW_STEP == 0 || row + 1 == n;
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    const float *a = in[0], *b = in[1];
    float *c = out; /* zero-filled */
    for (size_t row = 0; row < n; row++)
        for (size_t k = 0; is_checked(row, n) && k < n; k++)
            for (size_t col = 0; col < n; col++)
                c[row * n + col] += a[row * n + k] * b[k * n + col];
}

/* Counts the differences in the rows that the reference computes. */
static uint64_t wrong(size_t n, unsigned parameter, const void *got, const void *expected, uint64_t *ret_of)
{
    (void)parameter;
    const float *g = got, *e = expected;
    uint64_t n_wrong = 0;
    *ret_of = 0;
    for (size_t row = 0; row < n; row++) {
        if (!is_checked(row, n))
            continue;
        for (size_t col = 0; col < n; col++)
            n_wrong += !(g[row * n + col] == e[row * n + col]);
        *ret_of += n;
    }
    return n_wrong;
}

TRAFFIC(flops, 2 * pow((double)n, 3))

/* Multiplications with their additions. */
FORMULA(cube, n *n *n)
FORMULA(line, n)
FORMULA(warp_steps, ceil(n / 32) + 5)
FORMULA(sixteen_lines, 16 * n)

VIEWS(2, PICTURE(n, n, GPUFILTER_F32), PICTURE(n, n, GPUFILTER_F32))

/* The triple loop as in the definition; it walks through columns of B. */
static void sequential(struct call *call)
{
    const float *a = call->in[0], *b = call->in[1];
    float *c = call->out;
    const size_t n = call->n;
    for (size_t row = 0; row < n; row++)
        for (size_t col = 0; col < n; col++) {
            float sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[row * n + k] * b[k * n + col];
            c[row * n + col] = sum;
        }
}

/* The cuBLAS functions used. The library is loaded at run time, so no build needs it. */
enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_OP_N = 0 };

static struct {
    void *handle; /* NULL: not open */
    int (*set_math_mode)(void *handle, int mode);
    int (*sgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *a, int lda,
                 const float *b, int ldb, const float *beta, float *c, int ldc);
} g_cublas;

static void *find_cublas(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* Opens the library once; it stays open until the program ends. */
static bool open_cublas(struct call *call)
{
    int (*create)(void **ret_handle) = NULL;
    if (g_cublas.handle != NULL)
        return true;
    void *library = find_cublas();
    if (library != NULL) {
        *(void **)&create = dlsym(library, "cublasCreate_v2");
        *(void **)&g_cublas.set_math_mode = dlsym(library, "cublasSetMathMode");
        *(void **)&g_cublas.sgemm = dlsym(library, "cublasSgemm_v2");
    }
    call->absent = create == NULL || g_cublas.set_math_mode == NULL || g_cublas.sgemm == NULL;
    if (call->absent) {
        snprintf(call->error, sizeof(call->error), "the loader finds no libcublas.so");
        return false;
    }
    int status = create(&g_cublas.handle);
    if (status == 0)
        status = g_cublas.set_math_mode(g_cublas.handle, CUBLAS_DEFAULT_MATH); /* without TF32 */
    if (status != 0)
        snprintf(call->error, sizeof(call->error), "cuBLAS does not start: status %d", status);
    return status == 0;
}

/* cuBLAS expects matrices column by column; read this way, row-major matrices are their own transposes: C' = B' A'. */
static void cublas(struct call *call)
{
    const float one = 1, zero = 0;
    const int n = (int)call->n;
    if (!open_cublas(call) || n == 0)
        return;
    int status = g_cublas.sgemm(g_cublas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, call->in[1], n, call->in[0],
                                n, &zero, call->out, n);
    if (status != 0)
        snprintf(call->error, sizeof(call->error), "cublasSgemm: status %d", status);
}

static const struct rung rungs[] = {
    HOST(sequential, "sequential", "three loops of the host, for small matrices", .max_n = 512, WORK(cube, cube)),
    KERNEL(matrix_product_block_per_element, "block-per-element",
           "a block of one thread computes one element; 31 of 32 lanes are idle", .max_n = 2048, WORK(cube, line)),
    KERNEL(matrix_product_warp_per_element, "warp-per-element",
           "the block's 32 threads share the element's sum; their reads of B lie a row apart", .max_emulated = 33,
           WORK(cube, warp_steps)),
    KERNEL(matrix_product_row_piece, "row-piece-per-block",
           "a block computes 128 elements of a row: reads of B lie side by side; two loads per multiplication",
           WORK(cube, line)),
    KERNEL(matrix_product_row_piece_uneven, "row-piece-uneven",
           "100 elements of a row, which do not divide it: a partial warp, lines cut in two, a shorter last piece",
           WORK(cube, line)),
    KERNEL(matrix_product_tile, "tile-per-block",
           "a block computes 8 rows x 32 columns, whose reads meet in the L1 cache", WORK(cube, line)),
    KERNEL(matrix_product_tile_uneven, "tile-uneven",
           "10 rows x 24 columns, which divide neither side: a warp covers parts of two rows", WORK(cube, line)),
    KERNEL(matrix_product_shared_tiled, "shared-tiled",
           "squares of A and B in shared memory, each element used 32 times; two shared loads per multiplication",
           WORK(cube, line)),
    KERNEL(matrix_product_register_tiled, "register-tiled",
           "4 x 4 elements per thread: half a shared load per multiplication", WORK(cube, sixteen_lines)),
    PRODUCT("matmul", "product",
            "the daemon's kernel: 8 x 8 elements per thread, and the next "
            "part of A and B loaded while one is multiplied"),
    HOST(cublas, "cublas", "cublasSgemm without TF32, where it is installed", .on_gpu = true),
};

LADDER(g_matrix_product, .name = "matrix-product", .title = "C = A B over square matrices of float", .n = 4096,
       .max_n = 32768, .counts = "rows and columns", .wrong = wrong, .flops = flops, .views = views);
