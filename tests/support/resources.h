/* SPDX-License-Identifier: MIT */
/* Resources that a test must release: descriptors and temporary directories. */
#ifndef GF_TESTS_RESOURCES_H
#define GF_TESTS_RESOURCES_H

#include <sys/types.h>

/* The number of open descriptors of this process, to compare before and after code that must not leak. -1 without
 * /proc. */
int gf_fd_count(void);
/* The number of open descriptors of any process. -1 if they cannot be listed. */
int gf_fd_count_of(pid_t pid);

/* A new directory of mode 0700 below $TMPDIR or /tmp, whose path is short enough for a socket's name. The caller
 * frees it with gf_temp_dir_free. NULL with errno on failure. */
char *gf_temp_dir_new(void);
/* Removes the directory with everything in it and frees the path; NULL is allowed. Returns NULL. */
char *gf_temp_dir_free(char *path);
/* The same for gf_cleanup. */
void gf_temp_dir_freep(char **path);

#endif
