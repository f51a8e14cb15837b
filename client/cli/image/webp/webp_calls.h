/* SPDX-License-Identifier: MIT */
/*
 * The functions used from libwebp and from its two companions for files with several parts. Header functions that only
 * add a version number are not used, because they would require linking the libraries. Shared by webp_read.c and
 * webp_write.c.
 */
#ifndef GF_CLI_WEBP_CALLS_H
#define GF_CLI_WEBP_CALLS_H

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "webp_codec.h"

#define GF_WEBP_CALLS(call)                                                                                            \
    call(WebPGetDecoderVersion) call(WebPGetFeaturesInternal) call(WebPInitDecoderConfigInternal) call(WebPDecode)     \
        call(WebPConfigInitInternal) call(WebPConfigLosslessPreset) call(WebPPictureInitInternal)                      \
            call(WebPPictureImportRGB) call(WebPPictureImportRGBA) call(WebPEncode) call(WebPPictureFree)              \
                call(WebPMemoryWriterInit) call(WebPMemoryWrite) call(WebPMemoryWriterClear) call(WebPFree)
#define GF_WEBP_DEMUX_CALLS(call)                                                                                      \
    call(WebPDemuxInternal) call(WebPDemuxGetI) call(WebPDemuxGetChunk) call(WebPDemuxReleaseChunkIterator)            \
        call(WebPDemuxDelete) call(WebPAnimDecoderOptionsInitInternal) call(WebPAnimDecoderNewInternal)                \
            call(WebPAnimDecoderGetNext) call(WebPAnimDecoderDelete)
#define GF_WEBP_MUX_CALLS(call)                                                                                        \
    call(WebPMuxCreateInternal) call(WebPMuxSetChunk) call(WebPMuxAssemble) call(WebPMuxDelete)

struct gf_webp_calls {
    GF_WEBP_CALLS(GF_LIBRARY_MEMBER)
};
struct gf_webp_demux_calls {
    GF_WEBP_DEMUX_CALLS(GF_LIBRARY_MEMBER)
};
struct gf_webp_mux_calls {
    GF_WEBP_MUX_CALLS(GF_LIBRARY_MEMBER)
};

/* Filled by gf_webp_ready. */
extern struct gf_webp_calls gf_webp;
extern struct gf_webp_demux_calls gf_webp_demux;
extern struct gf_webp_mux_calls gf_webp_mux;

#endif
