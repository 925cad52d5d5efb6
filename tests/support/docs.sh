#!/bin/sh
# docs.sh - every command has a page in docs/cli whose first lines show its usage, and every link between
# pages leads to a file. Reports in TAP.
set -u
cd "${PARETOPILOT_SOURCE:?}" || exit 1
binary=${PARETOPILOT_BINARY:?}
number=0
failed=0

report() { # 0-or-1 NAME
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
}

commands=$("$binary" --help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p')
[ -n "$commands" ]
report $? "help lists commands"
for page in $(echo "$commands" | sed 's/ *$//; s/ /-/g'); do
    name=$(echo "$page" | sed 's/-/ /')
    [ -s "docs/cli/$page.md" ] && grep -q "paretopilot $name" "docs/cli/$page.md"
    report $? "docs/cli/$page.md shows 'paretopilot $name'"
    # shellcheck disable=SC2086 # two words are two arguments
    "$binary" $name --help | grep -q '^example:'
    report $? "$name --help has an example"
done
for file in $(find . -path ./build -prune -o -name '*.md' -print); do
    broken=$(grep -o '](\([^)#:]*\.md\))' "$file" | sed 's/](//; s/)//' | while read -r link; do
        [ -e "$(dirname "$file")/$link" ] || printf '%s ' "$link"
    done)
    [ -z "$broken" ] || echo "# $file: broken links: $broken"
    [ -z "$broken" ]
    report $? "links of $file"
done
echo "1..$number"
exit $failed
