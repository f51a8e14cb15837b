# SPDX-License-Identifier: MIT
# hello_blur.c by a foreign-function interface, here Ruby's. Any language with one needs three functions and three
# structs of the library. GPUFILTER_LIBRARY names the library where the loader does not find it.
require 'fiddle/import'

module Gpufilter
  extend Fiddle::Importer
  dlload ENV['GPUFILTER_LIBRARY'] || 'libgpufilterclient.so.0'
  extern 'int gpufilter_open(void *options, void *ret_client, void *err)'
  extern 'int gpufilter_run_text(void *client, char *text, void *operands, unsigned int n_operands, ' \
         'void *results, unsigned int n_results, void *call, void *err)'
  extern 'void *gpufilter_close(void *client)'
  U8 = 1
  ERROR = 272 # bytes of gpufilter_error; its text follows 16 bytes

  # gpufilter_view: data, width, height, depth, pitch, plane_pitch; dtype, channels, alpha, reserved.
  def self.view(data, width, height, dtype, channels)
    [data.to_i, width, height, 0, 0, 0, dtype, channels, 0, 0].pack('J Q5 L4')
  end
end

pixels = Fiddle::Pointer["\0" * 640 * 240 + "\xff" * 640 * 240] # white below, black above
blurred = Fiddle::Pointer.malloc(640 * 480, Fiddle::RUBY_FREE)
operand = Gpufilter.view(pixels, 640, 480, Gpufilter::U8, 1)
result = Gpufilter.view(blurred, 640, 480, Gpufilter::U8, 1) + [0].pack('J') # gpufilter_result: a view, an output
client = Fiddle::Pointer.malloc(Fiddle::SIZEOF_VOIDP, Fiddle::RUBY_FREE)
err = Fiddle::Pointer.malloc(Gpufilter::ERROR, Fiddle::RUBY_FREE)
if Gpufilter.gpufilter_open(nil, client, err) != 0 ||
   Gpufilter.gpufilter_run_text(client.ptr, 'gaussian sigma=3 | sharpen', operand, 1, result, 1, nil, err) != 0
  abort "ffi.rb: #{(err + 16)}"
end
puts "#{blurred[640 * 240] & 255} is the first white pixel now"
Gpufilter.gpufilter_close(client.ptr)
