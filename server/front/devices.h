/* SPDX-License-Identifier: MIT */
/* The devices that the daemon serves, and the paths of its other programs; called by server.c, server_start.c and
 * doctor.c. */
#ifndef GF_FRONT_DEVICES_H
#define GF_FRONT_DEVICES_H

#include "server/front/worker/workers.h"

/* The devices of the option's text: names separated by commas, "auto", or "none". `units`: systemd has passed a socket
 * on which the workers of other units join; then the daemon starts the CPU's worker alone, and "auto" is the CPU and
 * the devices whose units are enabled. Otherwise it starts all workers, and "auto" is the CPU and every GPU node.
 * `root` is
 * "" for the system itself. */
struct gf_devices {
    const char *text, *root;
    bool units;
};

/* Adds the devices. EXISTS for one that is named twice, TOO_LARGE for too many, NO_MEMORY. */
enum gf_status gf_devices_add(struct gf_workers *workers, const struct gf_devices *devices, struct gf_error *err);
/* Units were enabled or disabled since: adds devices and starts to wait for their workers; those of disabled units are
 * no longer meant. */
void gf_devices_look_again(struct gf_workers *workers, const struct gf_devices *devices);

/* The worker's path: the option if it is not empty, otherwise beside this executable or at its installed place. */
enum gf_status gf_worker_program(const char *option, char *ret_path, size_t size, struct gf_error *err);
/* The path of the program that serves metrics. START_FAILED if this build or installation has none. */
enum gf_status gf_metrics_program(char *ret_path, size_t size, struct gf_error *err);

#endif
