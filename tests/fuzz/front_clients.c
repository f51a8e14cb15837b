/* SPDX-License-Identifier: MIT */
/* Clients of the front in this process; see front_clients.h. */
#include "front_clients.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "protocol/ops/op_codec.h"
#include "protocol/wire/handle_entry.h"
#include "protocol/wire/metric.h"
#include "protocol/wire/request.h"

#define ARENA_BYTES 8192u
#define MAX_FORM 4096u

struct form {
    uint8_t data[MAX_FORM];
    size_t size;
    bool fd; /* announces a descriptor */
};

enum which {
    HELLO,
    HELLO_FD,
    RUN,
    RUN_LARGE,
    RUN_ARENA,
    RUN_MAKE,
    RUN_READ,
    RUN_DEADLINE,
    RUN_ALL,
    INFO_1,
    INFO_2,
    INFO_3,
    INFO_4,
    PING,
    CANCEL,
    ARENA,
    DROP,
    FREE,
    N_FORMS
};

static struct form forms[N_FORMS];
static int arena_fd, null_fd;

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void finish(enum which which, struct gf_writer *w, uint16_t kind, uint64_t payload, uint16_t nfds)
{
    struct form *t = &forms[which];
    must(gf_writer_finish(w, kind, 1, payload, nfds) && w->size + payload <= MAX_FORM);
    t->size = w->size + (size_t)payload;
    t->fd = nfds > 0;
}

static struct gf_writer begin(enum which which)
{
    struct gf_writer w;
    gf_writer_init(&w, forms[which].data, MAX_FORM);
    return w;
}

/* A gaussian of a square from one way to another. */
static void run(enum which which, const char *device, uint64_t side, uint8_t from, uint8_t to, uint32_t deadline_ms)
{
    static struct gf_program p;
    struct gf_writer w = begin(which);
    memset(&p, 0, sizeof p);
    strcpy(p.device, device);
    p.deadline_ms = deadline_ms;
    p.n_operands = p.n_steps = p.n_results = 1;
    struct gf_view view = gf_view_tight(GF_U8, side, side, 1);
    p.operands[0] = (struct gf_operand){.way = from,
                                        .id = from != GF_WAY_INLINE,
                                        .view = view,
                                        .length = from == GF_WAY_HANDLE ? 0 : gf_view_bytes(&view)};
    p.steps[0].op = gf_op_by_name("gaussian");
    gf_op_params_default(p.steps[0].op, &p.steps[0].params);
    p.results[0] = (struct gf_result){.way = to, .id = to != GF_WAY_INLINE};
    if (to == GF_WAY_ARENA) {
        p.results[0].offset = ARENA_BYTES / 2;
        p.results[0].length = gf_view_bytes(&view);
    }
    must(gf_program_check(&p, true, NULL) == GF_OK);
    gf_program_encode(&w, &p);
    finish(which, &w, GF_FRAME_RUN, p.payload_in, 0);
}

