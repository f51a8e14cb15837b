/* SPDX-License-Identifier: MIT */
/* Reads CUDA_VISIBLE_DEVICES; see visible.h. Called by server/front/devices.c and kernels/cuda/cuda_backend.c. */
#include "visible.h"

#include <string.h>

/* Takes the next word of a list from *at on, without blanks; false at the end of the list or at a word that names no
 * GPU. */
static bool next_word(const char **at, const char **ret_word, size_t *ret_length)
{
    const char *word = *at + strspn(*at, " \t");
    size_t whole = strcspn(word, ","), length = whole;
    while (length > 0 && (word[length - 1] == ' ' || word[length - 1] == '\t'))
        length--;
    bool index = length > 0 && strspn(word, "0123456789") >= length;
    if (!index && (length < 4 || (strncmp(word, "GPU-", 4) != 0 && strncmp(word, "MIG-", 4) != 0)))
        return false;
    *at = word + whole + (word[whole] == ',');
    *ret_word = word;
    *ret_length = length;
    return true;
}

static bool is_repeated(const char *list, const char *word, size_t length)
{
    const char *other;
    size_t other_length;
    while (next_word(&list, &other, &other_length) && other != word)
        if (other_length == length && memcmp(other, word, length) == 0)
            return true;
    return false;
}

uint32_t gf_visible_count(const char *list)
{
    const char *at = list, *word;
    size_t length;
    uint32_t n = 0;
    for (; next_word(&at, &word, &length); n++)
        if (is_repeated(list, word, length))
            return 0;
    return n;
}

bool gf_visible_word(const char *list, uint32_t i, char *ret, size_t size)
{
    const char *word;
    size_t length;
    for (uint32_t k = 0; k <= i; k++)
        if (!next_word(&list, &word, &length))
            return false;
    if (length >= size)
        return false;
    memcpy(ret, word, length);
    ret[length] = '\0';
    return true;
}
