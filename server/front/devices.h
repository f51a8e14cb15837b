/* SPDX-License-Identifier: MIT */
/* The devices that the daemon serves, and the path of the worker program; called by server_start.c and doctor.c. */
#ifndef GF_FRONT_DEVICES_H
#define GF_FRONT_DEVICES_H

#include "server/front/worker/workers.h"

/* Adds the devices of an option's text: names separated by commas, "auto" for the CPU and every GPU node there is,
 * "none". BAD_PARAM names what is wrong. */
enum gf_status gf_devices_add(struct gf_workers *workers, const char *text, struct gf_error *err);

/* The worker's path: the option's if it is not empty, else beside this executable or where an installed tree has it. */
enum gf_status gf_worker_program(const char *option, char *ret_path, size_t size, struct gf_error *err);

#endif
