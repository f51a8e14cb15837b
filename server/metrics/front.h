/* SPDX-License-Identifier: MIT */
/*
 * The socket to the front, over which it is asked for metrics and health: one frame per message, INFO and INFO_REPLY of
 * docs/protocol.md, one question at a time. Used by http.c and main.c.
 */
#ifndef GF_METRICS_FRONT_H
#define GF_METRICS_FRONT_H

#include "protocol/wire/response.h"

#define GF_FRONT_PAGES 16u

/* The latest answer to one question. Metrics have pages. */
struct gf_front_answer {
    uint64_t when_ns; /* 0: there was none */
    uint32_t n_pages; /* that have arrived */
    size_t sizes[GF_FRONT_PAGES];
    uint8_t frames[GF_FRONT_PAGES][GF_MAX_FRAME_HEAD];
};

/* The body of a page, and its size. */
static inline const uint8_t *gf_front_page(const struct gf_front_answer *answer, uint32_t page, size_t *ret_size)
{
    *ret_size = answer->sizes[page] - GF_HEADER_SIZE;
    return answer->frames[page] + GF_HEADER_SIZE;
}

struct gf_front {
    int fd;
    bool gone;         /* the front has closed the socket, or answered what it was not asked */
    uint64_t id;       /* of the latest question */
    uint64_t asked_ns; /* when a question was sent whose last page has not come yet; 0: none */
    uint32_t topic;    /* of that question */
    uint32_t next;     /* the page that was asked for */
    struct gf_front_answer health, metrics;
    struct gf_info_reply reply; /* scratch */
};

/* The front's answer to INFO for a topic, STATS or HEALTH; valid until the next call. NULL if the front does not answer
 * within two seconds. It is asked ten times a second at most, however often this is called; otherwise the answer is the
 * latest one. */
const struct gf_front_answer *gf_front_ask(struct gf_front *front, uint32_t topic);
/* Reads an answer that came too late, or the end of the front. */
void gf_front_look(struct gf_front *front);

#endif
