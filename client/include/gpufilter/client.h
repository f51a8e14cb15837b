/* SPDX-License-Identifier: MIT */
/*
 * libgpufilterclient: sends images and arrays to gpufilterd over its Unix socket to be processed. Depends on libc only.
 *
 *     gpufilter_client *client;
 *     gpufilter_error err;
 *     gpufilter_view src = gpufilter_tight_view(pixels, 1920, 1080, GPUFILTER_U8, 3);
 *     gpufilter_result dst = {gpufilter_tight_view(blurred, 1920, 1080, GPUFILTER_U8, 3), NULL};
 *     if (gpufilter_open(NULL, &client, &err) != GPUFILTER_OK ||
 *         gpufilter_run_text(client, "gaussian sigma=3 | sharpen", &src, 1, &dst, 1, NULL, &err) != GPUFILTER_OK) {
 *         fprintf(stderr, "%s\n", err.text);
 *         return 1;
 *     }
 *     gpufilter_close(client);
 *
 * Ten functions serve nearly every program: gpufilter_open, gpufilter_close, gpufilter_run_text, gpufilter_alloc,
 * gpufilter_free, and for work without waiting gpufilter_submit_text, gpufilter_poll, gpufilter_wait, gpufilter_fd and
 * gpufilter_cancel. gpufilter/ops.h has for each operation a call of its own, with a struct for its parameters. C++17
 * has classes for connections, results and errors in gpufilter/client.hpp, and such calls in gpufilter/ops.hpp.
 *
 * This header has the connection and the memory, and includes the others: types.h (errors, data, programs), run.h
 * (running programs), submit.h (work without waiting) and daemon.h (the state of the daemon).
 *
 * Functions that can fail return a status, GPUFILTER_OK or another number of gpufilter/codes.h, and fill `err`, which
 * may be NULL, on failure only. Results returned through pointers are written on success only.
 *
 * Threads: a client object is used by one thread at a time: give each thread its own, or a lock. A call on a client
 * that another thread's call is using is BAD_ARGUMENT and changes nothing; so is one by a signal handler.
 * gpufilter_socket, gpufilter_server, gpufilter_node, gpufilter_last_request and gpufilter_revision do not notice other
 * threads. Only
 * gpufilter_interrupt may be called at any time. Different objects are independent. The library has no threads between
 * calls. During a call, up to four threads, on at most half of the cores, copy data of 2 MiB and more that lies in
 * ordinary memory; they block all signals. The library changes no signal handling. Every descriptor is close-on-exec
 * and none is 0, 1 or 2.
 *
 * After fork() the child may not use a client of its parent (FORKED), only close it. Memory of gpufilter_alloc and of
 * results is the child's own: what it writes there stays in the child, and a page that it has not written yet shows
 * what the parent and the daemon write.
 *
 * Layout: structs that begin with `struct_size` may grow at their end in later versions. Initialise each with its _INIT
 * macro, which sets struct_size and gives all other members their defaults. The size is that of the struct, for
 * operations up to the end of the last member. The library takes the defaults for members that the caller's header does
 * not have. A struct without a size is refused (BAD_ARGUMENT), and so is a member `reserved` that is not 0. Structs of
 * which a call takes the size, as gpufilter_devices does, may grow, too. All other structs never change.
 */
#ifndef GPUFILTER_CLIENT_H
#define GPUFILTER_CLIENT_H

#include "daemon.h"
#include "run.h"
#include "submit.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Texts ---- */

/* "OUTPUT_TOO_SMALL", and "output too small"; for other numbers "UNKNOWN" and "unknown status". Static text. */
const char *gpufilter_status_name(int status);
const char *gpufilter_status_text(int status);
/* Version of the library, "0.1.0"; that of the headers is the number GPUFILTER_VERSION. Static text. */
const char *gpufilter_version(void);

/* ---- Connection ---- */

