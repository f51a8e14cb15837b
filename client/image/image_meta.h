/* SPDX-License-Identifier: MIT */
/*
 * The ledger of loss: what a file says besides its samples. The codecs fill it and write what their format holds, and
 * ledger.c compares both. Thumbnails show the picture before filtering and are dropped.
 */
#ifndef GF_IMAGE_META_H
#define GF_IMAGE_META_H

#include "protocol/base/base.h"
#include "protocol/base/view.h"

/* Tags of GeoTIFF and GDAL (tiff_calls.h lists them), which place a picture of this size on the earth. */
#define GF_GEO_TAGS 8
extern const uint8_t gf_geo_sizes[GF_GEO_TAGS]; /* bytes of a value */
struct gf_image_geo {
    uint64_t width, height;
    struct {
        void *values; /* NULL: the picture does not have the tag */
        uint32_t count;
    } tags[GF_GEO_TAGS];
};

/* Facts of a file, as bits of a set. */
enum gf_fact {
    GF_FACT_GAIN_MAP,  /* for HDR, a picture that no format stores here */
    GF_FACT_AUXILIARY, /* other pictures about the same scene, as depth */
    GF_FACT_PROFILE,   /* a colour space, described by an ICC profile */
    GF_FACT_EXIF,
    GF_FACT_RIGHTS, /* what EXIF says of the artist and the copyright; only for gf_image_meta_without */
    GF_FACT_XMP,
    GF_FACT_IPTC,
    GF_FACT_COMMENT,
    GF_FACT_TEXT,
    GF_FACT_RESOLUTION,
    GF_FACT_FRAMES, /* how long the frames of an animation are shown */
    GF_FACT_GEO,    /* the place on the earth, which store.c says if it is lost */
    GF_FACT_ORIENTATION,
    GF_FACT_LIGHT,  /* of the display and the content */
    GF_FACT_GAMMA,  /* a colour space other than sRGB, described by gamma and primaries */
    GF_FACT_COLOUR, /* the same, described by the numbers of H.273 */
    GF_N_FACTS
};

#define GF_FACT(fact) (1u << GF_FACT_##fact)

/* Bytes that are copied as they are. */
struct gf_image_block {
    uint8_t *bytes; /* NULL: none */
    size_t size;
};

struct gf_image_meta {
    uint32_t orientation; /* EXIF 2.3, tag 0112: 1 to 8; 0: none */
    uint32_t per_metre_x; /* pixels; 0: none, or without a unit */
    uint32_t per_metre_y;
    float without_unit[2];         /* the resolution x, y of a TIFF file that names no unit; 0: none */
    uint32_t gamma;                /* of the file's samples, times 100000; 0: none */
    uint32_t srgb_intent;          /* 1 + the rendering intent of sRGB; 0: not sRGB */
    uint32_t primaries[8];         /* times 100000: x and y of white, red, green, blue; all 0: none */
    bool is_lossy;                 /* the file's samples were coded with loss */
    uint8_t cicp[4];               /* H.273: primaries, transfer, matrix, 1 for full range; all 0: none, or as sRGB */
    struct gf_image_block light;   /* PNG chunks mDCV and cLLI, about the display and the light of the content */
    struct gf_image_block iptc;    /* datasets of IPTC-IIM */
    struct gf_image_block comment; /* JPEG comments, each after its length in two bytes */
    struct gf_image_block text;    /* PNG chunks, without XMP, thumbnails, and EXIF as text */
    bool has_gain_map;             /* the file has one, or its XMP announces one */
    bool has_auxiliary;            /* the file has pictures beside the picture that are neither alpha nor a gain map */
    bool profile_is_grey;          /* the profile is for grey, otherwise for colour */
    uint32_t delay[2];             /* seconds that a frame is shown, numerator and denominator; 0, 0: not said */
    uint32_t plays;                /* how often an animation is shown; 0: for ever, or not said */
    uint32_t sides;                /* dimensions of an array, without that of several channels; 0: not an array */
    uint8_t *profile;              /* ICC; NULL: none */
    size_t profile_size;           /* at most GF_IMAGE_MAX_PROFILE */
    uint8_t *exif;                 /* a TIFF structure without orientation and thumbnail; NULL: none */
    size_t exif_size;
    bool only_rights; /* write only the artist and the copyright of `exif` */
    char *xmp;        /* without thumbnails; NULL: none */
    size_t xmp_size;
    struct gf_image_geo *geo; /* NULL: none */
};

#define GF_IMAGE_MAX_PROFILE ((size_t)16 << 20)
void gf_image_meta_deinit(struct gf_image_meta *meta);

