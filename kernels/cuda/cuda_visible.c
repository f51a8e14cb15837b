/* SPDX-License-Identifier: MIT */
/* The process's one device; see cuda_visible.h. */
#include "cuda_visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "protocol/base/visible.h"

/* Returns the value of CUDA_VISIBLE_DEVICES that selects the device: a UUID unchanged; for cuda:1 the second entry of
 * the variable, or 1 where the variable is not set. */
static enum gf_status visible_for(const char *device, char *ret, size_t size, struct gf_error *err)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES"), *index = device + 5;
    if (strncmp(device, "cuda:", 5) != 0) {
        (void)snprintf(ret, size, "%s", device);
        return GF_OK;
    }
    if (*index == '\0' || strlen(index) > 9 || strspn(index, "0123456789") != strlen(index))
        return gf_error_set(err, GF_E_NO_DEVICE, "%s is not a device; it must be cuda:0, cuda:1, ... or a UUID",
                            device);
    if (!list)
        (void)snprintf(ret, size, "%s", index);
    else if (!gf_visible_word(list, (uint32_t)strtoul(index, NULL, 10), ret, size) || gf_visible_count(list) == 0)
        return gf_error_set(err, GF_E_NO_DEVICE,
                            "%s is not among the GPUs of CUDA_VISIBLE_DEVICES=%.100s, counted from 0", device, list);
    return GF_OK;
}

enum gf_status gf_cuda_show_one_device(const char *device, struct gf_error *err)
{
    char visible[GF_MAX_DEVICE_NAME + 1];
    enum gf_status status = visible_for(device, visible, sizeof(visible), err);
    if (status != GF_OK)
        return status;
    /* EAGER loads modules with the context: otherwise a later first launch would stall all execution contexts. With
     * more connections fewer streams share one and wait for each other, but the driver reports a trapped kernel
     * later. */
    if (setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0) != 0 || setenv("CUDA_MODULE_LOADING", "EAGER", 0) != 0 ||
        setenv("CUDA_DEVICE_MAX_CONNECTIONS", "12", 0) != 0 || setenv("CUDA_VISIBLE_DEVICES", visible, 1) != 0)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory to set the environment");
    return GF_OK;
}

static bool is_instance(const char *word, const char *title)
{
    return (word && strncmp(word, "MIG-", 4) == 0) || strstr(title, " MIG ") != NULL;
}

void gf_cuda_uuid(const char *word, const char *title, const char bytes[16], char ret_uuid[GF_MAX_DEVICE_NAME])
{
    const unsigned char *b = (const unsigned char *)bytes;
    (void)snprintf(ret_uuid, GF_MAX_DEVICE_NAME,
                   "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                   is_instance(word, title) ? "MIG" : "GPU", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9],
                   b[10], b[11], b[12], b[13], b[14], b[15]);
    bool names_uuid = word && (strncmp(word, "MIG-", 4) == 0 || strncmp(word, "GPU-", 4) == 0);
    if (names_uuid && strncasecmp(ret_uuid, word, strlen(word)) != 0)
        (void)snprintf(ret_uuid, GF_MAX_DEVICE_NAME, "%s", word);
}
