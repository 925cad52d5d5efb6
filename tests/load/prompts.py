"""Prompts, their lengths, seeds and caches, as the server gets them. TAP."""

import json
import os
import re
from statistics import median
import subprocess
import sys

from harness import BINARY, Sim, disturbed, doubts, load, main, went
from peers import Peer, Prompts, chat_events, chunk

FAST = ("--token-time", "1ms", "--prefill", "1us")


# ---- caches --------------------------------------------------------------------------------------

def b103_a_cached_prompt_takes_the_verdict_of_a_cold_run_away(f):
    with Sim(*FAST, "--fault", "cached:9") as sim:
        for args, verdict in (((), "pass"), (("--cold",), "undecided")):
            run = load(sim.url, "--requests", "20", "--prompt-tokens", "32", "--output-tokens", "2",
                       "--slo", "ttft.p50<=20s", *args)
            f.exit(run, 3) if args else went(f, run)
            f.true(f"verdict {args}", run.level["verdict"] == verdict or disturbed(run), run.level["verdict"])
            f.equal(f"doubts {args}", doubts(run.level), ["not-cold"] if args else [])
            cache = run.level["cache"]
            f.between(f"share {args}", cache["cached_percent"], 100 * 9 / 32 - 1e-6,
                      100 * 9 / 32 + 1e-6)
            f.equal(f"samples {args}", {s["tokens"]["cached"] for s in run.measured}, {9})
    with Sim(*FAST) as sim:
        run = load(sim.url, "--requests", "20", "--prompt-tokens", "32", "--output-tokens", "2",
                   "--slo", "ttft.p50<=20s", "--cold")
        went(f, run)
        f.equal("is_cold where nothing was cached", run.level["cache"]["is_cold"], True)


def b104_levels_do_not_warm_each_other(f):
    """4 ms a prompt token: 48 cold tokens take 192 ms, a cached prompt 4. The server keeps every
    prompt that comes. Two passes in opposite order, of one seed each: 1 and 2 clients, 2 and 1."""
    hashes = []
    with Sim("--token-time", "1ms", "--prefill", "4ms", "--slots", "2", "--cache-n", "repeat") as sim:
        for clients, seed in (("1,2", "1"), ("2,1", "2")):
            run = load(sim.url, "--clients", clients, "--requests", "4", "--prompt-tokens", "48",
                       "--output-tokens", "2", "--seed", seed)
            went(f, run)
            hashes += [s["request_sha256"] for s in run.samples]
            for level in run.report["levels"]:
                what = f"level {level['number']} of {clients}"
                f.equal(f"cached, {what}", level["cache"]["cached_percent"], 0)
                times = [s["ttft_ns"] / 1e6 for s in run.measured if s["level"] == level["number"]]
                f.between(f"least TTFT, {what}, ms", min(times), 191, 5000)
    f.equal("requests that repeat another", len(hashes) - len(set(hashes)), 0)


def b104_prompts_that_come_again_show_as_cached_and_fast(f):
    """The opposite: two prompts of a file in turn. The second level has nothing cold, is 48 times as
    fast, and must say so in both orders."""
    text = "".join(" ab" * n + "\n" for n in (40, 44))
    with Prompts(text) as prompts:
        with Sim("--token-time", "1ms", "--prefill", "4ms", "--slots", "2", "--cache-n", "repeat") as sim:
            run = load(sim.url, "--clients", "1,2", "--requests", "2", "--warm-up", "0", "--cold",
                       "--server", "openai", "--model", "m", "--prompts", prompts, "--output-tokens", "2", "--slo", "ttft.p50<=60s")
    f.exit(run, 3)
    first, second = run.report["levels"]
    f.equal("doubts", (doubts(first), doubts(second)), ([], ["not-cold"]))
    f.equal("first level, cached", first["cache"]["cached_percent"], 0)
    f.between("second level, cached", second["cache"]["cached_percent"], 95, 99.9)
    ttft = [median(s["ttft_ns"] for s in run.measured if s["level"] == n) for n in (1, 2)]
    f.true("it was faster", ttft[0] > 3 * ttft[1], ttft)


