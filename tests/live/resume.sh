#!/usr/bin/env bash
# A study that is killed, stopped, disturbed or out of disk, and goes on: with the real llama.cpp.
# PARETOPILOT_KILLS (6) says how often it is killed, PARETOPILOT_SEED at which instants.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
tiny_plan "$work/plan.json" || { echo "Bail out! the tiny models cannot be written"; exit 1; }
python3 -B "$PARETOPILOT_SOURCE/tests/live/resume.py" "$paretopilot" "$llama" "$work"
