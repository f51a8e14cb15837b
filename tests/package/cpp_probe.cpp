/* SPDX-License-Identifier: MIT */
/* Uses every part of gpufilter/client.hpp and gpufilter/ops.hpp with a daemon. Run as the test bindings.cpp. */
#include <gpufilter/ops.hpp>

#include <cstdio>
#include <cstring>

static int failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (false)

static_assert(gpufilter::dtype_of<unsigned char>() == GPUFILTER_U8 &&
              gpufilter::dtype_of<const double>() == GPUFILTER_F64);
static_assert(gpufilter::dtype_of<std::int16_t>() == GPUFILTER_I16 && gpufilter::dtype_of<float>() == GPUFILTER_F32);
static_assert(gpufilter::dtype_of<std::uint64_t>() == GPUFILTER_U64 &&
              gpufilter::dtype_of<long long>() == GPUFILTER_I64);
static_assert(std::is_nothrow_move_constructible_v<gpufilter::buffer> &&
              !std::is_copy_constructible_v<gpufilter::buffer>);
static_assert(std::is_nothrow_move_assignable_v<gpufilter::buffer> &&
              std::is_nothrow_copy_constructible_v<gpufilter::error>);

static std::vector<std::uint8_t> paint()
{
    std::vector<std::uint8_t> pixels(64 * 48 * 3);
    for (std::size_t i = 0; i < pixels.size(); i++)
        pixels[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
    return pixels;
}

/* The status with which a call throws; GPUFILTER_OK if it does not. The message and the name are those of C. */
template <typename F> static int thrown(F &&call)
{
    try {
        call();
    } catch (const gpufilter::error &e) {
        const gpufilter::error copy = e;
        CHECK(std::strlen(copy.what()) > 0 && std::strcmp(copy.name(), gpufilter_status_name(e.status())) == 0);
        return copy.status();
    }
    return GPUFILTER_OK;
}

static bool same(const gpufilter::buffer &a, const gpufilter::buffer &b)
{
    const std::size_t bytes = a.width() * a.height() * a.channels();
    return a.width() == b.width() && a.height() == b.height() && a.channels() == b.channels() &&
           a.dtype() == b.dtype() && std::memcmp(a.data<char>(), b.data<char>(), bytes) == 0;
}

static void runs(const gpufilter::client &client, const gpufilter_view &src)
{
    gpufilter_gaussian_params params = GPUFILTER_GAUSSIAN_INIT;
    gpufilter_call call = GPUFILTER_CALL_INIT;
    params.sigma[0] = 3;
    call.device = "cpu";
    const gpufilter::buffer text = client.run("gaussian sigma=" + std::to_string(3) + " | sharpen", {src}, &call);
    const gpufilter::buffer typed = gpufilter::ops::sharpen(client, gpufilter::ops::gaussian(client, src, params, &call));
    CHECK(text.width() == 64 && text.height() == 48 && text.channels() == 3 && text.dtype() == GPUFILTER_U8);
    CHECK(same(text, typed) && std::memcmp(text.data<char>(), src.data, 64 * 48 * 3) != 0);

    const auto two = client.run_outputs("gaussian | histogram", {src}, {"#1", "#2.edges", nullptr});
    CHECK(two.size() == 3 && two[0].width() == 64 && two[1].width() == 257 && two[2].width() == 256);
    const auto *edges = two[1].data<double>();
    CHECK(two[1].dtype() == GPUFILTER_F64 && edges[0] < edges[1]);

    gpufilter::buffer memory = client.allocate<std::uint8_t>(64, 48, 3);
    std::memcpy(memory.data<char>(), src.data, 64 * 48 * 3);
    CHECK(same(client.run("gaussian sigma=3 | sharpen", {memory}), text));
    std::vector<std::uint8_t> mine(64 * 48 * 3);
    client.run_into(gpufilter::tight_view(mine.data(), 64, 48, 3), "combine mode=absdiff", {memory, src});
    CHECK(mine == std::vector<std::uint8_t>(64 * 48 * 3, 0));

    gpufilter_view made{}; /* a further output of a typed call */
    gpufilter_histogram_params bins = GPUFILTER_HISTOGRAM_INIT;
    bins.ret_edges = &made;
    const gpufilter::buffer counts = gpufilter::ops::histogram(client, src, bins), ends = client.own(made);
    CHECK(counts.width() == 256 && ends.width() == 257);
}

static void errors(const gpufilter::client &client, const gpufilter_view &src)
{
    CHECK(thrown([&] { client.run("gausian", {src}); }) == GPUFILTER_E_UNKNOWN_OP);
    CHECK(thrown([&] { client.run_outputs("gaussian", {src}, {"none"}); }) == GPUFILTER_E_BAD_REQUEST);
    CHECK(thrown([&] { client.run_into(src, "resize size=3", {src}); }) == GPUFILTER_E_BAD_VIEW);
    gpufilter_gaussian_params params = GPUFILTER_GAUSSIAN_INIT;
    params.sigma[0] = -1;
    CHECK(thrown([&] { gpufilter::ops::gaussian(client, src, params); }) == GPUFILTER_E_BAD_PARAM);
    CHECK(thrown([&] { client.allocate<double>(UINT64_MAX / 8, 1, 2); }) == GPUFILTER_E_TOO_LARGE);
    CHECK(thrown([&] { client.allocate<double>(0, 1); }) == GPUFILTER_E_BAD_ARGUMENT);
    gpufilter_options nowhere = GPUFILTER_OPTIONS_INIT;
    nowhere.socket = "/none";
    CHECK(thrown([&] { gpufilter::client{nowhere}; }) == GPUFILTER_E_NO_DAEMON);
    const gpufilter::buffer large = client.allocate<std::uint16_t>(4096, 4096);
    client.interrupt(); /* ends the next call that waits, as this one does for seconds otherwise */
    CHECK(thrown([&] { client.run("median size=255", {large}); }) == GPUFILTER_E_INTERRUPTED);
    CHECK(thrown([&] { client.run("gaussian", {src}); }) == GPUFILTER_OK);
}

static void moves(const gpufilter_view &src)
{
    gpufilter::buffer outlives;
    {
        gpufilter::client client, moved = std::move(client);
        CHECK(thrown([&] { client.run("gaussian", {src}); }) == GPUFILTER_E_BAD_ARGUMENT); /* moved from */
        const gpufilter::client copy = moved;
        CHECK(copy.get() == moved.get());
        outlives = moved.run("flip", {src});
    }
    const gpufilter::buffer again(gpufilter::client().run("flip", {src}));
    CHECK(same(outlives, again));

    const void *const data = outlives.view().data;
    gpufilter::buffer &alias = outlives;
    outlives = std::move(alias); /* to itself */
    CHECK(outlives.view().data == data && same(outlives, again));
    std::swap(outlives, alias);
    CHECK(outlives.view().data == data);
    gpufilter::buffer other = gpufilter::client().run("flip", {src});
    std::swap(outlives, other);
    CHECK(other.view().data == data && same(outlives, other));
    other = std::move(outlives); /* frees what it had */
    CHECK(outlives.view().data == nullptr && outlives.width() == 0 && same(other, again));
    std::vector<gpufilter::buffer> growing;
    growing.push_back(std::move(other));
    for (int i = 0; i < 8; i++)
        growing.emplace_back();
    CHECK(same(growing.front(), again));
}

int main()
{
    const std::vector<std::uint8_t> pixels = paint();
    const gpufilter_view src = gpufilter::tight_view(pixels.data(), 64, 48, 3);
    try {
        const gpufilter::client client;
        runs(client, src);
        errors(client, src);
        moves(src);
    } catch (const gpufilter::error &error) {
        std::printf("%s: %s\n", error.name(), error.what());
        return 1;
    }
    return failures != 0;
}
