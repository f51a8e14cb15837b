/* SPDX-License-Identifier: MIT */
/* Explains why CUDA does not start; see cuda_start.h. */
#include "cuda_start.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/device/cuda_status.h"

#define MPS "see the log of nvidia-cuda-mps-control"
#define DRIVER "update the driver"
#define BUILD "build for this GPU's architecture"

/* Errors of which another process, or the administrator, has more to expect than of a lost device. */
static const struct row {
    cudaError_t error;
    enum gf_status status;
    const char *remedy; /* NULL: the error's text says it */
} rows[] = {
    /* The system is not ready. A later process succeeds once a driver is loaded, an upgrade complete, a service
     * started, a licence granted, or the device free. */
    {cudaErrorInitializationError, GF_E_BUSY, "if it stays, see dmesg"},
    {cudaErrorDevicesUnavailable, GF_E_BUSY, "another process has it for itself, or its compute mode forbids work"},
    {cudaErrorNoDevice, GF_E_BUSY, "see nvidia-smi"},
    {cudaErrorDeviceNotLicensed, GF_E_BUSY, "see the log of nvidia-gridd"},
    {cudaErrorSystemNotReady, GF_E_BUSY, "a machine with NVSwitch needs nvidia-fabricmanager"},
    {cudaErrorSystemDriverMismatch, GF_E_BUSY, "reload the driver or restart the machine to complete the upgrade"},
    {cudaErrorMpsConnectionFailed, GF_E_BUSY, MPS},
    {cudaErrorMpsRpcFailure, GF_E_BUSY, MPS},
    {cudaErrorMpsServerNotReady, GF_E_BUSY, MPS},
    {cudaErrorMpsMaxClientsReached, GF_E_BUSY, MPS},
    {cudaErrorMpsMaxConnectionsReached, GF_E_BUSY, MPS},
    {cudaErrorMpsClientTerminated, GF_E_BUSY, MPS},
    /* This build, the driver and the device do not fit together, whichever process asks. */
    {cudaErrorStubLibrary, GF_E_NO_DEVICE, "take the CUDA Toolkit's stubs out of the library path"},
    {cudaErrorInsufficientDriver, GF_E_NO_DEVICE, DRIVER},
    {cudaErrorCallRequiresNewerDriver, GF_E_NO_DEVICE, DRIVER},
    {cudaErrorInvalidDevice, GF_E_NO_DEVICE, NULL},
    {cudaErrorNoKernelImageForDevice, GF_E_NO_DEVICE, BUILD},
    {cudaErrorInvalidPtx, GF_E_NO_DEVICE, DRIVER ", or " BUILD},
    {cudaErrorJitCompilerNotFound, GF_E_NO_DEVICE, "install libnvidia-ptxjitcompiler of this driver, or " BUILD},
    {cudaErrorUnsupportedPtxVersion, GF_E_NO_DEVICE, DRIVER ", or " BUILD},
    {cudaErrorJitCompilationDisabled, GF_E_NO_DEVICE, "unset CUDA_DISABLE_PTX_JIT, or " BUILD},
    {cudaErrorCompatNotSupportedOnDevice, GF_E_NO_DEVICE, "take cuda-compat out of the library path"},
};

static enum gf_status by_row(cudaError_t error, const char *device, struct gf_error *err)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++)
        if (rows[i].error == error)
            return gf_error_set(err, rows[i].status, "%s: %s%s%s (CUDA error %d)", device, cudaGetErrorString(error),
                                rows[i].remedy ? "; " : "", rows[i].remedy ? rows[i].remedy : "", (int)error);
    return gf_cuda_status(error, device, err);
}

/* A GPU is missing. That can pass, unless the machine has GPUs and CUDA was told a greater index. */
static enum gf_status missing(cudaError_t error, const char *device, struct gf_error *err)
{
    const char *index = getenv("CUDA_VISIBLE_DEVICES");
    glob_t nodes = {.gl_pathc = 0};
    size_t n = glob("/dev/nvidia[0-9]*", 0, NULL, &nodes) == 0 ? nodes.gl_pathc : 0;
    globfree(&nodes);
    if (n == 0 || !index || *index == '\0' || index[strspn(index, "0123456789")] != '\0' ||
        strtoul(index, NULL, 10) < n)
        return by_row(error, device, err);
    return gf_error_set(err, GF_E_NO_DEVICE, "%s: the GPUs of this machine have the indices 0 to %zu (CUDA error %d)",
                        device, n - 1, (int)error);
}

/* Says for which architectures the kernels are, and which one the device has. */
static enum gf_status wrong_architecture(cudaError_t error, const char *device, struct gf_error *err)
{
    int major = 0, minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) != cudaSuccess)
        return by_row(error, device, err);
    return gf_error_set(err, GF_E_NO_DEVICE,
                        "%s: the GPU has architecture %d%d, and this build has kernels for %s; build with "
                        "-DGF_CUDA_ARCHITECTURES=%d%d (CUDA error %d)",
                        device, major, minor, GF_CUDA_KERNELS_FOR, major, minor, (int)error);
}

/* CUDA also reports "insufficient driver" where there is none. */
enum gf_status gf_cuda_start_error(cudaError_t error, const char *device, struct gf_error *err)
{
    int driver = 0, needed = 0;
    if (error == cudaErrorNoDevice)
        return missing(error, device, err);
    if (error == cudaErrorNoKernelImageForDevice)
        return wrong_architecture(error, device, err);
    if (error != cudaErrorInsufficientDriver || cudaDriverGetVersion(&driver) != cudaSuccess ||
        cudaRuntimeGetVersion(&needed) != cudaSuccess)
        return by_row(error, device, err);
    if (driver == 0)
        return gf_error_set(err, GF_E_NO_DEVICE,
                            "%s: no NVIDIA driver: libcuda.so.1 cannot be loaded; install the driver, and see "
                            "gpufilterd --doctor (CUDA error %d)",
                            device, (int)error);
    return gf_error_set(
        err, GF_E_NO_DEVICE,
        "%s: the NVIDIA driver is for CUDA %d.%d, this build needs %d.%d; update the driver (CUDA error "
        "%d)",
        device, driver / 1000, driver % 1000 / 10, needed / 1000, needed % 1000 / 10, (int)error);
}
