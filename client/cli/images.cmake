# SPDX-License-Identifier: MIT
# gf_cli_image: image files of the command, and the only user of stb, libspng, ISA-L and libjpeg-turbo. A separate
# library, so that tests can link it. Included by client/cli/CMakeLists.txt.
find_path(GF_STB_INCLUDE_DIR stb/stb_image.h REQUIRED)
find_path(GF_SPNG_INCLUDE_DIR spng.h REQUIRED)
find_library(GF_SPNG_LIBRARY spng REQUIRED)
find_path(GF_ISAL_INCLUDE_DIR isa-l/igzip_lib.h)
find_library(GF_ISAL_LIBRARY isal)
find_package(JPEG QUIET)
find_package(Threads REQUIRED)

add_library(gf_cli_image STATIC
  ${CMAKE_CURRENT_LIST_DIR}/image/array_npy.c ${CMAKE_CURRENT_LIST_DIR}/image/array_text.c
  ${CMAKE_CURRENT_LIST_DIR}/image/formats_help.c ${CMAKE_CURRENT_LIST_DIR}/image/image.c
  ${CMAKE_CURRENT_LIST_DIR}/image/image_bmp.c ${CMAKE_CURRENT_LIST_DIR}/image/image_codec.c
  ${CMAKE_CURRENT_LIST_DIR}/image/image_format.c
  ${CMAKE_CURRENT_LIST_DIR}/image/image_exif.c ${CMAKE_CURRENT_LIST_DIR}/image/image_xmp.c
  ${CMAKE_CURRENT_LIST_DIR}/image/library.c
  ${CMAKE_CURRENT_LIST_DIR}/image/image_meta.c ${CMAKE_CURRENT_LIST_DIR}/image/image_pfm.c
  ${CMAKE_CURRENT_LIST_DIR}/image/image_flatten.c
  ${CMAKE_CURRENT_LIST_DIR}/image/image_pnm.c ${CMAKE_CURRENT_LIST_DIR}/image/image_raw.c
  ${CMAKE_CURRENT_LIST_DIR}/image/stb/stb_read.c ${CMAKE_CURRENT_LIST_DIR}/image/stb/stb_write.c
  ${CMAKE_CURRENT_LIST_DIR}/image/image_tga.c ${CMAKE_CURRENT_LIST_DIR}/image/image_rotate.c
  ${CMAKE_CURRENT_LIST_DIR}/image/number.c
  ${CMAKE_CURRENT_LIST_DIR}/image/png/image_png.c ${CMAKE_CURRENT_LIST_DIR}/image/png/png_chunks.c
  ${CMAKE_CURRENT_LIST_DIR}/image/png/png_meta.c
  ${CMAKE_CURRENT_LIST_DIR}/io/input.c ${CMAKE_CURRENT_LIST_DIR}/io/io_error.c
  ${CMAKE_CURRENT_LIST_DIR}/io/large_alloc.c ${CMAKE_CURRENT_LIST_DIR}/io/output.c
  ${CMAKE_CURRENT_LIST_DIR}/io/threads.c)
if(GF_ISAL_INCLUDE_DIR AND GF_ISAL_LIBRARY)
  target_sources(gf_cli_image PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/image/png/png_fast_read.c ${CMAKE_CURRENT_LIST_DIR}/image/png/png_fast_write.c
    ${CMAKE_CURRENT_LIST_DIR}/image/png/png_unfilter.c)
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/image/png/png_fast_read.c ${CMAKE_CURRENT_LIST_DIR}/image/png/png_fast_write.c
    ${CMAKE_CURRENT_LIST_DIR}/image/png/png_unfilter.c PROPERTIES COMPILE_OPTIONS -O3)
  target_include_directories(gf_cli_image SYSTEM PRIVATE ${GF_ISAL_INCLUDE_DIR})
  target_link_libraries(gf_cli_image PRIVATE ${GF_ISAL_LIBRARY})
else()
  message(STATUS "PNG without ISA-L: several times slower (libisal-dev)")
  target_sources(gf_cli_image PRIVATE ${CMAKE_CURRENT_LIST_DIR}/image/png/png_fast_absent.c)
endif()
target_include_directories(gf_cli_image SYSTEM PRIVATE ${GF_STB_INCLUDE_DIR} ${GF_SPNG_INCLUDE_DIR})
target_link_libraries(gf_cli_image PUBLIC gf_protocol PRIVATE ${GF_SPNG_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} m)
# stb has signed shifts and additions that overflow; this flag makes them defined.
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/image/stb/stb_read.c ${CMAKE_CURRENT_LIST_DIR}/image/stb/stb_write.c
  PROPERTIES COMPILE_OPTIONS -fwrapv)
if(JPEG_FOUND)
  target_sources(gf_cli_image PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/image/jpeg/jpeg_read.c ${CMAKE_CURRENT_LIST_DIR}/image/jpeg/jpeg_restarts.c
    ${CMAKE_CURRENT_LIST_DIR}/image/jpeg/jpeg_turbo.c ${CMAKE_CURRENT_LIST_DIR}/image/jpeg/jpeg_write.c)
  target_include_directories(gf_cli_image SYSTEM PRIVATE ${JPEG_INCLUDE_DIRS})
  target_link_libraries(gf_cli_image PRIVATE ${JPEG_LIBRARIES})
else()
  message(STATUS "JPEG without libjpeg-turbo: several times slower (libjpeg-dev)")
  target_sources(gf_cli_image PRIVATE ${CMAKE_CURRENT_LIST_DIR}/image/jpeg/jpeg_stb.c)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/image/stb/stb_read.c PROPERTIES COMPILE_DEFINITIONS STBI_ONLY_JPEG)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/codecs.cmake)
