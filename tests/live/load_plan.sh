#!/usr/bin/env bash
# A load by plan of the real server: its evaluation holds, is bound to the command line that runs, and
# says that these weights are synthetic.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
"$paretopilot" model synth --shape tiny --type q8_0 --output "$work/tiny.gguf" > /dev/null || exit 1

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
argv=("$llama/llama-server" --model "$work/tiny.gguf" --parallel 2 --ctx-size 1024 --threads 2
    --host 127.0.0.1 --port "$port")
command_file() { # FILE WORD...
    python3 -c 'import json, sys
with open(sys.argv[1], "w") as file:
    json.dump({"schema_version": "1.0", "argv": sys.argv[2:]}, file, indent=2, sort_keys=True)
    file.write("\n")' "$@"
}
command_file "$work/load.json" "${argv[@]}"
command_file "$work/canonical.json" "${argv[@]:0:${#argv[@]}-1}" 18081
cat > "$work/plan.json" << 'END'
{"schema_version": "1.0", "prompts": ["one two three", "four five six seven"], "output_tokens": 8,
 "warmup_requests_per_level": 1, "measured_requests_per_level": 4, "concurrency_levels": [1, 2, 4],
 "timeout_seconds": 60, "slo": {"min_completion_rate": 1.0, "max_ttft_ms_p95": null,
 "max_e2e_latency_ms_p95": 60000}}
END

"${argv[@]}" > "$work/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2> /dev/null; rm -rf "$work"' EXIT
healthy() {
    python3 -c 'import sys, urllib.request
urllib.request.urlopen(sys.argv[1] + "/health", timeout=2)' "$url" 2> /dev/null
}
check "the server is ready" wait_for 60 healthy

loads() { # 0, or 3 where a busy machine disturbed the client
    local got=0
    "$paretopilot" load "$url" --plan "$work/plan.json" --candidate tiny --execution-order 4,2,1 \
        --evaluation "$work/evaluation.json" --pid "$server" --load-command "$work/load.json" \
        --canonical-command "$work/canonical.json" --quiet > "$work/out" 2> "$work/err" || got=$?
    [ "$got" -eq 0 ] || [ "$got" -eq 3 ]
}
check "a load by plan runs" loads
check "the evaluation holds" run 0 "$paretopilot" validate "$work/evaluation.json"
check "it is bound, and its digests prove the command lines" says out \
    "load-evaluation 1.1, tiny, 3 levels, bound to its server, sha256"

holds() {
    python3 - "$work/evaluation.json" << 'END'
import json, sys
e = json.load(open(sys.argv[1]))
faults = [] if e["synthetic"] else ["weights of ours are called measured"]
for row in e["rows"]:
    if row["completed_requests"] != 4 or row["peak_rss_mib"] is None:
        faults.append({k: v for k, v in row.items() if k != "samples"})
    if [s["generated_tokens"] for s in row["samples"]] != [8] * 4:
        faults.append("other than 8 tokens")
print(*(f"#   {fault}" for fault in faults), sep="\n")
sys.exit(bool(faults))
END
}
check "every request generated what was asked" holds
end
