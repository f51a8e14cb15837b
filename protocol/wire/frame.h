/* SPDX-License-Identifier: MIT */
/*
 * Frames: a header of 32 bytes, a body of flat typed attributes, a payload. Converts headers and attributes between
 * bytes and values; no state, no I/O. Used by client library, front and worker. docs/protocol.md is the reference.
 */
#ifndef GF_PROTOCOL_FRAME_H
#define GF_PROTOCOL_FRAME_H

#include "protocol/base/error.h"
#include "protocol/base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_HEADER_SIZE 32u

enum gf_frame_kind {
    GF_FRAME_HELLO = 1,       /* client: first frame of a connection */
    GF_FRAME_HELLO_REPLY = 2, /* server */
    GF_FRAME_RUN = 3,         /* client: a program; answered by RESULT or ERROR */
    GF_FRAME_RESULT = 4,      /* server: final answer of RUN */
    GF_FRAME_ERROR = 5,       /* server: final answer of any request; with id 0 the last frame of the connection */
    GF_FRAME_CANCEL = 6,      /* client: cancels the request with this id; has no answer of its own */
    GF_FRAME_PING = 7,        /* either side; payload and body empty */
    GF_FRAME_PONG = 8,
    GF_FRAME_ARENA = 9,       /* client: declares an arena, with one descriptor; answered by DONE or ERROR */
    GF_FRAME_ARENA_DROP = 10, /* client: answered by DONE when no request uses the arena any more */
    GF_FRAME_FREE = 11,       /* client: frees a handle; answered by DONE or ERROR */
    GF_FRAME_INFO = 12,       /* client: asks for a topic; answered by INFO_REPLY or ERROR */
    GF_FRAME_INFO_REPLY = 13,
    GF_FRAME_DONE = 14,
    GF_FRAME_GOAWAY = 15, /* server, id 0: accepts no new requests, answers the accepted ones */
    GF_FRAME_ADMIN = 16,  /* client: an action of an administrator; answered by DONE or ERROR */

    /* Only between front and worker (worker_msg.h); a client that sends one is refused. */
    GF_FRAME_WORKER_HELLO = 64,
    GF_FRAME_WORKER_MAP = 65,
    GF_FRAME_WORKER_UNMAP = 66,
    GF_FRAME_WORKER_GPU = 67
};

struct gf_header {
    uint16_t version;
    uint16_t kind;
    uint16_t flags; /* 0 */
    uint16_t nfds;  /* descriptors sent with the first byte of this frame */
    uint32_t body_len;
    uint64_t id; /* request id; 0 from the server: unsolicited */
    uint64_t payload_len;
};

/* "RUN"; "unknown". Static text. */
const char *gf_frame_kind_name(uint32_t kind);
/* "OPERAND" of an attribute id; "unknown". Static text. */
const char *gf_attr_name(uint32_t id);

void gf_header_encode(const struct gf_header *h, uint8_t ret_bytes[GF_HEADER_SIZE]);
/* BAD_FRAME: wrong magic or flags, body_len over GF_MAX_BODY or not a multiple of 8, nfds over GF_MAX_FDS, payload_len
 * over GF_MAX_PAYLOAD. BAD_VERSION: a version outside GF_VERSION_MIN..GF_VERSION. The caller checks the kind. */
enum gf_status gf_header_decode(const uint8_t bytes[GF_HEADER_SIZE], struct gf_header *ret, struct gf_error *err);

enum gf_attr_type {
    GF_TYPE_U32 = 1,
    GF_TYPE_U64 = 2,
    GF_TYPE_F32 = 3,
    GF_TYPE_ENUM = 4,   /* u32 on the wire */
    GF_TYPE_STRING = 5, /* UTF-8 without terminator or NUL */
    GF_TYPE_BYTES = 6,  /* a record whose layout docs/protocol.md defines */
    GF_TYPE_F64 = 7
};

