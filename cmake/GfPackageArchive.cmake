# SPDX-License-Identifier: MIT
# Run by cpack when a package is made. The parts of the archive have the mode that the umask left; ar gives them the same
# mode everywhere.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(folder "${package}.parts")
  file(MAKE_DIRECTORY "${folder}")
  set(in WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CPACK_GF_AR} t "${package}" OUTPUT_VARIABLE names ${in})
  execute_process(COMMAND ${CPACK_GF_AR} x "${package}" ${in})
  string(STRIP "${names}" names)
  string(REPLACE "\n" ";" names "${names}")
  execute_process(COMMAND ${CPACK_GF_AR} rcSD new ${names} ${in})
  file(RENAME "${folder}/new" "${package}")
  file(REMOVE_RECURSE "${folder}")
endforeach()
