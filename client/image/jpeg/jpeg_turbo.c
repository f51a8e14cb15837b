/* SPDX-License-Identifier: MIT */
/* Errors of libjpeg-turbo. Called by jpeg_read.c and jpeg_write.c. */
#include "jpeg_turbo.h"

static void on_error(j_common_ptr info)
{
    struct gf_jpeg_failure *f = (struct gf_jpeg_failure *)info->err;
    int code = f->mgr.msg_code;
    if (f->ended || code == JWRN_JPEG_EOF || code == JERR_INPUT_EOF || code == JERR_INPUT_EMPTY)
        (void)snprintf(f->text, sizeof(f->text), "the file ends too early");
    else
        f->mgr.format_message(info, f->text);
    f->no_memory = code == JERR_OUT_OF_MEMORY;
    longjmp(f->back, 1);
}

/* Warnings that are common in camera files and have no consequence. */
static bool is_harmless(int code)
{
    return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
}

/* Warnings that leave the samples intact. After all others the library continues with invented samples. */
static bool keeps_samples(int code)
{
    return code == JWRN_BOGUS_ICC || code == JWRN_NOT_SEQUENTIAL;
}

/* Whether the file has ended behind the header of its first scan: the library puts an end mark there, and warns again
 * if samples are missing before it. */
static bool is_end(j_common_ptr info, int code)
{
    return code == JWRN_JPEG_EOF && ((j_decompress_ptr)info)->input_scan_number > 0;
}

/* Notes the first damage of a file that is read on nevertheless. Before the first scan there is nothing to salvage. */
static void note_damage(j_common_ptr info)
{
    struct gf_jpeg_failure *f = (struct gf_jpeg_failure *)info->err;
    j_decompress_ptr jpeg = (j_decompress_ptr)info;
    if (!f->salvage || jpeg->input_scan_number == 0)
        on_error(info);
    if (f->text[0])
        return;
    f->good_rows = jpeg->output_scanline;
    if (f->ended)
        (void)snprintf(f->text, sizeof(f->text), "the file ends too early");
    else
        f->mgr.format_message(info, f->text);
}

/* Handles messages; a level below 0 is a warning. The first warning is kept. */
static void on_message(j_common_ptr info, int level)
{
    struct gf_jpeg_failure *f = (struct gf_jpeg_failure *)info->err;
    int code = f->mgr.msg_code;
    if (level >= 0 || is_harmless(code))
        return;
    f->ended |= is_end(info, code);
    if (!keeps_samples(code) && !is_end(info, code)) {
        note_damage(info);
        return;
    }
    if (f->warning[0])
        return;
    (void)snprintf(f->warning, sizeof(f->warning), "%s",
                   code == JWRN_JPEG_EOF    ? "the end mark (EOI) is missing, but the samples are complete"
                   : code == JWRN_BOGUS_ICC ? "the colour profile is damaged and is not kept"
                                            : "the header misstates how the samples are stored, but they are complete");
}

struct jpeg_error_mgr *gf_jpeg_failure_init(struct gf_jpeg_failure *failure)
{
    jpeg_std_error(&failure->mgr);
    failure->text[0] = failure->warning[0] = '\0';
    failure->no_memory = failure->ended = failure->salvage = false;
    failure->mgr.error_exit = on_error;
    failure->mgr.emit_message = on_message;
    return &failure->mgr;
}
