/* SPDX-License-Identifier: MIT */
/* An address to listen on, as text: unix:PATH, 127.0.0.1:PORT or [::1]:PORT. Used by options.c and metrics_listener.c.
 */
#ifndef GF_FRONT_ENDPOINT_H
#define GF_FRONT_ENDPOINT_H

#include <sys/socket.h>

#include "protocol/base/error.h"

struct gf_endpoint {
    const char *path; /* of a Unix socket, in the text that was parsed; NULL: TCP */
    struct sockaddr_storage address;
    socklen_t size;
};

/* Reads numeric addresses alone: names would have to be looked up. BAD_PARAM. */
enum gf_status gf_endpoint_parse(const char *text, struct gf_endpoint *ret, struct gf_error *err);

/* A socket for a TCP address, which no process can make once it is in its sandbox. START_FAILED with errno's text. */
enum gf_status gf_endpoint_socket(const struct gf_endpoint *endpoint, int *ret_fd, struct gf_error *err);
/* Binds the socket and listens. START_FAILED with errno's text. */
enum gf_status gf_endpoint_listen(const struct gf_endpoint *endpoint, int fd, int backlog, struct gf_error *err);

#endif
