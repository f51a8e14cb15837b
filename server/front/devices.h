/* SPDX-License-Identifier: MIT */
/* The devices that the daemon serves, and the path of the worker program; called by server_start.c and doctor.c. */
#ifndef GF_FRONT_DEVICES_H
#define GF_FRONT_DEVICES_H

#include "server/front/worker/workers.h"

/* Adds the devices of an option's text: names separated by commas, "auto" for the CPU and every GPU node, or "none".
 * BAD_PARAM says what is wrong. */
enum gf_status gf_devices_add(struct gf_workers *workers, const char *text, struct gf_error *err);

/* The worker's path: the option if it is not empty, otherwise beside this executable or at its installed place. */
enum gf_status gf_worker_program(const char *option, char *ret_path, size_t size, struct gf_error *err);

#endif
