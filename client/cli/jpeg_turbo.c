/* SPDX-License-Identifier: MIT */
/* Errors of libjpeg-turbo; called by jpeg_read.c and jpeg_write.c. */
#include "jpeg_turbo.h"

static void on_error(j_common_ptr info)
{
    struct gf_jpeg_failure *f = (struct gf_jpeg_failure *)info->err;
    int code = f->mgr.msg_code;
    if (code == JWRN_JPEG_EOF || code == JERR_INPUT_EOF || code == JERR_INPUT_EMPTY)
        (void)snprintf(f->text, sizeof(f->text), "the file ends too early");
    else
        f->mgr.format_message(info, f->text);
    f->no_memory = code == JERR_OUT_OF_MEMORY;
    longjmp(f->back, 1);
}

/* Warnings are damage, save for these. */
static void on_message(j_common_ptr info, int level)
{
    int code = info->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM)
        on_error(info);
}

struct jpeg_error_mgr *gf_jpeg_failure_init(struct gf_jpeg_failure *failure)
{
    jpeg_std_error(&failure->mgr);
    failure->mgr.error_exit = on_error;
    failure->mgr.emit_message = on_message;
    return &failure->mgr;
}
