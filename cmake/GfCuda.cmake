# SPDX-License-Identifier: MIT
# Decides whether the CUDA backend is built (GF_HAVE_CUDA) and for which architectures (GF_CUDA_ARCHITECTURES).
set(GF_HAVE_CUDA OFF)

# Sets ret_code to the architectures, as numbers, of which a build for these CMAKE_CUDA_ARCHITECTURES has machine code.
# Such code also runs on later minor revisions. That of a name with f (family) does, too, that of a name with a does not:
# no kernel needs the instructions that only such a name allows.
function(gf_cuda_code ret_code)
  set(code "")
  foreach(name IN LISTS ARGN)
    string(TOUPPER "CMAKE_CUDA_ARCHITECTURES_${name}" words) # native, all, all-major
    string(REPLACE "-" "_" words "${words}")
    if(DEFINED ${words})
      list(APPEND code ${${words}})
    else()
      list(APPEND code ${name})
    endif()
  endforeach()
  foreach(name IN LISTS code)
    if(name MATCHES "^([0-9]+)([0-9])a(-|$)")
      message(FATAL_ERROR "GF_CUDA_ARCHITECTURES=${name}: its code runs on ${CMAKE_MATCH_1}.${CMAKE_MATCH_2} alone; use "
        "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
    endif()
  endforeach()
  list(FILTER code INCLUDE REGEX "^[0-9]+f?(-real)?$")
  list(TRANSFORM code REPLACE "[^0-9]" "")
  set(${ret_code} "${code}" PARENT_SCOPE)
endfunction()

option(GF_CUDA_QUICK "Compile kernels in a quarter of the time; they run slower: not for measuring" OFF)
option(GF_CUDA_JITTER "Delay threads of kernels at random, to find races; slow, for tests alone" OFF)
if(NOT GF_CUDA STREQUAL OFF)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(GF_NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_HOME PATH_SUFFIXES bin)
    if(GF_NVCC)
      set(CMAKE_CUDA_COMPILER ${GF_NVCC})
    endif()
  endif()
  # A plain build is for one architecture. "shipped", for the release preset, is for every current one: PTX for 9.0 is
  # generated once and assembled for Hopper and both Blackwells, so that they run the code that was measured. The PTX is
  # also included, for later architectures. Generating PTX takes two thirds of the build time.
  set(GF_CUDA_ARCHITECTURES "90" CACHE STRING
    "CUDA architectures, as CMAKE_CUDA_ARCHITECTURES; native for this GPU, shipped for all")
  if("native" IN_LIST GF_CUDA_ARCHITECTURES AND CMAKE_VERSION VERSION_LESS 3.24)
    message(FATAL_ERROR "GF_CUDA_ARCHITECTURES=native needs CMake 3.24; name the architecture, as in 90")
  endif()
  if(GF_CUDA_ARCHITECTURES STREQUAL shipped)
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    set(code 75 80 90 100 120)
    set(later " and later")
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-gencode arch=compute_75,code=sm_75>"
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-gencode arch=compute_80,code=sm_80>"
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-gencode arch=compute_90,code=[sm_90,sm_100,sm_120,compute_90]>")
  else()
    set(CMAKE_CUDA_ARCHITECTURES ${GF_CUDA_ARCHITECTURES})
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    if(GF_CUDA_QUICK)
      include(CheckCompilerFlag)
      check_compiler_flag(CUDA -Ofc=max GF_CUDA_HAS_OFC)
      if(GF_CUDA_HAS_OFC)
        add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-Ofc=max>)
      else() # before CUDA 12.9
        add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcicc -O1 -Xptxas -O1>")
      endif()
    endif()
    set(GF_HAVE_CUDA ON)
    # The architectures of which the build has machine code: GF_CUDA_CODE for the compiler, GF_CUDA_KERNELS_FOR for people.
    if(NOT GF_CUDA_ARCHITECTURES STREQUAL shipped)
      gf_cuda_code(code ${CMAKE_CUDA_ARCHITECTURES})
    endif()
    list(JOIN code "," GF_CUDA_CODE)
    list(JOIN code ", " GF_CUDA_KERNELS_FOR)
    string(APPEND GF_CUDA_KERNELS_FOR "${later}")
  elseif(GF_CUDA STREQUAL ON)
    message(FATAL_ERROR "GF_CUDA=ON, but no CUDA compiler was found; install the CUDA Toolkit or set CUDACXX")
  endif()
endif()
message(STATUS "CUDA backend: ${GF_HAVE_CUDA}")
if(GF_CUDA_JITTER)
  message(WARNING "GF_CUDA_JITTER: kernels are delayed at random; this build is for tests alone")
endif()
