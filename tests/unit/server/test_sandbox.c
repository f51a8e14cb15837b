/* SPDX-License-Identifier: MIT */
/* protocol/sandbox: a child tries each forbidden action from inside the sandbox. */
#include "protocol/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "protocol/base/base.h"
#include "tests/unit/unit.h"

#define WORKED 0
#define CLOSED 200 /* the sandbox could not be closed */

static char g_folder[] = "/tmp/gf-sandbox-XXXXXX";
static char g_inside[64], g_outside[64]; /* a file in the folder that is given, one beside it */
static int g_abi;                        /* of Landlock here; 0: none */

/* What was tried: 0 or errno. */
typedef int try_fn(void);

static int result(long rc)
{
    return rc < 0 ? errno : WORKED;
}

static int try_ptrace(void)
{
    return result(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
}

static int try_read_memory(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {&g_abi, 1};
    return result(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int try_write_memory(void)
{
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {&g_abi, 1};
    return result(process_vm_writev(getppid(), &here, 1, &there, 1, 0));
}

static int try_mount(void)
{
    return result(syscall(SYS_mount, "none", g_folder, "tmpfs", 0, NULL));
}

static int try_unshare(void)
{
    return result(unshare(CLONE_NEWUSER));
}

static int try_bpf(void)
{
    return result(syscall(SYS_bpf, 0, NULL, 0));
}

static int try_perf(void)
{
    return result(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
}

static int try_userfaultfd(void)
{
    return result(syscall(SYS_userfaultfd, 0));
}

static int try_keyctl(void)
{
    return result(syscall(SYS_keyctl, 0, -3, 0));
}

static int try_module(void)
{
    return result(syscall(SYS_init_module, NULL, 0, ""));
}

static int try_handle(void)
{
    return result(syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, 0));
}

static int try_kill_parent(void)
{
    return result(kill(getppid(), 0));
}

static int try_kill_all(void)
{
    return result(kill(-1, SIGURG)); /* a signal that is ignored by default */
}

static int try_pidfd_signal(void)
{
    int fd = (int)syscall(SYS_pidfd_open, getppid(), 0);
    return fd < 0 ? errno : result(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
}

/* The kernel would send the signal when the pipe can be read. */
static int try_signal_by_fcntl(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return CLOSED;
    return result(fcntl(ends[0], F_SETOWN, getppid()));
}

static int try_signal_number_by_fcntl(void)
{
    return result(fcntl(STDIN_FILENO, F_SETSIG, SIGKILL));
}

static int try_fcntl(void)
{
    int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
    return result(fd < 0 || fcntl(fd, F_GETFL) < 0 || fcntl(fd, F_SETFD, 0) < 0 ? -1 : 0);
}

static int try_own_signal(void)
{
    signal(SIGURG, SIG_IGN);
    return result(raise(SIGURG));
}

static int try_internet(void)
{
    return result(socket(AF_INET, SOCK_STREAM, 0));
}

static int try_unix(void)
{
    return result(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int try_pair(void)
{
    int ends[2];
    return result(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

static int try_accept(void)
{
    return result(accept4(-1, NULL, NULL, 0));
}

static int try_select(void)
{
    return result(select(0, NULL, NULL, NULL, &(struct timeval){0}));
}

static int try_uring(void)
{
    return result(syscall(SYS_io_uring_setup, 1, NULL));
}

static int try_namespace(void)
{
    return result(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL));
}

static int try_exec(void)
{
    char *argv[] = {(char *)(uintptr_t) "/bin/true", NULL};
    execve(argv[0], argv, NULL);
    return errno;
}

static int try_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : WORKED;
}

static int try_memory(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : WORKED;
}

static int try_write_inside(void)
{
    return result(open(g_inside, O_WRONLY));
}

static int try_write_outside(void)
{
    return result(open(g_outside, O_WRONLY));
}

static int try_read_inside(void)
{
    return result(open(g_inside, O_RDONLY));
}

static int try_read_outside(void)
{
    return result(open(g_outside, O_RDONLY));
}

static int try_remove_inside(void)
{
    return result(unlink(g_inside));
}

static int try_remove_outside(void)
{
    return result(unlink(g_outside));
}

static void *nothing(void *data)
{
    return data;
}

static int try_thread(void)
{
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, nothing, NULL);
    return rc != 0 ? rc : pthread_join(thread, NULL);
}

static int try_ignore_alarm(void)
{
    return signal(SIGALRM, SIG_IGN) == SIG_ERR ? errno : WORKED;
}

static int try_block_alarm(void)
{
    sigset_t all;
    sigfillset(&all);
    return result(sigprocmask(SIG_BLOCK, &all, NULL));
}

static int try_put_alarm_off(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    return result(setitimer(ITIMER_REAL, &never, NULL));
}

/* A stopped process does not end by SIGALRM. */
static int try_stop(void)
{
    return raise(SIGSTOP) != 0 ? errno : WORKED;
}

static int try_outlive_parent(void)
{
    return result(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
}

static int try_dump(void)
{
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    return prctl(PR_GET_DUMPABLE) == 0 && core.rlim_max == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? EPERM
                                                                                                            : WORKED;
}

/* Runs the attempt in a child inside the sandbox of the kind, closed as the programs close theirs. Returns the status
 * from waitpid. */
static int within(enum gf_sandbox_kind kind, try_fn *attempt)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct gf_sandbox_path paths[] = {{g_folder, GF_SANDBOX_READ | GF_SANDBOX_REMOVE}};
        int abi;
        gf_sandbox_harden();
        if ((kind != GF_SANDBOX_START && gf_sandbox_confine(kind, paths, 1, &abi, NULL) != GF_OK) ||
            gf_sandbox_filter(kind, NULL) != GF_OK)
            _exit(CLOSED);
        _exit(attempt());
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == CLOSED);
    return status;
}

static void check_ends(const char *what, enum gf_sandbox_kind kind, try_fn *attempt)
{
    int status = within(kind, attempt);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
        fail_msg("kind %d, %s: status 0x%x is no end by SIGSYS", kind, what, (unsigned)status);
}

static void check_gives(const char *what, enum gf_sandbox_kind kind, try_fn *attempt, int expected)
{
    int status = within(kind, attempt);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != expected)
        fail_msg("kind %d, %s: status 0x%x, not %s", kind, what, (unsigned)status, strerror(expected));
}

#define ENDS(kind, attempt) check_ends(#attempt, kind, attempt)
#define GIVES(kind, attempt, expected) check_gives(#attempt, kind, attempt, expected)

static const enum gf_sandbox_kind g_kinds[] = {GF_SANDBOX_START, GF_SANDBOX_FRONT, GF_SANDBOX_CPU_WORKER,
                                               GF_SANDBOX_CUDA_WORKER};

static void dangerous_calls_end_the_process(void **state)
{
    UNUSED(state);
    for (enum gf_sandbox_kind kind = GF_SANDBOX_START; kind <= GF_SANDBOX_METRICS; kind++) {
        ENDS(kind, try_ptrace);
        ENDS(kind, try_read_memory);
        ENDS(kind, try_write_memory);
        ENDS(kind, try_mount);
        ENDS(kind, try_unshare);
        ENDS(kind, try_bpf);
        ENDS(kind, try_perf);
        ENDS(kind, try_userfaultfd);
        ENDS(kind, try_keyctl);
        ENDS(kind, try_module);
        ENDS(kind, try_handle);
    }
}

static void a_decoder_only_computes(void **state)
{
    UNUSED(state);
    try_fn *const ends[] = {try_internet, try_unix, try_exec};
    try_fn *const refused[] = {try_read_inside, try_read_outside, try_write_inside, try_remove_inside, try_kill_parent,
                               try_kill_all,    try_pidfd_signal, try_fcntl,        try_namespace,     try_uring};
    try_fn *const works[] = {try_thread, try_memory, try_own_signal};
    for (size_t i = 0; i < GF_ARRAY_LEN(ends); i++)
        ENDS(GF_SANDBOX_DECODER, ends[i]);
    for (size_t i = 0; i < GF_ARRAY_LEN(refused); i++)
        GIVES(GF_SANDBOX_DECODER, refused[i], ENOSYS);
    for (size_t i = 0; i < GF_ARRAY_LEN(works); i++)
        GIVES(GF_SANDBOX_DECODER, works[i], WORKED);
    GIVES(GF_SANDBOX_DECODER, try_code, EACCES);
}

static void a_compiler_only_computes(void **state)
{
    UNUSED(state);
    try_fn *const refused[] = {try_internet,     try_unix,         try_exec,          try_read_inside,
                               try_read_outside, try_write_inside, try_remove_inside, try_kill_parent,
                               try_kill_all,     try_pidfd_signal, try_namespace,     try_uring};
    for (size_t i = 0; i < GF_ARRAY_LEN(refused); i++)
        GIVES(GF_SANDBOX_COMPILER, refused[i], ENOSYS);
    GIVES(GF_SANDBOX_COMPILER, try_code, EACCES);
    GIVES(GF_SANDBOX_COMPILER, try_signal_number_by_fcntl, EPERM);
    GIVES(GF_SANDBOX_COMPILER, try_memory, WORKED);
    GIVES(GF_SANDBOX_COMPILER, try_thread, WORKED);
}

/* By the signals of its alarm and of its parent's end. */
static void a_compiler_ends_in_time(void **state)
{
    UNUSED(state);
    GIVES(GF_SANDBOX_COMPILER, try_ignore_alarm, EPERM);
    GIVES(GF_SANDBOX_COMPILER, try_block_alarm, ENOSYS);
    GIVES(GF_SANDBOX_COMPILER, try_put_alarm_off, ENOSYS);
    GIVES(GF_SANDBOX_COMPILER, try_stop, ENOSYS);
    GIVES(GF_SANDBOX_COMPILER, try_outlive_parent, ENOSYS);
}

/* It answers on sockets that it has, and makes none. */
static void a_metrics_listener_only_serves(void **state)
{
    UNUSED(state);
    try_fn *const ends[] = {try_internet, try_unix, try_pair, try_exec};
    try_fn *const refused[] = {try_read_inside, try_read_outside, try_write_inside, try_remove_inside, try_kill_parent,
                               try_kill_all,    try_pidfd_signal, try_thread,       try_namespace,     try_uring};
    try_fn *const works[] = {try_memory, try_own_signal, try_fcntl, try_select};
    for (size_t i = 0; i < GF_ARRAY_LEN(ends); i++)
        ENDS(GF_SANDBOX_METRICS, ends[i]);
    for (size_t i = 0; i < GF_ARRAY_LEN(refused); i++)
        GIVES(GF_SANDBOX_METRICS, refused[i], ENOSYS);
    for (size_t i = 0; i < GF_ARRAY_LEN(works); i++)
        GIVES(GF_SANDBOX_METRICS, works[i], WORKED);
    GIVES(GF_SANDBOX_METRICS, try_code, EACCES);
    GIVES(GF_SANDBOX_METRICS, try_signal_number_by_fcntl, EPERM);
    GIVES(GF_SANDBOX_METRICS, try_accept, EBADF);
}

static void nothing_is_dumped_and_nothing_gained(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_ARRAY_LEN(g_kinds); i++)
        GIVES(g_kinds[i], try_dump, EPERM);
}

static void others_get_no_signals(void **state)
{
    UNUSED(state);
    for (size_t i = 1; i < GF_ARRAY_LEN(g_kinds); i++) {
        GIVES(g_kinds[i], try_kill_parent, EPERM);
        GIVES(g_kinds[i], try_kill_all, EPERM);
        GIVES(g_kinds[i], try_own_signal, WORKED);
    }
    for (enum gf_sandbox_kind kind = GF_SANDBOX_FRONT; kind <= GF_SANDBOX_CPU_WORKER; kind++) {
        GIVES(kind, try_signal_by_fcntl, EPERM);
        GIVES(kind, try_signal_number_by_fcntl, EPERM);
        GIVES(kind, try_fcntl, WORKED);
    }
    GIVES(GF_SANDBOX_FRONT, try_pidfd_signal, EPERM); /* SIGKILL alone, which ends workers */
    GIVES(GF_SANDBOX_CPU_WORKER, try_pidfd_signal, ENOSYS);
    GIVES(GF_SANDBOX_CUDA_WORKER, try_pidfd_signal, ENOSYS);
}

static int kill_through_pidfd(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    return fd < 0 ? errno : result(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0));
}

/* A child that waits to be killed, at the latest by the end of its parent. */
static pid_t victim(void)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    while (getppid() == parent)
        pause();
    _exit(0);
}

