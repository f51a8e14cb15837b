/* SPDX-License-Identifier: MIT */
/*
 * gpufilterd-worker: one process per device. Parses its arguments, joins the front and runs the job loop. Started by
 * gpufilterd, or by gpufilterd-worker@.service for a front that listens for workers. This program only computes on the
 * CPU; gpufilterd-worker-cuda is the same program with the CUDA backend, and takes over the process for any other
 * device.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "job_loop.h"
#include "kernel_cache.h"
#include "kernels/registry.h"
#include "last_words.h"
#include "protocol/base/base.h"
#include "protocol/sandbox/sandbox.h"
#include "protocol/service/notify.h"
#include "protocol/wire/worker_msg.h"
#include "say.h"

#define SLOTS_DEFAULT 8u
#define SLOTS_MAX 64u
#define HANG_UP_MS 500 /* time in which jobs must end when the front has gone */
#define PINNED_MAX_DEFAULT (2ull << 30)

static const char usage[] =
    "usage: gpufilterd-worker --device cpu|cuda:N|UUID --front fd:N|PATH [options]\n"
    "Runs the jobs of one device for gpufilterd, which normally starts it.\n\n"
    "  --device NAME     the device to work on\n"
    "  --front fd:N|PATH connected SOCK_SEQPACKET descriptor, or the front's worker socket\n"
    "  --slots N         jobs at once, 1..64 (8)\n"
    "  --threads N       threads of the CPU device, 0..1024 (0: one per processor)\n"
    "  --pinned-max N    bytes of client arenas kept page-locked for a GPU (2 GiB)\n"
    "  --device-memory N bytes of a GPU's memory to work with, 0: all of it, or half of the\n"
    "                    machine's memory for a GPU that shares it (0)\n"
    "  --host-mapped-max N\n"
    "                    bytes of host memory for images that do not fit a GPU's memory, 0: a quarter\n"
    "                    of the memory of the machine or control group, divided by its GPUs (0)\n"
    "  --scratch N       bytes that jobs may take besides operands and results, 0: half of the\n"
    "                    memory of the machine or control group (0)\n"
    "  --sandbox 0|1     0: keep all rights and core files, for debuggers (1)\n"
    "  --help, --version\n";

static int front_fd = -1;
static volatile sig_atomic_t told_to_end;

/* In a thread: waits until the front has gone or has given this worker up. Running jobs then have no receiver. A job
 * that hangs must not keep the process, which the front cannot kill if the front is another user's or dead. */
static void *watch_front(void *data)
{
    const bool *over = data;
    struct pollfd p = {.fd = front_fd};
    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        ;
    poll(NULL, 0, HANG_UP_MS);
    if (!__atomic_load_n(over, __ATOMIC_ACQUIRE)) {
        gf_worker_log("the front hung up, and this worker did not end within %d ms", HANG_UP_MS);
        _exit(GF_WORKER_EXIT_DEVICE_LOST);
    }
    return NULL;
}

/* Shuts down the receiving side: running jobs are finished, then the process ends. */
static void on_term(int signal_number)
{
    (void)signal_number;
    told_to_end = 1;
    shutdown(front_fd, SHUT_RD);
}

static struct gf_notify service;

static void notify(const char *state)
{
    gf_notify_send(&service, "%s", state);
}

static int connect_front(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof a.sun_path) {
        gf_worker_log("--front %s: longer than %zu bytes", path, sizeof a.sun_path - 1);
        return -1;
    }
    memcpy(a.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
        return fd;
    gf_worker_log("cannot reach the front at %s: %s", path, strerror(errno));
    gf_closep(&fd);
    return -1;
}

static bool parse_number(const char *option, const char *text, unsigned long long lo, unsigned long long hi,
                         unsigned long long *ret)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || v < lo || v > hi) {
        gf_worker_log("--%s %s; allowed: %llu..%llu", option, text, lo, hi);
        return false;
    }
    *ret = v;
    return true;
}

