#!/usr/bin/env bash
# cli_tables.sh GENERATED - help pages, the man page and shell completion say what the command table says. GENERATED is the build's folder with what gen_cli made. Reports in TAP.
#
# Which commands and options there are is read from the help of the program itself.
set -u
cd "${PARETOPILOT_SOURCE:?}" || exit 1
binary=${PARETOPILOT_BINARY:?}
generated=$1
support=$PWD/tests/support
# shellcheck source=tests/support/checks.sh
. "$support/checks.sh"
make_work

commands() { "$binary" --help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p'; }

help_of() { # COMMAND
    # shellcheck disable=SC2086 # two words are two arguments
    "$binary" $1 --help
}

options_of() { # COMMAND
    help_of "$1" | sed -n '/^options:/,/^example:/s/^  \(-., \|    \)\(--[a-z0-9-]*\).*/\2/p'
}

# --- help ---------------------------------------------------------------------------------------

check_help() { # COMMAND
    help_of "$1" >"$work/page" && ! grep -E '.{101}' "$work/page" | explain | grep .
    report $? "$1 --help keeps to 100 columns"
    # shellcheck disable=SC2086
    "$binary" help $1 | cmp -s - "$work/page"
    report $? "help $1 is $1 --help"
}

check_full() { # PROGRAM ARGUMENT...
    "$@" >/dev/full 2>"$work/stderr"
    [ $? -eq 2 ] && grep -q 'writing to standard output failed' "$work/stderr"
    report $? "a full disk behind ${*:2} is a failure"
}

# --- man ----------------------------------------------------------------------------------------

# The page's lines about a command: from its heading to the next one.
man_section() { # COMMAND
    awk -v heading="   $1" '/^ ? ? ?[^ ]/ { inside = $0 == heading } inside' "$work/man.txt"
}

check_man_command() { # COMMAND
    man_section "$1" >"$work/section"
    for word in $(options_of "$1" | grep -vx -e --help) "paretopilot"; do
        grep -qE -e "(^|[ [])$word([], ]|\$)" "$work/section" || echo "$word"
    done >"$work/lacks"
    [ ! -s "$work/lacks" ]
    report $? "the man page has $1 and its options"
    explain "$work/lacks"
}

check_man() {
    if ! command -v mandoc >/dev/null; then
        skip "man page" "no mandoc"
        return
    fi
    # No date, so that the same source gives the same bytes.
    mandoc -T lint -W warning "$generated/paretopilot.1" | grep -v 'WARNING: missing date' \
        >"$work/lint"
    [ ! -s "$work/lint" ]
    report $? "mandoc has nothing to say about the man page"
    explain "$work/lint"
    mandoc -T ascii -O width=100 "$generated/paretopilot.1" | sed 's/.\x08//g' >"$work/man.txt"
    while IFS= read -r name; do
        check_man_command "$name"
    done <"$work/commands"
    grep -rhoE 'getenv\("[A-Z_]+"' src | cut -d '"' -f 2 | sort -u | while IFS= read -r variable; do
        grep -q -w "$variable" "$work/man.txt" || echo "$variable"
    done >"$work/lacks"
    [ ! -s "$work/lacks" ]
    report $? "the man page has every variable that the program reads"
    explain "$work/lacks"
}

# --- completion ---------------------------------------------------------------------------------

sorted() { LC_ALL=C sort -u | tr '\n' ' ' | sed 's/ $//'; }

# A command line up to the cursor, a bar, what is offered there.
completion_cases() {
    cat <<'END'
paretopilot st|study
paretopilot study |plan resume run status
paretopilot help model s|synth
paretopilot help doctor |
paretopilot model synth --type q|q4_0 q8_0
paretopilot model synth --type=q8|q8_0
paretopilot model synth --quiet --type |f16 q4_0 q8_0
paretopilot model synth --shape lla|llama-3.1-8b llama-3.2-1b llama-3.2-3b
paretopilot model synth --seed |
paretopilot study run --output-dir al|alpha-folder
paretopilot study run -o al|alpha-folder
paretopilot study run --quiet al|alpha-folder alpha.json
paretopilot recommend -c al|alpha-folder alpha.json
END
    echo "paretopilot help |$(cut -d ' ' -f 1 "$work/commands" | sorted)"
    while IFS= read -r name; do
        echo "paretopilot $name --|$(options_of "$name" | sorted)"
    done <"$work/commands"
}

check_completion() { # SHELL WHAT-COMPLETE.SHELL-READS
    if ! command -v "$1" >/dev/null; then
        skip "completion for $1" "no $1"
        return
    fi
    (cd "$work/folder" && cut -d '|' -f 1 "$work/cases" |
        "$1" "$support/complete.$1" "$2" >"$work/offered" 2>"$work/stderr")
    explain "$work/stderr"
    cut -d '|' -f 1 "$work/cases" | paste -d '|' - "$work/offered" >"$work/got"
    cmp -s "$work/cases" "$work/got"
    report $? "completion for $1"
    diff "$work/cases" "$work/got" | explain
}

# --- all ----------------------------------------------------------------------------------------

commands >"$work/commands"
[ -s "$work/commands" ]
report $? "help lists commands"
! "$binary" --help | grep -E '.{101}' | explain | grep .
report $? "--help keeps to 100 columns"
while IFS= read -r name; do
    check_help "$name"
done <"$work/commands"
check_full "$binary" --help
check_full "$binary" help study run
check_full "$binary" study run --help
check_full "$binary" --version
check_man

mkdir -p "$work/folder/alpha-folder"
: >"$work/folder/alpha.json"
completion_cases >"$work/cases"
check_completion bash "$generated/paretopilot"
check_completion zsh "$generated"
check_completion fish "$generated/paretopilot.fish"
end
