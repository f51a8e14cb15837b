# SPDX-License-Identifier: MIT
# Tests of the image files, against gf_image of client/image.
find_path(GF_SPNG_INCLUDE_DIR spng.h REQUIRED)
find_library(GF_SPNG_LIBRARY spng REQUIRED)

# gf_image_test(name): one cmocka program, run as the test `name`.
function(gf_image_test name)
  add_executable(${name}
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/image/${name}.c ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/image/image_fixture.c)
  target_include_directories(${name} SYSTEM PRIVATE ${GF_SPNG_INCLUDE_DIR})
  target_link_libraries(${name} PRIVATE gf_image gf_test_support ${GF_SPNG_LIBRARY} m)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit
    ENVIRONMENT LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks.txt:print_suppressions=0)
endfunction()

# Through the shared library alone.
foreach(name test_image_public test_image_pages)
  add_executable(${name} ${CMAKE_CURRENT_LIST_DIR}/image/${name}.c)
  target_link_libraries(${name} PRIVATE gpufilter::image gf_test_support)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit
    ENVIRONMENT LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks.txt:print_suppressions=0)
endforeach()

if(GF_ISAL_INCLUDE_DIR AND GF_ISAL_LIBRARY)
  gf_image_test(test_png_fast)
endif()
find_package(JPEG QUIET)
if(JPEG_FOUND)
  gf_image_test(test_image_jpeg)
  gf_image_test(test_jpeg_warnings)
  target_include_directories(test_image_jpeg SYSTEM PRIVATE ${JPEG_INCLUDE_DIRS})
  target_link_libraries(test_image_jpeg PRIVATE ${JPEG_LIBRARIES})
endif()
foreach(name test_image_bmp test_image_damaged test_image_exif test_image_follow test_image_formats test_image_meta test_image_png test_image_pnm test_image_roundtrip
        test_image_tga test_image_rotate test_image_write test_number test_output)
  gf_image_test(${name})
endforeach()
if(JPEG_FOUND)
  target_compile_definitions(test_image_meta PRIVATE GF_TEST_JPEG)
endif()
target_link_libraries(test_image_formats PRIVATE gf_cli)

# Against the library that writes the kinds we only read. gf_codec_test(folder library...): where there is none, the test
# is skipped, and says so.
function(gf_codec_test folder)
  string(TOUPPER ${folder} upper)
  set(name test_image_${folder})
  if(GF_HAS_${upper})
    gf_image_test(${name})
    target_link_libraries(${name} PRIVATE ${ARGN})
  else()
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: this build does without the library of ${folder}")
    set_tests_properties(${name} PROPERTIES LABELS unit SKIP_REGULAR_EXPRESSION "^skipped: ")
  endif()
endfunction()
gf_codec_test(tiff ${GF_LIBRARY_tiff})
gf_codec_test(webp ${GF_LIBRARY_webpmux} ${GF_LIBRARY_webp})
gf_codec_test(heif ${GF_LIBRARY_heif})
gf_codec_test(gif)
if(GF_HAS_TIFF)
  gf_image_test(test_image_tiff_header)
endif()
if(GF_HAS_TIFF AND GF_HAS_WEBP AND GF_HAS_HEIF)
  target_compile_definitions(test_image_follow PRIVATE GF_TEST_CODECS)
endif()
