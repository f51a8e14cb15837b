/* SPDX-License-Identifier: MIT */
/*
 * Lock-free union-find for many concurrent threads. Included by parts.cuh.
 *
 * links[i] is a member of i's set and at most i; if it is i, i is a root. Links only change by atomic minima, so they
 * only ever decrease.
 *
 * Every thread terminates, whatever other threads do: each step of climb() goes to a smaller member, and each iteration
 * of join() that does not return continues with two members smaller than the greater of the previous two.
 *
 * No join is lost. Consider the sets that all links and all joins in progress form together. A join (a, b) continues
 * with two members that links connect to a and b. Its atomic minimum at the root `high` may find a root there; then the
 * link to `low` completes the join. Otherwise another thread has linked `high` to `old` in the meantime. Then
 * links[high] becomes the smaller of `old` and `low`, and the join continues with (old, low), which connects `high` to
 * the other one too. So no iteration changes these sets, and once no join is in progress, the links alone form them.
 * Then each set has one root: every member but a root links to a smaller member of the same set, and the least member
 * can only link to itself. Hence the roots do not depend on the order of the threads. A relaxed read may return an old
 * value of a link, which is a member of the same set as well.
 */
#ifndef GF_CUDA_UNION_FIND_CUH
#define GF_CUDA_UNION_FIND_CUH

#include "kernels/cuda/device/sync.cuh"

namespace gf
{

/* Links in shared memory, for one block. */
struct SharedLinks {
    uint32_t *links;

    __device__ __forceinline__ uint32_t look(uint32_t i) const
    {
        return gf_load_shared(links + i);
    }
};

/* Links in global memory, for all blocks. */
struct GlobalLinks {
    uint32_t *links;

    __device__ __forceinline__ uint32_t look(uint32_t i) const
    {
        return gf_load_published(links + i);
    }
};

template <class Links> __device__ __forceinline__ uint32_t climb(const Links &l, uint32_t i)
{
    for (uint32_t next = l.look(i); next != i; next = l.look(i))
        i = next;
    return i;
}

template <class Links> __device__ __forceinline__ void join(const Links &l, uint32_t a, uint32_t b)
{
    for (;;) {
        a = climb(l, a);
        b = climb(l, b);
        if (a == b)
            return;
        const uint32_t high = max(a, b), low = min(a, b), old = gf_atomic_min(l.links + high, low);
        if (old == high)
            return;
        a = old;
        b = low;
    }
}

} // namespace gf

#endif
