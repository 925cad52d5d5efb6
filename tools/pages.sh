#!/usr/bin/env bash
# pages.sh STEP - one step of publishing docs/results as a site; .github/workflows/pages.yml calls them in this order:
#
#   program   build paretopilot, or take that of PARETOPILOT_BINARY
#   site      paretopilot report --index: every bundle below the results, verified and shown
#   check     no page holds a script or an address, and every link leads to a page that is there
#
# Set by the workflow, both optional:
#
#   PAGES_RESULTS   where the bundles are (docs/results)
#   PAGES_SITE      the folder to publish (build/pages); new or empty before the step `site`
#
# Exit: 0; 1 when a bundle is not what it says it is, or a page is not what it must be: then nothing is to
# be published; 2 for wrong input. A folder without bundles gives a page that says so, and a bundle that
# cannot be verified here is published as such.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly root
results=${PAGES_RESULTS:-$root/docs/results}
site=${PAGES_SITE:-$root/build/pages}
paretopilot=${PARETOPILOT_BINARY:-$root/build/release/src/cli/paretopilot}

say() { printf 'pages.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

step_program() {
    [[ -n ${PARETOPILOT_BINARY:-} ]] || make -C "$root" build
    "$paretopilot" --version
}

# Exit 1 of `report --index` also says that there is nothing to show.
step_site() {
    local lines code=0
    lines=$("$paretopilot" report --index "$results" --output "$site") || code=$?
    [[ -z $lines ]] || printf '%s\n' "$lines"
    case $code in
    0) ;;
    3) say "a bundle could not be verified; the site says which and why" ;;
    1)
        ! grep -q '^differs ' <<<"$lines" || die 1 "a bundle is not what it says it is; nothing is published"
        say "no bundle has a decision; the site says so"
        ;;
    *) exit "$code" ;;
    esac
}

links_of() { # FILE
    grep -o 'href="[^"#][^"]*"' "$1" | sed 's/^href="//; s/"$//' || true
}

step_check() {
    local page link count=0
    [[ -f $site/index.html ]] || die 1 "'$site' has no index.html"
    for page in "$site"/*; do
        [[ $page == *.html ]] || [[ $page == *.json ]] || die 1 "'$page' does not belong to a site"
        [[ $page == *.html ]] || continue
        ! grep -qiE '<script|https?://|<img|<link' "$page" || die 1 "'$page' holds a script or an address"
        grep -q "default-src 'none'; style-src 'sha256-" "$page" || die 1 "'$page' has no policy"
        while IFS= read -r link; do
            [[ -z $link || -f $site/$link ]] || die 1 "'$page' links to '$link', which is not there"
        done < <(links_of "$page")
        count=$((count + 1))
    done
    say "$count pages: no script, no address, no broken link"
}

case ${1:-} in
program | site | check) "step_$1" ;;
*)
    sed -n '2,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
