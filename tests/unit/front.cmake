# SPDX-License-Identifier: MIT
# Modules of the front that need no socket.
foreach(name arenas penalties cost doctor identity life metrics awake_timer options proxy_header quota loop_queue routing scheduler staging users wait_queue watch)
  gf_unit_test(test_front_${name} server/test_front_${name}.c LIBS gf_front gf_test_support)
endforeach()
gf_unit_test(test_front_devices server/test_front_devices.c LIBS gf_front gf_test_support)
target_link_options(test_front_devices PRIVATE -Wl,--wrap=readlink)
