/* SPDX-License-Identifier: MIT */
/*
 * Classifies CUDA errors. A fatal error stays in the context: every later call fails and no reset heals it, so the
 * worker must end. An error without a row is fatal. Called by everything in kernels/cuda.
 */
#include "cuda_status.h"

struct class_row {
    cudaError_t error;
    enum gf_status status;
};

static const struct class_row classes[] = {
    /* The request or this code was wrong; the context is sound. */
    {cudaErrorMemoryAllocation, GF_E_NO_DEVICE_MEMORY},
    {cudaErrorInvalidValue, GF_E_INTERNAL},
    {cudaErrorInvalidConfiguration, GF_E_INTERNAL},
    {cudaErrorInvalidPitchValue, GF_E_INTERNAL},
    {cudaErrorInvalidMemcpyDirection, GF_E_INTERNAL},
    {cudaErrorInvalidDeviceFunction, GF_E_INTERNAL},
    {cudaErrorInvalidResourceHandle, GF_E_INTERNAL},
    {cudaErrorNotReady, GF_E_INTERNAL},
    {cudaErrorLaunchOutOfResources, GF_E_INTERNAL},
    {cudaErrorHostMemoryAlreadyRegistered, GF_E_INTERNAL},
    {cudaErrorHostMemoryNotRegistered, GF_E_INTERNAL},
    {cudaErrorNotSupported, GF_E_UNSUPPORTED},
    /* The context is gone. These rows only name the errors for the reader: without a row they would be fatal, too. */
    {cudaErrorDevicesUnavailable, GF_E_DEVICE_LOST},
    {cudaErrorContextIsDestroyed, GF_E_DEVICE_LOST},
    {cudaErrorECCUncorrectable, GF_E_DEVICE_LOST},
    {cudaErrorNvlinkUncorrectable, GF_E_DEVICE_LOST},
    {cudaErrorContained, GF_E_DEVICE_LOST},
    {cudaErrorOperatingSystem, GF_E_DEVICE_LOST},
    {cudaErrorIllegalAddress, GF_E_DEVICE_LOST},
    {cudaErrorLaunchTimeout, GF_E_DEVICE_LOST},
    {cudaErrorAssert, GF_E_DEVICE_LOST},
    {cudaErrorHardwareStackError, GF_E_DEVICE_LOST},
    {cudaErrorIllegalInstruction, GF_E_DEVICE_LOST},
    {cudaErrorMisalignedAddress, GF_E_DEVICE_LOST},
    {cudaErrorInvalidAddressSpace, GF_E_DEVICE_LOST},
    {cudaErrorInvalidPc, GF_E_DEVICE_LOST},
    {cudaErrorLaunchFailure, GF_E_DEVICE_LOST},
    {cudaErrorTensorMemoryLeak, GF_E_DEVICE_LOST},
    {cudaErrorUnknown, GF_E_DEVICE_LOST},
};

static enum gf_status class_of(cudaError_t error)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(classes); i++)
        if (classes[i].error == error)
            return classes[i].status;
    return GF_E_DEVICE_LOST;
}

enum gf_status gf_cuda_status(cudaError_t error, const char *what, struct gf_error *err)
{
    if (error == cudaSuccess)
        return GF_OK;
    enum gf_status status = class_of(error);
    if (status != GF_E_DEVICE_LOST)
        (void)cudaGetLastError();
    return gf_error_set(err, status, "%s: %s (CUDA error %d)", what, cudaGetErrorString(error), (int)error);
}
