# SPDX-License-Identifier: MIT
# Formats whose library may be missing. The build needs only the headers: a library is loaded when the first file needs
# it (image/library.h), since linking all libraries would cost every command 6 ms. Included by images.cmake.

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
  LIBRARIES tiff SOURCES tiff/tiff_calls.c tiff/tiff_read.c tiff/tiff_write.c)
gf_codec(webp FORMATS WebP PACKAGE "libwebp-dev from 1.2 on" MODULE "libwebpdemux>=1.2" HEADER webp/demux.h
  LIBRARIES webp webpdemux webpmux SOURCES image_webp.c)
gf_codec(heif FORMATS "HEIC and AVIF" PACKAGE "libheif-dev from 1.15 on" MODULE "libheif>=1.15" HEADER libheif/heif.h
  LIBRARIES heif SOURCES image_heif.c)
# From libheif 1.16 on, Debian has a package for each codec. aomdec, because the AV1 decoder dav1d prints a file's
# errors itself.
if(GF_HAS_HEIF AND GF_PC_heif_VERSION VERSION_GREATER_EQUAL 1.16)
  set_property(GLOBAL APPEND PROPERTY GF_CODEC_PACKAGES libheif-plugin-aomdec)
endif()
gf_codec(gif FORMATS GIF PACKAGE libgif-dev HEADER gif_lib.h LIBRARIES gif SOURCES image_gif.c)