def cached_stream(tokens):
    """An answer whose usage names cached prompt tokens, as servers of the OpenAI kind do."""
    def answer(request):
        if request["method"] != "POST":
            return None
        events = [e.replace(b'"cached_tokens": 0', b'"cached_tokens": %d' % tokens)
                  for e in chat_events(4)]
        return (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(map(chunk, events)) + b"0\r\n\r\n")
    return answer


def b105_cached_tokens_in_usage_are_seen_and_said(f):
    with Prompts() as prompts:
        for tokens, wanted in ((3, ["not-cold"]), (0, [])):
            with Peer(answer=cached_stream(tokens)) as peer:
                run = load(peer.url, "--requests", "4", "--prompts", prompts, "--cold",
                           "--output-tokens", "4")
            f.exit(run, 3) if tokens else went(f, run)
            f.equal("doubts", doubts(run.level), wanted)
            f.equal("cached", {s["tokens"]["cached"] for s in run.measured}, {tokens})
            f.equal("flags", {"prompt-cached" in s["flags"] for s in run.measured}, {tokens > 0})


# ---- seeds and lengths ---------------------------------------------------------------------------

def b106_workers_send_a_thousand_different_prompts_and_the_same_set(f):
    sets = []
    with Sim("--token-time", "10us", "--prefill", "1us", "--slots", "8") as sim:
        for workers in ("1", "8"):
            run = load(sim.url, "--clients", "8", "--workers", workers, "--requests", "1000",
                       "--prompt-tokens", "32", "--output-tokens", "1", "--keep-alive")
            went(f, run)
            hashes = [s["request_sha256"] for s in run.samples]
            f.equal(f"different prompts with {workers} workers", len(set(hashes)), len(hashes))
            sets.append(set(hashes))
    f.equal("prompts of only one of both", len(sets[0] ^ sets[1]), 0)
    f.equal("prompts", len(sets[0]), 1008)


def b107_prompts_have_the_asked_length_in_the_servers_tokens(f):
    """The server's own count, from its log: of the whole prompt, its template included."""
    for api in ("chat", "text", "completion"):
        for asked in (32, 512):
            with Sim("--token-time", "10us", "--prefill", "1us") as sim:
                run = load(sim.url, "--api", api, "--requests", "20", "--prompt-tokens", str(asked),
                           "--output-tokens", "1")
                sim.stop()
                went(f, run)
                got = [line["prompt_tokens"] for line in sim.lines("arrival")]
                f.equal(f"{api}, {asked}: counted by the server", set(got), {asked})
                f.equal(f"{api}, {asked}: requests", len(got), 21)
                f.equal(f"{api}, {asked}: in the samples",
                        {s["tokens"]["prompt"] for s in run.measured}, {asked})


# ---- memory --------------------------------------------------------------------------------------

def peak_of_load(url, prompts, requests):
    """Highest resident memory of a load, in KiB; by the small process that waits for it (F63)."""
    command = [BINARY, "load", url, "--server", "openai", "--model", "m", "--keep-alive", "--clients",
               "4", "--requests", str(requests), "--prompts", prompts, "--output-tokens", "1", "--quiet"]
    code = ("import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
    out = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True,
                         timeout=120)
    return int(out.stdout)


def b108_memory_grows_by_no_more_than_a_sample_for_each_request(f):
    """Requests are no sessions that stay: what is left of one is its sample with what the report is
    made of, some 2 KiB; memory of some 80 KiB in which a reply came serves the next one. As many
    replies as may wait to be decoded do so in both runs."""
    with Sim("--null") as sim, Prompts() as prompts:
        few, many = (peak_of_load(sim.url, prompts, n) for n in (15_000, 30_000))
    f.true("KiB for 15,000 requests more", many - few <= 75_000, (few, many))


