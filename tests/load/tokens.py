"""What a server may do to tokens, their counts and their times, each fault as its public report has it. TAP.

Names begin with the number of the report; what is right follows from the bytes that the server was
told to send, and times from its own log."""

from harness import disturbed, main, ms, went
from tapes import (DONE, PAUSE, each, event, choice, finish, play, play_one, play_valid, said, sha256, stream, thought,
                   token, usage)

PATIENCE_MS = 250  # for a busy machine, where the log of the server gives the other bound
FAST = ["--token-time", "1ms", "--prefill", "0ms"]
SLOW_PROMPT = ["--prefill", "10ms"]
NO_TOKENIZER = ["--fault", "status:404@/tokenize"]
OPENAI = ("--server", "openai")  # nothing is asked of /tokenize before the start


def tokens_of(sample):
    return sample["tokens"]["generated"], sample["tokens"]["source"]


def flags_of(sample):
    """Without those that chance may set: pieces of a fast reply arrive together."""
    return [flag for flag in sample["flags"] if flag != "gathered"]


def verdict_of(run, slo):
    return next(v for v in run.level["verdicts"] if v["slo"] == slo)


def b022_reasoning_and_answer(f):
    steps = []
    for i in range(20):
        steps += [thought(f" t{i}"), PAUSE(10)]
    for i in range(5):
        steps += [token(f" a{i}"), PAUSE(10)]
    sample, server = play_one(stream(*steps, finish(), usage(25), DONE), "--output-tokens", "25")
    log = said(server)
    f.between("first token", ms(sample["ttft_ns"]), log[1], log[1] + PATIENCE_MS)
    f.between("first answer token", ms(sample["first_answer_ns"]), log[21], log[21] + PATIENCE_MS)
    f.true("they are apart", log[21] - log[1] >= 190, log)
    f.equal("texts", (sample["text_event_count"], sample["status"], flags_of(sample)), (25, "ok", []))
    both = event(choice({"reasoning_content": "hm", "reasoning": "hm"}))
    new = event(choice({"reasoning": " so"}))
    run, _ = play(stream(both, new, token("yes"), finish(), usage(3), DONE), "--output-tokens", "3",
                  "--slo", "first-answer.p50<=10s")
    f.equal("under both names, counted once", run.measured[0]["text_sha256"], sha256("hm soyes"))
    f.equal("two figures", [run.level["times"][name]["from_start"]["ok"]["count"] for name in ("ttft", "first_answer")], [1, 1])


def b025_first_token_is_no_gap(f):
    steps = [PAUSE(400), token("a")]
    for i in range(10):
        steps += [PAUSE(20), token(f" {i}")]
    run, server = play(stream(*steps, finish(), usage(11), DONE), "--output-tokens", "11")
    sample, log = run.measured[0], said(server)
    f.equal("gaps of 11 tokens", len(sample["gaps_ns"]), 10)
    f.true("the first took its time", ms(sample["ttft_ns"]) >= 400, sample["ttft_ns"])
    largest = max(b - a for a, b in zip(log[1:11], log[2:12]))
    f.between("largest gap", ms(max(sample["gaps_ns"])), 15, largest + 100)
    gaps = run.level["times"]["gaps"]["all"]
    f.equal("of the level", (gaps["count"], gaps["max_ms"]), (10, ms(max(sample["gaps_ns"]))))
    f.equal("sum", sum(sample["gaps_ns"]), sample["e2e_ns"] - sample["ttft_ns"])


# The declared tokenizer of the server: cut in front of every blank, then after every third byte. So
# "abcdef ghi" is abc, def, " gh", i: 4 tokens. Letter by letter it would be 10.
WHOLE, WHOLE_TOKENS = "abcdef ghi", 4


def letters(text=WHOLE):
    return [token(c) for c in text] + [finish(), DONE]


