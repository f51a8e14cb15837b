/* SPDX-License-Identifier: MIT */
/*
 * The process that compiles kernels, correct and with every fault. This program is both the parent and the compiler; an
 * environment variable selects the compiler's behaviour.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kernels/cuda/jit/compile.h"
#include "kernels/cuda/jit/compiler.h"
#include "kernels/cuda/jit/compiler_msg.h"
#include "protocol/sandbox/sandbox.h"
#include "tests/unit/unit.h"

#define MODE "GF_TEST_COMPILER"
#define WAIT_MS 120000 /* for hung tests alone */

static void say(enum gf_jit_answer answer, uint32_t version, uint32_t size)
{
    const struct gf_jit_answer_head head = {GF_JIT_MAGIC, answer, version, size};
    assert_int_equal(write(STDOUT_FILENO, &head, sizeof(head)), sizeof(head));
}

static void fill(size_t size)
{
    static char data[1 << 16];
    for (size_t n = 0; n < size; n += sizeof(data))
        if (write(STDOUT_FILENO, data, sizeof(data)) < 0)
            return;
}

/* Bit 0: a descriptor other than the standard ones is open; bit 1: a limit is not lowered. */
static char limits_missed(void)
{
    struct rlimit core, cpu, memory;
    char missed = 0;
    for (int fd = 3; fd < 256; fd++)
        missed = fcntl(fd, F_GETFD) >= 0 ? missed | 1 : missed;
    getrlimit(RLIMIT_CORE, &core);
    getrlimit(RLIMIT_CPU, &cpu);
    getrlimit(RLIMIT_AS, &memory);
    if (core.rlim_cur != 0 || cpu.rlim_cur > GF_JIT_COMPILER_CPU_SECONDS)
        missed |= 2;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    missed = memory.rlim_max > GF_JIT_COMPILER_MEMORY ? missed | 2 : missed;
#endif
    return missed;
}

/* Touches memory until an allocation fails; reports a failure if the limit is not enforced. */
static int eat(void)
{
    const size_t step = 64u << 20;
    for (size_t eaten = 0; eaten < 2 * GF_JIT_COMPILER_MEMORY; eaten += step) {
        volatile char *p = malloc(step);
        if (!p) {
            say(GF_JIT_REFUSED, 13000, 9);
            return write(STDOUT_FILENO, "no memory", 9) == 9 ? 0 : 1;
        }
        p[0] = 1;
    }
    say(GF_JIT_MADE, 13000, 1);
    return 0;
}

static void take_request(void)
{
    static char source[GF_JIT_SOURCE_MAX];
    struct gf_jit_request_head head;
    assert_int_equal(read(STDIN_FILENO, &head, sizeof(head)), sizeof(head));
    for (size_t n = 0, left = head.size; left > 0; left -= n)
        if ((ssize_t)(n = (size_t)read(STDIN_FILENO, source, left)) <= 0)
            return;
}

static int compiler(const char *mode)
{
    gf_jit_compiler_limit(strcmp(mode, "hangs") == 0 ? 1 : WAIT_MS / 1000);
    if (strcmp(mode, "exits") == 0)
        return 3;
    if (strcmp(mode, "traps") == 0)
        return raise(SIGILL);
    if (strcmp(mode, "clings") == 0) {
        (void)signal(SIGALRM, SIG_IGN);
        (void)prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
        for (;;)
            pause();
    }
    take_request();
    if (strcmp(mode, "good") == 0) {
        say(GF_JIT_MADE, 13010, 5);
        return write(STDOUT_FILENO, "hello", 5) == 5 ? 0 : 1;
    }
    if (strcmp(mode, "limits") == 0) {
        const char missed = limits_missed();
        say(GF_JIT_MADE, 13010, 1);
        return write(STDOUT_FILENO, &missed, 1) == 1 ? 0 : 1;
    }
    if (strcmp(mode, "refuses") == 0) {
        say(GF_JIT_REFUSED, 13000, 8);
        return write(STDOUT_FILENO, "line 1: ", 8) == 8 ? 0 : 1;
    }
    if (strcmp(mode, "absent") == 0) {
        say(GF_JIT_NO_NVRTC, 0, 4);
        return write(STDOUT_FILENO, "none", 4) == 4 ? 0 : 1;
    }
    if (strcmp(mode, "hangs") == 0 || strcmp(mode, "stays") == 0)
        for (;;)
            pause();
    if (strcmp(mode, "half") == 0)
        say(GF_JIT_MADE, 13000, 1000);
    if (strcmp(mode, "garbage") == 0)
        fill(1 << 16);
    if (strcmp(mode, "flood") == 0) {
        say(GF_JIT_MADE, 13000, GF_JIT_CODE_MAX + 1);
        fill(1u << 30);
    }
    if (strcmp(mode, "long reason") == 0)
        say(GF_JIT_REFUSED, 13000, GF_JIT_REASON_MAX);
    if (strcmp(mode, "nothing") == 0)
        say(GF_JIT_MADE, 13000, 0);
    if (strcmp(mode, "memory") == 0)
        return eat();
    return 0;
}

