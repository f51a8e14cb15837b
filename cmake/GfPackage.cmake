# SPDX-License-Identifier: MIT
# CPack: Debian packages, one per component of install(). Build them from the `release` preset, whose prefix is /usr:
# (cd build/release && cpack). Needs dpkg-dev and file. scripts/package-check tests the packages.
# GfPackageTree.cmake and GfPackageArchive.cmake do what CPack leaves out.
set(packages gpufilterd gpufilterd-doc gpufilter-client libgpufilterclient0 libgpufilterimage0 libgpufilterclient-dev
  python3-gpufilter)
if(GF_HAVE_CUDA)
  list(APPEND packages gpufilterd-cuda)
endif()
set(with_programs gpufilterd gpufilter-client libgpufilterclient0 libgpufilterimage0)
if(GF_HAVE_CUDA)
  list(APPEND with_programs gpufilterd-cuda)
endif()
list(TRANSFORM with_programs PREPEND debug- OUTPUT_VARIABLE debug_components) # of packages that are called ...-dbgsym
set(debian ${PROJECT_SOURCE_DIR}/cmake/debian)
set(made ${PROJECT_BINARY_DIR}/debian)
set(GF_PACKAGE_RELEASE 1 CACHE STRING "What Debian's version has behind that of the project")
set(version ${PROJECT_VERSION}-${GF_PACKAGE_RELEASE})

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL ${packages} ${debug_components})
set(CPACK_PACKAGE_NAME gpufilterd)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_VENDOR "the gpufilterd authors")
set(CPACK_PACKAGE_CONTACT "the gpufilterd authors <gpufilterd@packages.invalid>" CACHE STRING
  "Who answers for the packages: whoever makes them for others is named here")
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "" CACHE STRING "The address of the project, which the packages name")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/GfPackageTree.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/GfPackageArchive.cmake)
set(CPACK_GF_OBJCOPY ${CMAKE_OBJCOPY})
set(CPACK_GF_STRIP ${CMAKE_STRIP})
set(CPACK_GF_READELF ${CMAKE_READELF})
file(STRINGS ${debian}/changelog dates REGEX "^ -- .*>  ")
list(GET dates 0 date)
string(REGEX REPLACE "^ -- .*>  " "" date "${date}")
execute_process(COMMAND date -d "${date}" +%s OUTPUT_VARIABLE CPACK_GF_TIME OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${GF_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

gf_compressed(${debian}/changelog)
gf_compressed(${PROJECT_SOURCE_DIR}/NEWS.md)

# The bill of materials.
set(sbom --version ${PROJECT_VERSION} --time "0${CPACK_GF_TIME}" --readelf ${CMAKE_READELF} --compiler ${CMAKE_C_COMPILER}
  --licence ${PROJECT_SOURCE_DIR}/LICENSE --package ${packages}
  --links gpufilterd $<TARGET_FILE:gpufilterd> --links gpufilterd $<TARGET_FILE:gpufilterd-worker>
  --links gpufilter-client $<TARGET_FILE:gpufilter-client>
  --links libgpufilterclient0 $<TARGET_FILE:gpufilterclient> --links libgpufilterimage0 $<TARGET_FILE:gpufilterimage>)
set(programs gpufilterd gpufilterd-worker gpufilter-client gpufilterclient gpufilterimage)
if(TARGET gpufilterd-metrics)
  list(APPEND programs gpufilterd-metrics)
  list(APPEND sbom --links gpufilterd $<TARGET_FILE:gpufilterd-metrics>)
endif()
get_property(opened GLOBAL PROPERTY GF_OPENED)
foreach(package gpufilter-client libgpufilterimage0 libgpufilterclient-dev)
  list(APPEND sbom --contains ${package} stb ${GF_STB_INCLUDE_DIR}/stb/stb_image.h -)
  foreach(soname IN LISTS opened)
    list(APPEND sbom --opens ${package} ${soname} -)
  endforeach()
endforeach()
get_property(opened GLOBAL PROPERTY GF_OPENED_BY_COMMAND)
foreach(soname IN LISTS opened)
  list(APPEND sbom --opens gpufilter-client ${soname} -)
endforeach()
list(APPEND sbom --opens gpufilterd libnvidia-ml.so.1 -)
if(GF_HAVE_CUDA)
  string(REGEX MATCH "^[0-9]+" major ${CMAKE_CUDA_COMPILER_VERSION})
  list(APPEND programs gpufilterd-worker-cuda)
  list(APPEND sbom --links gpufilterd-cuda $<TARGET_FILE:gpufilterd-worker-cuda>
    --contains gpufilterd-cuda libcudart_static.a - ${CMAKE_CUDA_COMPILER_VERSION}
    --contains gpufilterd-cuda cccl - ${CMAKE_CUDA_COMPILER_VERSION}
    --opens gpufilterd-cuda libcuda.so.1 - --opens gpufilterd-cuda libnvidia-ml.so.1 - --opens gpufilterd-cuda libnvrtc.so.${major} ${CMAKE_CUDA_COMPILER_VERSION})
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
gf_print(sbom.spdx.json DEPENDS ${programs} ${CMAKE_CURRENT_LIST_DIR}/sbom.py
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sbom.py ${sbom})
add_custom_target(sbom ALL DEPENDS ${PROJECT_BINARY_DIR}/sbom.spdx.json)

# gf_package(name section summary description [ALL] [DEPENDS text] [RECOMMENDS text] [SUGGESTS text] [CONTROL file...]):
# sets what differs between packages. ALL: for every architecture. Each package has its own copyright, bill of materials,
# change log and news; a plain install has one copy of the first two.
function(gf_package name section summary description)
  cmake_parse_arguments(PARSE_ARGV 4 arg "ALL" "DEPENDS;RECOMMENDS;SUGGESTS" "CONTROL")
  string(TOUPPER ${name} upper)
  if(arg_ALL)
    set(CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE all PARENT_SCOPE)
  endif()
  set(prefix CPACK_DEBIAN_${upper}_PACKAGE)
  set(${prefix}_NAME ${name} PARENT_SCOPE)
  set(${prefix}_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  foreach(relation DEPENDS RECOMMENDS SUGGESTS)
    if(arg_${relation})
      set(${prefix}_${relation} "${arg_${relation}}" PARENT_SCOPE)
    endif()
  endforeach()
  set(${prefix}_CONTROL_EXTRA ${arg_CONTROL} PARENT_SCOPE)
  set(here DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${name} EXCLUDE_FROM_ALL)
  install(FILES ${PROJECT_BINARY_DIR}/compressed/changelog.gz RENAME changelog.Debian.gz ${here})
  install(FILES ${PROJECT_BINARY_DIR}/compressed/NEWS.md.gz ${here})
  file(WRITE ${made}/overrides/${name}
    "# Made outside Debian, where no bug asks for the package.\n${name}: initial-upload-closes-no-bugs *\n")
  install(FILES ${made}/overrides/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${name}
    EXCLUDE_FROM_ALL)
  if(NOT name STREQUAL gpufilterd)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright ${here})
    install(FILES ${PROJECT_BINARY_DIR}/sbom.spdx.json ${here})
  endif()
endfunction()

gf_package(gpufilterd graphics "daemon that keeps GPUs warm and serves image and array work"
"Requests come over a Unix socket, with shared memory for large data. The
same request gives the same bits on a GPU and on the CPU. This package has
the daemon, its worker for the CPU, and the units of systemd."
  DEPENDS "systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles"
  RECOMMENDS gpufilter-client SUGGESTS "gpufilterd-cuda, gpufilterd-doc"
  CONTROL ${debian}/postinst ${debian}/prerm ${debian}/postrm ${made}/conffiles)
gf_package(gpufilterd-doc doc "documents of gpufilterd"
"The operations, the contracts of results and of bytes on the wire with test
vectors, the tutorial, the Python package, design and measurements. The
pages for operators come with gpufilterd." ALL)
gf_package(gpufilterd-cuda graphics "worker of gpufilterd for NVIDIA GPUs"
"The worker with the CUDA kernels, and the unit that starts one for each
GPU. It needs the NVIDIA driver of the machine, and nothing else of CUDA."
  DEPENDS "gpufilterd (= ${version})" SUGGESTS "nvidia-driver | libcuda1"
  CONTROL ${debian}/postinst ${debian}/prerm ${debian}/postrm)
# These libraries are loaded only when a file needs them, so dpkg-shlibdeps does not see them.
get_property(codecs GLOBAL PROPERTY GF_CODEC_PACKAGES)
list(REMOVE_DUPLICATES codecs)
get_property(packages GLOBAL PROPERTY GF_COMMAND_PACKAGES)
set(recommends gpufilterd ${codecs} ${packages})
list(JOIN codecs ", " codecs)
list(JOIN recommends ", " recommends)
gf_package(gpufilter-client graphics "command line of gpufilterd"
"Filters pictures and arrays through gpufilterd: the service of the machine,
or a private daemon that it starts where there is none."
  RECOMMENDS "${recommends}" SUGGESTS gpufilterd-doc)
gf_package(libgpufilterclient0 libs "client library of gpufilterd"
"Sends image and array work to gpufilterd over its Unix socket. Depends on
the C library alone." SUGGESTS gpufilterd CONTROL ${made}/symbols ${made}/shlibs ${made}/triggers)
gf_package(libgpufilterimage0 libs "picture files for programs that use gpufilterd"
"Reads and writes picture and array files with the codecs of
gpufilter-client, and says what a file does not keep."
  RECOMMENDS "${codecs}" CONTROL ${made}/image/symbols ${made}/image/shlibs ${made}/triggers)
gf_package(libgpufilterclient-dev libdevel "client libraries of gpufilterd, for development"
"The headers, the static libraries, the files of pkg-config and CMake, the
manual pages and examples of libgpufilterclient and libgpufilterimage."
  DEPENDS "libgpufilterclient0 (= ${version}), libgpufilterimage0 (= ${version})" RECOMMENDS gpufilterd-doc)
gf_package(python3-gpufilter python "Python package of gpufilterd"
"Filters pictures and computes on arrays by gpufilterd: numpy in, numpy out,
with modules that have the calls of scipy.ndimage and OpenCV." ALL
  DEPENDS "python3:any (>= 3.11~), python3-numpy, libgpufilterclient0 (>= ${PROJECT_VERSION})"
  RECOMMENDS gpufilterd SUGGESTS gpufilterd-doc CONTROL ${debian}/python/postinst ${debian}/python/prerm)

# Debug information, which GfPackageTree.cmake moves into the folders of these components.
foreach(package IN LISTS with_programs)
  string(TOUPPER debug-${package} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package}-dbgsym)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION debug)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${package} (= ${version})")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "debug symbols for ${package}")
  install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/doc\")
    file(CREATE_LINK ${package} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/doc/${package}-dbgsym\" SYMBOLIC)"
    COMPONENT debug-${package} EXCLUDE_FROM_ALL)
endforeach()

# The symbols of the library, each with the first version that has it: the file has the functions of the headers that
# are written by hand, and of operations that came after 0.1.0.
file(STRINGS ${debian}/symbols symbols)
foreach(op IN LISTS GF_OPS)
  if(NOT "${symbols}" MATCHES " gpufilter_${op}@")
    list(APPEND symbols " gpufilter_${op}@GPUFILTERCLIENT_0 0.1.0")
  endif()
endforeach()
list(JOIN symbols "\n" symbols)
file(WRITE ${made}/symbols "${symbols}\n")
configure_file(${debian}/symbols-image ${made}/image/symbols COPYONLY)
file(WRITE ${made}/shlibs "libgpufilterclient 0 libgpufilterclient0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${made}/image/shlibs "libgpufilterimage 0 libgpufilterimage0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${made}/triggers "activate-noawait ldconfig\n")
file(WRITE ${made}/conffiles "/etc/gpufilter/gpufilterd.conf\n")
install(FILES ${PROJECT_SOURCE_DIR}/docs/gpufilterd.conf DESTINATION /etc/gpufilter COMPONENT gpufilterd EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_BINARY_DIR}/sbom.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The Python package where Debian's python3 finds it. Elsewhere it is installed by pip: scripts/wheel.
set(python DESTINATION lib/python3/dist-packages/gpufilter COMPONENT python3-gpufilter EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/gpufilter/ ${python} FILES_MATCHING PATTERN "*.py" PATTERN py.typed
  PATTERN __pycache__ EXCLUDE)
foreach(file _ops.py _ops.pyi cv.pyi ndimage.pyi)
  install(FILES ${PROJECT_BINARY_DIR}/python/gpufilter/${file} ${python})
endforeach()
file(WRITE ${made}/python/METADATA "Metadata-Version: 2.1\nName: gpufilter\nVersion: ${PROJECT_VERSION}\n"
  "Requires-Python: >=3.11\nRequires-Dist: numpy>=1.24\n")
install(FILES ${made}/python/METADATA COMPONENT python3-gpufilter EXCLUDE_FROM_ALL
  DESTINATION lib/python3/dist-packages/gpufilter-${PROJECT_VERSION}.dist-info)
file(GLOB samples ${PROJECT_SOURCE_DIR}/samples/*.c ${PROJECT_SOURCE_DIR}/samples/*.cpp ${PROJECT_SOURCE_DIR}/samples/*.rb)
set(examples ${CMAKE_INSTALL_DATADIR}/doc/libgpufilterclient-dev/examples)
install(FILES ${samples} DESTINATION ${examples} COMPONENT libgpufilterclient-dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples/go DESTINATION ${examples} COMPONENT libgpufilterclient-dev)
file(GLOB samples ${PROJECT_SOURCE_DIR}/samples/cluster/*)
install(FILES ${samples} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpufilter-client/examples/cluster COMPONENT gpufilter-client)
include(CPack)
