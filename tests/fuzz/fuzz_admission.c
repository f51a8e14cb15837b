/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: descriptors of every kind and memfds in every state as arenas. Each byte changes a file or asks for an
 * arena. Admission must decide as docs/protocol.md 8 requires for a file with these changes, and nothing may leak.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "server/front/resource/arenas.h"
#include "tests/support/resources.h"

#define PAGE 4096u
#define PAGES 16u /* of a file that has memory; beyond lie holes alone */
#define MAX_ARENAS 4u
#define QUOTA (1ull << 20)

/* A memfd, and what is known of it. */
struct file {
    int fd, access; /* of fd */
    uint64_t size;
    int seals;
    bool memory[PAGES], append;
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static uint64_t allocated(const struct file *f)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < PAGES; i++)
        n += f->memory[i];
    return n * PAGE;
}

static void open_file(struct file *f, bool sealing)
{
    *f = (struct file){.access = O_RDWR, .seals = sealing ? 0 : F_SEAL_SEAL};
    f->fd = memfd_create("fuzz", MFD_CLOEXEC | (sealing ? MFD_ALLOW_SEALING : 0u));
    must(f->fd >= 0);
}

/* Resizes with ftruncate if the seals allow it; memory past the new end is lost. */
static void resize(struct file *f, uint64_t size)
{
    bool may = !(size < f->size && f->seals & F_SEAL_SHRINK) && !(size > f->size && f->seals & F_SEAL_GROW) &&
               f->access != O_RDONLY && f->access != O_PATH;
    must((ftruncate(f->fd, (off_t)size) == 0) == may);
    if (!may)
        return;
    f->size = size;
    for (uint32_t i = 0; i < PAGES; i++)
        f->memory[i] &= (uint64_t)i * PAGE < size;
}

static void allocate(struct file *f, uint32_t first, uint32_t n, bool punch)
{
    off_t at = (off_t)first * PAGE, length = (off_t)n * PAGE;
    int mode = punch ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE : 0;
    uint64_t end = (uint64_t)(at + length);
    if (fallocate(f->fd, mode, at, length) != 0)
        return;
    for (uint32_t i = first; i < first + n; i++)
        f->memory[i] = !punch;
    if (!punch && end > f->size)
        f->size = end;
}

/* Another descriptor of the same file. */
static void reopen(struct file *f, uint8_t how)
{
    static const int accesses[] = {O_RDWR, O_RDONLY, O_WRONLY, O_PATH};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    int fd = open(path, O_CLOEXEC | accesses[how % 4] | (how & 4 ? O_APPEND : 0));
    if (fd < 0)
        return; /* the seals may forbid to write */
    close(f->fd);
    f->fd = fd;
    f->access = accesses[how % 4];
    f->append = how & 4 && f->access != O_PATH;
}

static void seal(struct file *f, int seals)
{
    if (fcntl(f->fd, F_ADD_SEALS, seals) == 0)
        f->seals |= seals;
}

/* What is no memfd at all. */
static int odd_descriptor(uint8_t which)
{
    int pair[2] = {-1, -1};
    switch (which % 10) {
    case 0:
        return open("/dev/zero", O_RDWR | O_CLOEXEC);
    case 1:
        return open("/dev/null", O_RDWR | O_CLOEXEC);
    case 2:
        return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    case 3:
        return eventfd(0, EFD_CLOEXEC);
    case 4:
        return epoll_create1(EPOLL_CLOEXEC);
    case 5:
        must(pipe2(pair, O_CLOEXEC) == 0);
        break;
    case 6:
        must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
        break;
    case 7:
        return open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    case 8:
        return memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
    default:
        return -1; /* closed */
    }
    close(pair[which & 16 ? 1 : 0]);
    return pair[which & 16 ? 0 : 1];
}

static bool is_good(const struct file *f, uint64_t size)
{
    int needed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    return f->access == O_RDWR && !f->append && f->seals == needed && size > 0 && size <= f->size &&
           allocated(f) >= f->size;
}

struct table {
    struct gf_arenas arenas;
    struct gf_memories memories;
    struct gf_account *account;
    uint64_t held; /* bytes of the arenas there are */
};

