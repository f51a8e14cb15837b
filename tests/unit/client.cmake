# SPDX-License-Identifier: MIT
# Tests of the client library; they look inside, so they take its objects. Included by CMakeLists.txt.
find_package(Threads REQUIRED)
add_library(gf_test_client STATIC client/fake_server.c $<TARGET_OBJECTS:gf_client>)
target_link_libraries(gf_test_client PUBLIC gf_protocol gf_test_support Threads::Threads)
foreach(name test_client_replies test_client_run test_client_ops test_client_channel test_client_pipelined test_client_residents
        test_client_copy test_client_memory test_client_retry test_client_program test_client_reach
        test_client_stream test_client_trace test_client_address test_client_autostart)
  gf_unit_test(${name} client/${name}.c LIBS gf_test_client)
endforeach()
foreach(name test_client_submit test_client_lost test_client_again test_client_wait)
  gf_unit_test(${name} client/${name}.c client/submit_fixture.c LIBS gf_test_client)
endforeach()
gf_unit_test(test_client_parses client/test_client_parses.c LIBS gf_test_client)
target_link_options(test_client_parses PRIVATE -Wl,--wrap=gf_text_read -Wl,--wrap=gf_expr_parse)
# Parts of the command that only compute.
foreach(name test_axis test_top_screen)
  gf_unit_test(${name} client/${name}.c LIBS gf_cli)
endforeach()
