/* SPDX-License-Identifier: MIT */
/*
 * Atomic output files: written to a temporary file beside the target, renamed over it at the end, unlinked on every
 * other exit, signals included. Used by the image writers and by every command that writes a file.
 */
#ifndef GF_CLI_OUTPUT_H
#define GF_CLI_OUTPUT_H

#include "io_error.h"

/* Opaque; between open and commit or discard it belongs to one thread. */
struct gf_output_file;

/* Opens an output. "-" is standard output, refused where `binary` and it is a terminal (USAGE). A path that names a
 * device, a fifo or a socket is written directly; a symbolic link is followed; anything else goes to a temporary file
 * in the directory of the target. CANT_CREATE with the errno text: no such directory, not writable, a directory. At
 * most 64 outputs are open at a time (INTERNAL beyond). */
enum gf_io_status gf_output_open(const char *path, bool binary, struct gf_output_file **ret_out,
                                 struct gf_io_error *err);

/* Whether the path can be opened as an output now, so that a command may refuse before it works; nothing is changed. A
 * fifo is left alone, since its reader would see an end. Errors as gf_output_open. */
enum gf_io_status gf_output_try(const char *path, struct gf_io_error *err);

/* From now on a file is on storage before it gets its name, so that no crash of the machine leaves one that is cut
 * short: for results that are trusted later without a look. Takes a few milliseconds a file. */
void gf_output_be_durable(void);

/* Appends bytes, through a buffer of 64 KiB. FAILED with the errno text. After a failure every later call on the same
 * output fails with the same sentence, so that a codec's callback may drop the result. */
enum gf_io_status gf_output_write(struct gf_output_file *out, const void *data, size_t size, struct gf_io_error *err);

/* Writes what the buffer holds, for outputs that somebody reads meanwhile. Errors as gf_output_write. */
enum gf_io_status gf_output_flush(struct gf_output_file *out, struct gf_io_error *err);

/* Flushes and closes, and puts the file in its place; a new file gets 0666 & ~umask, an existing one keeps its mode.
 * The output is freed and *out is NULL whether it succeeds or not; on failure nothing is left behind. */
enum gf_io_status gf_output_commit(struct gf_output_file **out, struct gf_io_error *err);

/* Closes, removes the temporary file, frees, and sets *out to NULL; usable with gf_cleanup. Takes NULL inside. */
void gf_output_discardp(struct gf_output_file **out);

/* Unlinks the temporary files of all open outputs. Async-signal-safe; for the handlers of SIGINT, SIGTERM and SIGHUP,
 * which must end the process afterwards. */
void gf_output_abort(void);

#endif
