/* SPDX-License-Identifier: MIT */
/*
 * Work without waiting: gpufilter_submit submits a request and returns; gpufilter_poll or gpufilter_wait returns
 * answers, in any order; gpufilter_run does both. Each accepted request gets exactly one answer, whatever happens.
 * gpufilter_run may be called while requests are pending, like all other functions; its request is queued behind them.
 * Included by gpufilter/client.h.
 *
 * Memory: operands and results must stay unchanged at their addresses until the answer is taken. The library and the
 * daemon read and write them at any time until then, even after a cancel; only gpufilter_free may be called before,
 * which takes effect with the answer. The steps, the text, and the arrays of views and results are copied. Requests run
 * in any order, so a request must not read memory before the answer to the request that writes it. Only resident
 * buffers order requests: a request that reads a resident buffer gets the contents submitted last, so that upload, work
 * and download may all be submitted at once. If a request fails, the requests that read its result fail with
 * DEPENDENCY.
 *
 * Progress: work proceeds in the daemon, and in the library only during calls; no thread of the library waits for it. A
 * program that does not wait in gpufilter_wait must call gpufilter_poll whenever gpufilter_fd is readable. The daemon
 * disconnects a client that sends part of a request and then nothing for ten seconds, or leaves answers unread for
 * thirty (SLOW).
 *
 * Limits: the daemon holds one request fewer than it accepts at once, so that it still reads cancels (63 by default);
 * further requests wait in the library in the order of submission. A deadline counts from the submission. With
 * GPUFILTER_MAX_REQUESTS answers not taken, gpufilter_submit is BUSY.
 *
 * Connection: these functions reconnect if the connection has ended, but start no daemon. Unanswered requests are sent
 * again like those of gpufilter_run, in the order of submission, so that a chain of pending requests over resident
 * buffers is rebuilt. If a request's deadline passed two seconds ago and the daemon is silent, the request ends with
 * TIMEOUT and the connection is closed. If there is no daemon, and none appears within wait_ms, all pending requests
 * are answered with NO_DAEMON.
 */
#ifndef GPUFILTER_SUBMIT_H
#define GPUFILTER_SUBMIT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of submitted requests whose answers have not been taken. */
#define GPUFILTER_MAX_REQUESTS 1024u

/* The answer to a submitted request. */
typedef struct gpufilter_answer {
    uint32_t struct_size;
    int32_t status;        /* GPUFILTER_OK, or why the request failed */
    uint64_t id;           /* of the request; 0: there is no answer yet */
    void *context;         /* the context passed to gpufilter_submit */
    gpufilter_error error; /* if the request failed; otherwise all 0 */
} gpufilter_answer;

#define GPUFILTER_ANSWER_INIT                                                                                          \
    {                                                                                                                  \
        sizeof(gpufilter_answer), 0, 0, NULL,                                                                          \
        {                                                                                                              \
            0, 0, 0, ""                                                                                                \
        }                                                                                                              \
    }

/* Submits the work of gpufilter_run, with the same arguments; never waits. The view of a result without memory is
 * filled in at once: its shape, and its data, which is allocated memory or the address of a resident buffer. The
 * contents are valid after an answer of GPUFILTER_OK; the caller frees them by gpufilter_free whatever the answer is.
 * Two pending requests must not write to the same memory, because they may run in any order. `context` is returned with
 * the answer; ret_id may be NULL. Ids are never reused. Errors: every error that gpufilter_run finds in the program and
 * its arguments, BUSY, NO_MEMORY, FORKED; after them no answer follows, and results are unchanged. All other errors
 * arrive as the answer. */
int gpufilter_submit(gpufilter_client *client, const gpufilter_step *steps, uint32_t n_steps,
                     const gpufilter_view *operands, uint32_t n_operands, gpufilter_result *results, uint32_t n_results,
                     const gpufilter_call *call, void *context, uint64_t *ret_id, gpufilter_error *err);
/* The same for a program as text, see gpufilter_run_text. */
int gpufilter_submit_text(gpufilter_client *client, const char *text, const gpufilter_view *operands,
                          uint32_t n_operands, gpufilter_result *results, uint32_t n_results,
                          const gpufilter_call *call, void *context, uint64_t *ret_id, gpufilter_error *err);

/* Sends and receives as much as possible without waiting and takes the next answer; answer->id is 0 if there is none.
 * Fills the members that answer->struct_size covers. The return value concerns the call, not the request; errors:
 * FORKED, BAD_ARGUMENT. */
int gpufilter_poll(gpufilter_client *client, gpufilter_answer *answer, gpufilter_error *err);

/* Waits for the answer to request `id`, or to any request if id is 0, and takes it; at most timeout_ms, indefinitely if
 * that is negative. answer->id is 0 if no answer arrived in time or nothing is pending. Errors: BAD_ARGUMENT for an id
 * that was not submitted or whose answer was taken, INTERRUPTED, FORKED. */
int gpufilter_wait(gpufilter_client *client, uint64_t id, int32_t timeout_ms, gpufilter_answer *answer,
                   gpufilter_error *err);

/* Cancels a request; never waits. Its answer still arrives: CANCELLED, or the result if it was too late; the request
 * uses its memory until then. Errors: as for gpufilter_wait. */
int gpufilter_cancel(gpufilter_client *client, uint64_t id, gpufilter_error *err);

/* Stores a descriptor for poll, epoll etc.: it is readable (POLLIN) as long as gpufilter_poll has work to do: answers,
 * data or a deadline. It stays the same for the life of the client, across connections, and must not be read or closed.
 * Errors: RESOURCE_FDS, FORKED, BAD_ARGUMENT. */
int gpufilter_fd(gpufilter_client *client, int *ret_fd, gpufilter_error *err);

#ifdef __cplusplus
}
#endif
#endif
