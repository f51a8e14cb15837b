# SPDX-License-Identifier: MIT
# Run by cpack before it packs what it has installed, so that a package depends on neither the umask nor the time: every
# folder gets mode 0755, which mkdir() alone would leave to the umask, and all times are CPACK_GF_TIME, that of the
# change log, unless SOURCE_DATE_EPOCH says another.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH} AND CPACK_GF_TIME)
  set(ENV{SOURCE_DATE_EPOCH} ${CPACK_GF_TIME})
endif()
file(GLOB_RECURSE entries LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(entry IN LISTS entries)
  if(IS_DIRECTORY "${entry}" AND NOT IS_SYMLINK "${entry}")
    file(CHMOD "${entry}" PERMISSIONS
      OWNER_READ OWNER_WRITE OWNER_EXECUTE
      GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