static struct gf_jit_compiler fresh(const char *mode, uint32_t timeout_ms)
{
    assert_int_equal(setenv(MODE, mode, 1), 0);
    return (struct gf_jit_compiler){.program = "/proc/self/exe", .stop = -1, .timeout_ms = timeout_ms};
}

static void outcome_is(const char *mode, const char *source, enum gf_jit_outcome expected, const char *reason)
{
    struct gf_jit_compiler c = fresh(mode, WAIT_MS);
    struct gf_jit_code code = {.data = NULL};
    struct gf_error err = {.text = ""};
    assert_int_equal(gf_jit_compile(&c, source, 90, &code, &err), expected);
    assert_string_equal(err.text, reason);
    assert_null(code.data);
    assert_int_equal(c.left, 0);
}

static void gives_what_is_made(void **state)
{
    (void)state;
    struct gf_jit_compiler c = fresh("good", WAIT_MS);
    struct gf_jit_code code;
    assert_int_equal(gf_jit_compile(&c, "source", 90, &code, NULL), GF_JIT_COMPILED);
    assert_int_equal(code.size, 5);
    assert_memory_equal(code.data, "hello", 5);
    assert_int_equal(code.version, 13010);
    gf_jit_code_deinit(&code);
}

static void limits_itself(void **state)
{
    (void)state;
    struct gf_jit_compiler c = fresh("limits", WAIT_MS);
    struct gf_jit_code code;
    int open_here = open("/dev/null", O_RDONLY); /* and without O_CLOEXEC */
    assert_true(open_here >= 3);
    assert_int_equal(gf_jit_compile(&c, "source", 90, &code, NULL), GF_JIT_COMPILED);
    close(open_here);
    assert_int_equal(code.size, 1);
    assert_int_equal(*(char *)code.data, 0);
    gf_jit_code_deinit(&code);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    outcome_is("refuses", "source", GF_JIT_WRONG, "line 1: ");
    outcome_is("absent", "", GF_JIT_NO_COMPILER, "none");
    outcome_is("absent", "source", GF_JIT_BROKEN, "none"); /* a source may have made it say so */
}

static void survives_a_death(void **state)
{
    (void)state;
    outcome_is("exits", "source", GF_JIT_BROKEN, "the compiler ended with code 3 and no answer");
    outcome_is("traps", "source", GF_JIT_BROKEN, "the compiler ended by signal 4");
    outcome_is("half", "source", GF_JIT_BROKEN, "the compiler ended with code 0 and no answer");
}

static void survives_nonsense(void **state)
{
    (void)state;
    struct gf_jit_compiler c = fresh("garbage", WAIT_MS);
    struct gf_jit_code code = {.data = NULL};
    for (const char *const *mode = (const char *const[]){"garbage", "flood", "long reason", NULL}; *mode; mode++) {
        setenv(MODE, *mode, 1);
        assert_int_equal(gf_jit_compile(&c, "source", 90, &code, NULL), GF_JIT_BROKEN);
        assert_null(code.data);
        assert_int_equal(c.left, 0);
    }
    outcome_is("nothing", "source", GF_JIT_BROKEN, "the compiler answered with 0 bytes of code");
    outcome_is("good", "", GF_JIT_BROKEN, "the compiler answered with 5 bytes of code"); /* for the version alone */
}

/* It ends itself. */
static void survives_a_hang(void **state)
{
    (void)state;
    outcome_is("hangs", "source", GF_JIT_BROKEN, "the compiler ended by signal 14");
}

/* The worker does not wait for a compiler that does not end, and goes on once it has ended. */
static void stops_waiting(void **state)
{
    (void)state;
    struct gf_jit_compiler c = fresh("stays", 1);
    struct gf_jit_code code;
    struct gf_error err;
    assert_int_equal(gf_jit_compile(&c, "source", 90, &code, &err), GF_JIT_BROKEN);
    assert_string_equal(err.text, "the compiler did not answer in time");
    assert_true(c.left > 0);
    setenv(MODE, "good", 1);
    assert_int_equal(gf_jit_compile(&c, "source", 90, &code, &err), GF_JIT_LATER);
    assert_string_equal(err.text, "an earlier compiler did not end");
    c.timeout_ms = WAIT_MS;
    assert_int_equal(kill(c.left, SIGKILL), 0);
    assert_int_equal(gf_jit_compile(&c, "source", 90, &code, &err), GF_JIT_COMPILED);
    gf_jit_code_deinit(&code);
}

