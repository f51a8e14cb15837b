# SPDX-License-Identifier: MIT
# cmake -P check_architectures.cmake: of which architectures a build has machine code, by the names that CMake knows, and
# which names are refused. -DNAMES=... prints the code for some names.
cmake_minimum_required(VERSION 3.21)
set(GF_CUDA OFF)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/GfCuda.cmake)
if(DEFINED NAMES)
  gf_cuda_code(code ${NAMES})
  message(STATUS "code: ${code}")
  return()
endif()

function(check names wanted)
  execute_process(COMMAND ${CMAKE_COMMAND} "-DNAMES=${names}" -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    OUTPUT_VARIABLE told ERROR_VARIABLE told)
  string(REGEX REPLACE "[ \n]+" " " told "${told}")
  string(FIND "${told}" "${wanted}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${names}: no '${wanted}' in: ${told}")
  endif()
endfunction()

check("75-real;90;120-virtual" "code: 75;90 ")
check("100f;103f-real;120f-virtual" "code: 100;103 ")
check("90-virtual" "code: ")
check("90a" "90a: its code runs on 9.0 alone; use 90")
check("90;100a-real" "100a-real: its code runs on 10.0 alone; use 100")
check("121a-virtual" "121a-virtual: its code runs on 12.1 alone; use 121")
