#SPDX - License - Identifier : MIT
#cmake - DROOT = -DHEADERS = "a;b" - DVERSIONED =                                                                      \
                                 "c;d" - DOUT = -P embed.cmake : writes a C file with the text of the headers that
#kernels made at run time include, and a hash of all files that decide what such a kernel is.A header is a path below
#ROOT, by which it is included, or NAME = PATH where its own folder includes it by its name alone.
set(text "/* Made by kernels/cuda/jit/embed.cmake. */\n#include \"kernels/cuda/jit/headers.h\"\n\n") set(all "")
    set(rows "") set(n 0) foreach (header IN LISTS HEADERS) set(name ${header}) if (header MATCHES "^(.+)=(.+)$")
        set(name ${CMAKE_MATCH_1}) set(header ${CMAKE_MATCH_2}) endif() list(APPEND files ${header})
            file(READ ${ROOT} / ${header} hex HEX) string(REGEX REPLACE "(..)"
                                                                        "0x\\1," bytes "${hex}")
                string(REGEX REPLACE
                       "(................................................................................)"
                       "\\1\n" bytes
                       "${bytes}") string(APPEND text "static const unsigned char header_${n}[] = {\n${bytes}0};\n")
                    string(APPEND rows "    {\"${name}\", (const char *)header_${n}},\n") math(EXPR n "${n} + 1")
                        endforeach() foreach (file IN LISTS files VERSIONED) file(SHA256 ${ROOT} / ${file} hash)
                            string(APPEND all "${file} ${hash}\n") endforeach() string(SHA256 hash "${all}") string(
                                APPEND text
                                "\nconst struct gf_jit_header gf_jit_headers[] = {\n${rows}};\n"
                                "const uint32_t gf_jit_n_headers = ${n};\nconst char gf_jit_sources[] = \"${hash}\";\n")
                                file(WRITE $ { OUT } "${text}")