/* Of a daemon, from its start to its front; returns what went wrong. */
static int front_of_a_daemon(pid_t outsider)
{
    int landlock;
    if (gf_sandbox_confine(GF_SANDBOX_START, NULL, 0, &landlock, NULL) != GF_OK)
        return 1;
    pid_t worker = victim();
    if (gf_sandbox_confine(GF_SANDBOX_FRONT, NULL, 0, &landlock, NULL) != GF_OK ||
        gf_sandbox_filter(GF_SANDBOX_FRONT, NULL) != GF_OK)
        return 2;
    if (kill_through_pidfd(outsider) != EPERM)
        return 3;
    return kill_through_pidfd(worker) == WORKED ? 0 : 4;
}

/* A front that is taken over kills its workers, and no other process of its user. */
static void the_front_kills_only_what_it_started(void **state)
{
    UNUSED(state);
    if (g_abi < 6) {
        print_message("skipped: the Landlock of this kernel does not restrict signals\n");
        skip();
    }
    int status;
    pid_t outsider = victim(), front = fork();
    if (front == 0)
        _exit(front_of_a_daemon(outsider));
    assert_int_equal(waitpid(front, &status, 0), front);
    assert_int_equal(kill(outsider, SIGKILL), 0);
    assert_int_equal(waitpid(outsider, NULL, 0), outsider);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void the_network_is_out_of_reach(void **state)
{
    UNUSED(state);
    GIVES(GF_SANDBOX_START, try_internet, EAFNOSUPPORT);
    GIVES(GF_SANDBOX_FRONT, try_internet, EAFNOSUPPORT);
    GIVES(GF_SANDBOX_CPU_WORKER, try_internet, ENOSYS);
    GIVES(GF_SANDBOX_CUDA_WORKER, try_internet, EAFNOSUPPORT);
    GIVES(GF_SANDBOX_FRONT, try_unix, WORKED);
    GIVES(GF_SANDBOX_CUDA_WORKER, try_unix, WORKED);
}

static void what_work_needs_is_there(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_ARRAY_LEN(g_kinds); i++) {
        GIVES(g_kinds[i], try_thread, WORKED);
        GIVES(g_kinds[i], try_memory, WORKED);
        GIVES(g_kinds[i], try_namespace, g_kinds[i] == GF_SANDBOX_CPU_WORKER ? ENOSYS : EPERM);
        GIVES(g_kinds[i], try_uring, ENOSYS);
    }
    GIVES(GF_SANDBOX_START, try_exec, WORKED); /* of /bin/true, which says 0 as well */
    GIVES(GF_SANDBOX_FRONT, try_exec, ENOSYS);
    GIVES(GF_SANDBOX_CPU_WORKER, try_exec, ENOSYS);
    GIVES(GF_SANDBOX_FRONT, try_code, EACCES);
    GIVES(GF_SANDBOX_CPU_WORKER, try_code, EACCES);
    GIVES(GF_SANDBOX_CUDA_WORKER, try_code, WORKED);
}

