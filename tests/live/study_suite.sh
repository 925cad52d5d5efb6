#!/usr/bin/env bash
# A study that takes a suite: three table models whose scores are declared, the real llama.cpp.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
python3 -B "$PARETOPILOT_SOURCE/tests/live/study_suite.py" "$paretopilot" "$llama" "$work"
