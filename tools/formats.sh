#!/usr/bin/env bash
# formats.sh [--check] BLOCKS FOLDER - write the tables of documents into the pages of FOLDER (docs/formats).
#
# BLOCKS is what gen_formats printed: for each kind of document a line "%% <kind> <page>", then the
# block. A page holds it between two lines of their own; all else is written by hand and stays:
#
#     <!-- begin: fields of <kind>, by make docs -->
#     <!-- end -->
#
# With --check nothing is written, and the result is TAP: every block is as the tables have it, every
# kind has a block on its page, every page has a block unless it is named below.
#
# Exit: 0 the pages are up to date, 1 --check found one that is not, 2 a page or its lines are missing.
set -euo pipefail
export LC_ALL=C

# Pages that describe no JSON document of a kind of its own.
exception() {
    case $1 in
    bundle) echo "the list of the files; their documents have pages of their own" ;;
    json) echo "how JSON is read and written, whatever the document" ;;
    report) echo "an HTML page" ;;
    *) return 1 ;;
    esac
}

check=no
if [[ ${1:-} == --check ]]; then
    check=yes
    shift
fi
blocks=$1
folder=$2
number=0
code=0
new=$(mktemp)
trap 'rm -f -- "$new"' EXIT

# Exits 1 unless the page has exactly one begin of this kind and, behind it, an end.
rewrite() { # KIND PAGE
    awk -v kind="$1" -v begin="<!-- begin: fields of $1, by make docs -->" '
        NR == FNR {
            if ($1 == "%%") take = $2 == kind
            else if (take) block = block $0 "\n"
            next
        }
        $0 == begin { begins++; printf "%s\n%s", $0, block; inside = 1 }
        $0 == "<!-- end -->" && inside { ends++; inside = 0 }
        !inside { print }
        END { exit !(begins == 1 && ends == 1) }
    ' "$blocks" "$2"
}

report() { # yes-or-no NAME
    number=$((number + 1))
    [[ $1 == yes ]] || code=1
    [[ $check == no ]] || if [[ $1 == yes ]]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

note() { if [[ $check == yes ]]; then echo "# $1"; else echo "formats.sh: $1" >&2; fi; }

one_kind() { # KIND PAGE
    local page=$folder/$2.md name="$2.md has the table of $1"
    if [[ ! -f $page ]]; then
        note "$page is missing: write it, with the lines '<!-- begin: fields of $1, by make docs -->' and '<!-- end -->' in it"
        report no "$name"
    elif ! rewrite "$1" "$page" >"$new"; then
        note "$page: expected one line '<!-- begin: fields of $1, by make docs -->' and behind it '<!-- end -->'"
        report no "$name"
    elif cmp -s "$new" "$page"; then
        report yes "$name"
    elif [[ $check == yes ]]; then
        note "$page differs from the tables in src/model; run 'make docs' and review:"
        diff "$page" "$new" | sed 's/^/#   /' || true # they differ
        report no "$name"
    else
        cat "$new" >"$page" # keeps the page's mode
    fi
}

one_page() { # PAGE
    local name=${1##*/} kind unknown=
    name=${name%.md}
    while read -r kind; do
        grep -q "^%% $kind $name\$" "$blocks" || unknown="$unknown $kind"
    done < <(sed -n 's/^<!-- begin: fields of \(.*\), by make docs -->$/\1/p' "$1")
    [[ -z $unknown ]] || note "$1: no kind of document of this page:$unknown"
    if [[ -z $unknown ]] && grep -q '^<!-- begin: fields of ' "$1"; then
        report yes "$name.md has a table"
    elif [[ -z $unknown ]] && exception "$name" >/dev/null; then
        report yes "$name.md has no table: $(exception "$name")"
    else
        note "$1: expected a table of fields, or a reason in tools/formats.sh"
        report no "$name.md has a table"
    fi
}

while read -r _ kind page; do
    one_kind "$kind" "$page"
done < <(grep '^%% ' "$blocks")
for page in "$folder"/*.md; do
    one_page "$page"
done
[[ $check == no ]] || echo "1..$number"
[[ $code == 0 || $check == yes ]] || code=2
exit "$code"
