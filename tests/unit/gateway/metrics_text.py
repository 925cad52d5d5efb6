"""What metrics_sample prints, read by a parser of its own and held against the same history."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import prometheus

ODD = 'odd "\\\n name'


def absent(families, name, **labels):
    try:
        prometheus.value_of(families, name, **labels)
    except KeyError:
        return True
    return False


def checks(f):
    value = lambda name, **labels: prometheus.value_of(f, "paretopilot_" + name, **labels)
    total = lambda name, **labels: prometheus.sum_of(f, "paretopilot_" + name, **labels)

    # G31: both kinds, in counters, tokens and histograms
    yield "ten streams", value("requests_total", endpoint="chat", model="small", stream="true", code="2xx") == 10
    yield "ten plain", value("requests_total", endpoint="chat", model="small", stream="false", code="2xx") == 10
    yield "all requests", total("requests_total") == 23
    yield "durations", total("request_duration_seconds_count", model="small") == 21
    yield "duration sum", abs(total("request_duration_seconds_sum", model="small") - 80.001) < 1e-9
    yield "prompt tokens", value("prompt_tokens_total", model="small") == 200
    yield "completion tokens", value("completion_tokens_total", model="small") == 2020
    # a value on a bound is in its bucket
    yield "queue on its bound", total("queue_wait_seconds_bucket", model="small", le="0.005") == 1
    yield "queue above it", total("queue_wait_seconds_bucket", model="small", le="0.01") == 20
    yield "beyond the last bound", value("request_duration_seconds_bucket", model=ODD, stream="true", le="600.0") == 0
    yield "but counted", value("request_duration_seconds_bucket", model=ODD, stream="true", le="+Inf") == 1
    # G59: 100 gaps in 2 s are 50 per second, 101 tokens in 4 s 25.25
    yield "decode rate", value("decode_tokens_per_second_sum", model="small", stream="true") == 500
    yield "decode rate of streams only", absent(f, "paretopilot_decode_tokens_per_second_sum", model="small", stream="false")
    yield "end-to-end rate", abs(total("end_to_end_tokens_per_second_sum", model="small") - 20 * 25.25) < 1e-9
    yield "time to first token", value("time_to_first_token_seconds_sum", model="small", stream="true") == 20
    yield "upstream's", abs(value("upstream_time_to_first_token_seconds_sum", model="small", stream="true") - 19) < 1e-9
    # half an answer has no rate
    yield "no rate of a client that left", total("end_to_end_tokens_per_second_count", model=ODD) == 0
    # clients that left
    yield "left in the stream", value("client_gone_total", model=ODD) == 1
    yield "left before", value("requests_total", endpoint="chat", model="small", stream="false", code="gone") == 1
    # G38: only where it was seen; zero accepted of eight is a figure
    yield "drafted", value("drafted_tokens_total", backend="drafting") == 8
    yield "accepted", value("accepted_tokens_total", backend="drafting") == 0
    yield "never seen", absent(f, "paretopilot_drafted_tokens_total", backend="plain")
    yield "not told", absent(f, "paretopilot_cached_tokens_total", model="small")
    # the rest
    yield "failures", value("failures_total", model="", reason="model_not_found") == 1
    yield "all failures", total("failures_total") == 1
    yield "attempts", value("upstream_attempts_total", backend="plain", outcome="answered") == 20
    yield "called off", value("upstream_attempts_total", backend="plain", outcome="called_off") == 1
    yield "failed", value("upstream_attempts_total", backend="drafting", outcome="failed") == 1
    yield "retries", value("retries_total", backend="plain") == 1
    yield "breaker open", value("breaker_state", backend="drafting", state="open") == 1
    yield "breaker not closed", value("breaker_state", backend="drafting", state="closed") == 0
    yield "one state each", total("breaker_state", backend="plain") == 1
    yield "opened", value("breaker_opened_total", backend="drafting") == 5
    yield "ready", value("backend_ready", backend="plain") == 1 and value("backend_ready", backend="drafting") == 0
    yield "in flight", value("backend_in_flight", backend="plain") == 3
    yield "slots", value("backend_slots", backend="plain") == 4
    yield "restarts", value("backend_restarts_total", backend="drafting") == 2
    yield "queue", value("queue_depth", model=ODD) == 7
    yield "connections", value("connections") == 12
    yield "dropped lines", value("access_log_dropped_total") == 34
    yield "build", total("build_info") == 1
    yield "all families explain themselves", all(family.help for family in f.values())
    yield "counters end in _total", all(
        name.endswith("_total") == (family.kind == "counter") for name, family in f.items())


def undocumented(families):
    """What docs/method/gateway.md does not list, and what it lists that there is not."""
    with open(os.path.join(os.environ["PARETOPILOT_SOURCE"], "docs/method/gateway.md"), encoding="utf-8") as page:
        section = page.read().split("\n## Metrics\n")[1].split("\n## ")[0]
    cells = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    listed = {"paretopilot_" + name for cell in cells for name in cell.strip("| ").replace("`", "").split(", ")}
    return sorted(listed ^ set(families))


def main():
    text = subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE).stdout.decode()
    families = prometheus.parse(text)
    prometheus.check_histograms(families)
    wrong = [name for name, holds in checks(families) if not holds]
    wrong += [f"in the page or in the text, not in both: {name}" for name in undocumented(families)]
    print("\n".join(wrong) or "all hold")
    return bool(wrong)


sys.exit(main())
