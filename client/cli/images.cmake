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

set(image ${CMAKE_CURRENT_LIST_DIR}/image)
set(io ${CMAKE_CURRENT_LIST_DIR}/io)
add_library(gf_cli_image STATIC
  ${image}/array_npy.c ${image}/array_text.c ${image}/codecs_absent.c ${image}/formats_help.c ${image}/image.c
  ${image}/image_bmp.c ${image}/image_codec.c ${image}/image_exif.c ${image}/image_format.c ${image}/image_meta.c
  ${image}/image_pfm.c ${image}/image_pnm.c ${image}/image_prepare.c ${image}/image_raw.c ${image}/image_tga.c
  ${image}/library.c ${image}/number.c ${image}/png/image_png.c ${image}/png/png_meta.c ${image}/stb/stb_read.c
  ${image}/stb/stb_write.c ${io}/input.c ${io}/io_error.c ${io}/output.c ${io}/threads.c)
if(GF_ISAL_INCLUDE_DIR AND GF_ISAL_LIBRARY)
  set(fast ${image}/png/png_fast_read.c ${image}/png/png_fast_write.c ${image}/png/png_unfilter.c)
  target_sources(gf_cli_image PRIVATE ${fast})
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS -O3)
  target_include_directories(gf_cli_image SYSTEM PRIVATE ${GF_ISAL_INCLUDE_DIR})
  target_link_libraries(gf_cli_image PRIVATE ${GF_ISAL_LIBRARY})
else()
  message(STATUS "PNG without ISA-L: several times slower (libisal-dev)")
  target_sources(gf_cli_image PRIVATE ${image}/png/png_fast_absent.c)
endif()
target_include_directories(gf_cli_image SYSTEM PRIVATE ${GF_STB_INCLUDE_DIR} ${GF_SPNG_INCLUDE_DIR})
target_link_libraries(gf_cli_image PUBLIC gf_protocol PRIVATE ${GF_SPNG_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} m)
# stb has signed shifts and additions that overflow; this flag makes them defined.
set_source_files_properties(${image}/stb/stb_read.c ${image}/stb/stb_write.c PROPERTIES COMPILE_OPTIONS -fwrapv)
if(JPEG_FOUND)
  target_sources(gf_cli_image PRIVATE ${image}/jpeg/jpeg_read.c ${image}/jpeg/jpeg_restarts.c ${image}/jpeg/jpeg_turbo.c
    ${image}/jpeg/jpeg_write.c)
  target_include_directories(gf_cli_image SYSTEM PRIVATE ${JPEG_INCLUDE_DIRS})
  target_link_libraries(gf_cli_image PRIVATE ${JPEG_LIBRARIES})
else()
  message(STATUS "JPEG without libjpeg-turbo: several times slower (libjpeg-dev)")
  target_sources(gf_cli_image PRIVATE ${image}/jpeg/jpeg_stb.c)
  set_source_files_properties(${image}/stb/stb_read.c PROPERTIES COMPILE_DEFINITIONS STBI_ONLY_JPEG)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/codecs.cmake)
