/* SPDX-License-Identifier: MIT */
/* Complete frames to and from the front, one per message. Called by job_loop.c from all its threads. */
#ifndef GF_WORKER_MESSAGES_H
#define GF_WORKER_MESSAGES_H

#include "protocol/base/error.h"
#include "protocol/wire/frame.h"

/* Finishes and sends a frame; a front that is gone is noticed by the next receive. A message that is lost otherwise
 * would be waited for without end: the process ends, and its jobs run elsewhere. */
void gf_messages_send(int front, struct gf_writer *writer, uint16_t kind, uint64_t id);
/* Sends an ERROR; the buffer has room for a frame. */
void gf_messages_send_error(int front, uint8_t *buffer, uint64_t id, const struct gf_error *error);
/* Waits for one message, which brings a descriptor or none (-1). Returns its size, 0 when the front is gone. *wait_ns
 * is how long the wait is expected to be, and then the next one; NULL: nobody naps. */
size_t gf_messages_receive(int front, uint8_t *buffer, size_t capacity, int64_t *wait_ns, int *ret_fd);

#endif
