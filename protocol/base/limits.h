/* SPDX-License-Identifier: MIT */
/*
 * Every limit of the wire format and of the data model, with its reason. Limits that an administrator can change are
 * options of gpufilterd.
 */
#ifndef GF_PROTOCOL_LIMITS_H
#define GF_PROTOCOL_LIMITS_H

#define GF_MAGIC 0x57504647u /* "GFPW" read as little-endian bytes */
#define GF_VERSION 1u        /* protocol major version; a server also accepts the previous one */
#define GF_VERSION_MIN 1u

#define GF_MAX_BODY (64u * 1024u)   /* body of one frame; also fits into one SOCK_SEQPACKET message to a worker */
#define GF_MAX_PAYLOAD (1ull << 62) /* payload of one frame by its format; a server's max_inline is far smaller */
#define GF_MAX_STEPS 64u            /* steps of a program */
#define GF_MAX_OPERANDS 64u         /* operands of a program */
#define GF_MAX_RESULTS 64u          /* results of a program */
#define GF_MAX_INPUTS 8u            /* inputs of one op */
#define GF_MAX_OUTPUTS 4u           /* outputs of one op */
#define GF_MAX_PARAMS 32u           /* parameters of one op */
#define GF_MAX_VALUES 4u            /* values of one numeric parameter: one per channel or per axis */
#define GF_MAX_STRING 256u          /* bytes of a string parameter, without a terminator */
#define GF_MAX_TEXTS 4096u          /* bytes of all strings of a program: parsed within a slice of the front's thread */
#define GF_MAX_DEVICE_NAME 64u      /* "cpu", "cuda:0", a UUID */
#define GF_MAX_DEVICES 64u          /* devices one server lists */
#define GF_MAX_HANDLES 1024u        /* handles of a connection: their list fits into one body */
#define GF_MAX_FDS 1u               /* descriptors a frame may carry */

#define GF_INLINE_ALIGN 64u /* inline operands and results start at multiples of this in the payload */

#define GF_MAX_CHANNELS 4u
#define GF_MAX_SIDE 65535u           /* width and height of an image */
#define GF_MAX_SAMPLES (1ull << 31)  /* width * height * channels of an image */
#define GF_MAX_ELEMENTS (1ull << 40) /* elements of an array: keeps every byte count far below 2^64 */
#define GF_MAX_PITCH (1ull << 40)    /* bytes from row to row */
#define GF_MAX_BYTES (1ull << 48)    /* bytes that a view spans: keeps sums over a request far below 2^64 */
#define GF_MAX_MASK_SIDE 255u        /* width and height of a mask */
#define GF_MAX_WINDOW 255u           /* width and height of a ranked window: 16 bits count its samples */
#define GF_MAX_TAPS 4095u            /* taps of one separable axis */
#define GF_MAX_KERNEL 65535u         /* taps of a 1-D kernel: sums of 8-bit products fit 32 bits */
#define GF_MAX_LIST 16777217u        /* numbers of a list: 2^24 bins have 2^24 + 1 edges */

#endif