static void stops_when_told(void **state)
{
    (void)state;
    int stop[2];
    struct gf_jit_compiler c = fresh("clings", WAIT_MS);
    struct gf_jit_code code;
    assert_int_equal(pipe2(stop, O_CLOEXEC), 0);
    c.stop = stop[0];
    assert_int_equal(write(stop[1], "", 1), 1);
    assert_int_equal(gf_jit_compile(&c, "source", 90, &code, NULL), GF_JIT_STOPPED);
    assert_true(c.left > 0);
    const pid_t left = c.left;
    gf_jit_compiler_deinit(&c);
    assert_int_equal(c.left, 0);
    assert_int_equal(kill(left, 0), -1);
    assert_int_equal(errno, ESRCH);
    close(stop[0]);
    close(stop[1]);
}

/* In a process that may not kill, as the worker of a GPU: leaves a compiler that does not end, and tells the test its
 * number. */
static int leave_it(int tell)
{
    int stop[2];
    struct gf_jit_compiler c = fresh("clings", WAIT_MS);
    struct gf_jit_code code;
    if (pipe2(stop, O_CLOEXEC) < 0 || write(stop[1], "", 1) != 1)
        return 1;
    c.stop = stop[0];
    if (gf_sandbox_filter(GF_SANDBOX_CUDA_WORKER, NULL) != GF_OK ||
        gf_jit_compile(&c, "source", 90, &code, NULL) != GF_JIT_STOPPED)
        return 2;
    if (write(tell, &c.left, sizeof(c.left)) != (ssize_t)sizeof(c.left))
        return 3;
    gf_jit_compiler_deinit(&c);
    return c.left == 0 ? 0 : 4;
}

static void does_not_wait_for_ever(void **state)
{
    (void)state;
    int tell[2], status = 1;
    pid_t left = 0;
    if (!gf_sandbox_built()) {
        print_message("skipped: a build for a sanitizer has no filters\n");
        skip();
    }
    assert_int_equal(pipe2(tell, O_CLOEXEC), 0);
    const pid_t worker = fork();
    if (worker == 0)
        _exit(leave_it(tell[1]));
    assert_int_equal(read(tell[0], &left, sizeof(left)), sizeof(left));
    assert_int_equal(waitpid(worker, &status, 0), worker);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    (void)kill(left, SIGKILL);
    close(tell[0]);
    close(tell[1]);
}

static void memory_is_bounded(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: a sanitizer's shadow is larger than any limit\n");
    skip();
#endif
    outcome_is("memory", "source", GF_JIT_WRONG, "no memory");
}

static void needs_a_program(void **state)
{
    (void)state;
    struct gf_jit_compiler c = fresh("good", WAIT_MS);
    struct gf_jit_code code;
    struct gf_error err;
    c.program = "/nowhere/compiler";
    assert_int_equal(gf_jit_compile(&c, "source", 90, &code, &err), GF_JIT_LATER);
    assert_string_equal(err.text, "cannot start the compiler: No such file or directory");
}

/* A source that does not fit into the socket's buffer: the child must read all of it. */
static void takes_long_sources(void **state)
{
    (void)state;
    struct gf_jit_compiler c = fresh("refuses", WAIT_MS);
    struct gf_jit_code code;
    char *source = malloc(GF_JIT_SOURCE_MAX);
    memset(source, ' ', GF_JIT_SOURCE_MAX - 1);
    source[GF_JIT_SOURCE_MAX - 1] = '\0';
    assert_int_equal(gf_jit_compile(&c, source, 90, &code, NULL), GF_JIT_WRONG);
    free(source);
}

int main(int argc, char **argv)
{
    const char *mode = getenv(MODE);
    if (gf_jit_is_compiler(argc, argv) && mode)
        return compiler(mode);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_what_is_made), cmocka_unit_test(limits_itself),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(survives_a_death),
        cmocka_unit_test(survives_nonsense),  cmocka_unit_test(survives_a_hang),
        cmocka_unit_test(stops_waiting),      cmocka_unit_test(stops_when_told),
        cmocka_unit_test(memory_is_bounded),  cmocka_unit_test(needs_a_program),
        cmocka_unit_test(takes_long_sources), cmocka_unit_test(does_not_wait_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
