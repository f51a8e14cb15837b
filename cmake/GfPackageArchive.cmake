# SPDX-License-Identifier: MIT
# Run by cpack when it has made packages: packs each anew by dpkg-deb, with the same modes everywhere, whatever the umask
# was, and with the times of SOURCE_DATE_EPOCH. Scripts that cpack wrote only to run ldconfig are left out, because the
# packages of libraries have a trigger for it. Packages of debug information say what they are, as dh_strip has it.
function(gf_pack_anew package)
  set(folder "${package}.tree")
  execute_process(COMMAND dpkg-deb -R "${package}" "${folder}" COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS "${folder}/DEBIAN/triggers")
    file(REMOVE "${folder}/DEBIAN/postinst" "${folder}/DEBIAN/postrm")
  endif()
  file(GLOB_RECURSE debug RELATIVE "${folder}/usr/lib/debug/.build-id" "${folder}/usr/lib/debug/.build-id/*.debug")
  if(debug)
    list(TRANSFORM debug REPLACE "/|\\.debug$" "")
    list(SORT debug)
    list(JOIN debug " " ids)
    file(READ "${folder}/DEBIAN/control" control)
    string(STRIP "${control}" control)
    file(WRITE "${folder}/DEBIAN/control" "${control}\nAuto-Built-Package: debug-symbols\nBuild-Ids: ${ids}\n")
  endif()
  execute_process(COMMAND chmod -R go-w,a+rX,u+w "${folder}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find "${folder}" -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} + COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -b "${folder}" "${package}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE "${folder}")
endfunction()
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  gf_pack_anew("${package}")
endforeach()
