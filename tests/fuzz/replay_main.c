/* SPDX-License-Identifier: MIT */
/* Stands in for libFuzzer: runs the target it is linked to over every file of the folders given. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/base/base.h"

static void closedirp(DIR **dir)
{
    if (*dir != NULL)
        closedir(*dir);
}

static void fclosep(FILE **file)
{
    if (*file != NULL)
        fclose(*file);
}

/* Runs one file from memory of exactly its size, so that a sanitizer sees every byte read too far. */
static int replay_file(const char *folder, const char *name)
{
    gf_cleanup(gf_freep) char *path = NULL;
    gf_cleanup(gf_freep) uint8_t *data = NULL;
    gf_cleanup(fclosep) FILE *file = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0 || (file = fopen(path, "rb")) == NULL ||
        fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s/%s: %s\n", folder, name, strerror(errno));
        return -1;
    }
    long size = ftell(file);
    rewind(file);
    data = malloc(size > 0 ? (size_t)size : 1);
    if (size < 0 || data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return -1;
    }
    fprintf(stderr, "%s\n", path);
    return LLVMFuzzerTestOneInput(data, (size_t)size);
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++) {
        gf_cleanup(closedirp) DIR *dir = opendir(argv[i]);
        if (dir == NULL) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
            return 1;
        }
        for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
            if (e->d_name[0] == '.')
                continue;
            if (replay_file(argv[i], e->d_name) != 0)
                return 1;
            n++;
        }
    }
    printf("%d inputs\n", n);
    return n == 0;
}