def b027_the_whole_text_is_counted_at_once(f):
    run, _ = play(stream(*letters()), "--requests", "2", "--output-tokens", "4")
    for sample in run.measured:
        f.equal("tokens", tokens_of(sample), (WHOLE_TOKENS, "tokenized"))
        f.equal("flags", flags_of(sample), [])
    f.equal("no estimate", "tokens-estimated" in run.level["notes"], False)
    f.equal("the rates count them", run.level["throughput"]["whole"]["generated_tokens"], 2 * WHOLE_TOKENS)
    sample, _ = play_one(stream(*letters()), "--output-tokens", "9")
    f.equal("held against what was asked", flags_of(sample), ["wrong-length"])
    whole = b'{"choices":[{"index":0,"message":{"content":"abcdef ghi"},"finish_reason":"length"}]}'
    sample, _ = play_one([b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(whole)
                          + whole], "--output-tokens", "4")
    f.equal("of a reply in one piece", tokens_of(sample), (WHOLE_TOKENS, "tokenized"))
    text = ["one", "one two", "one two six"]
    sample, _ = play_one(stream(*map(token, text), finish(), DONE), "--output-tokens", "4")
    f.equal("of growing text the last", tokens_of(sample), (5, "tokenized"))  # one, " tw", o, " si", x


def b027_without_a_tokenizer(f):
    run, _ = play(stream(*letters()), "--output-tokens", "4", *OPENAI, sim=NO_TOKENIZER)
    f.equal("events, flagged", (tokens_of(run.measured[0]), flags_of(run.measured[0])), ((10, "events"), ["tokens-estimated"]))
    f.equal("note", "tokens-estimated" in run.level["notes"], True)
    broken = stream(event(b'{"choices":[{"index":0,"delta":{"content":"\xff"}}]}'), finish(), DONE)
    sample, _ = play_one(broken)
    f.equal("text that JSON cannot hold", (tokens_of(sample), flags_of(sample)),
            ((1, "events"), ["bad-utf8", "tokens-estimated"]))
    asked, _ = play_one(stream(*letters()[:-1], usage(7), DONE), "--output-tokens", "7")
    f.equal("what the server counts comes first", tokens_of(asked), (7, "usage"))


def b028_choices_that_are_none(f):
    empty = [event(dict({"usage": {"completion_tokens": 2, "prompt_tokens": 3}}, **c))
             for c in ({"choices": []}, {"choices": None}, {})]
    run, _ = play(each(*(stream(token("a"), e, token("b"), finish(), e, DONE) for e in empty)), "--requests", "3",
                  "--output-tokens", "2")
    for sample in run.measured:
        f.equal("accepted", (sample["status"], tokens_of(sample), sample["text_event_count"], flags_of(sample)),
                ("ok", (2, "usage"), 2, []))
    for form in ("null-choices", "no-choices", "full-choices", "not-last"):
        sample, _ = play_one(None, "--output-tokens", "4", sim=FAST + ["--fault", f"usage:{form}"])
        f.equal(form, (sample["status"], sample["tokens"]["generated"], sample["text_event_count"]), ("ok", 4, 4))


def b029_optional_members_are_null(f):
    of_delta = ["role", "reasoning_content", "reasoning", "tool_calls", "function_call", "refusal", "audio"]
    of_choice = ["logprobs", "finish_reason", "stop_reason", "message", "text", "index"]
    of_event = ["usage", "timings", "error", "system_fingerprint", "service_tier", "prompt_progress"]
    replies = []
    for key in of_delta:
        replies.append(event(choice({"content": "a", key: None})))
    for key in of_choice:
        replies.append(event({"choices": [dict({"index": 0, "delta": {"content": "a"}}, **{key: None})]}))
    for key in of_event:
        replies.append(event(choice({"content": "a"}, **{key: None})))
    replies.append(event({"choices": [{"index": 0, "delta": None, "finish_reason": None}]}) + token("a"))
    replies.append(event(choice({"tool_calls": [{"index": 0, "function": None}]})) + token("a"))
    run, _ = play(each(*(stream(r, token("b"), finish(), usage(2), DONE) for r in replies)), "--requests",
                  str(len(replies)), "--output-tokens", "2")
    f.equal("requests", len(run.measured), len(replies))
    for reply, sample in zip(replies, run.measured):
        f.equal(repr(reply), (sample["status"], sample["text_sha256"], sample["text_event_count"], tokens_of(sample)),
                ("ok", sha256("ab"), 2, (2, "usage")))
    for fault in ("nulls", "tool-calls"):
        sample, _ = play_one(None, "--output-tokens", "3", sim=FAST + ["--fault", fault])
        f.equal(fault, (sample["status"], sample["tokens"]["generated"], sample["text_event_count"]), ("ok", 3, 3))