void client_prepare(void)
{
    struct gf_writer w;
    for (uint32_t fd = 0; fd < 2; fd++) {
        w = begin(HELLO + fd);
        gf_hello_encode(&w, &(struct gf_hello){1, 1, "fuzz", "auto"});
        finish(HELLO + fd, &w, GF_FRAME_HELLO, 0, (uint16_t)fd);
    }
    run(RUN, "auto", 8, GF_WAY_INLINE, GF_WAY_INLINE, 0);
    run(RUN_LARGE, "cpu", 60, GF_WAY_INLINE, GF_WAY_INLINE, 0);
    run(RUN_ARENA, "auto", 50, GF_WAY_ARENA, GF_WAY_ARENA, 0);
    run(RUN_MAKE, "auto", 20, GF_WAY_INLINE, GF_WAY_HANDLE, 0);
    run(RUN_READ, "auto", 20, GF_WAY_HANDLE, GF_WAY_INLINE, 0);
    run(RUN_DEADLINE, "cuda:0", 8, GF_WAY_INLINE, GF_WAY_INLINE, 500);
    run(RUN_ALL, "cuda:all", 16, GF_WAY_INLINE, GF_WAY_INLINE, 0);
    for (uint32_t topic = GF_TOPIC_DEVICES; topic <= GF_TOPIC_HANDLES; topic++) {
        enum which which = INFO_1 + topic - GF_TOPIC_DEVICES;
        w = begin(which);
        gf_info_request_encode(&w, &(struct gf_info_request){.topic = topic});
        finish(which, &w, GF_FRAME_INFO, 0, 0);
    }
    w = begin(PING);
    finish(PING, &w, GF_FRAME_PING, 0, 0);
    w = begin(CANCEL);
    finish(CANCEL, &w, GF_FRAME_CANCEL, 0, 0);
    w = begin(ARENA);
    gf_arena_request_encode(&w, &(struct gf_arena_request){.arena = 1, .size = ARENA_BYTES});
    finish(ARENA, &w, GF_FRAME_ARENA, 0, 1);
    w = begin(DROP);
    gf_arena_request_encode(&w, &(struct gf_arena_request){.arena = 1});
    finish(DROP, &w, GF_FRAME_ARENA_DROP, 0, 0);
    w = begin(FREE);
    gf_free_request_encode(&w, 1);
    finish(FREE, &w, GF_FRAME_FREE, 0, 0);
    null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    arena_fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    must(null_fd >= 0 && arena_fd >= 0 && posix_fallocate(arena_fd, 0, ARENA_BYTES) == 0);
    must(fcntl(arena_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
}

/* Sends data together with `n_fds` copies of a descriptor. Returns how many bytes the socket took. */
static size_t send_bytes(struct client *c, const uint8_t *data, size_t size, int fd, uint32_t n_fds)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(12 * sizeof(int))];
    } control;
    struct iovec iov = {(void *)(uintptr_t)data, size};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    struct world_faults faults = world_faults;
    if (c->fd < 0 || c->half || size == 0)
        return 0;
    if (n_fds > 0) {
        memset(&control, 0, sizeof control);
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
        struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
        for (uint32_t i = 0; i < n_fds; i++)
            memcpy(CMSG_DATA(h) + i * sizeof fd, &fd, sizeof fd);
    }
    world_faults = (struct world_faults){0}; /* they are for the front */
    ssize_t n = sendmsg(c->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
    world_faults = faults;
    return n < 0 ? 0 : (size_t)n;
}

/* Checks that an answer or another frame of the front is well-formed and meant for this client. */
static void check_answer(struct client *c, const struct gf_header *h, const uint8_t *body)
{
    static struct gf_hello_reply hello;
    static struct gf_run_reply result;
    static struct gf_info_reply info;
    struct gf_error error = {0}, err;
    uint32_t retry_ms;
    enum gf_status status = GF_OK;
    switch (h->kind) {
    case GF_FRAME_HELLO_REPLY:
        status = gf_hello_reply_decode(body, h->body_len, &hello, &err);
        break;
    case GF_FRAME_RESULT:
        status = gf_run_reply_decode(body, h->body_len, &result, &err);
        break;
    case GF_FRAME_ERROR:
        status = gf_error_decode(body, h->body_len, &error, &retry_ms, &err);
        must(error.text[0] != '\0');
        break;
    case GF_FRAME_INFO_REPLY:
        status = gf_info_reply_decode(body, h->body_len, &info, &err);
        if (status == GF_OK && info.topic == GF_TOPIC_STATS)
            status = gf_metrics_decode(body, h->body_len, NULL, NULL, &err);
        if (status == GF_OK && info.topic == GF_TOPIC_HANDLES)
            status = gf_handle_entries_decode(body, h->body_len, NULL, NULL, &err);
        break;
    case GF_FRAME_PONG:
    case GF_FRAME_DONE:
    case GF_FRAME_GOAWAY:
        must(h->body_len == 0 && h->payload_len == 0);
        break;
    default:
        abort();
    }
    must(status == GF_OK && h->nfds == 0 && !c->over);
    must(h->kind == GF_FRAME_RESULT || h->payload_len == 0);
    must((h->kind == GF_FRAME_GOAWAY) <= (h->id == 0));
    /* BUSY ends a client without a place; a request above the limit waits. */
    c->over = h->kind == GF_FRAME_ERROR && (h->id == 0 || error.status == GF_E_BUSY);
    if (h->kind == GF_FRAME_PONG || h->id == 0 || h->id >= CLIENT_IDS || c->wrong)
        return;
    must(c->asked[h->id] > 0);
    c->asked[h->id]--;
}