static void files_are_not_written(void **state)
{
    UNUSED(state);
    GIVES(GF_SANDBOX_FRONT, try_write_inside, EACCES);
    GIVES(GF_SANDBOX_FRONT, try_write_outside, EACCES);
    GIVES(GF_SANDBOX_CPU_WORKER, try_write_inside, EACCES);
    GIVES(GF_SANDBOX_CPU_WORKER, try_write_outside, EACCES);
    GIVES(GF_SANDBOX_CPU_WORKER, try_remove_inside, ENOSYS);
}

static void files_elsewhere_do_not_exist(void **state)
{
    UNUSED(state);
    if (g_abi == 0) {
        print_message("skipped: this kernel has no Landlock\n");
        skip();
    }
    GIVES(GF_SANDBOX_FRONT, try_read_inside, WORKED);
    GIVES(GF_SANDBOX_FRONT, try_read_outside, EACCES);
    GIVES(GF_SANDBOX_FRONT, try_remove_outside, EACCES);
    GIVES(GF_SANDBOX_CPU_WORKER, try_read_inside, WORKED);
    GIVES(GF_SANDBOX_CPU_WORKER, try_read_outside, EACCES);
    GIVES(GF_SANDBOX_CUDA_WORKER, try_read_outside, WORKED);
    GIVES(GF_SANDBOX_CUDA_WORKER, try_write_outside, EACCES);
    GIVES(GF_SANDBOX_CUDA_WORKER, try_remove_outside, EACCES);
    GIVES(GF_SANDBOX_FRONT, try_remove_inside, WORKED);
}

