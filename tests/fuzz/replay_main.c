/* SPDX-License-Identifier: MIT */
/*
 * Replaces libFuzzer: runs the target with which it is linked over cases. An argument that ends in .tar is an archive
 * of cases, a folder has one case in each file, and any other file is one case, such as a crash file of libFuzzer. The
 * name of a case is printed to standard error before the case runs.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "fuzz.h"
#include "protocol/base/base.h"

static const char *wanted; /* the name of the only case to run; NULL: all */
static bool listing;       /* print names, run nothing */
static int count;

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

/* Reads the whole file into an allocation. NULL after printing a message. */
static uint8_t *read_file(const char *path, size_t *ret_size)
{
    gf_cleanup(gf_freep) uint8_t *data = NULL;
    gf_cleanup(fclosep) FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return NULL;
    }
    long end = ftell(file);
    rewind(file);
    size_t size = end > 0 ? (size_t)end : 0;
    data = malloc(size > 0 ? size : 1);
    if (end < 0 || data == NULL || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return NULL;
    }
    *ret_size = size;
    return gf_steal_ptr(&data);
}

/* Runs one case from an exact copy, so that a sanitizer detects every read past the end. */
static int run(const char *path, const char *name, const uint8_t *bytes, size_t size)
{
    if (wanted != NULL && strcmp(name, wanted) != 0)
        return 0;
    count++;
    if (listing)
        return printf("%s\n", name) < 0;
    gf_cleanup(gf_freep) uint8_t *data = malloc(size > 0 ? size : 1);
    if (data == NULL) {
        fprintf(stderr, "%s: no memory for the %zu bytes of %s\n", path, size, name);
        return -1;
    }
    memcpy(data, bytes, size);
    fprintf(stderr, "%s: %s\n", path, name);
    return LLVMFuzzerTestOneInput(data, size);
}

static int run_file(const char *path, const char *name)
{
    size_t size;
    gf_cleanup(gf_freep) uint8_t *data = read_file(path, &size);
    return data == NULL ? -1 : run(path, name, data, size);
}

static int run_folder(const char *path, DIR *dir)
{
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        gf_cleanup(gf_freep) char *file = NULL;
        if (e->d_name[0] == '.')
            continue;
        if (asprintf(&file, "%s/%s", path, e->d_name) < 0 || run_file(file, e->d_name) != 0)
            return -1;
    }
    return 0;
}

static int run_archive(const char *path)
{
    struct gf_archive archive = {0};
    gf_cleanup(gf_freep) uint8_t *bytes = read_file(path, &archive.size);
    const uint8_t *data;
    size_t size;
    int r;
    if (bytes == NULL)
        return -1;
    archive.bytes = bytes;
    while ((r = gf_archive_next(&archive, &data, &size)) == 1)
        if (run(path, archive.name, data, size) != 0)
            return -1;
    if (r < 0)
        fprintf(stderr, "%s: %s\n", path, archive.error);
    return r;
}

static int run_argument(const char *path)
{
    size_t length = strlen(path);
    const char *slash = strrchr(path, '/');
    gf_cleanup(closedirp) DIR *dir = opendir(path);
    if (dir != NULL)
        return run_folder(path, dir);
    if (length > 4 && strcmp(path + length - 4, ".tar") == 0)
        return run_archive(path);
    return run_file(path, slash == NULL ? path : slash + 1);
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        listing = true;
        first = 2;
    } else if (argc > 2 && strcmp(argv[1], "--case") == 0) {
        wanted = argv[2];
        first = 3;
    }
    if (first >= argc || argv[first][0] == '-') {
        fprintf(stderr, "usage: %s [--list | --case NAME] ARCHIVE.tar|FOLDER|FILE...\n", argv[0]);
        return 64;
    }
    for (int i = first; i < argc; i++)
        if (run_argument(argv[i]) != 0)
            return 1;
    if (wanted != NULL && count == 0)
        fprintf(stderr, "there is no case %s\n", wanted);
    if (!listing)
        printf("%d inputs\n", count);
    return count == 0;
}