/* Reads up to `most` bytes and checks every frame that becomes complete. */
void client_read(struct client *c, size_t most)
{
    uint8_t data[4096];
    while (c->fd >= 0 && most > 0) {
        ssize_t n = recv(c->fd, data, most < sizeof data ? most : sizeof data, MSG_DONTWAIT);
        if (n <= 0) {
            if (n < 0 && errno == EAGAIN)
                return;
            c->over = true; /* the front has closed */
            return;
        }
        most -= (size_t)n;
        for (size_t i = 0; i < (size_t)n; i++) {
            struct gf_header h;
            struct gf_error err;
            if (c->payload_left > 0) {
                c->payload_left--;
                continue;
            }
            c->head[c->n++] = data[i];
            if (c->n < GF_HEADER_SIZE)
                continue;
            must(gf_header_decode(c->head, &h, &err) == GF_OK);
            if (c->n < GF_HEADER_SIZE + h.body_len)
                continue;
            check_answer(c, &h, c->head + GF_HEADER_SIZE);
            c->payload_left = h.payload_len;
            c->n = 0;
        }
    }
}

void client_close(struct client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

void client_open(struct client *c, uid_t uid)
{
    client_close(c);
    memset(c, 0, sizeof *c);
    c->fd = world_connect(uid);
}

void client_open_by_proxy(struct client *c, const char *name)
{
    static const uint8_t head[16] = "\r\n\r\n\0\r\nQUIT\n\x21";
    uint8_t data[64] = {0};
    size_t n = name ? strlen(name) : 0, size = sizeof head;
    client_open(c, WORLD_PROXY);
    c->wrong = name == NULL; /* whatever comes is no header */
    if (name == NULL)
        return;
    memcpy(data, head, sizeof head);
    if (n > 0) {
        const uint8_t ssl[] = {0x20, 0, (uint8_t)(8 + n), 7, 0, 0, 0, 0, 0x22, 0, (uint8_t)n};
        must(n < 30);
        memcpy(data + size, ssl, sizeof ssl);
        memcpy(data + size + sizeof ssl, name, n);
        data[15] = (uint8_t)(sizeof ssl + n);
        size += sizeof ssl + n;
    } else
        data[12] = 0x20;
    c->wrong = send_bytes(c, data, size, -1, 0) != size;
}

void client_send_frame(struct client *c, struct gf_input *in)
{
    static uint8_t data[MAX_FORM];
    uint8_t what = gf_input_byte(in), how = gf_input_byte(in);
    const struct form *t = &forms[what % N_FORMS];
    size_t size = t->size;
    uint64_t id = 1 + how % (CLIENT_IDS - 1);
    memcpy(data, t->data, size);
    memcpy(data + 16, &id, sizeof id);
    uint32_t n_fds = t->fd;
    bool strange = false;
    if (how >= 192) { /* something about it is wrong */
        uint8_t wrong = gf_input_byte(in);
        strange = true;
        if (wrong & 1)
            size = gf_input_number(in, 2) % (size + 1);
        if (wrong & 2)
            n_fds = gf_input_below(in, 13);
        for (uint32_t k = wrong >> 2 & 3; k > 0; k--)
            data[gf_input_number(in, 2) % t->size] = gf_input_byte(in);
    }
    size_t sent = send_bytes(c, data, size, t == &forms[ARENA] ? arena_fd : null_fd, n_fds);
    c->wrong |= strange || (sent > 0 && sent < t->size);
    if (sent == t->size && t != &forms[PING] && t != &forms[CANCEL])
        c->asked[id]++;
}

void client_send_garbage(struct client *c, struct gf_input *in)
{
    size_t n, most = gf_input_byte(in);
    uint32_t n_fds = gf_input_below(in, 13);
    const uint8_t *data = gf_input_bytes(in, most, &n);
    c->wrong |= send_bytes(c, data, n, null_fd, n_fds) > 0;
}
