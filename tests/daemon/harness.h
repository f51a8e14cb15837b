/* SPDX-License-Identifier: MIT */
/*
 * A real daemon in a temporary directory, clients that exchange raw frames with it, and fake workers that obey
 * commands. Every function waits for events, at most GF_WAIT_MS; a failure ends the test through cmocka.
 */
#ifndef GF_TESTS_HARNESS_H
#define GF_TESTS_HARNESS_H

#include <sys/types.h>

#include "protocol/wire/request.h"
#include "protocol/wire/response.h"

#define GF_WAIT_MS 120000 /* for hung tests alone */

/* A fake worker that reports here. */
struct fake {
    int fd;
    char device[16];
    pid_t pid;
};

struct daemon {
    char *dir;
    char socket[100], control[100];
    pid_t pid;
    int ready;    /* what --ready-fd says; -1 after its end */
    int fakes;    /* listener to which fake workers connect; -1: they work uncontrolled */
    int listener; /* a listening socket to pass as systemd does, 0: none */
    int nofile;   /* RLIMIT_NOFILE of the daemon, 0: ours */
};

/* Makes the directory; starts no daemon. With `controlled`, fake workers will report events and obey commands. */
void daemon_init(struct daemon *d, bool controlled);
/* Starts gpufilterd with a socket in the directory and the arguments, which end with NULL. `worker` is "fake" or
 * "real". Does not wait. */
void daemon_spawn(struct daemon *d, const char *worker, const char *const *args);
/* Waits for READY. */
void daemon_wait_ready(struct daemon *d);
/* Waits until this file is in the daemon's directory. */
void daemon_wait_file(const struct daemon *d, const char *path);
/* Waits for the end of the daemon. Returns the exit code, or 128 + the signal. */
int daemon_wait(struct daemon *d);
/* SIGTERM and the exit code; the directory goes. */
int daemon_stop(struct daemon *d);
/* daemon_init, daemon_spawn with uncontrolled fake workers, daemon_wait_ready. */
void daemon_start(struct daemon *d, const char *const *args);
/* Reads the text that the daemon writes to its ready descriptor before it closes the descriptor. */
void daemon_ready_text(struct daemon *d, char *text, size_t size);

/* The next fake worker that starts. */
struct fake fake_accept(struct daemon *d);
/* Reads one line, which must begin with `event`. Returns the number at its end. */
uint64_t fake_expect(struct fake *f, const char *event);
/* Starts a fake worker that joins the front through its worker socket. */
pid_t fake_join(const struct daemon *d, const char *path, const char *device);
/* Starts a real worker of the CPU that joins the front through its worker socket. */
pid_t worker_join(const char *path);
void fake_tell(const struct fake *f, char letter);

/* A listening Unix stream socket. */
int listen_at(const char *path);
/* A connection; not greeted. */
int client_connect(const struct daemon *d);
/* Connected and greeted by HELLO with a descriptor. */
int client_open(const struct daemon *d);
/* The same with a device in HELLO. */
int client_open_on(const struct daemon *d, const char *device);
/* Connects as the client of a proxy whose certificate has this name, and sends HELLO with this device; this process is
 * the proxy. */
int come_from_proxy(const struct daemon *d, const char *name, const char *device);
/* The same with device "auto", and greeted. */
int client_of_proxy(const struct daemon *d, const char *name);

void send_all(int fd, const void *data, size_t size);
/* Sends the frame in the writer, then the payload, and with them the descriptor `pass` unless it is -1. */
void send_frame(int fd, struct gf_writer *w, uint16_t kind, uint64_t id, const void *payload, size_t size, int pass);
void send_simple(int fd, uint16_t kind, uint64_t id);
void send_with_fds(int fd, const void *data, size_t size, const int *fds, size_t n);

/* A frame from the server. */
struct reply {
    struct gf_header h;
    uint8_t body[GF_MAX_BODY];
    uint8_t *payload; /* owned */
};

/* Receives a frame; false at the end of the stream. */
bool receive(int fd, struct reply *ret);
/* Receives an ERROR with the id and status, and with `part` in its text. */
void expect_error(int fd, uint64_t id, enum gf_status status, const char *part);
void expect_kind(int fd, uint16_t kind, uint64_t id);
/* The stream ends without another frame. */
void expect_end(int fd);

/* A RUN of box 3x3 on `device` for a width x height image of one u8 channel, operand and result inline. */
struct request {
    uint8_t frame[GF_MAX_FRAME_HEAD];
    struct gf_writer w;
    struct gf_program program;
};
void request_init(struct request *r, uint32_t width, uint32_t height, const char *device);
/* Encodes and sends it with `value` in every byte. */
void request_send(struct request *r, int fd, uint64_t id, uint8_t value);
/* Sends one of 16x16 for any device. */
void run_send(int fd, uint64_t id, uint8_t value);
/* As operand and result of handle_send(): inline. */
#define INLINE UINT32_MAX
/* Sends a request for a 16x16 image that reads handle `read` and makes handle `make`. */
void handle_send(int fd, uint64_t id, uint32_t read, uint32_t make, const char *device, uint8_t value);
void free_send(int fd, uint64_t id, uint32_t handle);
/* Receives a RESULT and checks that fake workers made it from `value`. Returns its id. */
uint64_t result_expect(int fd, uint8_t value);

/* Asks for the health with INFO on a greeted connection. `text` receives the reason. */
uint32_t health_of(int fd, char text[GF_ERROR_TEXT]);
/* Asks until it is so, with `part` in the text. */
void health_await(int fd, uint32_t state, const char *part);

/* A memfd of `size` bytes, allocated, with these seals. */
int memfd_of(size_t size, unsigned seals);
void arena_send(int fd, uint64_t id, uint32_t arena, uint64_t size, int pass);

/* Descriptors that a process has open. */
int fds_of(pid_t pid);

#endif
