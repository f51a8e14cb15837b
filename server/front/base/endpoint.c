/* SPDX-License-Identifier: MIT */
/* Reads addresses to listen on, and binds those of TCP; see endpoint.h. */
#include "endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"

#define UNIX "unix:"
#define MAX_PORT 65535u

/* Reads the port in all of the text; 0 if it is none. */
static uint16_t read_port(const char *text)
{
    size_t n = strspn(text, "0123456789");
    unsigned long port = n > 0 && n <= 5 && text[n] == '\0' ? strtoul(text, NULL, 10) : 0;
    return port <= MAX_PORT ? (uint16_t)port : 0;
}

/* Copies the host, which ends at `end` and may be in brackets. */
static bool copy_host(const char *text, const char *end, bool brackets, char ret_host[INET6_ADDRSTRLEN])
{
    text += brackets;
    end -= brackets;
    if (end <= text || end - text >= INET6_ADDRSTRLEN || (brackets && *end != ']'))
        return false;
    memcpy(ret_host, text, (size_t)(end - text));
    ret_host[end - text] = '\0';
    return true;
}

static bool parse_tcp(const char *text, struct gf_endpoint *ret)
{
    char host[INET6_ADDRSTRLEN];
    const char *colon = strrchr(text, ':');
    bool v6 = text[0] == '[';
    struct sockaddr_in *in = (struct sockaddr_in *)&ret->address;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&ret->address;
    uint16_t port = colon ? read_port(colon + 1) : 0;
    if (port == 0 || !copy_host(text, colon, v6, host))
        return false;
    ret->size = v6 ? sizeof(*in6) : sizeof(*in);
    if (v6)
        *in6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
    else
        *in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
    return inet_pton(v6 ? AF_INET6 : AF_INET, host, v6 ? (void *)&in6->sin6_addr : (void *)&in->sin_addr) == 1;
}

enum gf_status gf_endpoint_parse(const char *text, struct gf_endpoint *ret, struct gf_error *err)
{
    *ret = (struct gf_endpoint){.path = NULL};
    if (strncmp(text, UNIX, sizeof(UNIX) - 1) == 0)
        ret->path = text + sizeof(UNIX) - 1;
    if (ret->path ? *ret->path != '\0' : parse_tcp(text, ret))
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM,
                        "allowed: unix:PATH, 127.0.0.1:PORT, [::1]:PORT or another numeric address");
}

enum gf_status gf_endpoint_socket(const struct gf_endpoint *e, int *ret_fd, struct gf_error *err)
{
    int fd = socket(e->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return gf_error_set(err, GF_E_START_FAILED, "no socket: %s", strerror(errno));
    *ret_fd = fd;
    return GF_OK;
}

enum gf_status gf_endpoint_listen(const struct gf_endpoint *e, int fd, int backlog, struct gf_error *err)
{
    const int yes = 1;
    bool v6 = e->address.ss_family == AF_INET6;
    /* An address whose last connections are still ending can be bound again. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
        (v6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes)) < 0) ||
        bind(fd, (const struct sockaddr *)&e->address, e->size) < 0 || listen(fd, backlog) < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot listen: %s", strerror(errno));
    return GF_OK;
}
