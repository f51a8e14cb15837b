/* SPDX-License-Identifier: MIT */
/* Implements sd_listen_fds and sd_notify, and reads names of instances; see notify.h. */
#include "notify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define MAX_LISTEN_FDS 16u

/* A whole number from the environment; 0 if it is absent or not a number. */
static uint64_t env_number(const char *name)
{
    const char *text = getenv(name);
    if (!text || *text < '0' || *text > '9')
        return 0;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' ? v : 0;
}

/* The index of a name in a list of names, separated by colons; n: it is none of the first n. */
static uint32_t find_name(const char *list, const char *name, uint32_t n)
{
    size_t length = strlen(name);
    uint32_t i = 0;
    for (; i < n && list; i++) {
        size_t at = strcspn(list, ":");
        if (at == length && memcmp(list, name, length) == 0)
            return i;
        list = list[at] == ':' ? list + at + 1 : NULL;
    }
    return n;
}

uint32_t gf_listen_fds(int *ret_metrics)
{
    uint64_t pid = env_number("LISTEN_PID"), n = env_number("LISTEN_FDS");
    uint32_t metrics = n <= MAX_LISTEN_FDS ? find_name(getenv("LISTEN_FDNAMES"), "metrics", (uint32_t)n) : 0;
    *ret_metrics = -1;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (pid != (uint64_t)getpid() || n > MAX_LISTEN_FDS)
        return 0;
    if (metrics < n)
        *ret_metrics = GF_LISTEN_FDS_START + (int)metrics;
    for (int fd = GF_LISTEN_FDS_START; fd < GF_LISTEN_FDS_START + (int)n; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return (uint32_t)n;
}

const char *gf_instance_device(const char *instance, char *buffer, size_t size)
{
    if (strncmp(instance, "cuda", 4) != 0 || instance[4] < '0' || instance[4] > '9')
        return instance;
    snprintf(buffer, size, "cuda:%s", instance + 4);
    return buffer;
}

void gf_notify_init(struct gf_notify *notify)
{
    *notify = (struct gf_notify){.fd = -1};
    const char *address = getenv("NOTIFY_SOCKET");
    if (address && (address[0] == '/' || address[0] == '@') && strlen(address) < sizeof(notify->address))
        memcpy(notify->address, address, strlen(address) + 1);
    uint64_t pid = env_number("WATCHDOG_PID");
    if (pid == 0 || pid == (uint64_t)getpid())
        gf_mul_u64(env_number("WATCHDOG_USEC"), 1000, &notify->watchdog_ns);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

/* The socket's address, and its size. */
static socklen_t address_of(const struct gf_notify *notify, struct sockaddr_un *ret)
{
    size_t length = strlen(notify->address);
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(ret->sun_path, notify->address, length);
    if (ret->sun_path[0] == '@') /* abstract namespace */
        ret->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void gf_notify_connect(struct gf_notify *notify)
{
    struct sockaddr_un to;
    socklen_t size = address_of(notify, &to);
    gf_cleanup(gf_closep) int fd = notify->address[0] ? open_socket() : -1;
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, size) == 0)
        notify->fd = gf_steal_fd(&fd);
}

void gf_notify_send(const struct gf_notify *notify, const char *fmt, ...)
{
    if (!notify->address[0])
        return;
    char text[1024];
    struct sockaddr_un to;
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (n < 0)
        return;
    size_t length = (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;
    if (notify->fd >= 0) {
        send(notify->fd, text, length, MSG_NOSIGNAL);
        return;
    }
    gf_cleanup(gf_closep) int fd = open_socket();
    socklen_t size = address_of(notify, &to);
    if (fd >= 0)
        sendto(fd, text, length, MSG_NOSIGNAL, (struct sockaddr *)&to, size);
}