/* Offers a copy of the descriptor as an arena, which admission must accept if `good`. */
static void ask(struct table *t, int from, uint32_t id, uint64_t size, bool good)
{
    struct gf_error err = {0};
    struct gf_arena *arena;
    int fd = from < 0 ? from : fcntl(from, F_DUPFD_CLOEXEC, 0);
    bool exists = gf_arenas_find(&t->arenas, id, &arena, &err) == GF_OK;
    enum gf_status expected = exists  ? GF_E_EXISTS
                              : !good ? GF_E_BAD_ARENA
                              : t->account->used[GF_RES_ARENA_COUNT] >= MAX_ARENAS || t->held + size > QUOTA
                                  ? GF_E_QUOTA
                                  : GF_OK;
    enum gf_status status = gf_arenas_add(&t->arenas, &t->memories, t->account, id, size, fd, &err);
    must(status == expected);
    if (status == GF_OK) {
        t->held += size;
        return;
    }
    must(err.status == status && err.text[0] != '\0');
    gf_closep(&fd);
}

static void drop(struct table *t, uint32_t id)
{
    struct gf_error err = {0};
    struct gf_arena *arena;
    if (gf_arenas_find(&t->arenas, id, &arena, &err) != GF_OK)
        return;
    t->held -= arena->memory->size;
    gf_arenas_remove(&t->arenas, arena);
}

static void act(struct gf_input *in, struct file *f, struct table *t)
{
    uint8_t what = gf_input_byte(in);
    uint32_t id = what >> 4 & 7;
    switch (what & 15) {
    case 0:
    case 1:
        close(f->fd);
        open_file(f, (what & 15) == 0);
        break;
    case 2:
        resize(f, gf_input_size(in) % (1ull << 42));
        break;
    case 3:
        resize(f, (uint64_t)gf_input_below(in, PAGES + 1) * PAGE);
        break;
    case 4:
    case 5: {
        uint32_t first = gf_input_below(in, PAGES);
        allocate(f, first, 1 + gf_input_below(in, PAGES - first), (what & 15) == 5);
        break;
    }
    case 6:
        seal(f, gf_input_byte(in) & (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_FUTURE_WRITE));
        break;
    case 7:
        reopen(f, gf_input_byte(in));
        break;
    case 8: {
        gf_cleanup(gf_closep) int odd = odd_descriptor(gf_input_byte(in));
        ask(t, odd, id, gf_input_size(in), false);
        break;
    }
    case 9:
        drop(t, id);
        break;
    case 10: /* as a client of good will does it */
        close(f->fd);
        open_file(f, true);
        allocate(f, 0, 1 + gf_input_below(in, PAGES), false);
        seal(f, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
        break;
    case 11:
        ask(t, f->fd, id, f->size, is_good(f, f->size));
        break;
    default: {
        uint64_t size = gf_input_size(in);
        ask(t, f->fd, id, size, is_good(f, size));
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_input in = {data, size};
    struct gf_quota quota = {.per_user = {[GF_RES_ARENA_COUNT] = MAX_ARENAS, [GF_RES_ARENAS] = QUOTA},
                             .per_connection = {[GF_RES_ARENA_COUNT] = MAX_ARENAS, [GF_RES_ARENAS] = QUOTA}};
    struct table t = {.account = gf_account_new(&quota, 1)};
    struct file f;
    int before = gf_fd_count();
    must(t.account != NULL);
    gf_memories_init(&t.memories);
    gf_arenas_init(&t.arenas);
    open_file(&f, true);
    for (int n = 0; in.size > 0 && n < 64; n++)
        act(&in, &f, &t);
    must(t.account->used[GF_RES_ARENAS] == t.held);
    close(f.fd);
    gf_arenas_deinit(&t.arenas);
    must(t.account->used[GF_RES_ARENAS] == 0 && t.account->used[GF_RES_PINNED] == 0);
    must(gf_list_empty(&t.memories.list));
    gf_account_unref(t.account);
    must(quota.users == NULL);
    must(gf_fd_count() == before);
    return 0;
}
