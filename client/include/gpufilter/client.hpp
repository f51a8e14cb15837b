/* SPDX-License-Identifier: MIT */
/*
 * The client library for C++17: connections, results and memory that free themselves, and errors as exceptions. Only
 * inline code over gpufilter/client.h, which says what the calls do; gpufilter/ops.hpp has a function per operation.
 *
 *     gpufilter::client client;
 *     const std::vector<std::uint8_t> pixels = ...;
 *     gpufilter::buffer small =
 *         client.run("resize fit=320 | sharpen", {gpufilter::tight_view(pixels.data(), 1920, 1080, 3)});
 *     const auto *samples = small.data<std::uint8_t>(); // small.width() * small.height() * small.channels()
 *
 * The operand of a picture file that gpufilter/image.h has read is *gpufilter_image_view(file).
 *
 * Resident results, work without waiting (gpufilter/submit.h) and the state of the daemon have no class here: call the
 * functions of C with client::get(), pass their status to check(), and their results to client::own().
 *
 * Threads: as for gpufilter_client. A buffer keeps its connection open, and may be freed by any thread only while no
 * other uses the client; otherwise its memory stays until the connection closes.
 */
#ifndef GPUFILTER_CLIENT_HPP
#define GPUFILTER_CLIENT_HPP

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "client.h"

namespace gpufilter
{

/* A call that failed; what() is the message. */
class error : public std::runtime_error
{
  public:
    explicit error(const gpufilter_error &why) : std::runtime_error(why.text), why_(why) {}
    int status() const noexcept { return why_.status; } /* GPUFILTER_E_... */
    const char *name() const noexcept { return gpufilter_status_name(why_.status); }
    std::uint32_t retry_ms() const noexcept { return why_.retry_ms; } /* as in gpufilter_error */
    std::uint64_t needed() const noexcept { return why_.needed; }

  private:
    gpufilter_error why_;
};

/* Throws unless a call that takes an error returned GPUFILTER_OK. */
inline void check(int status, const gpufilter_error &why)
{
    if (status != GPUFILTER_OK)
        throw error(why);
}

/* The type of samples in C++ as a number of the interface: GPUFILTER_U8 of std::uint8_t. There is none for F16. */
template <typename T> constexpr std::uint32_t dtype_of() noexcept
{
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool> && sizeof(T) <= 8);
    static_assert(!std::is_floating_point_v<T> || sizeof(T) >= 4); /* std::float16_t, std::bfloat16_t of C++23 */
    constexpr bool with_sign = std::is_signed_v<T>;
    if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? GPUFILTER_F32 : GPUFILTER_F64;
    else if constexpr (sizeof(T) == 1)
        return with_sign ? GPUFILTER_I8 : GPUFILTER_U8;
    else if constexpr (sizeof(T) == 2)
        return with_sign ? GPUFILTER_I16 : GPUFILTER_U16;
    else if constexpr (sizeof(T) == 4)
        return with_sign ? GPUFILTER_I32 : GPUFILTER_U32;
    else
        return with_sign ? GPUFILTER_I64 : GPUFILTER_U64;
}

/* A view of the caller's samples, in rows without gaps. Const samples serve as operands only. */
template <typename T>
gpufilter_view tight_view(T *samples, std::uint64_t width, std::uint64_t height, std::uint32_t channels = 1) noexcept
{
    return gpufilter_const_view(samples, width, height, dtype_of<T>(), channels);
}

/* A result, or memory for data: a view of memory that the library allocated, or of a resident buffer. Frees it. Without
 * one, and after it was moved from, all members of its view are 0. */
class buffer
{
  public:
    buffer() noexcept = default;
    buffer(std::shared_ptr<gpufilter_client> client, const gpufilter_view &view) noexcept
        : client_(std::move(client)), view_(view)
    {
    }
    buffer(buffer &&other) noexcept : client_(std::move(other.client_)), view_(std::exchange(other.view_, {})) {}
    buffer &operator=(buffer &&other) noexcept
    {
        buffer taken(std::move(other));
        std::swap(client_, taken.client_);
        std::swap(view_, taken.view_);
        return *this;
    }
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;
    ~buffer()
    {
        if (client_ != nullptr)
            gpufilter_free(client_.get(), view_.data);
    }