#define GF_BLOCK_MAX ((size_t)16 << 20)
/* Appends bytes; drops them if the block becomes too large or memory is short. */
void gf_image_block_add(struct gf_image_block *block, const void *bytes, size_t size);

void gf_image_block_clear(struct gf_image_block *block);

/* The same metadata without a set of facts, all memory borrowed. Without EXIF there is no orientation. */
struct gf_image_meta gf_image_meta_without(const struct gf_image_meta *meta, uint32_t facts);

#define GF_RESOURCE_HEAD "8BIM"
/* Takes IPTC out of resources of Photoshop (JPEG marker APP13, TIFF tag 34377), among which are thumbnails, unless the
 * metadata have some. */
void gf_image_meta_set_iptc(struct gf_image_meta *meta, const uint8_t *resources, size_t size);

/* Whether the numbers of H.273 name sRGB, or what is shown like it. */
bool gf_cicp_is_srgb(uint32_t primaries, uint32_t transfer);

/* Whether the transfer of H.273 is that of HDR: PQ or HLG. */
bool gf_cicp_is_hdr(uint32_t transfer);

/* Whether no number gives samples another curve than that of sRGB. */
bool gf_image_has_srgb_curve(const struct gf_image_meta *meta);

#define GF_COLOUR_TEXT 48
/* Whether numbers describe a colour space other than sRGB; then `text` tells which. */
bool gf_image_colour(const struct gf_image_meta *meta, char text[GF_COLOUR_TEXT]);

/* Copies a profile; drops it if it is too large or memory is short. */
void gf_image_meta_set_profile(struct gf_image_meta *meta, const void *profile, size_t size, bool is_grey);

/* The description of the profile, e.g. "Display P3", which the caller frees. NULL: none. */
char *gf_image_profile_name(const struct gf_image_meta *meta);

/* Largest size of kept XMP in bytes. */
#define GF_XMP_MAX ((size_t)16 << 20)

/* Copies XMP without thumbnails, and without what announces a gain map and other data after a JPEG, which are not kept.
 * Drops it if it is too large or not UTF-8, or if memory is short. */
void gf_image_meta_set_xmp(struct gf_image_meta *meta, const void *xmp, size_t size);

/* A zero-terminated copy with this orientation (0: 1) wherever the text names one; the caller frees it. NULL: none. */
char *gf_xmp_write(const struct gf_image_meta *meta, uint32_t orientation);

/* Largest size of kept EXIF data in bytes. */
#define GF_EXIF_MAX ((size_t)1 << 20)

/* Reads the orientation, the resolution unless it is already known, and the data themselves. Damaged or meaningless
 * entries are ignored. */
void gf_exif_read(const uint8_t *tiff, size_t size, struct gf_image_meta *meta);
/* The same from the directory at `at` of a TIFF file, with or without its description; ignores BigTIFF. */
void gf_exif_read_directory(const uint8_t *tiff, size_t size, uint64_t at, bool description,
                            struct gf_image_meta *meta);

/* The place of a picture of a multi-picture file: `at` counts from the index; 0: the picture that contains it. */
struct gf_exif_place {
    uint64_t at, size;
};

/* The number of pictures that the index of a multi-picture file (CIPA DC-007) lists, without smaller copies. Stores the
 * place of picture `index`, from 0, if there is one. */
uint64_t gf_exif_pictures(const uint8_t *tiff, size_t size, uint64_t index, struct gf_exif_place *ret_place);

/* Whether EXIF says that the colours are those of Adobe RGB, as cameras write it (DCF 2.0, option file). */
bool gf_exif_is_adobe_rgb(const struct gf_image_meta *meta);
/* Makes EXIF, where it names a colour space, name sRGB. */
void gf_exif_set_srgb(struct gf_image_meta *meta);

/* Makes EXIF data from `meta` with this orientation (0: none) and the size of the view. Data beyond `limit` bytes are
 * dropped: first the maker's note, then everything except the orientation. The caller frees the data. NULL: no data, or
 * out of memory. */
uint8_t *gf_exif_write(const struct gf_image_meta *meta, uint32_t orientation, const struct gf_view *view, size_t limit,
                       size_t *ret_size);

/* The directories about the camera and the place, in native byte order, made for offset `base` (even) of a TIFF file.
 * Without the maker's note, which must not move. */
struct gf_exif_parts {
    uint8_t *bytes; /* from malloc; NULL: there are none */
    size_t size;
    uint64_t exif, gps; /* offsets in the file; 0: none */
};
void gf_exif_parts(const struct gf_image_meta *meta, const struct gf_view *view, uint64_t base,
                   struct gf_exif_parts *ret_parts);

/* The text of a tag of the first directory, which the caller frees; NULL: none. */
char *gf_exif_text(const struct gf_image_meta *meta, uint16_t tag);

#endif
