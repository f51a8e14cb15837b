/* SPDX-License-Identifier: MIT */
/* NVRTC, loaded at run time; see nvrtc.h. */
#include "nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "compiler_msg.h"
#include "headers.h"
#include "protocol/base/base.h"

#define HEADERS_MAX 32u
#define LOG_MAX (1u << 20)
#define ARCHS_MAX 256
#define FLAGS (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) /* NODELETE: NVRTC keeps memory that unloading would leak */

/* Libraries of the major version that this build uses: code from a later minor version runs as well. */
static const char *const names[] = {
    "libnvrtc.so." GF_CUDA_MAJOR,
    "/usr/local/cuda/lib64/libnvrtc.so." GF_CUDA_MAJOR,
    "/usr/local/cuda-" GF_CUDA_MAJOR "/lib64/libnvrtc.so." GF_CUDA_MAJOR,
};

void gf_nvrtc_close(struct gf_nvrtc *nvrtc)
{
    if (nvrtc->library)
        (void)dlclose(nvrtc->library);
    *nvrtc = (struct gf_nvrtc){.library = NULL};
}

static void *open_library(void)
{
    const char *chosen = getenv("GPUFILTER_NVRTC");
    if (chosen && *chosen)
        return dlopen(chosen, FLAGS);
    void *library = NULL;
    for (size_t i = 0; i < GF_ARRAY_LEN(names) && !library; i++)
        library = dlopen(names[i], FLAGS);
    return library;
}

/* Gets a function's address. POSIX guarantees that it fits an object pointer. */
static bool take(void *library, const char *name, void *ret_function)
{
    void *address = dlsym(library, name);
    memcpy(ret_function, &address, sizeof(address));
    return address != NULL;
}

enum gf_status gf_nvrtc_open(struct gf_nvrtc *ret_nvrtc, struct gf_error *err)
{
    gf_cleanup(gf_nvrtc_close) struct gf_nvrtc n = {.library = open_library()};
    if (!n.library) {
        const char *why = dlerror();
        return gf_error_set(err, GF_E_UNSUPPORTED, "no NVRTC: %.180s", why ? why : names[0]);
    }
    int (*version)(int *major, int *minor), major = 0, minor = 0;
    if (!take(n.library, "nvrtcVersion", &version) || !take(n.library, "nvrtcGetNumSupportedArchs", &n.count_archs) ||
        !take(n.library, "nvrtcGetSupportedArchs", &n.archs) || !take(n.library, "nvrtcCreateProgram", &n.create) ||
        !take(n.library, "nvrtcCompileProgram", &n.compile) || !take(n.library, "nvrtcDestroyProgram", &n.destroy) ||
        !take(n.library, "nvrtcGetCUBINSize", &n.code_size) || !take(n.library, "nvrtcGetCUBIN", &n.code) ||
        !take(n.library, "nvrtcGetProgramLogSize", &n.log_size) || !take(n.library, "nvrtcGetProgramLog", &n.log) ||
        !take(n.library, "nvrtcGetErrorString", &n.error_text) || version(&major, &minor) != 0)
        return gf_error_set(err, GF_E_UNSUPPORTED, "no NVRTC: the library lacks a function");
    n.version = (uint32_t)(major * 1000 + minor * 10);
    *ret_nvrtc = n;
    n.library = NULL;
    return GF_OK;
}

enum gf_status gf_nvrtc_arch(const struct gf_nvrtc *n, uint32_t device, uint32_t *ret_arch, struct gf_error *err)
{
    int archs[ARCHS_MAX], n_archs = 0;
    uint32_t best = 0, lowest = 0, highest = 0;
    if (n->count_archs(&n_archs) != 0 || n_archs < 1 || n_archs > ARCHS_MAX || n->archs(archs) != 0)
        return gf_error_set(err, GF_E_UNSUPPORTED, "NVRTC does not say for which architectures it compiles");
    for (int i = 0; i < n_archs; i++) {
        const uint32_t arch = (uint32_t)archs[i];
        lowest = i == 0 || arch < lowest ? arch : lowest;
        highest = arch > highest ? arch : highest;
        if (arch / 10 == device / 10 && arch <= device && arch > best)
            best = arch;
    }
    if (best == 0)
        return gf_error_set(err, GF_E_UNSUPPORTED,
                            "NVRTC %u.%u does not compile for sm_%u; it has architectures from sm_%u to sm_%u: install "
                            "another one",
                            n->version / 1000, n->version % 1000 / 10, device, lowest, highest);
    *ret_arch = best;
    return GF_OK;
}

/* Reports the first line of the compiler's log, or the name of its error. */
static enum gf_status refused(const struct gf_nvrtc *n, void *program, int error, struct gf_error *err)
{
    size_t size = 0;
    const char *name = n->error_text(error);
    gf_cleanup(gf_freep) char *log = NULL;
    if (n->log_size(program, &size) == 0 && size > 1 && size <= LOG_MAX)
        log = calloc(1, size + 1);
    if (!log || n->log(program, log) != 0)
        return gf_error_set(err, GF_E_INTERNAL, "NVRTC: %s", name ? name : "unknown error");
    return gf_error_set(err, GF_E_INTERNAL, "NVRTC: %.*s", (int)strcspn(log, "\n"), log);
}

static enum gf_status take_code(const struct gf_nvrtc *n, void *program, char **ret_code, size_t *ret_size,
                                struct gf_error *err)
{
    size_t size = 0;
    int error = n->code_size(program, &size);
    if (error != 0 || size == 0 || size > GF_JIT_CODE_MAX)
        return gf_error_set(err, GF_E_INTERNAL, "NVRTC: %zu bytes of code; allowed: 1..%u", size, GF_JIT_CODE_MAX);
    gf_cleanup(gf_freep) char *code = malloc(size);
    if (!code)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %zu bytes of code", size);
    error = n->code(program, code);
    if (error != 0)
        return refused(n, program, error, err);
    *ret_code = gf_steal_ptr(&code);
    *ret_size = size;
    return GF_OK;
}

enum gf_status gf_nvrtc_compile(const struct gf_nvrtc *n, const char *source, uint32_t arch, char **ret_code,
                                size_t *ret_size, struct gf_error *err)
{
    const char *texts[HEADERS_MAX], *included[HEADERS_MAX];
    const uint32_t n_headers = gf_jit_n_headers;
    char architecture[40];
    if (n_headers > HEADERS_MAX)
        return gf_error_set(err, GF_E_INTERNAL, "%u headers; allowed: %u", n_headers, HEADERS_MAX);
    for (uint32_t i = 0; i < n_headers; i++) {
        texts[i] = gf_jit_headers[i].text;
        included[i] = gf_jit_headers[i].name;
    }
    (void)snprintf(architecture, sizeof(architecture), "--gpu-architecture=sm_%u", arch);
    /* The options by which CMake compiles kernels. FMA contraction would change bits; NVRTC's other defaults are IEEE.
     */
    const char *const options[] = {architecture, "--std=c++17", "--fmad=false", "--disable-warnings"};
    void *program = NULL;
    int error = n->create(&program, source, "expr.cu", (int)n_headers, texts, included);
    if (error != 0)
        return gf_error_set(err, GF_E_INTERNAL, "NVRTC: %s", n->error_text(error));
    error = n->compile(program, (int)GF_ARRAY_LEN(options), options);
    enum gf_status status =
        error == 0 ? take_code(n, program, ret_code, ret_size, err) : refused(n, program, error, err);
    (void)n->destroy(&program);
    return status;
}
