#!/usr/bin/env bash
# Agreement and divergence of table models in the real server: measured figures equal those that
# follow from the tables, and from the weights as the files hold them. The program that computes is
# written in Python and shares nothing with ours but the files that are tested.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
PYTHONPATH="$PARETOPILOT_SOURCE/tests/support" python3 -B "$PARETOPILOT_SOURCE/tests/live/fidelity.py" \
    "$paretopilot" "${PARETOPILOT_ASK_FIDELITY:?}" "$llama/llama-server" "$work"