/* How to find a daemon, and defaults for calls. */
typedef struct gpufilter_options {
    uint32_t struct_size;
    int32_t autostart;           /* 1: start a private daemon of this user if none is found */
    const char *socket;          /* path of the daemon's socket; NULL: search, see gpufilter_open */
    const char *daemon;          /* gpufilterd to start; NULL: $GPUFILTER_DAEMON, otherwise the installed one, otherwise
                                  * one beside this program, otherwise one in $PATH */
    const char *device;          /* for calls that name none, see gpufilter_call; NULL: "auto" */
    int64_t server_uid;          /* the daemon must run as this user (WRONG_SERVER otherwise); -1: any user */
    uint32_t connect_timeout_ms; /* for connecting and greeting, including repeated attempts; 0: 5000 */
    uint32_t deadline_ms;        /* for calls that have none; 0: none */
    int32_t only_private;        /* 1: only the private daemon of this user, not the system's; excludes socket */
    uint32_t wait_ms;            /* wait for an absent daemon instead of starting one, see gpufilter_open; 0:
                                  * $GPUFILTER_WAIT (seconds), otherwise 5 ms, and a daemon may be started */
} gpufilter_options;

#define GPUFILTER_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpufilter_options), 0, NULL, NULL, NULL, -1, 0, 0, 0, 0                                                 \
    }

/*
 * Connects to a daemon. `options` NULL means all defaults. The caller closes the client by gpufilter_close.
 *
 * Socket: options->socket, otherwise $GPUFILTER_SOCKET, otherwise the system's, /run/gpufilter/gpufilterd.sock, or,
 * where no daemon was set up, the private one, $XDG_RUNTIME_DIR/gpufilter/gpufilterd-1.sock. Without
 * $XDG_RUNTIME_DIR the private socket is gpufilterd-1.sock in /tmp/gpufilter-UID, a directory that only this user can
 * access (gpufilter-UID.XXXXXX if another user took that name). A daemon was set up if a socket was named, if the
 * system's socket exists, or if /run/gpufilter exists on a machine where systemd runs: the service is installed there.
 * Where its daemon does not answer (NO_DAEMON) or does not admit this user (NOT_PERMITTED), a private daemon takes its
 * place only on request. With options->only_private 1, or with $GPUFILTER_PRIVATE=1 if the options name neither a
 * socket nor only_private, only the private daemon is used.
 *
 * Autostart: if no daemon answers and options->autostart is 1, a private daemon is started (within 30 s), unless a
 * daemon was set up, the call waits for a daemon, or $GPUFILTER_AUTOSTART is 0. The private daemon ends by itself after
 * five minutes without a connection, and its messages are in gpufilterd.log beside the socket. With options->wait_ms
 * above 0, or $GPUFILTER_WAIT (seconds, 0..86400) if that is 0, this call and later calls wait for an absent daemon.
 *
 * Attempts: gpufilter_open makes a connection, and so does every later call and request whose connection has ended. An
 * attempt that ends before the daemon's greeting, or is greeted by SHUTDOWN, is repeated until connect_timeout_ms have
 * passed. An attempt that finds no daemon (no socket, or nothing listens on it) is repeated until wait_ms have passed;
 * after that connect_timeout_ms begins anew. The pauses between attempts start at 5 ms and double up to 200 ms. If a
 * call fails during a pause, the next call sleeps for the rest of it. A connection that ends without having answered
 * anything is followed by a pause, too. A loop of failing calls therefore does not occupy a processor. gpufilter_submit
 * and gpufilter_poll never sleep; their requests wait instead. A deadline ends such a wait with DEADLINE.
 *
 * Sending again: a request whose connection ends before its answer, or whose answer is SHUTDOWN, is sent again up to
 * four times, each time on a new connection and within its deadline. This is safe, because a request has the same
 * result wherever and however often it runs. It also applies to a request that makes or replaces a resident buffer,
 * because no buffer outlives its connection. A request that reads a buffer of an ended connection gets HANDLE_LOST; the
 * contents are lost for good, but the buffer can be filled again as a result. A cancelled request is not sent again,
 * nor is a request that got any other status: for BUSY and QUOTA, retry_ms says when to retry, and a request that ended
 * a worker (REQUEST_POISON, DEVICE_LOST) must not be repeated.
 *
 * Debugging: if $GPUFILTER_DEBUG is 1 when the client is opened, a page that cannot be accessed follows each block of
 * gpufilter_alloc and each result that the library allocates, so that the first byte past a block of whole pages
 * faults. Freed memory is filled with 0xDB, for daemons that still read it, and faults in this process until
 * gpufilter_close; its addresses are not given out again. A line on stderr tells each reconnection with its cause, and
 * another each request that is sent again:
 *   gpufilter: connection 1 to /run/gpufilter/gpufilterd.sock ended: the daemon ended the connection without an answer;
 *   reconnecting (attempt 1)
 *   gpufilter: request 3 is sent again on connection 2 (attempt 2)
 *
 * Errors: NO_DAEMON (the text lists the paths tried), TIMEOUT, START_FAILED (with the daemon's own message),
 * NOT_PERMITTED (this user may not use the socket, and the text names its group; or the private directory is accessible
 * to other users), WRONG_SERVER, BAD_VERSION, BAD_REPLY, CONNECTION_LOST, RESOURCE_FDS, BAD_ARGUMENT (also for
 * variables with a wrong value, or that contradict each other), NO_MEMORY, and any status with which the daemon
 * refuses.
 */
