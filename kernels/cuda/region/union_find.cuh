/* SPDX-License-Identifier: MIT */
/*
 * Union-find by many threads at once, without locks. Included by parts.cuh.
 *
 * links[i] is a member of i's set, at most i; where it is i itself, i is a root. Links are changed by atomic minima
 * alone, so that they only ever become less.
 *
 * Each thread comes to an end, whatever the others do: climbing goes to a smaller member with every step, and each turn
 * of join() that does not end it goes on with two members smaller than the greater one before.
 *
 * Nothing is lost: take the sets that all links and all joins under way make together. A join (a, b) goes on with two
 * members that links connect to a and b. Its minimum at the root `high` either finds a root there, and the link to
 * `low` is the join; or it finds that somebody linked `high` to `old` meanwhile. Then links[high] becomes the lesser of
 * both, and the join goes on with (old, low), which connects `high` to the other of them too. So no turn changes these
 * sets, and once no join is under way the links alone make them. Each set then has one root, since every other member
 * links to a smaller one of the same set, and its least member is that root, since it can link to no smaller one. Hence
 * the roots do not depend on the order in which threads came. Old values of links, which a relaxed read may give, are
 * members of the same set as well.
 */
#ifndef GF_CUDA_UNION_FIND_CUH
#define GF_CUDA_UNION_FIND_CUH

#include "kernels/cuda/device/sync.cuh"

namespace gf
{

/* Links in shared memory, of a block. */
struct SharedLinks {
    uint32_t *links;

    __device__ __forceinline__ uint32_t look(uint32_t i) const
    {
        return gf_look_shared(links + i);
    }
};

/* Links in global memory, of all blocks. */
struct GlobalLinks {
    uint32_t *links;

    __device__ __forceinline__ uint32_t look(uint32_t i) const
    {
        return gf_look(links + i);
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
