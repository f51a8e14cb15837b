/* SPDX-License-Identifier: MIT */
/* The process that compiles; see compiler.h. */
#include "compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "compiler_msg.h"
#include "nvrtc.h"
#include "protocol/base/base.h"

#define NICE 10

bool gf_jit_is_compiler(int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], GF_JIT_COMPILER_ARGUMENT) == 0;
}

/* Lowers a limit for good. */
static void limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard)
{
    struct rlimit now = {0, 0};
    if (getrlimit(resource, &now) != 0)
        return;
    const struct rlimit to = {now.rlim_max < soft ? now.rlim_max : soft, now.rlim_max < hard ? now.rlim_max : hard};
    (void)setrlimit(resource, &to);
}

void gf_jit_compiler_limit(uint32_t seconds)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_CPU, GF_JIT_COMPILER_CPU_SECONDS, GF_JIT_COMPILER_CPU_SECONDS + 1);
    limit(RLIMIT_FSIZE, 0, 0);                                      /* the process only writes to a socket */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* sanitizers need more address space */
    limit(RLIMIT_AS, GF_JIT_COMPILER_MEMORY, GF_JIT_COMPILER_MEMORY);
#endif
    (void)syscall(SYS_close_range, 3u, ~0u, 0u);
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    (void)alarm(seconds);
}

/* Reads exactly `size` bytes. Returns false at the end of input or on an error. */
static bool receive(void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t n = read(STDIN_FILENO, at, size);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return true;
}

static bool send_all(const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(STDOUT_FILENO, at, size);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return true;
}

static int answer(enum gf_jit_answer what, uint32_t version, const void *data, size_t size)
{
    const struct gf_jit_answer_head head = {GF_JIT_MAGIC, what, version, (uint32_t)size};
    return send_all(&head, sizeof(head)) && send_all(data, size) ? 0 : 1;
}

/* NVRTC loads a part of itself when it compiles for the first time. What becomes of this source does not matter. */
static void load_all(const struct gf_nvrtc *nvrtc, uint32_t arch)
{
    gf_cleanup(gf_freep) char *code = NULL;
    size_t size;
    (void)gf_nvrtc_compile(nvrtc, "", arch, &code, &size, NULL);
}

/* Loads what compiling needs, then gives up the rights to load more, in all threads that NVRTC has by then. */
static enum gf_status give_up_rights(const struct gf_nvrtc *nvrtc, uint32_t arch, gf_jit_confine *confine,
                                     struct gf_error *err)
{
    load_all(nvrtc, arch);
    return confine(err);
}

int gf_jit_compiler_main(uint32_t seconds, gf_jit_confine *confine)
{
    struct gf_jit_request_head head;
    struct gf_error error = {.text = ""};
    gf_cleanup(gf_nvrtc_close) struct gf_nvrtc nvrtc = {.library = NULL};
    gf_cleanup(gf_freep) char *source = NULL, *code = NULL;
    size_t size = 0;
    uint32_t arch = 0;
    gf_jit_compiler_limit(seconds);
    if (!receive(&head, sizeof(head)) || head.magic != GF_JIT_MAGIC || head.size > GF_JIT_SOURCE_MAX)
        return 1;
    if (chdir("/") < 0) /* NVRTC also looks for headers in the current folder; the root has none */
        return 1;
    enum gf_status status = gf_nvrtc_open(&nvrtc, &error);
    if (status == GF_OK)
        status = gf_nvrtc_arch(&nvrtc, head.arch, &arch, &error);
    if (status == GF_OK && confine)
        status = give_up_rights(&nvrtc, arch, confine, &error);
    source = calloc(1, (size_t)head.size + 1);
    if (!source || !receive(source, head.size))
        return 1;
    if (status != GF_OK)
        return answer(GF_JIT_NO_NVRTC, 0, error.text, strlen(error.text));
    if (head.size > 0 && gf_nvrtc_compile(&nvrtc, source, arch, &code, &size, &error) != GF_OK)
        return answer(GF_JIT_REFUSED, nvrtc.version, error.text, strlen(error.text));
    return answer(GF_JIT_MADE, nvrtc.version, code, size);
}
