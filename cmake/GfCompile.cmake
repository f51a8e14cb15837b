# SPDX-License-Identifier: MIT
# Compiler flags for every target: warnings, the floating-point contract of docs/numerics.md, hardening, sanitizers.
add_library(gf_flags INTERFACE)
target_include_directories(gf_flags INTERFACE ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
target_compile_definitions(gf_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_compile_options(gf_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Walloca -Wstrict-prototypes
                          -Wmissing-prototypes -ffp-contract=off -fno-math-errno -fno-semantic-interposition
                          -fstack-protector-strong>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast>)
if(GF_WERROR)
  target_compile_options(gf_flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()
if(GF_SANITIZE)
  target_compile_options(gf_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${GF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(gf_flags INTERFACE -fsanitize=${GF_SANITIZE})
else()
  target_compile_options(gf_flags INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release") # packages: their debug information does not say where they were built
  target_compile_options(gf_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>)
endif()
include(CheckCCompilerFlag)
check_c_compiler_flag(-fcf-protection GF_HAS_CF_PROTECTION) # x86 only
if(GF_HAS_CF_PROTECTION)
  target_compile_options(gf_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-fcf-protection>)
endif()
target_link_options(gf_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,--as-needed)
include(CheckPIESupported)
check_pie_supported()