/* The descriptor of fd:N, which must be a SOCK_SEQPACKET socket; or a connection to PATH. */
static int open_front(const char *front)
{
    unsigned long long n;
    if (strncmp(front, "fd:", 3) != 0)
        return connect_front(front);
    if (!parse_number("front", front + 3, 0, 1u << 20, &n))
        return -1;
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt((int)n, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
        gf_worker_log("--front %s: must be a SOCK_SEQPACKET socket", front);
        return -1;
    }
    return (int)n;
}

/* Executes the program whose name is this program's with "-cuda" appended, if it is installed. The CUDA program finds
 * no such program itself. Returns -1 to continue, otherwise the exit code. The process keeps its displayed name. */
static int become_cuda(char **argv)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("-cuda"));
    if (n < 0) {
        gf_worker_log("cannot look for the CUDA worker: /proc/self/exe: %s; mount /proc", strerror(errno));
        return GF_WORKER_EXIT_NO_DEVICE;
    }
    memcpy(path + n, "-cuda", sizeof("-cuda"));
    execv(path, argv);
    if (errno == ENOENT)
        return -1;
    gf_worker_log("cannot run %s: %s", path, strerror(errno));
    return GF_WORKER_EXIT_NO_DEVICE;
}

/* Returns -1 to continue, otherwise the exit code. */
static int parse_options(int argc, char **argv, struct gf_job_loop_options *o, const char **ret_front,
                         bool *ret_sandbox)
{
    static const struct option options[] = {
        {"device", required_argument, NULL, 'd'},
        {"front", required_argument, NULL, 'f'},
        {"slots", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'},
        {"pinned-max", required_argument, NULL, 'p'},
        {"device-memory", required_argument, NULL, 'm'},
        {"host-mapped-max", required_argument, NULL, 'o'},
        {"scratch", required_argument, NULL, 'r'},
        {"sandbox", required_argument, NULL, 'b'}, /* for debuggers */
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    unsigned long long n;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'd')
            o->device = optarg;
        else if (c == 'f')
            *ret_front = optarg;
        else if (c == 's' && parse_number("slots", optarg, 1, SLOTS_MAX, &n))
            o->slots = (uint32_t)n;
        else if (c == 't' && parse_number("threads", optarg, 0, 1024, &n))
            o->threads = (uint32_t)n;
        else if (c == 'p' && parse_number("pinned-max", optarg, 0, 1ull << 40, &n))
            o->pinned_max = n;
        else if (c == 'm' && parse_number("device-memory", optarg, 0, 1ull << 46, &n))
            o->device_memory = n;
        else if (c == 'o' && parse_number("host-mapped-max", optarg, 0, 1ull << 46, &n))
            o->host_mapped_max = n;
        else if (c == 'r' && parse_number("scratch", optarg, 0, 1ull << 46, &n))
            o->scratch = n;
        else if (c == 'b' && parse_number("sandbox", optarg, 0, 1, &n))
            *ret_sandbox = n == 1;
        else if (c == 'h') {
            fputs(usage, stdout);
            return 0;
        } else if (c == 'v') {
            puts("gpufilterd-worker " GF_SOFTWARE_VERSION);
            return 0;
        } else
            return GF_WORKER_EXIT_USAGE;
    }
    if (o->device != NULL && *ret_front != NULL && optind == argc)
        return -1;
    if (optind < argc)
        gf_worker_log("unexpected argument '%s'; see gpufilterd-worker --help", argv[optind]);
    else
        gf_worker_log("--%s is missing; see gpufilterd-worker --help", o->device == NULL ? "device" : "front");
    return GF_WORKER_EXIT_USAGE;
}

