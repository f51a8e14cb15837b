/* SPDX-License-Identifier: MIT */
/* Operands in page-locked and in resident memory; see places.h. Called by the runner. */
#include "places.h"

#include <string.h>

#include "poison.h"
#include "protocol/ops/op_codec.h"

#define ROW 16u

static size_t whole_pages(uint64_t size)
{
    return (size_t)(size + GF_GUARDED_PAGE - 1) / GF_GUARDED_PAGE * GF_GUARDED_PAGE;
}

bool gf_place_pin(const struct gf_runner_device *device, const struct gf_guarded *guarded)
{
    return device->backend->pin(device->device, guarded->block, whole_pages(guarded->size), NULL) == GF_OK;
}

void gf_place_unpin(const struct gf_runner_device *device, const struct gf_guarded *guarded)
{
    device->backend->unpin(device->device, guarded->block);
}

static void copy_rows(const struct gf_buf *from, const struct gf_buf *to)
{
    for (uint64_t y = 0; y < from->view.height; y++)
        memcpy((char *)to->data + y * to->view.pitch, (const char *)from->data + y * from->view.pitch,
               gf_view_row_bytes(&from->view));
}

bool gf_place_pinned(const struct gf_runner_device *device, const struct gf_buf *from, unsigned char poison,
                     struct gf_place *ret)
{
    struct gf_buf buf = *from;
    void *block = NULL;
    buf.view.pitch = (gf_view_row_bytes(&buf.view) + ROW - 1) / ROW * ROW;
    size_t size = whole_pages(buf.view.pitch * buf.view.height);
    if (posix_memalign(&block, GF_GUARDED_PAGE, size) != 0)
        return false;
    buf.data = block;
    memset(block, poison, size);
    copy_rows(from, &buf);
    if (device->backend->pin(device->device, block, size, NULL) != GF_OK) {
        free(block);
        return false;
    }
    *ret = (struct gf_place){.block = block, .buf = buf};
    return true;
}

/* Fills a resident buffer by a copy. */
static enum gf_status fill(const struct gf_runner_device *device, const struct gf_buf *from, const struct gf_buf *to)
{
    struct gf_step step = {.op = gf_op_by_name("copy"), .out[0] = from->view};
    struct gf_sink sink = {.buf = *to};
    struct gf_job job = {.steps = &step,
                         .operands = from,
                         .sinks = &sink,
                         .n_steps = 1,
                         .n_operands = 1,
                         .n_sinks = 1,
                         .resident_sinks = 1};
    gf_op_params_default(step.op, &step.params);
    return device->backend->run(device->exec, &job, NULL);
}

bool gf_place_resident(const struct gf_runner_device *device, const struct gf_buf *from, uint64_t beside,
                       unsigned char poison, struct gf_place *ret)
{
    const struct gf_view *view = &from->view;
    uint64_t pixel = gf_dtype_size(view->dtype) * view->channels;
    struct gf_place place = {.buf = *from};
    struct gf_buf wide = {.view = gf_view_tight(view->dtype, view->width + 2 * beside, view->height, view->channels)};
    wide.data = calloc(1, gf_view_bytes(&wide.view));
    if (wide.data == NULL)
        return false;
    copy_rows(from, &(struct gf_buf){(char *)wide.data + beside * pixel, wide.view});
    enum gf_status status = device->backend->buffer_new(device->device, &wide.view, &place.whole, NULL);
    if (status == GF_OK && !gf_poison_buffer(device, &place.whole, poison))
        status = GF_E_INTERNAL;
    if (status == GF_OK)
        status = fill(device, &wide, &place.whole);
    if (status != GF_OK)
        gf_place_deinit(device, &place);
    free(wide.data);
    place.buf.data = (char *)place.whole.data + beside * pixel;
    place.buf.view.pitch = place.whole.view.pitch;
    if (status == GF_OK)
        *ret = place;
    return status == GF_OK;
}

void gf_place_deinit(const struct gf_runner_device *device, struct gf_place *place)
{
    if (place->block != NULL)
        device->backend->unpin(device->device, place->block);
    free(place->block);
    if (place->whole.data != NULL)
        device->backend->buffer_free(device->device, &place->whole);
    *place = (struct gf_place){.block = NULL};
}
