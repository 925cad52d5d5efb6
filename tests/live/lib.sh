# lib.sh - what the live tests share. Sourced, after `set -u`.
#
# A live test measures the real llama.cpp with a tiny model. Each check prints one TAP line.
# shellcheck shell=bash

# shellcheck source=tests/support/checks.sh
. "$PARETOPILOT_SOURCE/tests/support/checks.sh"
paretopilot=${PARETOPILOT_BINARY:?}
llama=${PARETOPILOT_LLAMA_DIR:-}

begin() {
    [ -x "$llama/llama-server" ] || skip_all "no llama.cpp: PARETOPILOT_LLAMA_DIR is not set"
    make_work
}

# run EXIT COMMAND... - runs it with its output in $work/out and $work/err
run() {
    local want=$1
    shift
    local got=0
    "$@" > "$work/out" 2> "$work/err" || got=$?
    [ "$got" -eq "$want" ] || {
        echo "#   exit code: expected $want, got $got"
        return 1
    }
}

says() { grep -qF -- "$2" "$work/$1" || { echo "#   no '$2' in $1"; return 1; }; }

absent() { ! compgen -G "$1" > /dev/null || { echo "#   exists: $(compgen -G "$1")"; return 1; }; }

# Processes whose command line names the folder of this test, zombies left out.
children_left() {
    local pid state
    for pid in $(pgrep -f -- "$work" || true); do
        [ "$pid" = "$$" ] && continue
        state=$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2> /dev/null) || continue
        [ "$state" = Z ] || echo "$pid"
    done
}

no_children_left() {
    local left
    for _ in $(seq 100); do
        left=$(children_left)
        [ -z "$left" ] && return 0
        sleep 0.1
    done
    echo "#   still running: $left"
    return 1
}

# wait_for SECONDS COMMAND...
wait_for() {
    local tries=$(($1 * 20))
    shift
    for _ in $(seq "$tries"); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}

# tiny_plan FILE - a plan of two candidates on tiny models in $work/models, ready to run
tiny_plan() {
    local type
    mkdir -p "$work/models"
    for type in q8_0 q4_0; do
        [ -e "$work/models/tiny-$type.gguf" ] ||
            "$paretopilot" model synth --shape tiny --type $type -o "$work/models/tiny-$type.gguf" > /dev/null || return 1
    done
    q8_size=$(stat -c %s "$work/models/tiny-q8_0.gguf")
    q4_size=$(stat -c %s "$work/models/tiny-q4_0.gguf")
    q8_sha=$(sha256sum < "$work/models/tiny-q8_0.gguf" | cut -c1-64)
    q4_sha=$(sha256sum < "$work/models/tiny-q4_0.gguf" | cut -c1-64)
    sed -e "s/@q8_size@/$q8_size/; s/@q4_size@/$q4_size/; s/@q8_sha@/$q8_sha/; s/@q4_sha@/$q4_sha/" \
        "$PARETOPILOT_SOURCE/tests/live/tiny-plan.json.in" > "$1"
}