static void touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static int setup(void **state)
{
    UNUSED(state);
    assert_non_null(mkdtemp(g_folder));
    snprintf(g_inside, sizeof g_inside, "%s/file", g_folder);
    snprintf(g_outside, sizeof g_outside, "%s.file", g_folder);
    touch(g_inside);
    touch(g_outside);
    long abi = syscall(444 /* landlock_create_ruleset */, NULL, 0, 1);
    g_abi = abi > 0 ? (int)abi : 0;
    return 0;
}

static int teardown(void **state)
{
    UNUSED(state);
    unlink(g_inside);
    unlink(g_outside);
    return rmdir(g_folder);
}

int main(void)
{
    if (!gf_sandbox_built()) {
        puts("skipped: a build for a sanitizer has no filters");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dangerous_calls_end_the_process), cmocka_unit_test(nothing_is_dumped_and_nothing_gained),
        cmocka_unit_test(others_get_no_signals),           cmocka_unit_test(the_front_kills_only_what_it_started),
        cmocka_unit_test(the_network_is_out_of_reach),     cmocka_unit_test(what_work_needs_is_there),
        cmocka_unit_test(files_are_not_written),           cmocka_unit_test(files_elsewhere_do_not_exist),
        cmocka_unit_test(a_decoder_only_computes),         cmocka_unit_test(a_compiler_only_computes),
        cmocka_unit_test(a_compiler_ends_in_time),         cmocka_unit_test(a_metrics_listener_only_serves),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