enum gf_attr_id {
    GF_ATTR_STATUS = 1,      /* u32 */
    GF_ATTR_TEXT = 2,        /* string */
    GF_ATTR_NEEDED = 3,      /* u64, bytes */
    GF_ATTR_RETRY_MS = 4,    /* u32: time before a retry */
    GF_ATTR_VERSION_MIN = 5, /* u32 */
    GF_ATTR_VERSION_MAX = 6, /* u32 */
    GF_ATTR_VERSION = 7,     /* u32: the chosen version */
    GF_ATTR_SOFTWARE = 8,    /* string: name and version of the peer */
    GF_ATTR_FD_PASSING = 9,  /* u32: 1 if the descriptor of HELLO arrived */
    GF_ATTR_LIMIT = 10,      /* bytes: u32 which (enum gf_limit), u32 0, u64 value; repeated */
    GF_ATTR_DEVICE = 11,     /* string; in a list it begins the description of a device */
    GF_ATTR_DEVICE_TITLE = 12,
    GF_ATTR_DEVICE_UUID = 13,
    GF_ATTR_DEVICE_DETAIL = 14,
    GF_ATTR_DEVICE_MEMORY = 15, /* u64 */
    GF_ATTR_DEVICE_UNITS = 16,  /* u32 */
    GF_ATTR_DEVICE_STATE = 17,  /* u32, enum gf_device_state */
    GF_ATTR_DEADLINE_MS = 18,   /* u32 */
    GF_ATTR_OPERAND = 19,       /* bytes, 56 */
    GF_ATTR_STEP = 20,          /* bytes, 8 + 4 * inputs; its parameters follow it */
    GF_ATTR_RESULT = 21,        /* bytes, 32 */
    GF_ATTR_OUTPUT = 22,        /* bytes, 48: view, offset and length of one result in the answer */
    GF_ATTR_TIMES = 23,         /* bytes, 40: five u64, nanoseconds */
    GF_ATTR_ARENA = 24,         /* u32 */
    GF_ATTR_SIZE = 25,          /* u64, bytes */
    GF_ATTR_HANDLE = 26,        /* u32 */
    GF_ATTR_TOPIC = 27,         /* u32, enum gf_topic */
    GF_ATTR_HEALTH = 28,        /* u32, enum gf_health */
    GF_ATTR_SLOTS = 29,         /* u32: jobs that a worker runs at once */
    GF_ATTR_OP_ROW = 30,        /* bytes: u32 op id, u32 set of dtypes; repeated */
    GF_ATTR_KEY = 31,           /* u64: the front's key for a mapping in a worker */
    GF_ATTR_PID = 32,           /* u32 */
    GF_ATTR_STAGING = 33,       /* u32: 1 for the front's own memory */
    GF_ATTR_METRIC = 34,        /* string: name; begins a family of metrics */
    GF_ATTR_METRIC_KIND = 35,   /* u32, enum gf_metric_kind */
    GF_ATTR_METRIC_HELP = 36,   /* string */
    GF_ATTR_METRIC_LABELS = 37, /* string: of the next METRIC_VALUE */
    GF_ATTR_METRIC_VALUE = 38,  /* f64: one number, or the numbers of a histogram */
    GF_ATTR_WHY = 39,           /* string: why the request ran on this device */
    GF_ATTR_HANDLE_ENTRY = 40,  /* bytes, 48: a resident buffer of the preceding device */
    GF_ATTR_TRACE = 41,         /* u32: 1 asks for SPANS */
    GF_ATTR_SPANS = 42,         /* bytes, 24 each: what was done when */
    GF_ATTR_PART = 43,          /* bytes, 8: u32 which slab of rows, u32 of how many */
    GF_ATTR_EXPRESSIONS = 44,   /* bytes, 64: eight u64, how a worker ran expressions */
    GF_ATTR_UNFUSED = 45,       /* u32: 1 asks to run each step separately */
    GF_ATTR_REVISION = 46,      /* bytes, 8: u32 op id, u32 revision; repeated */
    GF_ATTR_KEYS = 47,          /* bytes, 8 each: the front's keys for mappings and buffers in a worker, and its user */
    GF_ATTR_COMPILE_TIMES = 48, /* bytes, 16 each: u64 user, u64 ns, for whom a worker compiled */
    GF_ATTR_ACTION = 49,        /* u32, enum gf_admin_action */
    GF_ATTR_USER = 50,          /* u64: a user by its number */
    GF_ATTR_USER_NAME = 51,     /* string: a user by the name of its certificate */
    GF_ATTR_NEXT = 52,          /* u32: number of the family of metrics with which an answer to INFO goes on */
    GF_ATTR_GPU_FIGURES = 53,   /* bytes, 8 + 8 for each figure: u64 set of those that are known, u64 each */
    GF_ATTR_GPU_PCI = 54,       /* string: the GPU's place on the bus */
    GF_ATTR_GPU_DRIVER = 55,    /* string: version of the GPU's driver */
    GF_ATTR_GPU_CUDA = 56,      /* string: the highest CUDA version of that driver */
    GF_ATTR_NODE = 57,          /* string: name of the server's machine */
    GF_ATTR_CONNECTION = 58,    /* u64: number of the connection since the server's start, from 1 on */
    GF_ATTR_TRACE_CONTEXT = 59, /* bytes, 24: id of a trace, id of a span */
    GF_ATTR_PARAM = 0x1000      /* + parameter id, of the preceding step: u32, f32, f64 or enum, one to four values */
};

