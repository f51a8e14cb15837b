/* SPDX-License-Identifier: MIT */
/*
 * Atomic output files: written to a temporary file beside the target and renamed over it at the end. Every other exit,
 * signals included, unlinks the temporary file. Used by the image writers and by every command that writes a file.
 */
#ifndef GF_OUTPUT_H
#define GF_OUTPUT_H

#include "io_error.h"

/* Opaque. Between open and commit or discard it belongs to one thread. */
struct gf_output_file;

/* Whether the path is "-" or another name of standard output: /dev/stdout, /dev/fd/1, /proc/self/fd/1. */
bool gf_output_is_stdout(const char *path);

/* Opens an output. "-" is standard output; /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N are inherited
 * descriptors, written at their position. A terminal is refused (USAGE) if the data is `binary`. A device or fifo is
 * written directly and a symbolic link is followed; otherwise a temporary file is made in the directory of the target.
 * CANT_CREATE with the errno text: no such directory, not writable, a directory. */
enum gf_io_status gf_output_open(const char *path, bool binary, struct gf_output_file **ret_out,
                                 struct gf_io_error *err);

/* Opens an output to memory, which gf_output_take hands over. `name` begins all messages. NO_MEMORY. */
enum gf_io_status gf_output_open_memory(const char *name, struct gf_output_file **ret_out, struct gf_io_error *err);

/* Ends an output to memory: its bytes, from malloc, become the caller's. The output is freed and *out is NULL on
 * success and on failure. Errors as gf_output_write. */
enum gf_io_status gf_output_take(struct gf_output_file **out, void **ret_bytes, size_t *ret_size,
                                 struct gf_io_error *err);

/* Checks that the path can be opened as an output now, so that a command can refuse it before any work. Changes
 * nothing. A fifo is not opened, because its reader would see an end of file. Errors as gf_output_open. */
enum gf_io_status gf_output_try(const char *path, struct gf_io_error *err);

/* From now on every file reaches storage before it gets its name, so that a crash of the machine leaves no truncated
 * file: for results that are trusted later without a check. Costs a few milliseconds per file. */
void gf_output_set_durable(void);

/* Appends bytes through a buffer of 64 KiB. FAILED with the errno text. After a failure every later call on the same
 * output fails with the same sentence, so that a codec's callback may ignore the result. */
enum gf_io_status gf_output_write(struct gf_output_file *out, const void *data, size_t size, struct gf_io_error *err);

/* The bytes that were appended so far. */
uint64_t gf_output_written(const struct gf_output_file *out);

/* Whether gf_output_patch can change bytes that were written: in a regular file, not on a pipe. */
bool gf_output_can_patch(const struct gf_output_file *out);

/* Replaces bytes at `offset`, all of which were written. Errors as gf_output_write. */
enum gf_io_status gf_output_patch(struct gf_output_file *out, uint64_t offset, const void *data, size_t size,
                                  struct gf_io_error *err);

/* Writes the contents of the buffer, for outputs that are read while they grow. Errors as gf_output_write. */
enum gf_io_status gf_output_flush(struct gf_output_file *out, struct gf_io_error *err);

/* Flushes, closes and puts the file in place. A new file gets 0666 & ~umask; an existing one keeps its mode. The output
 * is freed and *out is NULL on success and on failure; on failure nothing is left behind. */
enum gf_io_status gf_output_commit(struct gf_output_file **out, struct gf_io_error *err);

/* Writes a whole text file. Errors as gf_output_open and gf_output_write. */
enum gf_io_status gf_output_put(const char *path, const char *text, size_t size, struct gf_io_error *err);

/* Closes, removes the temporary file, frees, and sets *out to NULL. *out may be NULL. For gf_cleanup. */
void gf_output_discardp(struct gf_output_file **out);

/* Unlinks the temporary files of all open outputs. Async-signal-safe, for the handlers of SIGINT, SIGTERM and SIGHUP,
 * which must end the process afterwards. */
void gf_output_abort(void);

#endif
