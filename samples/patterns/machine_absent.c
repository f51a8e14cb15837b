/* SPDX-License-Identifier: MIT */
/* The GPU of a program that was built without a CUDA compiler; see machine.h. */
#include <stdio.h>

#include "machine.h"

/* The only function that is called: there is nothing to run on. */
static bool open_absent(char *ret_why, size_t size)
{
    snprintf(ret_why, size, "this program was built without a CUDA compiler");
    return false;
}

const struct machine g_machine_cuda = {.open = open_absent, .device = "cuda:0"};