int gpufilter_open(const gpufilter_options *options, gpufilter_client **ret_client, gpufilter_error *err);

/* Ends the connection and frees the client and all memory that gpufilter_alloc, gpufilter_run and gpufilter_submit
 * allocated. Pending requests get no answer, and this process does not access their memory again. Accepts NULL. Returns
 * NULL, or the client, which stays open, if another thread is in a call on it. */
gpufilter_client *gpufilter_close(gpufilter_client *client);

/* Path of the socket that the client is connected to; owned by the client. */
const char *gpufilter_socket(const gpufilter_client *client);
/* Name and version of the daemon, "gpufilterd 0.1.0"; owned by the client. */
const char *gpufilter_server(const gpufilter_client *client);
/* Name of the machine whose daemon the client is connected to, "node1"; "" if the daemon does not say. Owned by the
 * client; a call that connects again may change it. */
const char *gpufilter_node(const gpufilter_client *client);
/* The daemon's revision of an operation, which is given by its name, such as "gaussian". It is 1 at first and grows
 * whenever a defined bit of the operation's results changes, so daemons of equal revisions give equal bits. 0 for a
 * name that this library does not know. A daemon that lacks the operation answers 1 here, and UNKNOWN_OP to a run. */
uint32_t gpufilter_revision(const gpufilter_client *client, const char *op);

/* ---- Memory ---- */

/* Allocates `size` bytes, page-aligned and not cleared, that the daemon can read and write directly, so that runs copy
 * nothing. On a connection that passes no descriptors it is ordinary memory, and runs copy. It lasts until
 * gpufilter_free or gpufilter_close, also across a reconnect. A client shares 64 KiB at first (more if the daemon
 * accepts few arenas) and then twice as much each time. Freed memory goes back to the system when all that was shared
 * at the same time is free, except for as much as the 32 to 64 latest requests have used at once. An operand or result
 * of this client that begins there must end there. Errors: RESOURCE_FDS, NO_MEMORY (also where ulimit -f allows no
 * shared memory of this size), BAD_ARGUMENT for size 0, TOO_LARGE, FORKED. */
int gpufilter_alloc(gpufilter_client *client, uint64_t size, void **ret_data, gpufilter_error *err);

/* Frees memory of gpufilter_alloc or of a result that the library allocated, or a resident buffer. All of them may be
 * freed while submitted requests need them, also after a cancel: the requests keep them until their answers, and no
 * other request may use them. Accepts NULL. BAD_ARGUMENT, where nothing is freed: another pointer, or another thread is
 * in a call on the client; FORKED. */
int gpufilter_free(gpufilter_client *client, void *data);

#ifdef __cplusplus
}
#endif
#endif
