/* SPDX-License-Identifier: MIT */
/* A worker inside the sandbox of a GPU worker can still have kernels compiled, and can keep them only in its folder. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/cuda/jit/compile.h"
#include "kernels/cuda/jit/compiler.h"
#include "kernels/cuda/jit/jit.h"
#include "kernels/cuda/jit/nvrtc.h"
#include "protocol/base/dtype.h"
#include "protocol/sandbox/sandbox.h"
#include "tests/unit/unit.h"

static char g_folder[64], g_other[64];

static bool load(void *data, const void *code, size_t size, struct gf_jit_module *ret_module)
{
    (void)code;
    (void)size;
    *ret_module = (struct gf_jit_module){data, data};
    return true;
}

static void unload(void *data, const struct gf_jit_module *module)
{
    (void)data;
    (void)module;
}

static void confine(void)
{
    const struct gf_sandbox_path written[] = {{"/dev", GF_SANDBOX_WRITE}, {g_folder, GF_SANDBOX_WRITE}};
    int landlock;
    struct gf_error err = {.text = ""};
    gf_sandbox_harden();
    if (gf_sandbox_confine(GF_SANDBOX_CUDA_WORKER, written, 2, &landlock, &err) != GF_OK ||
        gf_sandbox_filter(GF_SANDBOX_CUDA_WORKER, &err) != GF_OK)
        fail_msg("%s", err.text);
    char path[128];
    snprintf(path, sizeof(path), "%s/file", g_other);
    if (landlock > 0)
        assert_int_equal(open(path, O_WRONLY | O_CREAT, 0600), -1);
}

/* A thread of the time before the compiler is confined, as NVRTC starts one on some machines. It may open files until
 * then, and ends the process if it may afterwards. */
static void *try_files(void *data)
{
    bool *confined = data;
    while (!__atomic_load_n(confined, __ATOMIC_ACQUIRE))
        sched_yield();
    if (open("/etc/passwd", O_RDONLY) >= 0)
        _exit(7);
    __atomic_store_n(confined, false, __ATOMIC_RELEASE);
    return NULL;
}

/* What the compiler gives up before it reads a source; a kernel is made all the same. Tells the test by its exit code
 * where it could still open a file, in any thread, map code or start a program. */
static enum gf_status confine_compiler(struct gf_error *err)
{
    static bool confined;
    int landlock;
    char *const argv[] = {NULL};
    pthread_t thread;
    if (pthread_create(&thread, NULL, try_files, &confined) != 0)
        _exit(2);
    (void)gf_sandbox_confine(GF_SANDBOX_COMPILER, NULL, 0, &landlock, NULL);
    if (gf_sandbox_filter(GF_SANDBOX_COMPILER, err) != GF_OK)
        _exit(3);
    __atomic_store_n(&confined, true, __ATOMIC_RELEASE);
    while (__atomic_load_n(&confined, __ATOMIC_ACQUIRE))
        sched_yield();
    if (open("/etc/passwd", O_RDONLY) >= 0)
        _exit(4);
    if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        _exit(5);
    if (execve("/proc/self/exe", argv, argv) == 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
        _exit(6);
    return GF_OK;
}

static uint32_t files(void)
{
    uint32_t n = 0;
    const struct dirent *entry;
    DIR *folder = opendir(g_folder);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static void kernels_are_compiled(void **state)
{
    UNUSED(state);
    struct gf_jit *jit = NULL;
    struct gf_jit_use use;
    struct gf_jit_figures f;
    struct gf_expr_program p = {.n_insns = 2, .n_registers = 2, .n_results = 1, .inputs = 1, .results = {1}};
    const struct gf_jit_spec spec = {.program = &p, .in = {{GF_F32, 1}}, .out = {GF_F32, 1}};
    const struct gf_jit_options options = {
        .arch = 90, .folder = g_folder, .loader = {.data = g_folder, .load = load, .unload = unload}};
    p.insns[0] = (struct gf_expr_insn){GF_EXPR_I_LOAD_F32, 0, {0, GF_EXPR_OWN_CHANNEL, 0}};
    p.insns[1] = (struct gf_expr_insn){GF_EXPR_I_EXP_F32, 1, {0, 0, 0}};
    p.types[0] = GF_EXPR_M_F32;
    confine();
    assert_int_equal(gf_jit_new(&options, &jit, NULL), GF_OK);
    assert_false(gf_jit_find(jit, &spec, 0, GF_JIT_LARGE, &use));
    gf_jit_settle(jit);
    gf_jit_figures(jit, &f);
    assert_int_equal(f.compiled, 1);
    assert_int_equal(files(), 1);
    gf_jit_free(jit);
}

static void wrong_sources_are_refused(void **state)
{
    UNUSED(state);
    struct gf_jit_compiler c = {.program = "/proc/self/exe", .stop = -1, .timeout_ms = GF_JIT_TIMEOUT_MS};
    struct gf_jit_code code;
    struct gf_error err = {.text = ""};
    const enum gf_jit_outcome outcome = gf_jit_compile(&c, "this is no source", 90, &code, &err);
    if (outcome != GF_JIT_WRONG || !strstr(err.text, "expr.cu(1): error:"))
        fail_msg("outcome %d: %s", outcome, err.text);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_compiled),
                                       cmocka_unit_test(wrong_sources_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void remove_folder(const char *path)
{
    const struct dirent *entry;
    DIR *folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    rmdir(path);
}

int main(int argc, char **argv)
{
    if (gf_jit_is_compiler(argc, argv))
        return gf_jit_compiler_main(GF_JIT_COMPILER_SECONDS, confine_compiler);
    struct gf_nvrtc nvrtc;
    struct gf_error err;
    if (!gf_sandbox_built()) {
        puts("skipped: a build for a sanitizer has no filters");
        return 77;
    }
    if (gf_nvrtc_open(&nvrtc, &err) != GF_OK) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    gf_nvrtc_close(&nvrtc);
    snprintf(g_folder, sizeof(g_folder), "/tmp/gf_jit_sandbox_XXXXXX");
    snprintf(g_other, sizeof(g_other), "/tmp/gf_jit_other_XXXXXX");
    if (mkdtemp(g_folder) == NULL || mkdtemp(g_other) == NULL)
        return 1;
    /* Runs in a child, so that this process may still remove the files. */
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        exit(run());
    if (child > 0)
        waitpid(child, &status, 0);
    remove_folder(g_folder);
    remove_folder(g_other);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
