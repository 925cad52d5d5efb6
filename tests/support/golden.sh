#!/bin/sh
# Runs every golden case below the folder given and reports in TAP.
#
# A case is a folder <command>/<case> with
#   args        one argument a line
#   stdin       optional
#   stdout, stderr, exit   what is expected; a missing stdout or stderr means empty, exit means 0
#   written/    files the command must leave in its folder, byte for byte; nothing else may appear; a
#               link to a file of another case says that both must be the same
#   anything else: input files, copied into the folder the command runs in
# With PARETOPILOT_GOLDEN_KEEP=DIR what each case gave is left in DIR/<command>/<case>, to be compared
# with what another build gives. With PARETOPILOT_GOLDEN_WRITE=1 the expectations are rewritten; review the diff.
set -u

cases=$1
binary=${PARETOPILOT_BINARY:?}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
failed=0

listing() {
    (cd "$1" && find -L . -type f | LC_ALL=C sort)
}

compare() { # expected-file actual-file what
    if [ ! -e "$1" ]; then
        [ ! -s "$2" ] && return 0
        echo "# $3: expected nothing"
        sed 's/^/#   /' "$2"
        return 1
    fi
    cmp -s "$1" "$2" && return 0
    echo "# $3 differs:"
    diff "$1" "$2" | sed 's/^/#   /'
    return 1
}

run_case() {
    folder=$1
    run=$work/run
    rm -rf "$run" "$work/inputs"
    mkdir "$run" "$work/inputs"
    (cd "$folder" && find . -type f ! -name args ! -name stdin ! -name stdout ! -name stderr \
        ! -name exit ! -path './written/*' | while IFS= read -r file; do
        mkdir -p "$run/$(dirname "$file")"
        cp "$file" "$run/$file"
    done)
    listing "$run" > "$work/before"
    set --
    while IFS= read -r line || [ -n "$line" ]; do
        set -- "$@" "$line"
    done < "$folder/args"
    if [ -e "$folder/stdin" ]; then
        (cd "$run" && "$binary" "$@" < "$folder/stdin" > "$work/stdout" 2> "$work/stderr")
    else
        (cd "$run" && "$binary" "$@" < /dev/null > "$work/stdout" 2> "$work/stderr")
    fi
    echo $? > "$work/exit"
    listing "$run" | LC_ALL=C comm -13 "$work/before" - > "$work/new"
    [ -z "${PARETOPILOT_GOLDEN_KEEP:-}" ] || keep "$PARETOPILOT_GOLDEN_KEEP/$name"
    if [ "${PARETOPILOT_GOLDEN_WRITE:-0}" = 1 ]; then
        rewrite "$folder"
        return 0
    fi
    ok=0
    [ -e "$folder/exit" ] && cp "$folder/exit" "$work/want-exit" || echo 0 > "$work/want-exit"
    compare "$work/want-exit" "$work/exit" exit || ok=1
    compare "$folder/stdout" "$work/stdout" stdout || ok=1
    compare "$folder/stderr" "$work/stderr" stderr || ok=1
    if [ -d "$folder/written" ]; then
        listing "$folder/written" > "$work/want-new"
    else
        : > "$work/want-new"
    fi
    compare "$work/want-new" "$work/new" 'list of written files' || ok=1
    while IFS= read -r file; do
        [ -e "$run/$file" ] && { compare "$folder/written/$file" "$run/$file" "$file" || ok=1; }
    done < "$work/want-new"
    return $ok
}

# What the case gave, as files of the folder $1: stdout, stderr and exit when there is something, and
# written/.
leave() {
    [ -s "$work/stdout" ] && cp "$work/stdout" "$1/stdout"
    [ -s "$work/stderr" ] && cp "$work/stderr" "$1/stderr"
    [ "$(cat "$work/exit")" = 0 ] || cp "$work/exit" "$1/exit"
    while IFS= read -r file; do
        [ ! -L "$1/written/$file" ] || continue
        mkdir -p "$1/written/$(dirname "$file")"
        cp "$work/run/$file" "$1/written/$file"
    done < "$work/new"
}

keep() {
    mkdir -p "$1"
    leave "$1"
}

rewrite() {
    rm -f "$1/stdout" "$1/stderr" "$1/exit"
    [ ! -d "$1/written" ] || find "$1/written" -type f -delete
    leave "$1"
    [ ! -d "$1/written" ] || find "$1/written" -type d -empty -delete
}

total=$(find "$cases" -name args | wc -l)
echo "1..$total"
for args in $(cd "$cases" && find . -name args | LC_ALL=C sort); do
    name=$(dirname "${args#./}")
    number=$((number + 1))
    if run_case "$cases/$name"; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        failed=$((failed + 1))
    fi
done
[ "$failed" -eq 0 ]
