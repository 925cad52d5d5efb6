#!/usr/bin/env bash
# run.sh TEST - run one test of pages, or skip it with the reason.
set -u
# shellcheck source=tests/support/checks.sh
. "$PARETOPILOT_SOURCE/tests/support/checks.sh"
export PARETOPILOT_BROWSER_DIR=${PARETOPILOT_BROWSER_DIR:-$PARETOPILOT_SOURCE/build/cache/browser}
PARETOPILOT_CHROMIUM=${PARETOPILOT_CHROMIUM:-$(command -v chromium)} || skip_all "no chromium"
export PARETOPILOT_CHROMIUM
command -v node > /dev/null || skip_all "no node"
for module in playwright-core axe-core; do
    [ -e "$PARETOPILOT_BROWSER_DIR/node_modules/$module/package.json" ] ||
        skip_all "no $module in $PARETOPILOT_BROWSER_DIR: tools/browser.sh fetches it"
done
make_work
# What a browser keeps for its user ends with the test.
HOME=$work PARETOPILOT_WORK=$work node "$PARETOPILOT_SOURCE/tests/browser/$1.test.mjs"
