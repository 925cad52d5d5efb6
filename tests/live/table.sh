#!/usr/bin/env bash
# Table models in the real server: answers, probabilities and draft acceptance equal what the tables
# declare. The program that asks and computes is written in Python, so that nothing of ours is used
# but the files that are tested.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
python3 "$PARETOPILOT_SOURCE/tests/live/table.py" "$paretopilot" "$llama/llama-server" \
    "$PARETOPILOT_SOURCE/examples/tables" "$work"
