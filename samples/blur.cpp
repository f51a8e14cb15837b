/* SPDX-License-Identifier: MIT */
/* hello_blur.c in C++17: results free their own memory, and a call that fails throws. */
#include <gpufilter/ops.hpp>

#include <algorithm>
#include <iostream>

int main()
{
    std::vector<std::uint8_t> pixels(640 * 480);
    std::fill(pixels.begin() + 640 * 240, pixels.end(), std::uint8_t{255}); /* white below, black above */
    try {
        const gpufilter::client client;
        const gpufilter_view src = gpufilter::tight_view(pixels.data(), 640, 480);
        const gpufilter::buffer by_text = client.run("gaussian sigma=3 | sharpen", {src});

        gpufilter_gaussian_params params = GPUFILTER_GAUSSIAN_INIT;
        params.sigma[0] = 3;
        const gpufilter::buffer by_calls = gpufilter::ops::sharpen(client, gpufilter::ops::gaussian(client, src, params));

        const auto *first = by_text.data<std::uint8_t>(), *second = by_calls.data<std::uint8_t>();
        if (!std::equal(first, first + pixels.size(), second))
            return 1;
        std::cout << int{first[640 * 240]} << " is the first white pixel now\n";
    } catch (const gpufilter::error &error) {
        std::cerr << "blur: " << error.name() << ": " << error.what() << '\n';
        return 1;
    }
}
