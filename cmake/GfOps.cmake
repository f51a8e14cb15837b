# SPDX-License-Identifier: MIT
# The facts that the build takes from the operations' descriptors. protocol/ops/ops.def names the descriptors. In the
# .def of an operation, GF_FAMILY gives its folder below kernels/cpu and kernels/cuda, and GF_RUN the functions that run
# it there: a function with the operation's name is in a file of this name, any other function in a file that several
# operations share.

# GF_OPS: the names of all operations, in order.
set(gf_ops_folder ${CMAKE_CURRENT_LIST_DIR}/../protocol/ops)
file(STRINGS ${gf_ops_folder}/ops.def GF_OPS REGEX "^#include \"[a-z0-9_]+\\.def\"$")
list(TRANSFORM GF_OPS REPLACE "^#include \"([a-z0-9_]+)\\.def\"$" "\\1")
list(TRANSFORM GF_OPS PREPEND ${gf_ops_folder}/ OUTPUT_VARIABLE gf_ops_files)
list(TRANSFORM gf_ops_files APPEND .def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS 
  ${gf_ops_folder}/ops.def ${gf_ops_folder}/outline.in ${gf_ops_files})

# Ids are never reused: the next id is the highest one plus 1.
set(gf_ops_highest 0)
foreach(file IN LISTS gf_ops_files)
  file(STRINGS ${file} id REGEX "^GF_OP\\([a-z0-9_]+, 0x[0-9a-fA-F]+, ")
  if(NOT id MATCHES ", (0x[0-9a-fA-F]+), ")
    message(FATAL_ERROR "${file} has no line GF_OP(name, 0xID, help)")
  endif()
  if(CMAKE_MATCH_1 GREATER gf_ops_highest)
    set(gf_ops_highest ${CMAKE_MATCH_1})
  endif()
endforeach()
math(EXPR gf_ops_next "${gf_ops_highest} + 1" OUTPUT_FORMAT HEXADECIMAL)
message(STATUS "Next free operation id: ${gf_ops_next}")

# protocol/ops/outline.in explains the outline and the parameter structs. Each file is written only if it changes.
execute_process(COMMAND ${CMAKE_C_COMPILER} -E -P -x c ${gf_ops_folder}/outline.in
  OUTPUT_VARIABLE gf_ops_facts COMMAND_ERROR_IS_FATAL ANY)
set(gf_ops_built ${PROJECT_BINARY_DIR}/protocol/ops)
string(REGEX REPLACE "\n(GF_MEMBER[^\n]*|\n)*" "\n" gf_ops_outline "\n${gf_ops_facts}")
file(CONFIGURE OUTPUT ${gf_ops_built}/outline.def CONTENT "${gf_ops_outline}" @ONLY)
set(gf_ops_includes)
foreach(op IN LISTS GF_OPS)
  string(REGEX MATCHALL "GF_MEMBER\\(${op}, [^)]*\\)" members "${gf_ops_facts}")
  string(REGEX REPLACE "GF_MEMBER\\([a-z0-9_]+, ([^)]*)\\)" "\n    \\1" members "${members}")
  file(CONFIGURE OUTPUT ${gf_ops_built}/params/${op}.h @ONLY CONTENT [[
/* Made from protocol/ops/@op@.def by cmake/GfOps.cmake; see protocol/ops/op_params.h. */
#ifndef GF_PARAMS_@op@
#define GF_PARAMS_@op@

#include "protocol/ops/op_params.h"

struct gf_@op@_params {@members@;
};

GF_PARAMS_ACCESS(@op@)

#endif
]])
  string(APPEND gf_ops_includes "#include \"protocol/ops/params/${op}.h\"\n")
endforeach()
file(CONFIGURE OUTPUT ${gf_ops_built}/all_params.h CONTENT "${gf_ops_includes}" @ONLY)

# gf_op_family(op ret_family): the family of an operation, in lower case.
function(gf_op_family op ret_family)
  file(STRINGS ${gf_ops_folder}/${op}.def family REGEX "^GF_FAMILY\\(${op}, [A-Z]+\\)$")
  if(NOT family MATCHES "GF_FAMILY\\(${op}, ([A-Z]+)\\)")
    message(FATAL_ERROR "protocol/ops/${op}.def has no line GF_FAMILY(${op}, FAMILY)")
  endif()
  string(TOLOWER ${CMAKE_MATCH_1} family)
  set(${ret_family} ${family} PARENT_SCOPE)
endfunction()

# gf_op_sources(backend ret_files): the files of operations that have their own function on a backend, cpu or cuda,
# relative to the backend's folder.
function(gf_op_sources backend ret_files)
  set(files)
  foreach(op IN LISTS GF_OPS)
    gf_op_family(${op} family)
    file(STRINGS ${gf_ops_folder}/${op}.def facts REGEX "^GF_RUN\\(${op}, [A-Za-z0-9_, ]+\\)$")
    if(NOT facts MATCHES "GF_RUN\\(${op}, ([a-z0-9_]+), ([a-z0-9_]+)\\)")
      message(FATAL_ERROR "protocol/ops/${op}.def has no line GF_RUN(${op}, function for the CPU, function for CUDA)")
    endif()
    set(run_cpu ${CMAKE_MATCH_1})
    set(run_cuda ${CMAKE_MATCH_2})
    if(NOT run_${backend} STREQUAL op)
      continue()
    endif()
    file(GLOB file RELATIVE ${PROJECT_SOURCE_DIR}/kernels/${backend}
      ${PROJECT_SOURCE_DIR}/kernels/${backend}/${family}/${op}.c ${PROJECT_SOURCE_DIR}/kernels/${backend}/${family}/${op}.cu)
    list(LENGTH file n)
    if(NOT n EQUAL 1)
      message(FATAL_ERROR "protocol/ops/${op}.def: gf_${backend}_${op} is to stand in "
        "kernels/${backend}/${family}/${op}.c or .cu; ${n} of these are there")
    endif()
    list(APPEND files ${file})
  endforeach()
  set(${ret_files} ${files} PARENT_SCOPE)
endfunction()
