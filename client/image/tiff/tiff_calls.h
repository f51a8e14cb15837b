/* SPDX-License-Identifier: MIT */
/* The functions used from libtiff, its errors, metadata, and conversions of samples. Shared by the files of this
 * folder. */
#ifndef GF_TIFF_CALLS_H
#define GF_TIFF_CALLS_H

#include <tiffio.h>

#include "client/image/library.h"

#define GF_TIFF_CALLS(call)                                                                                            \
    call(TIFFClientOpenExt) call(TIFFClose) call(TIFFOpenOptionsAlloc) call(TIFFOpenOptionsFree)                       \
        call(TIFFOpenOptionsSetErrorHandlerExtR) call(TIFFOpenOptionsSetWarningHandlerExtR)                            \
            call(TIFFOpenOptionsSetMaxSingleMemAlloc) call(TIFFGetField) call(TIFFGetFieldDefaulted)                   \
                call(TIFFSetField) call(TIFFSetDirectory) call(TIFFReadDirectory) call(TIFFCurrentDirOffset)           \
                    call(TIFFIsTiled) call(TIFFStripSize64) call(TIFFTileSize64) call(TIFFNumberOfStrips)              \
                        call(TIFFNumberOfTiles) call(TIFFScanlineSize64) call(TIFFTileRowSize64)                       \
                            call(TIFFReadEncodedStrip) call(TIFFReadEncodedTile) call(TIFFReadRGBAImageOriented)       \
                                call(TIFFRGBAImageOK) call(TIFFWriteEncodedStrip) call(TIFFWriteDirectory)             \
                                    call(TIFFIsCODECConfigured) call(TIFFGetVersion) call(TIFFGetStrileOffset)         \
                                        call(TIFFGetStrileByteCount) call(TIFFIsByteSwapped) call(TIFFFindField)       \
                                            call(TIFFFieldPassCount) call(TIFFFieldReadCount) call(TIFFMergeFieldInfo)

struct gf_tiff_calls {
    GF_TIFF_CALLS(GF_LIBRARY_MEMBER)
};

/* Filled by gf_tiff_ready. */
extern struct gf_tiff_calls gf_tiff;

/* libtiff's messages about one file. */
struct gf_tiff_failure {
    char text[256]; /* the first error; empty: none */
    bool is_strict; /* warnings about damage count as errors, because samples are being read */
};

/* Opens a file that the callbacks read and write; its errors go to *failure. NULL on failure. The caller closes it. */
TIFF *gf_tiff_open(const char *mode, void *user, TIFFReadWriteProc read, TIFFReadWriteProc write, TIFFSeekProc seek,
                   TIFFSizeProc size, TIFFMapFileProc map, struct gf_tiff_failure *failure);

/* Closes the file; NULL is ignored. For gf_cleanup. */
void gf_tiff_closep(TIFF **tiff);

/* The tags of struct gf_image_geo, for libtiff, which knows none of them. */
extern const TIFFFieldInfo gf_tiff_geo[GF_GEO_TAGS];

/* A page that was read. */
struct gf_tiff_page {
    uint16_t photometric;
    uint32_t orientation;
    uint32_t samples;      /* of a pixel in the file */
    const uint32_t *bands; /* those that the channels of the picture are, from 0 */
};

/* Reads the metadata of the current directory into the picture, which has its samples, and makes its alpha straight. */
void gf_tiff_read_meta(TIFF *tiff, const struct gf_source *src, const struct gf_tiff_page *page,
                       struct gf_image *image);

/* Unpacks n samples of 9 to 15 bits, scaled to the full range. */
void gf_tiff_unpack(const uint8_t *from, uint32_t bits, uint16_t *to, uint32_t n);

/* Converts CIE L*a*b* of u8 or u16 to sRGB in place; a fourth channel stays. `white` is x and y of the white of the
 * file. */
void gf_tiff_lab_to_srgb(struct gf_image *image, const float white[2]);

#endif