def b030_usage_with_nulls_and_floats(f):
    forms = [usage(2, prompt_tokens_details=None, completion_tokens_details=None, total_tokens=None), usage(2.0, 5.0),
             event({"choices": [], "usage": None}) + usage(2) + event({"choices": [], "usage": None})]
    run, _ = play(each(*(stream(token("a"), token("b"), finish(), u, DONE) for u in forms)), "--requests", "3",
                  "--output-tokens", "2")
    for sample in run.measured:
        f.equal("counts", (sample["status"], tokens_of(sample), sample["tokens"]["prompt"], sample["tokens"]["cached"]),
                ("ok", (2, "usage"), 5, None))
    for form in ("nulls", "floats"):
        sample, _ = play_one(None, "--output-tokens", "4", sim=FAST + ["--fault", f"usage:{form}"])
        f.equal(form, (sample["status"], sample["tokens"]["generated"]), ("ok", 4))


def b031_usage_always_never_or_odd(f):
    texts = [token(" ab"), token(" cd"), token(" ef")]  # one token each for the server's tokenizer
    odd = event({"choices": [], "usage": {"completion_tokens": "three", "prompt_tokens": []}})
    forms = {"always": stream(*texts, finish(), usage(3), DONE), "never": stream(*texts, finish(), DONE),
             "odd": stream(*texts, finish(), odd, DONE)}
    runs = {}
    for where, args, sim in [("estimated", OPENAI, NO_TOKENIZER), ("tokenized", (), ())]:
        for form, reply in forms.items():
            sample, _ = play_one(reply, "--output-tokens", "3", *args, sim=sim)
            runs[where, form] = sample
            f.equal(f"{where}, {form}: the rest", (sample["status"], sample["text_sha256"], sample["text_event_count"],
                    sample["finish"], sample["tokens"]["generated"]), ("ok", sha256(" ab cd ef"), 3, "length", 3))
    sources = {key: (s["tokens"]["source"], flags_of(s)) for key, s in runs.items()}
    events = ("events", ["tokens-estimated"])
    f.equal("sources", sources, {
        ("estimated", "always"): ("usage", []), ("estimated", "never"): events, ("estimated", "odd"): events,
        ("tokenized", "always"): ("usage", []), ("tokenized", "never"): ("tokenized", []),
        ("tokenized", "odd"): ("tokenized", [])})
    for form in ("with-text", "every-event", "always", "never"):
        sample, _ = play_one(None, "--output-tokens", "4", sim=FAST + ["--fault", f"usage:{form}"])
        f.equal(f"the server's {form}", (sample["status"], sample["tokens"]["generated"]), ("ok", 4))
        f.equal(f"the server's {form}: source", sample["tokens"]["source"] == "tokenized", form == "never")


