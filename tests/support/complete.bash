#!/usr/bin/env bash
# complete.bash SCRIPT - what bash offers for each command line of standard input, as it stands when
# Tab is pressed at its end: one line of sorted words for each.
#
# Calls the completion function with the variables that readline would set.
set -u
# shellcheck source=/dev/null
source "$1"

# Words as readline breaks them: at blanks, and "=" is a word of its own.
split() { # LINE
    read -ra COMP_WORDS <<<"${1//=/ = }"
    [[ $1 != *[\ =] ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
}

while IFS= read -r line; do
    split "$line"
    COMPREPLY=()
    _paretopilot
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' ' ' | sed 's/^ //; s/ $//'
    echo
done
