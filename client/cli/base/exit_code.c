/* SPDX-License-Identifier: MIT */
/* The table that maps statuses to exit codes. Called when a command fails. */
#include "exit_code.h"

#include "protocol/base/base.h"
#include "protocol/base/status.h"

const struct gf_exit_row gf_exits[] = {
    {GF_EXIT_OK, "OK", "success"},
    {GF_EXIT_DIFFERENT, "DIFFERENT", "compare: the inputs are not equal"},
    {GF_EXIT_SOME_FAILED, "SOME_FAILED",
     "several files with --keep-going: some failed and will fail again, the rest are done"},
    {GF_EXIT_USAGE, "USAGE", "the command line is wrong: unknown word, parameter out of range"},
    {GF_EXIT_DATA, "DATA", "the input is not an image, is damaged, or has an unsupported shape or type"},
    {GF_EXIT_NO_INPUT, "NO_INPUT", "the input cannot be opened"},
    {GF_EXIT_UNAVAILABLE, "UNAVAILABLE", "no daemon, or the device or --untrusted is unavailable: a retry may succeed"},
    {GF_EXIT_SOFTWARE, "INTERNAL", "internal error, or a request that ended two workers"},
    {GF_EXIT_CANT_CREATE, "CANT_CREATE", "the output cannot be created"},
    {GF_EXIT_IO, "IO", "reading or writing failed midway"},
    {GF_EXIT_TRY_AGAIN, "TRY_AGAIN", "busy, starting, out of memory, out of time or cut off: a retry may succeed"},
    {GF_EXIT_PROTOCOL, "PROTOCOL", "the daemon does not speak this client's protocol"},
    {GF_EXIT_NO_PERMISSION, "NO_PERMISSION", "refused, or the daemon runs as another user than required"},
};
const size_t gf_n_exits = GF_ARRAY_LEN(gf_exits);

/* A status that is not listed is a bug of this program or of the daemon: SOFTWARE. */
static const struct {
    enum gf_status status;
    enum gf_exit code;
} codes[] = {
    {GF_E_OK, GF_EXIT_OK},
    {GF_E_UNSUPPORTED, GF_EXIT_PROTOCOL},
    {GF_E_UNKNOWN_OP, GF_EXIT_USAGE},
    {GF_E_UNKNOWN_PARAM, GF_EXIT_USAGE},
    {GF_E_BAD_PARAM, GF_EXIT_USAGE},
    {GF_E_BAD_VIEW, GF_EXIT_DATA},
    {GF_E_BAD_DTYPE, GF_EXIT_DATA},
    {GF_E_TOO_LARGE, GF_EXIT_DATA},
    {GF_E_RESULT_OVERFLOW, GF_EXIT_DATA},
    {GF_E_HANDLE_LOST, GF_EXIT_TRY_AGAIN},
    {GF_E_NO_DEVICE, GF_EXIT_UNAVAILABLE},
    {GF_E_DEVICE_LOST, GF_EXIT_TRY_AGAIN},
    {GF_E_NO_MEMORY, GF_EXIT_TRY_AGAIN},
    {GF_E_NO_DEVICE_MEMORY, GF_EXIT_TRY_AGAIN},
    {GF_E_QUOTA, GF_EXIT_TRY_AGAIN},
    {GF_E_BUSY, GF_EXIT_TRY_AGAIN},
    {GF_E_CANCELLED, GF_EXIT_TRY_AGAIN},
    {GF_E_DEADLINE, GF_EXIT_TRY_AGAIN},
    {GF_E_SHUTDOWN, GF_EXIT_TRY_AGAIN},
    {GF_E_NOT_PERMITTED, GF_EXIT_NO_PERMISSION},
    {GF_E_RESOURCE_FDS, GF_EXIT_TRY_AGAIN},
    {GF_E_BAD_FRAME, GF_EXIT_PROTOCOL},
    {GF_E_BAD_VERSION, GF_EXIT_PROTOCOL},
    {GF_E_SLOW, GF_EXIT_TRY_AGAIN},
    {GF_E_NO_DAEMON, GF_EXIT_UNAVAILABLE},
    {GF_E_CONNECTION_LOST, GF_EXIT_TRY_AGAIN},
    {GF_E_BAD_REPLY, GF_EXIT_PROTOCOL},
    {GF_E_TIMEOUT, GF_EXIT_TRY_AGAIN},
    {GF_E_WRONG_SERVER, GF_EXIT_NO_PERMISSION},
    {GF_E_BAD_ARGUMENT, GF_EXIT_USAGE},
    {GF_E_START_FAILED, GF_EXIT_UNAVAILABLE},
    {GF_E_BAD_FILE, GF_EXIT_DATA},
    {GF_E_NO_INPUT, GF_EXIT_NO_INPUT},
    {GF_E_CANT_CREATE, GF_EXIT_CANT_CREATE},
    {GF_E_IO, GF_EXIT_IO},
    {GF_E_LOSS, GF_EXIT_DATA},
};

bool gf_exit_may_pass(int code)
{
    return code == GF_EXIT_UNAVAILABLE || code == GF_EXIT_TRY_AGAIN;
}

const char *gf_exit_word(int code)
{
    for (size_t i = 0; i < gf_n_exits; i++)
        if ((int)gf_exits[i].code == code)
            return gf_exits[i].word;
    return "INTERNAL";
}

enum gf_exit gf_exit_of_io(enum gf_io_status status)
{
    static const enum gf_exit of_io[] = {
        [GF_IO_OK] = GF_EXIT_OK,
        [GF_IO_USAGE] = GF_EXIT_USAGE,
        [GF_IO_DATA] = GF_EXIT_DATA,
        [GF_IO_TOO_LARGE] = GF_EXIT_DATA,
        [GF_IO_UNSUPPORTED] = GF_EXIT_DATA,
        [GF_IO_NO_INPUT] = GF_EXIT_NO_INPUT,
        [GF_IO_NO_MEMORY] = GF_EXIT_SOFTWARE,
        [GF_IO_INTERNAL] = GF_EXIT_SOFTWARE,
        [GF_IO_CANT_CREATE] = GF_EXIT_CANT_CREATE,
        [GF_IO_FAILED] = GF_EXIT_IO,
    };
    return of_io[status];
}

enum gf_exit gf_exit_of_status(uint32_t status)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(codes); i++)
        if ((uint32_t)codes[i].status == status)
            return codes[i].code;
    return GF_EXIT_SOFTWARE;
}
