/* SPDX-License-Identifier: MIT */
/* Requests to a fake daemon and their outcomes. Used by the tests of submitted requests, of lost
 * connections and of memory shared with the daemon. */
#ifndef GF_TESTS_SUBMIT_FIXTURE_H
#define GF_TESTS_SUBMIT_FIXTURE_H

#include "client/include/gpufilter/ops.h"
#include "client/lib/client.h"
#include "fake_server.h"

#define SIDE 8
#define PIXELS (SIDE * SIDE)
#define MANY 200
#define WINDOW 63 /* of the 64 requests that the server reads ahead */

/* A request and what came of it. */
struct job {
    uint8_t src[PIXELS], dst[PIXELS];
    uint64_t id;
    unsigned n_answers;
    int32_t status;
};

struct submit_fixture {
    struct fake_server *server;
    gpufilter_client *client;
    int fd, fds;
    uint32_t wait_ms; /* set before submit_begin */
    struct job jobs[MANY];
};

extern gpufilter_error g_err;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != GPUFILTER_OK)                                                                                    \
            fail_msg("%s", g_err.text);                                                                                \
    } while (0)

#define SUBMIT_WAIT_MS 120000 /* for hung tests alone */

int submit_setup(void **state);
/* Closes the client too, if it is open. */
int submit_teardown(void **state);
/* Starts the server with this answer to RUN and connects. */
void submit_begin(struct submit_fixture *f, fake_answer *run);
/* Submits a copy as job i; the server adds 1 to its bytes. */
void submit_one(struct submit_fixture *f, unsigned i, uint32_t deadline_ms);
void submit_many(struct submit_fixture *f, unsigned n);
/* Whether the descriptor is. */
bool submit_readable(const struct submit_fixture *f, int ms);
/* Records an answer. Checks the result if the request succeeded. */
void submit_note(struct submit_fixture *f, const gpufilter_answer *answer);
/* Waits on the descriptor until exactly n answers have come. */
void submit_take(struct submit_fixture *f, unsigned n);
/* Each of the first n jobs has one answer, this one. */
void submit_expect(const struct submit_fixture *f, unsigned n, int32_t status);
/* Keeps requests unanswered. */
void submit_hold(struct fake_server *s, const struct gf_header *h, bool *ret_close);

#endif
