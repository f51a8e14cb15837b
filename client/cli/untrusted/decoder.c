/* SPDX-License-Identifier: MIT */
/*
 * The process that decodes a file of a stranger; see untrusted.h. Before the first byte of the file is parsed it loads
 * the libraries that it will need and gives up its rights. From then on its memory may be an attacker's.
 */
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "client/image/image.h"
#include "protocol/sandbox/sandbox.h"
#include "untrusted.h"
#include "wire.h"

struct decoder {
    struct gf_wire wire;
    struct gf_wire_request request;
};

static void say(struct gf_wire *w, enum gf_wire_answer what)
{
    uint32_t number = what;
    w->sends = true;
    gf_wire_u32(w, &number, GF_WIRE_ANSWERS - 1);
}

static enum gf_io_status send_picture(void *user, struct gf_image *image, struct gf_io_error *err)
{
    struct decoder *d = user;
    struct gf_wire *w = &d->wire;
    say(w, GF_WIRE_PICTURE);
    gf_wire_image(w, image);
    if (image->data && !d->request.how.only_head)
        gf_wire_bytes(w, image->data, gf_view_bytes(&image->view));
    return w->end == GF_WIRE_OPEN ? GF_IO_OK : gf_io_fail(err, GF_IO_INTERNAL, "a picture cannot be described");
}

static uint32_t ask_shrink(void *user, uint64_t width, uint64_t height)
{
    struct decoder *d = user;
    struct gf_wire *w = &d->wire;
    uint32_t by = 1;
    say(w, GF_WIRE_SHRINK);
    gf_wire_u64(w, &width, GF_MAX_SIDE);
    gf_wire_u64(w, &height, GF_MAX_SIDE);
    w->sends = false;
    gf_wire_u32(w, &by, 8);
    return by > 0 ? by : 1;
}

/* Lowers a limit; the hard one is higher by `grace`. */
static const struct rlimit *lower(struct rlimit *r, rlim_t most, rlim_t grace)
{
    r->rlim_cur = r->rlim_cur < most ? r->rlim_cur : most;
    r->rlim_max = r->rlim_max < most + grace ? r->rlim_max : most + grace;
    return r;
}

/* Allocators of threads would take the address space that is left to the samples. */
static void limit_all(void)
{
    struct rlimit r;
    (void)mallopt(M_ARENA_MAX, 1);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    gf_sandbox_harden();
    if (getrlimit(RLIMIT_AS, &r) == 0)
        (void)setrlimit(RLIMIT_AS, lower(&r, GF_DECODER_MEMORY, 0));
    if (getrlimit(RLIMIT_CPU, &r) == 0)
        (void)setrlimit(RLIMIT_CPU, lower(&r, GF_DECODER_SECONDS, 1));
}

static enum gf_io_status give_up_rights(const char *name, struct gf_io_error *err)
{
    struct gf_error why;
    int abi;
    enum gf_status s = gf_sandbox_check(&why);
    if (s == GF_OK)
        s = gf_sandbox_confine(GF_SANDBOX_DECODER, NULL, 0, &abi, &why);
    if (s == GF_OK)
        s = gf_sandbox_filter(GF_SANDBOX_DECODER, &why);
    return s == GF_OK ? GF_IO_OK : gf_io_fail(err, GF_IO_INTERNAL, "%s: not decoded: %s", name, why.text);
}

static enum gf_io_status decode(struct decoder *d, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    const struct gf_wire_request *r = &d->request;
    struct gf_image_load *how = &d->request.how;
    how->take = r->takes ? send_picture : NULL;
    how->shrink = r->shrinks ? ask_shrink : NULL;
    how->take_user = how->shrink_user = d;
    enum gf_io_status s = r->dtype == GF_IMAGE_NO_DTYPE
                              ? gf_image_decode(r->name, r->bytes, r->size, how, &image, err)
                              : gf_array_decode_text(r->name, r->bytes, r->size, r->dtype, &image, err);
    return s == GF_IO_OK && !how->take ? send_picture(d, &image, err) : s;
}

int gf_decoder_main(void)
{
    struct decoder d = {.wire = {.fd = STDIN_FILENO}};
    struct gf_wire *w = &d.wire;
    const struct gf_wire_request *r = &d.request;
    struct gf_io_error err;
    char *text = err.text;
    (void)close_range(STDERR_FILENO + 1, ~0u, 0);
    limit_all();
    gf_wire_request(w, &d.request);
    if (w->end != GF_WIRE_OPEN || !r->name)
        return 1;
    gf_library_prepare(r->bytes, r->size, r->how.srgb);
    enum gf_io_status s = give_up_rights(r->name, &err);
    if (s == GF_IO_OK)
        s = decode(&d, &err);
    uint32_t status = s;
    say(w, GF_WIRE_END);
    gf_wire_u32(w, &status, GF_IO_FAILED);
    if (s != GF_IO_OK)
        gf_wire_text(w, &text, GF_IO_ERROR_TEXT);
    _exit(0);
}
