/* SPDX-License-Identifier: MIT */
/* Questions to the front and its answers; see front.h. */
#include "front.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "protocol/base/clock.h"
#include "protocol/wire/request.h"

#define WAIT_NS (2 * GF_NS_PER_S)
#define KEEP_NS (100 * GF_NS_PER_MS)

static struct gf_front_answer *answer_of(struct gf_front *f, uint32_t topic)
{
    return topic == GF_TOPIC_STATS ? &f->metrics : &f->health;
}

static bool is_fresh(const struct gf_front_answer *a)
{
    return a->when_ns > 0 && gf_now_ns() - a->when_ns < KEEP_NS;
}

/* Asks for a page of the topic; it will be the answer's next one. */
static void ask(struct gf_front *f, uint32_t next)
{
    uint8_t frame[GF_HEADER_SIZE + 64];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof(frame));
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = f->topic, .next = next});
    gf_writer_finish(&w, GF_FRAME_INFO, ++f->id, 0, 0);
    f->next = next;
    f->gone = send(f->fd, w.data, w.size, MSG_NOSIGNAL) < 0;
}

/* Whether the frame answers the question. */
static bool is_answer(struct gf_front *f, const uint8_t *frame, ssize_t n)
{
    struct gf_header h;
    return n >= (ssize_t)GF_HEADER_SIZE && f->asked_ns > 0 && gf_header_decode(frame, &h, NULL) == GF_OK &&
           h.kind == GF_FRAME_INFO_REPLY && h.id == f->id && GF_HEADER_SIZE + (size_t)h.body_len == (size_t)n &&
           gf_info_reply_decode(frame + GF_HEADER_SIZE, h.body_len, &f->reply, NULL) == GF_OK &&
           (f->reply.next == 0 || f->reply.next > f->next);
}

/* Receives a page of the answer, if it is there, and asks for the next one. */
static void receive(struct gf_front *f)
{
    struct gf_front_answer *a = answer_of(f, f->topic);
    uint8_t *frame = a->frames[a->n_pages < GF_FRONT_PAGES ? a->n_pages : 0];
    ssize_t n = recv(f->fd, frame, sizeof(a->frames[0]), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    f->gone = a->n_pages == GF_FRONT_PAGES || !is_answer(f, frame, n);
    if (f->gone)
        return;
    a->sizes[a->n_pages++] = (size_t)n;
    if (f->reply.next != 0) {
        ask(f, f->reply.next);
        return;
    }
    a->when_ns = gf_now_ns();
    f->asked_ns = 0;
}

/* Waits until the question is answered, or has waited for too long. */
static bool await_answer(struct gf_front *f)
{
    while (f->asked_ns > 0 && !f->gone) {
        uint64_t waited = gf_now_ns() - f->asked_ns;
        int ms = waited < WAIT_NS ? (int)((WAIT_NS - waited) / GF_NS_PER_MS) + 1 : 0;
        struct pollfd p = {.fd = f->fd, .events = POLLIN};
        if (poll(&p, 1, ms) > 0)
            receive(f);
        else if (ms == 0)
            return false;
    }
    return !f->gone;
}

const struct gf_front_answer *gf_front_ask(struct gf_front *f, uint32_t topic)
{
    struct gf_front_answer *a = answer_of(f, topic);
    if (is_fresh(a))
        return a;
    if (!await_answer(f))
        return NULL;
    if (!is_fresh(a)) {
        a->n_pages = 0;
        f->topic = topic;
        f->asked_ns = gf_now_ns();
        ask(f, 0);
    }
    return await_answer(f) ? a : NULL;
}

void gf_front_look(struct gf_front *f)
{
    receive(f);
}