def b032_usage_behind_a_pause(f):
    sample, server = play_one(stream(token("a"), PAUSE(20), token("b"), finish(), PAUSE(200), usage(9), DONE),
                              "--output-tokens", "9")
    log = said(server)
    f.equal("counts", (sample["status"], tokens_of(sample), flags_of(sample)), ("ok", (9, "usage"), []))
    f.between("last text", ms(sample["e2e_ns"]), log[2], log[2] + PATIENCE_MS)
    f.between("end of the stream", ms(sample["stream_end_ns"]), log[4], log[4] + PATIENCE_MS)
    f.between("between them", ms(sample["stream_end_ns"] - sample["e2e_ns"]), 180, 200 + PATIENCE_MS)
    sample, _ = play_one(None, "--output-tokens", "4", sim=FAST + ["--fault", "usage-pause:200ms"])
    f.equal("the server's own", (sample["status"], sample["tokens"]["generated"]), ("ok", 4))
    f.between("its pause", ms(sample["stream_end_ns"] - sample["e2e_ns"]), 180, 200 + PATIENCE_MS)


def b033_reasoning_is_counted_once(f):
    steps = [thought(" t")] * 3 + [token(" a")] * 2
    pieces = [p for s in steps for p in (s, PAUSE(20))]
    run, server = play(stream(*pieces, finish(), PAUSE(300),
                              usage(100, completion_tokens_details={"reasoning_tokens": 60}), DONE), "--output-tokens", "100")
    sample, log = run.measured[0], said(server)
    f.equal("total", tokens_of(sample), (100, "usage"))
    f.between("the window of its tokens ends at the last text", ms(sample["e2e_ns"]), log[5], log[5] + PATIENCE_MS)
    rate = run.level["throughput"]["generation_of_each"]["mean_tokens_per_second"]
    window_s = (log[5] - log[1]) / 1e3
    f.between("rate", rate, 0.7 * 99 / window_s, 1.3 * 99 / window_s)
    sample, _ = play_one(None, "--output-tokens", "10", sim=FAST + ["--fault", "reasoning:6"])
    f.equal("the server's own", sample["tokens"]["generated"], 10)


def b034_no_tokens_and_one(f):
    for api in ("chat", "text", "completion"):
        run, server = play_valid(None, "--requests", "3", "--output-tokens", "0", "--api", api, sim=SLOW_PROMPT)
        f.equal(f"{api}, 0: asked", {line["asked_tokens"] for line in server.lines("arrival")}, {0})
        for sample in run.measured:
            f.equal(f"{api}, 0: success without text", (sample["status"], sample["ttft_ns"], sample["gaps_ns"],
                    sample["tokens"]["generated"], flags_of(sample)), ("ok", None, [], 0, []))
            f.true(f"{api}, 0: prompt is counted", sample["tokens"]["prompt"] >= 1, sample["tokens"])
        f.equal(f"{api}, 0: undefined", run.level["times"]["ttft"]["undefined_count"], 3)
        f.equal(f"{api}, 0: no rate", run.level["throughput"]["generation_of_each"]["count"], 0)
        went(f, run)
        run, _ = play_valid(None, "--requests", "3", "--output-tokens", "1", "--api", api, sim=SLOW_PROMPT)
        for sample in run.measured:
            f.equal(f"{api}, 1", (sample["status"], sample["gaps_ns"], sample["tokens"]["generated"]), ("ok", [], 1))
            f.equal(f"{api}, 1: ends with its only token", sample["e2e_ns"], sample["ttft_ns"])
        tpot = run.level["times"]["tpot"]
        f.equal(f"{api}, 1: no time per token", (tpot["undefined_count"], tpot["ok"]["count"]), (3, 0))
        f.equal(f"{api}, 1: no rate", run.level["throughput"]["generation_of_each"]["count"], 0)
        went(f, run)


def b034_a_server_that_reports_one_for_none(f):
    sample, _ = play_one(stream(finish(), usage(1), DONE), "--output-tokens", "0")
    f.equal("success", (sample["status"], sample["ttft_ns"], tokens_of(sample)), ("ok", None, (1, "usage")))
    sample, _ = play_one(stream(finish(), usage(0), DONE), "--output-tokens", "1")
    f.equal("nothing although asked", sample["failure"] and sample["failure"]["class"], "nothing-generated")