/* One attribute on the wire: u16 id, u8 type, u8 0, u32 length, value, zeros up to a multiple of 8. */
struct gf_attr {
    uint16_t id;
    uint8_t type;
    uint32_t length;
    const uint8_t *value; /* into the body */
};

/* Walks a body. */
struct gf_reader {
    const uint8_t *data;
    size_t size, at;
};

/* Returns 1 and the next attribute, 0 at the end, -1 (BAD_REQUEST) if the bytes are not an attribute: truncated,
 * unknown type, wrong length for its type, nonzero padding or reserved byte, NUL in a string. */
int gf_attr_next(struct gf_reader *r, struct gf_attr *ret, struct gf_error *err);
/* Decodes one value; BAD_REQUEST names the attribute if type or length differ. A string is copied with a terminator. A
 * string longer than capacity - 1 is an error, and so is a control character, because strings reach
 * logs and terminals. */
enum gf_status gf_attr_u32(const struct gf_attr *a, uint32_t *ret, struct gf_error *err);
enum gf_status gf_attr_u64(const struct gf_attr *a, uint64_t *ret, struct gf_error *err);
enum gf_status gf_attr_string(const struct gf_attr *a, char *ret, size_t capacity, struct gf_error *err);
/* Checks that the attribute has type bytes and this length. */
enum gf_status gf_attr_record(const struct gf_attr *a, size_t length, struct gf_error *err);

/* Builds a frame in the caller's memory: room for the header, then attributes. After an overflow no more is written and
 * `overflow` stays true. */
struct gf_writer {
    uint8_t *data;
    size_t capacity, size; /* size includes GF_HEADER_SIZE */
    bool overflow;
};

#define GF_MAX_FRAME_HEAD (GF_HEADER_SIZE + GF_MAX_BODY)

void gf_writer_init(struct gf_writer *w, uint8_t *data, size_t capacity);
void gf_put(struct gf_writer *w, uint16_t id, enum gf_attr_type type, const void *value, size_t length);
void gf_put_u32(struct gf_writer *w, uint16_t id, uint32_t value);
void gf_put_u64(struct gf_writer *w, uint16_t id, uint64_t value);
/* Writes control characters as '?'. */
void gf_put_string(struct gf_writer *w, uint16_t id, const char *text);
/* Writes the header into its room. False if the body did not fit. */
bool gf_writer_finish(struct gf_writer *w, uint16_t kind, uint64_t id, uint64_t payload_len, uint16_t nfds);

/* Little-endian loads and stores for fixed records. */
uint16_t gf_load_u16(const uint8_t *p);
uint32_t gf_load_u32(const uint8_t *p);
uint64_t gf_load_u64(const uint8_t *p);
void gf_store_u16(uint8_t *p, uint16_t v);
void gf_store_u32(uint8_t *p, uint32_t v);
void gf_store_u64(uint8_t *p, uint64_t v);

#ifdef __cplusplus
}
#endif
#endif
