/* SPDX-License-Identifier: MIT */
/*
 * The client library for C++17: connections, results and memory that free themselves, and errors as exceptions. Only
 * inline code over gpufilter/client.h, which says what the calls do; gpufilter/ops.hpp has a function per operation.
 *
 *     gpufilter::client client;
 *     const gpufilter_view src = gpufilter_tight_view(pixels, 1920, 1080, GPUFILTER_U8, 3);
 *     gpufilter::image blurred = client.run("gaussian sigma=3 | sharpen", {src});
 *     const auto *samples = blurred.data<std::uint8_t>();
 *
 * Threads: as for gpufilter_client. An image keeps its connection open, and may be freed by any thread only while no
 * other uses the client.
 */
#ifndef GPUFILTER_CLIENT_HPP
#define GPUFILTER_CLIENT_HPP

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
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
    int status() const noexcept { return why_.status; }                      /* GPUFILTER_E_... */
    const char *name() const noexcept { return gpufilter_status_name(why_.status); }
    std::uint32_t retry_ms() const noexcept { return why_.retry_ms; }
    std::uint64_t needed() const noexcept { return why_.needed; }

  private:
    gpufilter_error why_;
};

/* Throws unless a call returned GPUFILTER_OK. */
inline void check(int status, const gpufilter_error &why)
{
    if (status != GPUFILTER_OK)
        throw error(why);
}

/* A result, or memory for data: a view of memory that the library allocated, or of a resident buffer. Frees it. */
class image
{
  public:
    image() = default;
    image(std::shared_ptr<gpufilter_client> client, const gpufilter_view &view) : client_(std::move(client)), view_(view) {}
    image(image &&other) noexcept : client_(std::move(other.client_)), view_(std::exchange(other.view_, gpufilter_view{})) {}
    image &operator=(image &&other) noexcept
    {
        std::swap(client_, other.client_);
        std::swap(view_, other.view_);
        return *this;
    }
    image(const image &) = delete;
    image &operator=(const image &) = delete;
    ~image()
    {
        if (client_ != nullptr)
            gpufilter_free(client_.get(), view_.data);
    }

    const gpufilter_view &view() const noexcept { return view_; }
    operator const gpufilter_view &() const noexcept { return view_; } /* as an operand */
    std::uint64_t width() const noexcept { return view_.width; }
    std::uint64_t height() const noexcept { return view_.height; }
    std::uint32_t channels() const noexcept { return view_.channels; }
    template <typename T> T *data() noexcept { return static_cast<T *>(view_.data); }
    template <typename T> const T *data() const noexcept { return static_cast<const T *>(view_.data); }

  private:
    std::shared_ptr<gpufilter_client> client_;
    gpufilter_view view_{};
};

/* A connection to a daemon. */
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

    /* Memory that the daemon reads and writes without a copy, of this shape and without gaps. */
    image allocate(std::uint64_t width, std::uint64_t height, std::uint32_t dtype, std::uint32_t channels,
                   std::uint64_t bytes_per_sample) const
    {
        gpufilter_view view = gpufilter_tight_view(nullptr, width, height, dtype, channels);
        gpufilter_error why;
        check(gpufilter_alloc(get(), width * height * channels * bytes_per_sample, &view.data, &why), why);
        return image(client_, view);
    }

    /* Runs a program as text; returns the first output of its last step. */
    image run(const char *text, std::initializer_list<gpufilter_view> operands, const gpufilter_call *call = nullptr) const
    {
        return std::move(run(text, operands, {nullptr}, call).front());
    }
    /* The same for outputs by name: "#2.edges", "#2", "edges", nullptr. */
    std::vector<image> run(const char *text, std::initializer_list<gpufilter_view> operands,
                           std::initializer_list<const char *> outputs, const gpufilter_call *call = nullptr) const
    {
        std::vector<gpufilter_result> results;
        std::vector<image> images;
        gpufilter_error why;
        for (const char *output : outputs) {
            results.push_back(GPUFILTER_RESULT_INIT);
            results.back().output = output;
        }
        images.reserve(results.size());
        check(gpufilter_run_text(get(), text, operands.begin(), static_cast<std::uint32_t>(operands.size()),
                                 results.data(), static_cast<std::uint32_t>(results.size()), call, &why),
              why);
        for (const gpufilter_result &result : results)
            images.emplace_back(client_, result.view);
        return images;
    }

    /* A result of this client becomes an image. */
    image own(const gpufilter_view &view) const { return image(client_, view); }

  private:
    std::shared_ptr<gpufilter_client> client_;
};

} // namespace gpufilter

#endif
