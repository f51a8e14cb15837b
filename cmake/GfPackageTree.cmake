# SPDX-License-Identifier: MIT
# Run by cpack before it packs what it has installed, in a folder for each package. The debug information of programs and
# shared libraries moves to the packages -dbgsym; static libraries lose it. All lose the name of the compiler. So that a
# package depends on neither the umask nor the time, all times are CPACK_GF_TIME, that of the change log, unless
# SOURCE_DATE_EPOCH says another.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH} AND CPACK_GF_TIME)
  set(ENV{SOURCE_DATE_EPOCH} ${CPACK_GF_TIME})
endif()

# gf_move_debug_information(program package): to the file that debuggers find by the program's build id.
function(gf_move_debug_information program package)
  execute_process(COMMAND ${CPACK_GF_READELF} -n "${program}" OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
  if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
    message(FATAL_ERROR "${program} has no build id, by which debuggers find its debug information")
  endif()
  set(folder "${CPACK_TEMPORARY_DIRECTORY}/debug-${package}/usr/lib/debug/.build-id/${CMAKE_MATCH_1}")
  set(debug "${folder}/${CMAKE_MATCH_2}.debug")
  file(MAKE_DIRECTORY "${folder}")
  execute_process(COMMAND ${CPACK_GF_OBJCOPY} --only-keep-debug --compress-debug-sections "${program}" "${debug}"
    COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD "${debug}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  execute_process(COMMAND ${CPACK_GF_STRIP} --strip-unneeded --remove-section=.comment "${program}"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CPACK_GF_OBJCOPY} "--add-gnu-debuglink=${debug}" "${program}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB packages RELATIVE "${CPACK_TEMPORARY_DIRECTORY}" "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(package IN LISTS packages)
  file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/${package}/*")
  foreach(file IN LISTS files)
    if(IS_SYMLINK "${file}")
      continue()
    endif()
    file(READ "${file}" begin LIMIT 8 HEX)
    if(begin MATCHES "^7f454c46") # ELF
      gf_move_debug_information("${file}" ${package})
    elseif(begin STREQUAL "213c617263683e0a") # "!<arch>" and a line feed: a static library
      execute_process(COMMAND ${CPACK_GF_STRIP} --strip-debug --enable-deterministic-archives
        --remove-section=.comment "${file}" COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()
endforeach()
