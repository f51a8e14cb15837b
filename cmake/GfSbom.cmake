# SPDX-License-Identifier: MIT
# sbom.spdx.json, the bill of materials of the packages that debian/ makes. Its time is SOURCE_DATE_EPOCH, or otherwise
# that of the change log.
set(packages gpufilterd gpufilterd-doc gpufilter-client libgpufilterclient0 libgpufilterimage0 libgpufilterclient-dev
  python3-gpufilter)
if(GF_HAVE_CUDA)
  list(APPEND packages gpufilterd-cuda)
endif()
file(STRINGS ${PROJECT_SOURCE_DIR}/debian/changelog dates REGEX "^ -- .*>  ")
list(GET dates 0 date)
string(REGEX REPLACE "^ -- .*>  " "" date "${date}")
execute_process(COMMAND date -d "${date}" +%s OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)

set(sbom --version ${PROJECT_VERSION} --time "0${time}" --readelf ${CMAKE_READELF} --compiler ${CMAKE_C_COMPILER}
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
install(FILES ${PROJECT_BINARY_DIR}/sbom.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
