# SPDX-License-Identifier: MIT
# Prints gpufilterd.conf(5) from the example file docs/gpufilterd.conf, which has each option with its default behind a
# ";" and what it is about on the lines before; (r): taken over by a reload. Called by docs/CMakeLists.txt.
# usage: awk -v version=VERSION -f config_page.awk gpufilterd.conf
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}
BEGIN {
    print ".\\\" Printed by docs/config_page.awk; do not edit."
    print ".TH GPUFILTERD.CONF 5 \"\" \"gpufilterd " version "\" \"File Formats\""
    print ".SH NAME\ngpufilterd.conf \\- configuration of gpufilterd"
    print ".SH SYNOPSIS\n.I /etc/gpufilter/gpufilterd.conf"
    print ".SH DESCRIPTION"
    print "Lines of the form\n.I option = value\nbelow\n.BR [gpufilterd] .\nText after a blank and ; is a comment."
    print "The file need not exist, and what it leaves out has its default. The command line of\n.BR gpufilterd (8)"
    print "goes before it. A line that is wrong is an error that names its number; then the daemon does not start, and one"
    print "that runs keeps the configuration that it has.\n.B gpufilterd \\-\\-check\\-config\nchecks the file."
    print ".PP\nSIGHUP\n.RB ( \"systemctl reload gpufilterd\" )\nhas the daemon read the file again."
    print "Options with (r) take effect then, others at the next start. BYTES take K, M, G or T."
    print ".SH OPTIONS"
}
/^\[gpufilterd\]/ { below = 1; next }
!below { next }
/^; / { text = text (text == "" ? "" : " ") substr($0, 3); next }
/^;[a-z]/ {
    line = substr($0, 2)
    sub(/ *$/, "", line)
    print ".TP\n.B " roff(line)
    print roff(text)
    text = ""
}
END {
    print ".SH FILES\n.I /etc/gpufilter/gpufilterd.conf"
    print ".SH SEE ALSO\n.BR gpufilterd (8)"
}