    const gpufilter_view &view() const noexcept { return view_; }
    operator const gpufilter_view &() const noexcept { return view_; } /* as an operand */
    std::uint64_t width() const noexcept { return view_.width; }
    std::uint64_t height() const noexcept { return view_.height; }
    std::uint32_t channels() const noexcept { return view_.channels; }
    std::uint32_t dtype() const noexcept { return view_.dtype; }
    /* The first sample, of a type that fits dtype(). */
    template <typename T> T *data() noexcept { return static_cast<T *>(view_.data); }
    template <typename T> const T *data() const noexcept { return static_cast<const T *>(view_.data); }

  private:
    std::shared_ptr<gpufilter_client> client_;
    gpufilter_view view_{};
};

/* A connection to a daemon. Copies share it; it closes with the last of them and of its buffers. */
class client
{
  public:
    explicit client(const gpufilter_options &options = GPUFILTER_OPTIONS_INIT)
    {
        gpufilter_client *opened = nullptr;
        gpufilter_error why;
        check(gpufilter_open(&options, &opened, &why), why);
        client_.reset(opened, gpufilter_close);
    }

    gpufilter_client *get() const noexcept { return client_.get(); }
    /* Ends the call that waits on this client. Any thread may call it. */
    void interrupt() const noexcept { gpufilter_interrupt(client_.get()); }

    /* Memory that the daemon reads and writes without a copy, in rows without gaps; its samples are not set. */
    template <typename T>
    buffer allocate(std::uint64_t width, std::uint64_t height, std::uint32_t channels = 1) const
    {
        gpufilter_view view = gpufilter_tight_view(nullptr, width, height, dtype_of<T>(), channels);
        std::uint64_t bytes = 0;
        gpufilter_error why;
        if (__builtin_mul_overflow(width, height, &bytes) ||
            __builtin_mul_overflow(bytes, std::uint64_t{channels} * sizeof(T), &bytes))
            bytes = UINT64_MAX; /* TOO_LARGE */
        check(gpufilter_alloc(get(), bytes, &view.data, &why), why);
        return own(view);
    }

    /* Runs a program as text, see gpufilter_run_text; returns the first output of its last step. */
    buffer run(const std::string &text, const std::vector<gpufilter_view> &operands,
              const gpufilter_call *call = nullptr) const
    {
        return std::move(run_outputs(text, operands, {nullptr}, call).front());
    }
    /* The same for outputs by name: "#2.edges", "#2", "edges", nullptr. */
    std::vector<buffer> run_outputs(const std::string &text, const std::vector<gpufilter_view> &operands,
                                   const std::vector<const char *> &outputs,
                                   const gpufilter_call *call = nullptr) const
    {
        std::vector<gpufilter_result> results(outputs.size(), gpufilter_result GPUFILTER_RESULT_INIT);
        std::vector<buffer> buffers;
        for (std::size_t i = 0; i < outputs.size(); i++)
            results[i].output = outputs[i];
        buffers.reserve(outputs.size()); /* nothing throws once the results are there */
        run_text(text, operands, results, call);
        for (const gpufilter_result &result : results)
            buffers.push_back(own(result.view));
        return buffers;
    }
    /* The same into the caller's memory, which has the shape and type of the output. */
    void run_into(const gpufilter_view &destination, const std::string &text,
                  const std::vector<gpufilter_view> &operands, const gpufilter_call *call = nullptr) const
    {
        std::vector<gpufilter_result> results{{destination, nullptr}};
        run_text(text, operands, results, call);
    }

    /* A result that a function of C allocated for this client becomes a buffer. */
    buffer own(const gpufilter_view &view) const noexcept { return buffer(client_, view); }

  private:
    void run_text(const std::string &text, const std::vector<gpufilter_view> &operands,
                  std::vector<gpufilter_result> &results, const gpufilter_call *call) const
    {
        gpufilter_error why;
        check(gpufilter_run_text(get(), text.c_str(), operands.data(), static_cast<std::uint32_t>(operands.size()),
                                 results.data(), static_cast<std::uint32_t>(results.size()), call, &why),
              why);
    }

    std::shared_ptr<gpufilter_client> client_;
};

} // namespace gpufilter

#endif
