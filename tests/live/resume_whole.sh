#!/usr/bin/env bash
# A study of version 2.0 with everything in it (suite, requests, load, load plan, policies) that is killed in each
# of them and goes on: with the real llama.cpp. PARETOPILOT_KILLS (1) says how often more at random.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
python3 -B "$PARETOPILOT_SOURCE/tests/live/resume_whole.py" "$paretopilot" "$llama" "$work"