# ---- prompts as bytes ----------------------------------------------------------------------------

ODD = ("", " ", "\n", "\u0000", "a\u0000b", "\t", "".join(map(chr, range(32))), "\"\\/", "\u2028\u2029",
       "\U0001F600", "\u05d0\u05d1\u202e", "\ufeff", "\u007f\u0080\u009f", "\ufffe\uffff")


def sent(peer, api):
    bodies = [json.loads(r["body"].decode("utf-8", "strict")) for r in peer.posts]
    if api == "chat":
        return [b["messages"][0]["content"] for b in bodies]
    return [b["prompt"] for b in bodies]


def b110_b146_odd_prompts_are_sent_as_they_are(f):
    lines = "".join(json.dumps({"id": f"p{i}", "prompt": text}) + "\n" for i, text in enumerate(ODD))
    for api in ("chat", "text"):
        with Peer() as peer, Prompts(lines) as prompts:
            run = load(peer.url, "--api", api, "--requests", str(len(ODD)), "--warm-up", "0",
                       "--prompts", prompts, "--output-tokens", "4")
            f.true("every request is sent", len(run.measured) == len(ODD), run.stderr)
            f.equal(f"{api}: what the server read", sent(peer, api), list(ODD))
            f.equal(f"{api}: their names", [s["prompt_id"] for s in run.measured],
                    [f"p{i}" for i in range(len(ODD))])


def b110_blank_lines_of_text_are_empty_prompts(f):
    with Peer() as peer, Prompts("\n \n\r\nx\n") as prompts:
        load(peer.url, "--requests", "4", "--warm-up", "0", "--prompts", prompts)
        f.equal("what the server read", sent(peer, "chat"), ["", " ", "\r", "x"])


def b110_a_simulated_server_takes_empty_prompts_of_each_api(f):
    lines = '{"prompt": ""}\n{"prompt": "\\u0000"}\n'
    with Sim(*FAST) as sim, Prompts(lines) as prompts:
        for api in ("chat", "text", "completion"):
            run = load(sim.url, "--api", api, "--requests", "2", "--prompts", prompts,
                       "--output-tokens", "2")
            went(f, run)
            f.equal(f"{api}: ok", run.level["counts"]["ok"], 2)


def b146_bytes_that_are_no_text_are_refused_before_the_start(f):
    """0x00 to 0xFF: LF ends the first line; 0x80 is the first that no UTF-8 begins with, and stands
    behind 117 bytes of the second line."""
    with Peer() as peer, Prompts(bytes(range(256))) as prompts:
        run = load(peer.url, "--requests", "2", "--prompts", prompts)
        f.exit(run, 2)
        f.true("line and byte are named", "line 2" in run.stderr and "byte 118" in run.stderr, run.stderr)
        f.equal("requests", len(peer.posts), 0)


def b148_the_content_of_a_prompts_file_decides_not_its_name(f):
    lines = '{"prompt": "one"}\n{"prompt": "two"}\n'
    for suffix in (".json", ".jsonl", ".txt", ""):
        with Peer() as peer, Prompts(lines) as prompts:
            os.rename(prompts, prompts + suffix)
            run = load(peer.url, "--requests", "2", "--warm-up", "0", "--prompts", prompts + suffix)
            f.true(f"'{suffix}' is read", run.report is not None, run.stderr)
            f.equal(f"prompts of '{suffix}'", sent(peer, "chat"), ["one", "two"])
    with Peer() as peer, Prompts('[{"prompt": "one"}]') as prompts:
        run = load(peer.url, "--requests", "1", "--prompts", prompts)
        f.exit(run, 2)
        f.true("a list of all is told from lines", "JSON Lines" in run.stderr, run.stderr)


CHECKS = [(name.replace("_", " "), check) for name, check in list(globals().items())
          if re.match(r"b\d", name)]

if __name__ == "__main__":
    sys.exit(main(CHECKS))
