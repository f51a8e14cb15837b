# SPDX-License-Identifier: MIT
# Fails when PROGRAM prints anything else than the file WANT holds.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE got COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WANT} want)
if(NOT got STREQUAL want)
  message(FATAL_ERROR "${WANT} is out of date: ${PROGRAM} prints something else; store its output there")
endif()
