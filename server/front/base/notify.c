/* SPDX-License-Identifier: MIT */
/* Implements sd_listen_fds and sd_notify; see notify.h. */
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

uint32_t gf_listen_fds(void)
{
    uint64_t pid = env_number("LISTEN_PID"), n = env_number("LISTEN_FDS");
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (pid != (uint64_t)getpid() || n > MAX_LISTEN_FDS)
        return 0;
    for (int fd = GF_LISTEN_FDS_START; fd < GF_LISTEN_FDS_START + (int)n; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return (uint32_t)n;
}

void gf_notify_init(struct gf_notify *notify)
{
    *notify = (struct gf_notify){0};
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

void gf_notify_send(const struct gf_notify *notify, const char *fmt, ...)
{
    if (!notify->address[0])
        return;
    char text[1024];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    gf_cleanup(gf_closep) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || n < 0)
        return;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t length = strlen(notify->address);
    memcpy(to.sun_path, notify->address, length);
    if (to.sun_path[0] == '@') /* abstract namespace */
        to.sun_path[0] = '\0';
    size_t size = (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;
    sendto(fd, text, size, MSG_NOSIGNAL, (struct sockaddr *)&to,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
}
