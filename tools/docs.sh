#!/usr/bin/env bash
# docs.sh [--check] DOCS BLOCKS... - write what the program's tables say into the pages of DOCS (docs).
#
# BLOCKS are what gen_cli and gen_formats print: for each block a line "%% <page> <mark>" and behind it
# the block. A page holds it between two lines of their own; all else is written by hand and stays:
#
#     <!-- begin: <mark>, by make docs -->
#     <!-- end -->
#
# With --check nothing is written, and the result is TAP: every block is on its page as the tables have
# it, and every page of docs/cli and docs/formats has only blocks that there are, at least one unless
# it is named below.
#
# Exit: 0 the pages are up to date, 1 --check found one that is not, 2 a page or its lines are missing.
set -euo pipefail
export LC_ALL=C

# Pages that describe no command and no JSON document of a kind of its own.
exception() {
    case $1 in
    formats/bundle) echo "the list of the files; their documents have pages of their own" ;;
    formats/json) echo "how JSON is read and written, whatever the document" ;;
    formats/report) echo "an HTML page" ;;
    formats/tape) echo "a text file with a grammar of its own" ;;
    *) return 1 ;;
    esac
}

check=no
if [[ ${1:-} == --check ]]; then
    check=yes
    shift
fi
docs=$1
shift
number=0
code=0
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cat -- "$@" >"$work/blocks"

# Exits 1 unless the page has exactly one begin of this mark and, behind it, an end.
rewrite() { # PAGE MARK
    awk -v header="%% $1 $2" -v begin="<!-- begin: $2, by make docs -->" '
        NR == FNR {
            if ($1 == "%%") take = $0 == header
            else if (take) block = block $0 "\n"
            next
        }
        $0 == begin { begins++; printf "%s\n%s", $0, block; inside = 1 }
        $0 == "<!-- end -->" && inside { ends++; inside = 0 }
        !inside { print }
        END { exit !(begins == 1 && ends == 1) }
    ' "$work/blocks" "$docs/$1.md"
}

report() { # yes-or-no NAME
    number=$((number + 1))
    [[ $1 == yes ]] || code=1
    [[ $check == no ]] || if [[ $1 == yes ]]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

note() { if [[ $check == yes ]]; then echo "# $1"; else echo "docs.sh: $1" >&2; fi; }

one_block() { # PAGE MARK
    local page=$docs/$1.md name="$1.md: $2"
    local lines="the lines '<!-- begin: $2, by make docs -->' and, behind it, '<!-- end -->'"
    if [[ ! -f $page ]]; then
        note "$1.md is missing: write it, with $lines in it"
        report no "$name"
    elif ! rewrite "$1" "$2" >"$work/new"; then
        note "$1.md: expected once $lines"
        report no "$name"
    elif cmp -s "$work/new" "$page"; then
        report yes "$name"
    elif [[ $check == yes ]]; then
        note "$1.md differs from the program's tables; run 'make docs' and review:"
        diff -U0 --label "$1.md" --label "the tables" "$page" "$work/new" | sed 's/^/#   /' || true # they differ
        report no "$name"
    else
        cat "$work/new" >"$page" # keeps the page's mode
    fi
}

one_page() { # PAGE
    local mark strange=
    while read -r mark; do
        grep -qxF "%% $1 $mark" "$work/blocks" || strange="$strange '$mark'"
    done < <(sed -n 's/^<!-- begin: \(.*\), by make docs -->$/\1/p' "$docs/$1.md")
    [[ -z $strange ]] || note "$1.md: no table of the program for$strange"
    if [[ -z $strange ]] && grep -q '^<!-- begin: ' "$docs/$1.md"; then
        report yes "$1.md has a table of the program"
    elif [[ -z $strange ]] && exception "$1" >/dev/null; then
        report yes "$1.md has no table: $(exception "$1")"
    else
        note "$1.md: expected the page of a command or of a document, or a reason in tools/docs.sh"
        report no "$1.md has a table of the program"
    fi
}

while read -r _ page mark; do
    one_block "$page" "$mark"
done < <(grep '^%% ' "$work/blocks")
for file in "$docs"/cli/*.md "$docs"/formats/*.md; do
    page=${file#"$docs"/}
    one_page "${page%.md}"
done
[[ $check == no ]] || echo "1..$number"
[[ $code == 0 || $check == yes ]] || code=2
exit "$code"
