#!/usr/bin/env bash
# demo.sh PARETOPILOT - a real study on this machine: three configurations of llama.cpp, one decision.
#
# The models have the shape of Qwen2.5 0.5B and random weights, so nothing has to be downloaded but
# llama.cpp itself: speed and memory are real, answers mean nothing. Models are kept in the build cache
# and used again; each run leaves its bundle in a new folder.
set -euo pipefail

paretopilot=$1
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
models=${PARETOPILOT_CACHE_DIR:-$root/build/cache}/models
studies=$root/build/demo

say() { printf '%s\n' "$*" >&2; }

started=$SECONDS
say "demo: llama.cpp"
llama_dir=$("$root/tools/llama.sh")
fetched=$SECONDS

mkdir -p "$models" "$studies"
for type in q8_0 q4_0; do
    model=$models/qwen2.5-0.5b-$type.gguf
    if [ -e "$model" ]; then
        say "demo: model $type is there already"
    else
        say "demo: writing model $type"
        "$paretopilot" model synth --shape qwen2.5-0.5b --type "$type" --output "$model" >&2
    fi
done
written=$SECONDS

number=1
while [ -e "$studies/run-$number" ]; do number=$((number + 1)); done
say "demo: measuring three configurations (about 4 minutes on two quiet cores)"
code=0
"$paretopilot" study run "$root/examples/quick/plan.json" --output-dir "$studies/run-$number" \
    --model-dir "$models" --llama-dir "$llama_dir" || code=$?
say "demo: llama.cpp $((fetched - started)) s, models $((written - fetched)) s," \
    "study $((SECONDS - written)) s"
exit $code
