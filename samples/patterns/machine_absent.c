/* SPDX-License-Identifier: MIT */
/*
 * The GPU of a program that was built without a CUDA compiler; see machine.h. open always fails, so that no other
 * function is called and the remaining fields stay NULL.
 */
#include <stdio.h>

#include "machine.h"

static bool open_absent(char *ret_why, size_t size)
{
    snprintf(ret_why, size, "this program was built without a CUDA compiler");
    return false;
}

const struct machine g_machine_cuda = {.open = open_absent, .device = "cuda:0"};
