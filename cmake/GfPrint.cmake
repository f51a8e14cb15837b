# SPDX-License-Identifier: MIT
# Files that programs of this build print. A generated file has the same path below the build folder as it would have in
# the source tree.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(FATAL_ERROR "The build runs programs that it has made: headers, for example, are printed by gf_gen_ops. Set "
    "CMAKE_CROSSCOMPILING_EMULATOR to a program that runs them on this machine, such as qemu-user.")
endif()

# gf_print(file COMMAND program arguments... DEPENDS targets or files...): writes what the command prints to `file` of
# the build folder, only if it changed.
function(gf_print file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;DEPENDS")
  set(path ${PROJECT_BINARY_DIR}/${file})
  get_filename_component(folder ${path} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${path} DEPENDS ${arg_DEPENDS} COMMENT "Printing ${file}" VERBATIM
    COMMAND sh -c "file=$1; shift; if ! \"$@\" >\"$file.new\"; then rm -f \"$file.new\"; exit 1; fi; if cmp -s \"$file.new\" \"$file\"; then rm \"$file.new\"; else mv \"$file.new\" \"$file\"; fi"
            sh ${path} ${arg_COMMAND})
endfunction()

# gf_printed(target file [INSTALL folder] COMMAND program arguments...): gf_print as a target that is
# part of every build. The file is installed into `folder`.
function(gf_printed target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "INSTALL" "COMMAND")
  list(POP_FRONT arg_COMMAND program)
  gf_print(${file} DEPENDS ${program}
    COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}> ${arg_COMMAND})
  add_custom_target(${target} ALL DEPENDS ${PROJECT_BINARY_DIR}/${file})
  if(arg_INSTALL)
    install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${arg_INSTALL})
  endif()
endfunction()
