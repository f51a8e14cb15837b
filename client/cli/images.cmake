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
  ${image}/ledger.c ${image}/library.c ${image}/number.c ${image}/png/image_png.c ${image}/png/png_frames.c
  ${image}/png/png_meta.c ${image}/stb/stb_read.c ${image}/stb/stb_write.c ${io}/input.c ${io}/io_error.c
  ${io}/output.c ${io}/threads.c)
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

# What needs a library that may be missing. The build needs only the headers: a library is loaded when the first file needs
# it (image/library.h), since linking all libraries would cost every command 6 ms.
find_package(PkgConfig QUIET)

# gf_soname(library codec variable): the name by which a program loads the library, "libtiff.so.6"; empty if it is not
# found. Its Debian package is added to the global property GF_CODEC_PACKAGES.
function(gf_soname library codec variable)
  find_library(GF_LIBRARY_${library} ${library} HINTS ${GF_PC_${codec}_LIBRARY_DIRS})
  mark_as_advanced(GF_LIBRARY_${library})
  set(name "")
  if(GF_LIBRARY_${library} AND CMAKE_OBJDUMP)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${GF_LIBRARY_${library}} OUTPUT_VARIABLE dump ERROR_QUIET)
    string(REGEX MATCH "SONAME +([^ \n]+)" match "${dump}")
    set(name "${CMAKE_MATCH_1}")
  endif()
  set(${variable} "${name}" PARENT_SCOPE)
  find_program(GF_DPKG_QUERY dpkg-query)
  mark_as_advanced(GF_DPKG_QUERY)
  if(name AND GF_DPKG_QUERY)
    get_filename_component(here ${GF_LIBRARY_${library}} DIRECTORY)
    execute_process(COMMAND ${GF_DPKG_QUERY} -S ${here}/${name} OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([a-z0-9.+-]+)")
      set_property(GLOBAL APPEND PROPERTY GF_CODEC_PACKAGES ${CMAKE_MATCH_1})
    endif()
  endif()
endfunction()

# gf_codec(codec): adds its files in image/, or defines GF_WITHOUT_<CODEC> for codecs_absent.c if the option GF_<CODEC> is
# off or a dependency is missing. MODULE: the pkg-config module with its minimum version; without it the header is
# enough.
function(gf_codec codec)
  cmake_parse_arguments(ARG "" "FORMATS;HEADER;MODULE;PACKAGE" "SOURCES;LIBRARIES" ${ARGN})
  string(TOUPPER ${codec} upper)
  option(GF_${upper} "Build what reads ${ARG_FORMATS}, if ${ARG_PACKAGE} is there" ON)
  set(found ${GF_${upper}})
  if(found AND ARG_MODULE)
    set(found OFF)
    if(PkgConfig_FOUND)
      pkg_check_modules(GF_PC_${codec} QUIET "${ARG_MODULE}")
      set(found ${GF_PC_${codec}_FOUND})
    endif()
  endif()
  find_path(GF_${upper}_INCLUDE_DIR ${ARG_HEADER} HINTS ${GF_PC_${codec}_INCLUDE_DIRS})
  mark_as_advanced(GF_${upper}_INCLUDE_DIR)
  if(NOT GF_${upper}_INCLUDE_DIR)
    set(found OFF)
  endif()
  set(files)
  set(sonames)
  if(found)
    foreach(library ${ARG_LIBRARIES})
      gf_soname(${library} ${codec} soname)
      string(TOUPPER ${library} LIBRARY)
      list(APPEND sonames "${soname}")
      list(APPEND files GF_${LIBRARY}_FILE="${soname}")
      if(NOT soname)
        set(found OFF)
      endif()
    endforeach()
  endif()
  if(found)
    list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/image/)
    target_sources(gf_cli_image PRIVATE ${ARG_SOURCES})
    target_compile_definitions(gf_cli_image PRIVATE ${files})
    target_include_directories(gf_cli_image SYSTEM PRIVATE ${GF_${upper}_INCLUDE_DIR})
    list(GET sonames 0 first)
    set(GF_HAS_${upper} ${first} CACHE INTERNAL "The library that reads ${ARG_FORMATS}")
  else()
    message(STATUS "Without ${ARG_FORMATS} (${ARG_PACKAGE})")
    target_compile_definitions(gf_cli_image PRIVATE GF_WITHOUT_${upper})
    set(GF_HAS_${upper} "" CACHE INTERNAL "The library that reads ${ARG_FORMATS}")
  endif()
endfunction()

gf_codec(tiff FORMATS TIFF PACKAGE "libtiff-dev from 4.5 on" MODULE "libtiff-4>=4.5" HEADER tiffio.h
  LIBRARIES tiff SOURCES tiff/tiff_calls.c tiff/tiff_convert.c tiff/tiff_meta.c
  tiff/tiff_read.c tiff/tiff_write.c)
gf_codec(webp FORMATS WebP PACKAGE "libwebp-dev from 1.2 on" MODULE "libwebpdemux>=1.2" HEADER webp/demux.h
  LIBRARIES webp webpdemux webpmux SOURCES image_webp.c)
gf_codec(heif FORMATS "HEIC and AVIF" PACKAGE "libheif-dev from 1.15 on" MODULE "libheif>=1.15" HEADER libheif/heif.h
  LIBRARIES heif SOURCES image_heif.c)
# From libheif 1.16 on, Debian has a package for each codec. aomdec, because the AV1 decoder dav1d prints a file's
# errors itself.
if(GF_HAS_HEIF AND GF_PC_heif_VERSION VERSION_GREATER_EQUAL 1.16)
  set_property(GLOBAL APPEND PROPERTY GF_CODEC_PACKAGES libheif-plugin-aomdec)
endif()
gf_codec(lcms2 FORMATS "colour profiles" PACKAGE liblcms2-dev MODULE lcms2 HEADER lcms2.h LIBRARIES lcms2 SOURCES colour.c)
gf_codec(gif FORMATS GIF PACKAGE libgif-dev HEADER gif_lib.h LIBRARIES gif SOURCES gif/gif_read.c gif/gif_write.c)