/* Gives up the rights that the device does not need, before a thread starts and the driver is loaded. */
static void close_sandbox(bool cpu, const char *kernel_cache)
{
    char home[PATH_MAX];
    const char *cache = getenv("CUDA_CACHE_PATH");
    snprintf(home, sizeof home, "%s/.nv", getenv("HOME") != NULL ? getenv("HOME") : "");
    if (cache == NULL)
        cache = home;
    if (!cpu)
        mkdir(cache, 0700); /* because the driver no longer can */
    const struct gf_sandbox_path files[] = {
        {"/proc", GF_SANDBOX_READ}, {"/sys", GF_SANDBOX_READ}, {"/usr", GF_SANDBOX_READ},
        {"/lib", GF_SANDBOX_READ},  {"/etc", GF_SANDBOX_READ},
    };
    /* The driver's nodes and shared memory, the names of its threads, its MPS files, its kernel cache and this
     * worker's. */
    const struct gf_sandbox_path written[] = {
        {"/dev", GF_SANDBOX_WRITE},
        {"/proc", GF_SANDBOX_WRITE},
        {"/tmp", GF_SANDBOX_WRITE},
        {cache, GF_SANDBOX_WRITE},
        {kernel_cache != NULL ? kernel_cache : "/dev", GF_SANDBOX_WRITE},
    };
    enum gf_sandbox_kind kind = cpu ? GF_SANDBOX_CPU_WORKER : GF_SANDBOX_CUDA_WORKER;
    struct gf_error error = {0};
    int landlock;
    if (gf_sandbox_confine(kind, cpu ? files : written, cpu ? GF_ARRAY_LEN(files) : GF_ARRAY_LEN(written), &landlock,
                           &error) != GF_OK)
        gf_worker_log("%s", error.text);
    if (gf_sandbox_filter(kind, &error) != GF_OK)
        gf_worker_log("%s", error.text);
}

/* The process that compiles kernels needs neither a device nor a file any more. Where NVRTC has started threads, as it
 * does on some machines, Landlock binds this one alone; the filter binds all, and refuses files by itself. */
static enum gf_status close_compiler(struct gf_error *err)
{
    int landlock;
    (void)gf_sandbox_confine(GF_SANDBOX_COMPILER, NULL, 0, &landlock, NULL);
    return gf_sandbox_filter(GF_SANDBOX_COMPILER, err);
}

int main(int argc, char **argv)
{
    struct gf_job_loop_options o = {
        .slots = SLOTS_DEFAULT, .pinned_max = PINNED_MAX_DEFAULT, .told_to_end = &told_to_end, .notify = notify};
    const char *front = NULL;
    bool sandbox = true;
    int r = gf_cuda_compiler(argc, argv, close_compiler);
    if (r >= 0)
        return r;
    r = parse_options(argc, argv, &o, &front, &sandbox);
    if (r >= 0)
        return r;
    const bool cpu = strcmp(o.device, "cpu") == 0;
    if (!cpu && (r = become_cuda(argv)) >= 0)
        return r;
    if (sandbox)
        gf_sandbox_harden();
    gf_notify_init(&service);
    gf_notify_connect(&service); /* the sandbox lets a CPU worker open no socket */
    char name[GF_MAX_DEVICE_NAME];
    o.device = gf_instance_device(o.device, name, sizeof name);
    o.front = front_fd = open_front(front);
    if (o.front < 0)
        return GF_WORKER_EXIT_NO_FRONT;
    /* A worker that the front started ends when the front closes the socket, not by a signal sent to both. */
    bool spawned = strncmp(front, "fd:", 3) == 0;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, term = {.sa_handler = on_term};
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
    sigaction(SIGTERM, spawned ? &ignore : &term, NULL);
    if (!spawned)
        gf_last_words_init(front_fd);
    char kernel_cache[PATH_MAX];
    if (!cpu && gf_kernel_cache_folder(kernel_cache, sizeof kernel_cache))
        o.kernel_cache = kernel_cache;
    if (sandbox)
        close_sandbox(cpu, o.kernel_cache);
    static bool over;
    pthread_t watch;
    if (pthread_create(&watch, NULL, watch_front, &over) == 0) /* otherwise only the front's SIGKILL ends a worker that
                                                                * hangs */
        pthread_detach(watch);
    int code = gf_job_loop_run(&o);
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
    return code;
}