def b035_several_tokens_in_an_event(f):
    steps = [step for text in (" a b c", " d", " e f g h i", " j k l") for step in (token(text), PAUSE(20))]
    timings = {"predicted_n": 12, "prompt_n": 4, "cache_n": 0, "predicted_ms": 60.0, "prompt_ms": 1.5, "draft_n": 16,
               "draft_n_accepted": 8}
    run, _ = play(stream(*steps, finish(timings=timings), DONE), "--output-tokens", "12")
    sample = run.measured[0]
    f.equal("tokens", (tokens_of(sample), sample["text_event_count"], flags_of(sample)), ((12, "timings"), 4, []))
    f.equal("draft", (sample["server"]["draft_tokens"], sample["server"]["draft_accepted_tokens"]), (16, 8))
    tpot = run.level["times"]["tpot"]["ok"]["mean_ms"]
    f.between("time per token is over 12, not 4", tpot, 0.99 * ms(sample["e2e_ns"] - sample["ttft_ns"]) / 11,
              1.01 * ms(sample["e2e_ns"] - sample["ttft_ns"]) / 11)
    sample, server = play_one(None, "--output-tokens", "30", sim=["--prefill", "0ms", "--token-time", "2ms",
                                                                  "--speculation", "0.7/4"])
    f.equal("the server's speculation", tokens_of(sample), (30, "timings"))
    f.true("fewer events than tokens", sample["text_event_count"] < 30, sample["text_event_count"])
    f.true("draft", 0 < sample["server"]["draft_accepted_tokens"] <= sample["server"]["draft_tokens"], sample["server"])
    sample, _ = play_one(None, "--output-tokens", "4", sim=FAST + ["--fault", "draft-fields"])
    f.equal("draft fields without it", (sample["server"]["draft_tokens"], sample["status"]), (0, "ok"))


def b036_characters_cut_over_events(f):
    emoji = "\U0001f600"
    first, last = emoji.encode()[:2], emoji.encode()[2:]

    def raw(data):
        return event(b'{"choices":[{"index":0,"delta":{"content":"' + data + b'"}}]}')

    replies = [stream(raw(first), raw(last), token("!"), finish(), usage(3), DONE),
               stream(raw(b"\\ud83d"), raw(b"\\ude00"), token("!"), finish(), usage(3), DONE)]
    run, _ = play(each(*replies), "--requests", "2", "--output-tokens", "3")
    for sample in run.measured:
        f.equal("joined", (sample["status"], sample["text_sha256"], sample["text_bytes"], flags_of(sample)),
                ("ok", sha256(emoji + "!"), 5, ["split-character"]))
    lone = stream(raw(b"\\ud83d"), token("!"), finish(), usage(2), DONE)
    run, _ = play(each(lone, replies[0]), "--requests", "2", "--output-tokens", "2")
    f.equal("half of a pair", (run.measured[0]["status"], "bad-utf8" in run.measured[0]["flags"]), ("ok", True))
    f.equal("the run goes on", run.measured[1]["text_sha256"], sha256(emoji + "!"))
    for fault, api in [("split-emoji", "chat"), ("split-emoji", "completion"), ("lone-surrogate", "chat")]:
        sample, _ = play_one(None, "--output-tokens", "6", "--api", api, sim=FAST + ["--fault", fault])
        f.equal(f"{fault}, {api}", (sample["status"], sample["tokens"]["generated"]), ("ok", 6))
        f.true(f"{fault}, {api}: flag",
               ("split-character" if fault == "split-emoji" else "bad-utf8") in sample["flags"], sample["flags"])


