#!/usr/bin/env bash
# browser.sh - get what the tests of pages use, and print the folder of its Node modules.
#
# A browser (Debian's Chromium), Node and npm come from the distribution through setup.sh. The modules
# that tests/browser/package-lock.json pins come from npm's registry, whichever this machine's npm
# names, into PARETOPILOT_CACHE_DIR (build/cache): with their digests checked, no script of theirs run,
# and only when the lock file is another than last time. What is cached works without a network.
#
# Exit: 0 printed, 3 something is not to be had.

set -euo pipefail
umask 022
export LC_ALL=C
unset CDPATH

tools_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
wanted=${tools_dir%/*}/tests/browser
cache_dir=${PARETOPILOT_CACHE_DIR:-${tools_dir%/*}/build/cache}
[[ $cache_dir == /* ]] || cache_dir=$PWD/$cache_dir
folder=$cache_dir/browser
fresh=$folder.new.$$

say() { printf 'browser.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

# The lock file is copied last, so that it stands only beside what it describes.
is_cached() { cmp -s -- "$wanted/package-lock.json" "$folder/package-lock.json"; }

fetch() {
    trap 'rm -rf -- "$fresh"' EXIT
    mkdir -p -- "$fresh"
    cp -- "$wanted/package.json" "$wanted/package-lock.json" "$fresh/"
    say "fetching the Node modules of the page tests"
    (cd -- "$fresh" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
        --cache "$fresh/npm") </dev/null >&2 || return 1
    rm -rf -- "$fresh/npm" "$folder"
    mv -- "$fresh" "$folder"
}

"$tools_dir/setup.sh" --with-browser || die 3 "no browser, Node or npm"
is_cached || fetch || die 3 "npm could not install what tests/browser/package-lock.json names"
printf '%s\n' "$folder"
