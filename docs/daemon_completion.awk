# SPDX-License-Identifier: MIT
# Prints the completion of gpufilterd for a shell from what gpufilterd --help prints. Called by docs/CMakeLists.txt.
# usage: gpufilterd --help | awk -v shell=bash|zsh|fish -f daemon_completion.awk

# The words that the help of an option lists, as in "uid, loginuid or cgroup", separated by blanks.
function words_of(help) {
    if (!match(help, /([a-z]+, )+[a-z]+ or [a-z]+/))
        return ""
    help = substr(help, RSTART, RLENGTH)
    gsub(/, | or /, " ", help)
    return help
}
# A text inside single quotes, for fish and zsh.
function quoted(text, special) {
    if (special)
        gsub(/\[|\]|:|\\/, "\\\\&", text)
    gsub(/'/, "'\\''", text)
    return text
}
function bash_option(name) {
    all = all (all == "" ? "" : " ") "--" name
    if (words != "")
        chosen = chosen "        --" name ") values=\"" words "\" ;;\n"
    else if (value != "")
        if (file)
            files = files (files == "" ? "" : " | ") "--" name
        else
            others = others (others == "" ? "" : " | ") "--" name
}
function zsh_option(name) {
    printf " \\\n        '--%s%s[%s]", name, value == "" ? "" : "=", quoted(help, 1)
    if (value != "")
        printf ":%s:%s", value, words != "" ? "(" words ")" : file ? "_files" : " "
    printf "'"
}
function fish_option(name) {
    printf "complete -c gpufilterd -l %s -d '%s'", name, quoted(help, 0)
    if (value != "")
        printf words != "" ? " -x -a '" words "'" : file ? " -r -F" : " -x"
    print ""
}
BEGIN {
    if (shell == "zsh")
        print "#compdef gpufilterd"
    print "# Made from gpufilterd --help by docs/daemon_completion.awk; do not edit."
    if (shell == "zsh")
        printf "_arguments"
    if (shell == "fish")
        print "complete -c gpufilterd -f"
}
/^  (-[a-z], )?--[a-z]/ {
    sub(/^  -[a-z], /, "  ")
    name = substr($1, 3)
    value = $2 ~ /^[A-Z]+$/ ? $2 : ""
    help = $0
    sub(/^ *--[a-z-]+ +/, "", help)
    if (value != "")
        sub(/^[A-Z]+ +/, "", help)
    words = value == "WORD" ? words_of(help) : ""
    file = value == "TEXT" && help ~ /path|program|file/
    if (shell == "bash")
        bash_option(name)
    else if (shell == "zsh")
        zsh_option(name)
    else
        fish_option(name)
}
END {
    if (shell == "zsh")
        print ""
    if (shell == "bash")
        print "_gpufilterd()\n{\n" \
            "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} values=\n" \
            "    # bash splits --name=value into three words.\n" \
            "    if [[ $cur == \"=\" ]]; then\n        cur=\n" \
            "    elif [[ $prev == \"=\" && $COMP_CWORD -gt 2 ]]; then\n        prev=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n" \
            "    COMPREPLY=()\n" \
            "    case $prev in\n" chosen \
            "        " files ") compopt -o default 2>/dev/null; return ;;\n" \
            "        " others ") return ;;\n" \
            "        *) values=\"" all "\" ;;\n" \
            "    esac\n" \
            "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\")\n" \
            "}\ncomplete -F _gpufilterd gpufilterd"
}
