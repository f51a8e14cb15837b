/* SPDX-License-Identifier: MIT */
/* Complete frames to and from the front, one per message. Called by job_loop.c from all its threads. */
#ifndef GF_WORKER_MESSAGES_H
#define GF_WORKER_MESSAGES_H

#include "protocol/base/error.h"
#include "protocol/wire/frame.h"

/* Finishes and sends a frame. If the front has gone, the next receive notices. If a message is lost for any other
 * reason, the front would wait for ever, so the process ends and its jobs run elsewhere. */
void gf_messages_send(int front, struct gf_writer *writer, uint16_t kind, uint64_t id);
/* Sends an ERROR; the buffer has room for a frame. */
void gf_messages_send_error(int front, uint8_t *buffer, uint64_t id, const struct gf_error *error);
/* Waits for one message, which brings a descriptor or none (-1). Returns its size, 0 if the front has gone. *wait_ns is
 * the expected wait, and is updated for the next call; NULL: the wait does not keep the processor awake. */
size_t gf_messages_receive(int front, uint8_t *buffer, size_t capacity, int64_t *wait_ns, int *ret_fd);

#endif
