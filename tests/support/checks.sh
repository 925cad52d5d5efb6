# checks.sh - what the tests that are shell scripts share: a folder of their own, and TAP. Sourced, after
# `set -u`.
#
# The plan comes at the end, so that a script which dies early is noticed. A script ends with `end`, whose
# status is then its own.
# shellcheck shell=bash

number=0
failed=0
work=

# Sets work, a folder that ends with the script.
make_work() {
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
}

report() { # 0-or-1 NAME
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
}

# check NAME COMMAND... - passes when the command does
check() {
    local name=$1 file
    shift
    if "$@"; then
        report 0 "$name"
        return
    fi
    report 1 "$name"
    echo "#   failed: $*"
    for file in "$work/out" "$work/err"; do
        [ -s "$file" ] && sed "s/^/#   ${file##*/}: /" "$file" | tail -n 20
    done
}

skip() { # NAME REASON
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

skip_all() { # REASON
    echo "1..0 # SKIP $1"
    exit 0
}

explain() { sed 's/^/# /' "$@"; }

end() {
    echo "1..$number"
    return "$failed"
}
