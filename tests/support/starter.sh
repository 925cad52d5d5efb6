#!/usr/bin/env bash
# starter.sh - what `init` writes works as it is, and what it prints works as printed. TAP.
set -u

paretopilot=${PARETOPILOT_BINARY:?}
# shellcheck source=tests/support/checks.sh
. "${PARETOPILOT_SOURCE:?}/tests/support/checks.sh"
make_work
mkdir "$work/bin" "$work/home"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$paretopilot" > "$work/bin/paretopilot"
chmod +x "$work/bin/paretopilot"
PATH=$work/bin:$PATH
cd "$work/home" || exit 1

quietly() { "$@" > "$work/out" 2>&1; } # check shows it when the command fails

# Types what was printed: the indented lines.
type_printed() {
    paretopilot init "$@" > "$work/printed" || return 1
    sed -n 's/^  //p' "$work/printed" > "$work/typed"
    [ "$(wc -l < "$work/typed")" -eq 2 ] || return 1
    sh -e "$work/typed"
}

# The command of a file: from `paretopilot ci-gate` to the first line that does not belong to it.
command_of() { # FILE
    sed -n '/paretopilot ci-gate/,/expect-selected-id/p' "$1" | tr -d '\\\n'
}

same_command() { # FILE of the project "plain"
    (cd plain && rm -rf paretopilot-output && eval "$(command_of "$1")" && test -s paretopilot-output/gate.json)
}

well_formed() { # UTF-8, LF, newline at the end
    local file
    for file in $(cd plain && find . -type f ! -path './paretopilot-output/*'); do
        echo "$file"
        iconv -f utf-8 -t utf-8 "plain/$file" > "$work/converted" || return 1
        ! grep -q "$(printf '\r')" "plain/$file" || return 1
        [ "$(tail -c 1 "plain/$file" | od -An -c | tr -d ' ')" = '\n' ] || return 1
    done
}

five_files() { [ "$(cd plain && find . -type f ! -path './paretopilot-output/*' | wc -l)" -eq 5 ]; }

lacks() { ! grep -q "$1" "$2"; }

refused() { # CODE ARGUMENTS... - and nothing new is there
    local want=$1 before after code=0
    shift
    before=$(find . | sort)
    paretopilot init "$@" || code=$?
    after=$(find . | sort)
    [ "$code" -eq "$want" ] && [ "$before" = "$after" ]
}

ref=octo/gate@0123456789abcdef0123456789abcdef01234567
check 'what is printed works in a shell' quietly type_printed plain
check 'it writes five files' quietly five_files
check 'they are text as git likes it' quietly well_formed
check 'the README says the same command, and it works' quietly same_command README.md
check 'the workflow runs the same command, and it works' quietly same_command .github/workflows/paretopilot.yml
check 'a folder whose name needs quotes' quietly type_printed "it's \$HOME; a "
check 'a folder whose name looks like an option' quietly type_printed -- -x
check 'a folder below another, slashes behind' quietly type_printed plain/inner//
check 'with an action, pinned to a commit' quietly paretopilot init acted --action-ref "$ref"
check 'the workflow uses it' quietly grep -q "uses: $ref\$" acted/.github/workflows/paretopilot.yml
check 'and does not call an installed program' quietly lacks 'paretopilot ci-gate' acted/.github/workflows/paretopilot.yml
for folder in plain acted; do
    check "rights of the workflow in $folder are read-only" quietly grep -qx '  contents: read' "$folder/.github/workflows/paretopilot.yml"
    check "forks get none from $folder" quietly lacks pull_request_target "$folder/.github/workflows/paretopilot.yml"
done
ln -s nowhere dangling
ln -s plain link
: > file
for bad in plain dangling file . .. plain/.. /; do
    check "refused: $bad" quietly refused 2 "$bad"
done
check 'refused: below a link' quietly refused 2 link/new
check 'refused: below a file' quietly refused 2 file/new
check 'refused: below nothing' quietly refused 2 none/new
for bad in octo/gate@v1 octo/gate 'octo/gate@0123456789ABCDEF0123456789abcdef01234567' "octo/../gate@${ref#*@}" \
    "gate@${ref#*@}" "octo/gate@${ref#*@}0" "octo/ga te@${ref#*@}" "$(printf 'o/r\n@')${ref#*@}"; do
    check "refused as an action: $(printf %s "$bad" | tr '\n' '?')" quietly refused 2 new --action-ref "$bad"
done
end
