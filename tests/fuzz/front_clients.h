/* SPDX-License-Identifier: MIT */
/*
 * The clients of fuzz_session.c. They send valid and malformed data and check everything that they read: frames are
 * complete, no id is answered more often than it was used, and nothing follows the last frame.
 */
#ifndef GF_TESTS_FUZZ_FRONT_CLIENTS_H
#define GF_TESTS_FUZZ_FRONT_CLIENTS_H

#include "front_world.h"
#include "fuzz.h"

#define CLIENT_IDS 16u /* ids that good frames have: 1 to 15 */

/* The end of a connection that is not the front's. */
struct client {
    int fd;                     /* -1: closed */
    bool wrong;                 /* it sent an invalid or incomplete frame, so its ids are not counted */
    bool half, over;            /* it ended its sending half; it read the last word */
    uint32_t asked[CLIENT_IDS]; /* requests of an id less answers to it */
    uint8_t head[GF_MAX_FRAME_HEAD];
    size_t n;              /* of head */
    uint64_t payload_left; /* of the frame that is being read */
};

/* Makes the frames, once. */
void client_prepare(void);

/* client_open reconnects as a user; client_open_by_proxy reconnects as a client of a proxy that sends a header with a
 * name, without a name for "", and no header for NULL. client_close closes. */
void client_open(struct client *client, uid_t uid);
void client_open_by_proxy(struct client *client, const char *name);
void client_close(struct client *client);

/* Sends a frame that the input chooses, perhaps patched, cut or with other descriptors, or raw bytes of the input. */
void client_send_frame(struct client *client, struct gf_input *in);
void client_send_garbage(struct client *client, struct gf_input *in);
/* Reads up to `most` bytes. Aborts on anything that is not allowed. */
void client_read(struct client *client, size_t most);

#endif