def b037_two_speeds_with_their_windows(f):
    steps = [PAUSE(500)]
    for i in range(50):
        steps += [token(f" {i}"), PAUSE(5)]
    run, server = play(stream(*steps, finish(), usage(50), DONE), "--output-tokens", "50")
    log = said(server)
    generation = run.level["throughput"]["generation_of_each"]["mean_tokens_per_second"]
    request = run.level["throughput"]["request_of_each"]["mean_tokens_per_second"]
    window_s, whole_s = (log[50] - log[1]) / 1e3, log[50] / 1e3
    f.between("generation", generation, 0.7 * 49 / window_s, 1.3 * 49 / window_s)
    f.between("request, prompt included", request, 0.7 * 50 / whole_s, 50 / whole_s)
    f.true("they are told apart", generation > 1.5 * request, (generation, request))


def b039_failures_beside_each_percentile(f):
    bad = [b"HTTP/1.1 500 Oops\r\nContent-Type: application/json\r\nContent-Length: 29\r\n\r\n"
           b'{"error":{"message":"broke"}}']
    fine = stream(token("a"), PAUSE(20), token("b"), finish(), usage(2), DONE)
    replies = [bad if i % 20 < 13 else fine for i in range(40)]  # 65 %
    run, _ = play_valid(each(*replies), "--requests", "40", "--output-tokens", "2", "--slo", "ttft.p50<=10s",
                        "--slo", "error-rate<=5%")
    f.equal("counts", (run.level["counts"]["ok"], run.level["counts"]["failed"]), (14, 26))
    if not disturbed(run):  # a level that is not valid has no verdict
        f.equal("verdict", run.level["verdict"], "fail")
        f.equal("each demand", [v["verdict"] for v in run.level["verdicts"]], ["fail", "fail"])
    f.equal("violations", verdict_of(run, "ttft.p50<=10s")["violation_count"], 26)
    went(f, run, 1)
    ttft = run.level["times"]["ttft"]["from_start"]
    f.equal("failures beside it", (ttft["ok"]["count"], ttft["ok"]["failed_count"]), (14, 26))
    f.equal("with them", [(p["percent"], p["is_failed"], p["value_ms"]) for p in ttft["with_failures"]["percentiles"]],
            [(p["percent"], True, None) for p in ttft["ok"]["percentiles"]])
    run, _ = play_valid(None, "--requests", "40", "--output-tokens", "2", "--slo", "ttft.p95<=10s",
                        sim=["--token-time", "20ms", "--fault", "status:500@share:0.65"])
    f.equal("by the server's chance", run.level["verdict"], "fail")
    went(f, run, 1)
    run, _ = play(each(*replies), "--requests", "40", "--output-tokens", "2", "--max-error-rate", "50%")
    went(f, run, 1)


def b040_reasoning_used_up_the_limit(f):
    steps = [p for i in range(6) for p in (thought(f" t{i}"), PAUSE(10))]
    run, _ = play(stream(*steps, finish("length"), usage(6), DONE), "--requests", "2", "--output-tokens", "6",
                  "--slo", "first-answer.p50<=1ms")
    for sample in run.measured:
        f.equal("success", (sample["status"], sample["finish"], tokens_of(sample)), ("ok", "length", (6, "usage")))
        f.equal("flag", flags_of(sample), ["no-answer"])
        f.equal("answer", sample["first_answer_ns"], None)
        f.true("first token", sample["ttft_ns"] is not None)
    times = run.level["times"]
    f.equal("undefined", (times["first_answer"]["undefined_count"], times["ttft"]["undefined_count"]), (2, 0))
    f.equal("a demand on the answer is missed", run.level["verdicts"][0]["violation_count"], 2)
    f.equal("time per token", times["tpot"]["ok"]["count"], 2)
    run, _ = play_valid(None, "--output-tokens", "6", sim=["--token-time", "10ms", "--fault", "reasoning:1000"])
    f.equal("the server's own", ("no-answer" in run.measured[0]["flags"], run.measured[0]["tokens"]["generated"]), (True, 6))
    went(f, run)


if __name__ == "__main__":
    main([(name.replace("_", " ").replace("b0", "B0"), check)
          for name, check in list(globals().items()) if name[:1] == "b" and name[1:4].isdigit()])
