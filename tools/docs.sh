#!/usr/bin/env bash
# docs.sh BLOCKS FOLDER - write usage and tables of the commands into the pages of FOLDER (docs/cli).
#
# BLOCKS is what `gen_cli docs` printed: for each command a line "%% <page>", then the block. A page
# holds it between two lines of their own; all else in a page is written by hand and stays:
#
#     <!-- begin: from the rows in src/cli, by make docs -->
#     <!-- end -->
#
# Exit: 0 all pages are up to date now, 2 a page or its two lines are missing.
set -euo pipefail
export LC_ALL=C

readonly begin='<!-- begin: from the rows in src/cli, by make docs -->'
readonly end='<!-- end -->'

blocks=$1
folder=$2
code=0
new=$(mktemp)
trap 'rm -f -- "$new"' EXIT

# Exits 1 unless the page has exactly one begin and, behind it, one end.
rewrite() { # NAME PAGE
    awk -v name="$1" -v begin="$begin" -v end="$end" '
        NR == FNR {
            if ($1 == "%%") take = $2 == name
            else if (take) block = block $0 "\n"
            next
        }
        $0 == begin { begins++; printf "%s\n%s", $0, block; inside = 1 }
        $0 == end && inside { ends++; inside = 0 }
        !inside { print }
        END { exit !(begins == 1 && ends == 1) }
    ' "$blocks" "$2"
}

while read -r name; do
    page=$folder/$name.md
    if [[ ! -f $page ]]; then
        echo "docs.sh: $page is missing: write it, with the lines '$begin' and '$end' in it" >&2
        code=2
    elif ! rewrite "$name" "$page" >"$new"; then
        echo "docs.sh: $page: expected one line '$begin' and behind it one line '$end'" >&2
        code=2
    elif ! cmp -s "$new" "$page"; then
        cat "$new" >"$page" # keeps the page's mode
    fi
done < <(awk '$1 == "%%" { print $2 }' "$blocks")
exit "$code"
