/* SPDX-License-Identifier: MIT */
/*
 * What a worker that joined says when it crashes. The front is not its parent, so the front cannot see by which signal
 * it ended, and could not tell a crash, which a request may have caused, from a planned stop. Called by main().
 */
#ifndef GF_WORKER_LAST_WORDS_H
#define GF_WORKER_LAST_WORDS_H

/* From now on a signal of a program that failed sends an ERROR with id 0 to the front before the process ends by it.
 * Nothing is sent if the stack has overflowed, if the socket is full, or if a system call filter ends the process. */
void gf_last_words_init(int front);

#endif
