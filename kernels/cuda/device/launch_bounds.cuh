/* SPDX-License-Identifier: MIT */
/*
 * How many blocks of a kernel a multiprocessor should hold at once: the second argument of __launch_bounds__, which
 * limits a thread's registers. Files of kernels state the number that was measured on sm_90, which later architectures
 * share. What earlier ones need otherwise is decided here. scripts/arch-check compiles all kernels for all
 * architectures, and fails where a kernel spills more than is known, or where a bound is ignored.
 */
#ifndef GF_CUDA_LAUNCH_BOUNDS_CUH
#define GF_CUDA_LAUNCH_BOUNDS_CUH

namespace gf
{

/* The host's part of a file uses no bound. */
#ifdef __CUDA_ARCH__
constexpr int architecture = __CUDA_ARCH__;
#else
constexpr int architecture = 900;
#endif

/* The threads that any multiprocessor of the architecture, or of a later one, can hold. */
constexpr unsigned unit_threads = architecture < 800 ? 1024 : 1536;

/* ptxas ignores a bound of more threads than a multiprocessor holds, and registers are then unlimited. */
constexpr unsigned blocks_that_fit(unsigned threads, unsigned blocks)
{
    return blocks < unit_threads / threads ? blocks : unit_threads / threads;
}

/* Kernels that need more registers before sm_90: of minima and maxima, since from sm_90 on one instruction takes two
 * halves of a word, or three operands, where before several hold what is between them in registers; and of 1-D kernels
 * across lines and the largest mask over four channels, which otherwise spill. */
constexpr unsigned blocks_by_architecture(unsigned blocks, unsigned before_sm_90)
{
    return architecture < 900 ? before_sm_90 : blocks;
}

} // namespace gf

#endif
