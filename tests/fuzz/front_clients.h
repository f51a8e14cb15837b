/* SPDX-License-Identifier: MIT */
/*
 * The clients of fuzz_session.c: what they send, good and bad, and what they must find right about all that they read:
 * whole frames, no id answered more often than asked, nothing behind the last word.
 */
#ifndef GF_TESTS_FUZZ_FRONT_CLIENTS_H
#define GF_TESTS_FUZZ_FRONT_CLIENTS_H

#include "front_world.h"
#include "input.h"

#define CLIENT_IDS 16u /* ids that good frames have: 1 to 15 */

/* The end of a connection that is not the front's. */
struct client {
    int fd;                     /* -1: closed */
    bool wrong;                 /* it sent what is no frame, or not all of one: its ids are not counted */
    bool half, over;            /* it ended its sending half; it read the last word */
    uint32_t asked[CLIENT_IDS]; /* requests of an id less answers to it */
    uint8_t head[GF_MAX_FRAME_HEAD];
    size_t n;              /* of head */
    uint64_t payload_left; /* of the frame that is being read */
};

/* Makes the frames, once. */
void client_prepare(void);

/* Connects anew as this user; or as a client of a proxy, which sends a header with this name, without one where it is
 * "", or where it is NULL none at all. Closes. */
void client_open(struct client *client, uid_t uid);
void client_open_by_proxy(struct client *client, const char *name);
void client_close(struct client *client);

/* Sends a frame that the input chooses, perhaps patched, cut or with other descriptors; or bytes of the input. */
void client_send_frame(struct client *client, struct gf_input *in);
void client_send_garbage(struct client *client, struct gf_input *in);
/* Reads up to so many bytes and aborts at what may not be. */
void client_read(struct client *client, size_t most);

#endif
