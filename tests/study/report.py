"""The page of a whole bundle: what it says of its verification, and every figure of its charts, held against the raw files."""

import hashlib
import html.parser
import json
import math
import shutil
import signal
import subprocess
import sys
import time

from documents import policies
from harness import BINARY, DEADLINE_S, Sim, Study, beside, endpoint, main, plan
from load import ORIGINAL

STEPS = [
    {"loop": "closed", "clients": 1, "measured": 4},
    {"loop": "closed", "clients": 2, "measured": 6},
    {"loop": "open", "rate_per_second": 20.0, "arrivals": "poisson", "measured": 5},
]
LOAD = {"steps": STEPS, "warmup": 1, "prompt_tokens": 24, "output_tokens": 8, "seed": 5, "slo": ["e2e.p50<=5s"]}


class Page(html.parser.HTMLParser):
    """Tables by their caption, as lists of lists of texts; charts by their id, as (name, attributes, text) of their marks."""

    def __init__(self, text):
        super().__init__()
        self.text, self.tables, self.charts = text, {}, {}
        self.row = self.cell = self.caption = self.chart = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "caption":
            self.caption = ""
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag == "svg":
            self.chart = self.charts.setdefault(attributes["aria-labelledby"].split("-title")[0], [])
        if self.chart is not None:
            self.chart.append([tag, attributes, ""])

    def handle_endtag(self, tag):
        if tag == "caption":
            self.rows = self.tables.setdefault(self.caption, [])
            self.caption = None
        elif tag in ("td", "th"):
            self.row.append(" ".join(self.cell.split()))
            self.cell = None
        elif tag == "tr":
            self.rows.append(self.row)
        elif tag == "svg":
            self.chart = None

    def handle_data(self, data):
        if self.chart:
            self.chart[-1][2] += data
        if self.cell is not None:
            self.cell += data
        elif self.caption is not None:
            self.caption += data

    def facts(self, caption):
        return {row[0]: row[1] for row in self.tables[caption]}

    def marks(self, chart, name):
        return [m for m in self.charts[chart] if m[1].get("class") == name]

    def axis(self, chart):
        """Place of a value, from the labels of two ticks."""
        ticks = [(float(text.replace(",", "")), float(a["x"])) for tag, a, text in self.charts[chart]
                 if a.get("class") == "muted" and a.get("text-anchor") == "middle" and text.strip().replace(",", "").replace(".", "").isdigit()]
        (v0, x0), (v1, x1) = ticks[0], ticks[-1]
        return lambda value: x0 + (value - v0) * (x1 - x0) / (v1 - v0)


def report(bundle, page):
    page.unlink(missing_ok=True)
    return subprocess.run([BINARY, "report", bundle, "-o", page], capture_output=True, text=True, timeout=DEADLINE_S)


def page_of(f, study, want=0):
    file = study.bundle.parent / "page.html"
    done = report(study.bundle, file)
    f.equal("exit code of report", (done.returncode, done.stderr if want == 0 else ""), (want, ""))
    return Page(file.read_text())


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files_of(bundle):
    return [path for path in bundle.rglob("*") if path.is_file() and path.name != "SHA256SUMS"]


def reseal(bundle):
    lines = sorted((str(path.relative_to(bundle)), sha256(path)) for path in files_of(bundle))
    (bundle / "SHA256SUMS").write_text("".join(f"{digest}  ./{name}\n" for name, digest in sorted(lines, key=lambda l: l[0].encode())))


def number(value, decimals):
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def measured(study, name, passes):
    """(time to first token, end to end) in ms of each measured request, pass by pass."""
    for i in passes:
        for line in study.path(f"experiment/candidates/{name}/samples-pass-{i}.jsonl").open():
            sample = json.loads(line)
            if sample["phase"] == "measured":
                ok = sample["failure"] is None
                yield tuple(sample[key] / 1e6 if ok else math.inf for key in ("ttft_ns", "e2e_ns"))


def p50(values):
    values, n = sorted(values), len(values)
    return (values[n // 2 - 1] + values[n // 2]) / 2 if n % 2 == 0 else values[n // 2]


def p95(values):
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


# ---- what it says of the bundle ---------------------------------------------------------------------


def counts_and_digests(f, study, page):
    facts = page.facts("What the verification compared")
    count = len(files_of(study.bundle))
    journal = study.path("journal.jsonl").read_bytes().splitlines(keepends=True)
    derived = [line.split()[1] for line in study.verify().stdout.splitlines() if line.startswith("derived ")]
    f.equal("files", facts["Files"], f"{count} hashed, {count} listed in SHA256SUMS")
    f.equal("checksums", facts["SHA256SUMS, which names the whole bundle"], sha256(study.path("SHA256SUMS")))
    f.equal("plan", facts["Plan"], sha256(study.plan_path))
    f.equal("journal", facts["Journal"], f"{len(journal)} lines, each with the hash of the one before; the last, SHA-256 "
                                         + hashlib.sha256(journal[-1]).hexdigest())
    f.equal("made again", [facts["Documents made again from raw files"].split(",")[0]], derived)
    inputs = page.facts("Documents behind this page, by SHA-256")
    f.equal("set", inputs["Benchmark set"], sha256(study.path("experiment/benchmark-set.json")))
    f.equal("stability", inputs["Stability"], sha256(study.path("extensions/repeat-stability.json")))
    f.equal("command", page.text.count("<code>paretopilot verify bundle</code>"), 1)


def limits_of_the_plan(f, page):
    limits = page.facts("The answer and how far it reaches")["How sure"]
    for words in ("2 passes", "at least 8 requests for each candidate",
                  "load, closed loop: 1 client x 4, 2 clients x 6 requests of each candidate",
                  "load, open loop: 20 arrivals/s (poisson) x 5 requests of each candidate",
                  "capacity, server slots by clients, not measured", "llama-bench was not run", "the plan has no suite"):
        f.true("limits", words in limits, f"lack '{words}': {limits}")


def loads_by_their_labels(f, study, page):
    rows = page.tables["Every level of every load report"][1:]
    f.equal("levels", [(row[0], row[1], row[2]) for row in rows],
            [(f"server {name}", load, count) for name in ("one", "two")
             for load, count in (("1 client", "4"), ("2 clients", "6"), ("20 arrivals/s", "5"))])
    report = study.json("experiment/candidates/one/load-report.json")
    f.equal("rate", rows[0][4], number(report["levels"][0]["throughput"]["whole"]["requests_per_second"], 4) + " req/s")


def requests_are_dots(f, study, page):
    for chart, measure, title in (("samples-ttft", 0, "Time to first token"), ("samples-e2e", 1, "End-to-end latency")):
        rows = {row[0]: row[1:] for row in page.tables[f"{title}: quantiles over all runs that count"][1:]}
        for name in ("one", "two"):
            values = [times[measure] for times in measured(study, name, (1, 2))]
            f.equal(f"{title} of {name}", [rows[f"server {name}"][0], rows[f"server {name}"][1], *rows[f"server {name}"][3:]],
                    ["8", "0", *(number(value, 3) + " ms" for value in (min(values), p50(values), p95(values), max(values)))])
            f.equal("text at the row", [m[2].strip() for m in page.charts[chart] if m[2].strip() == f"p50 {number(p50(values), 2)} ms"][:1],
                    [f"p50 {number(p50(values), 2)} ms"])


def dots_have_their_places(f, study, page):
    for chart, measure in (("samples-ttft", 0), ("samples-e2e", 1)):
        place = page.axis(chart)
        want = sorted(place(times[measure]) for name in ("one", "two") for times in measured(study, name, (1, 2)))
        found = sorted([float(m[1]["cx"]) for kind in ("d-quiet", "d-undecided") for m in page.marks(chart, kind)
                        if float(m[1]["cy"]) > 30] +
                       [float(m[1]["d"][1:].split()[0]) + 2.5 for m in page.marks(chart, "d-disturbed")
                        if float(m[1]["d"].split()[1].split("l")[0]) > 30])
        f.equal(f"{chart}: dots", len(found), len(want))
        f.true(f"{chart}: places", all(abs(a - b) < 0.05 for a, b in zip(found, want)), f"{found} of {want}")


def runs_lie_in_time(f, study, page):
    runs = [study.json(f"experiment/candidates/{name}/requests-run-pass-{i}.json") for name in ("one", "two") for i in (1, 2)]
    runs += [study.json(f"experiment/candidates/{name}/load-run.json") for name in ("one", "two")]
    runs.sort(key=lambda run: run["started_unix_ms"])
    first = runs[0]["started_unix_ms"]
    rows = page.tables["The machine during each run, in the order of time"][1:]
    shown = lambda run: run["phase"] + (f", pass {run['pass']}" if run["pass"] else "")
    f.equal("runs", [row[:5] for row in rows],
            [[f"server {run['candidate_id']}", shown(run), number((run["started_unix_ms"] - first) / 1e3, 1) + " s",
              number(run["duration_ns"] / 1e9, 2) + " s", run["watch"]["verdict"]] for run in runs])
    bars = [m for kind in ("t-quiet", "t-disturbed", "t-undecided") for m in page.marks("timeline", kind) if float(m[1]["y"]) > 40]
    place = page.axis("timeline")
    f.equal("bars", len(bars), len(runs))
    bars.sort(key=lambda m: float(m[1]["y"]))
    for bar, run in zip(bars, runs):
        begin = (run["started_unix_ms"] - first) / 1e3
        f.true("begin of a bar", abs(float(bar[1]["x"]) - place(begin)) < 0.05, f"{bar} of {place(begin)}")
        end = float(bar[1]["x"]) + float(bar[1]["width"])
        f.true("end of a bar", abs(end - place(begin + run["duration_ns"] / 1e9)) < 0.05, f"{bar}")


def same_bytes_wherever_it_lies(f, study):
    first, second = study.bundle.parent / "a.html", study.bundle.parent / "b.html"
    elsewhere = study.bundle.parent / "elsewhere"
    elsewhere.mkdir()
    shutil.copytree(study.bundle, elsewhere / "bundle")
    f.equal("exit codes", [report(study.bundle, first).returncode, report(elsewhere / "bundle/", second).returncode], [0, 0])
    f.true("the same bytes", first.read_bytes() == second.read_bytes())
    f.true("no path of this machine", str(study.bundle.parent) not in first.read_text())


def as_markdown(f, study):
    page = study.bundle.parent / "page.md"
    f.equal("exit code", report(study.bundle, page).returncode, 0)
    text = page.read_text()
    for words in ("evidence: verified", "    paretopilot verify bundle\n", "## Every request", "| server two | 8 | 0 |"):
        f.true("Markdown", words in text, f"lacks '{words}'")


def a_verified_bundle_is_shown_whole(f):
    with Sim("--token-time", "5ms", "--slots", "2") as one, Sim("--token-time", "9ms", "--slots", "2") as two, \
            Study(plan([endpoint("one", one.url), endpoint("two", two.url)], load=LOAD)) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        page = page_of(f, study)
        f.true("the head says verified", "evidence: <strong>verified</strong>" in page.text)
        f.true("and so does section 08", "<strong>Verified.</strong>" in page.text and "Not verified" not in page.text)
        counts_and_digests(f, study, page)
        limits_of_the_plan(f, page)
        loads_by_their_labels(f, study, page)
        requests_are_dots(f, study, page)
        dots_have_their_places(f, study, page)
        runs_lie_in_time(f, study, page)
        same_bytes_wherever_it_lies(f, study)
        as_markdown(f, study)
        options_are_refused(f, study)
        spoilt_bundles_are_shown_as_such(f, study)


def options_are_refused(f, study):
    for option, value in (("--constraints", "experiment/constraints.json"), ("--stability", "extensions/repeat-stability.json")):
        done = subprocess.run([BINARY, "report", study.bundle, option, study.path(value), "-o", study.bundle.parent / "no.html"],
                              capture_output=True, text=True, timeout=DEADLINE_S)
        f.equal(option, (done.returncode, "a bundle brings its own" in done.stderr), (2, True))
        f.true("nothing written", not (study.bundle.parent / "no.html").exists())


# ---- what it says of others -------------------------------------------------------------------------


def other_figure(bundle):
    file = bundle / "experiment/benchmark-set.json"
    document = json.loads(file.read_text())
    document["candidates"][0]["metrics"]["e2e_latency_ms_p50"] = 12345.5
    file.write_text(json.dumps(document))
    reseal(bundle)


def hostile_name(bundle):
    (bundle / "<script>x").write_text("")


def broken_samples(bundle):
    (bundle / "experiment/candidates/one/samples-pass-1.jsonl").write_text("broken\n")


def spoilt_bundles_are_shown_as_such(f, study):
    rows = [
        (other_figure, "derived-differs", "experiment/benchmark-set.json", "12,345.5 ms"),
        (hostile_name, "file-unlisted", "&lt;script&gt;x", "file-unlisted"),
        (broken_samples, "file-digest", "experiment/candidates/one/samples-pass-1.jsonl", "cannot be read"),
    ]
    for spoil, rule, path, words in rows:
        spoilt, file = study.bundle.parent / "spoilt", study.bundle.parent / "spoilt.html"
        shutil.rmtree(spoilt, ignore_errors=True)
        shutil.copytree(study.bundle, spoilt)
        spoil(spoilt)
        done = report(spoilt, file)
        f.equal(f"{spoil.__name__}: exit code", done.returncode, 1)
        f.true(f"{spoil.__name__}: message", "is not verified" in done.stderr and done.stderr.count("\n") == 1, done.stderr)
        text = file.read_text()
        f.true(f"{spoil.__name__}: says so", "evidence: <strong>not verified</strong>" in text and "<strong>Not verified: " in text)
        f.true(f"{spoil.__name__}: never the word alone", "<strong>Verified" not in text and "<strong>verified" not in text)
        f.true(f"{spoil.__name__}: finding", f'<tr><th scope="row">{rule}</th><td><code>{path}</code>' in text)
        f.true(f"{spoil.__name__}: shows '{words}'", words in text)
    (spoilt / "experiment/benchmark-set.json").write_text("{")
    done = report(spoilt, file)
    f.equal("a set that is none", (done.returncode, file.exists(), "benchmark-set.json" in done.stderr), (2, False, True))


def documents_beside_the_decision_are_found(f):
    text = policies()
    files = {"policies.json": text, "load-plan.json": ORIGINAL}
    with Sim("--token-time", "12ms", "--prefill", "0.2ms") as slow, Sim("--token-time", "2ms", "--prefill", "3ms") as fast, \
            Study(plan([endpoint("slow", slow.url), endpoint("fast", fast.url)], passes=1, policies=beside("policies.json", text),
                       load_plan=beside("load-plan.json", ORIGINAL)), files=files) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        page = page_of(f, study)
        f.equal("priorities", page.text.count('<input type="radio" name="priority"'), 2)
        f.true("one names the first token", "First token</label>" in page.text)
        inputs = page.facts("Documents behind this page, by SHA-256")
        f.equal("policies", inputs["Policy set"], hashlib.sha256(text.encode()).hexdigest())
        f.equal("evaluation", inputs["Load evaluation"], sha256(study.path("extensions/load-evaluation.json")))
        combined = study.json("extensions/load-evaluation.json")
        f.equal("highest levels", {row[0] for row in page.tables["Most simultaneous clients within every limit"][1:]}, {"server slow", "server fast"})
        rows = page.facts("Limits and method of the load")
        f.equal("levels", rows["Clients"], "closed loop without think time, levels 1, 2, 4")
        f.true("limits of the plan", "load: closed loop, 8 requests for each level; no rate of arrivals was tried"
               in page.facts("The answer and how far it reaches")["How sure"])
        f.true("no repetition", "has no comparison of passes" in page.text)
        f.equal("rows", len(combined["rows"]), 6)


def what_a_bundle_lacks_is_said(f):
    text = policies("peak_rss_mib")
    with Sim("--token-time", "1ms") as slow, Sim("--token-time", "1ms") as fast, \
            Study(plan([endpoint("slow", slow.url), endpoint("fast", fast.url)], passes=1, policies=beside("policies.json", text)),
                  files={"policies.json": text}) as study:
        page = page_of(f, study)
        f.true("no priorities", "one of them chooses nobody or is not known of every candidate" in page.text)
        f.true("no load", "The study measured no load" in page.text)
        f.true("no command that would not help", "--load LOAD" not in page.text and "--policies P" not in page.text)


def wait_for(path, process):
    end = time.monotonic() + DEADLINE_S
    while not path.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)


def an_unfinished_study_has_no_page(f):
    with Sim("--token-time", "20ms") as sim, Study(plan([endpoint("one", sim.url)]), "--no-such-option") as study:
        process = subprocess.Popen([BINARY, "study", "run", study.plan_path, "--output-dir", study.bundle],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(study.path("experiment/candidates/one/requests-run-pass-1.json"), process)
        process.send_signal(signal.SIGINT)
        process.wait(DEADLINE_S)
        file = study.bundle.parent / "page.html"
        done = report(study.bundle, file)
        f.equal("exit code", (done.returncode, file.exists()), (3, False))
        f.true("says how to go on", "study resume" in done.stderr, done.stderr)
        study.run("resume", study.bundle)
        f.equal("resumed", (study.exit, report(study.bundle, file).returncode), (0, 0))


def a_neighbour_is_drawn(f):
    """Something else computes all the time: every run is disturbed, made again once, and disturbed again."""
    neighbour = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        with Sim("--token-time", "40ms") as sim, \
                Study(plan([endpoint("one", sim.url)], passes=1,
                           noise_limits={"foreign_cpu_percent": 5.0, "steal_percent": 100.0, "repeats": 1})) as study:
            f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
            page = page_of(f, study)
            rows = page.tables["The machine during each run, in the order of time"][1:]
            f.equal("runs", [(row[1], row[4]) for row in rows],
                    [("requests, pass 1, attempt 1", "disturbed, made again"), ("requests, pass 1, attempt 2", "disturbed")])
            crosses = [m for m in page.marks("samples-e2e", "d-disturbed") if float(m[1]["d"].split()[1].split("l")[0]) > 30]
            f.equal("crosses are those of the attempt that counts", len(crosses), 4)
            spans = [m for m in page.marks("timeline", "t-span") if float(m[1]["y"]) > 40]
            f.true("spans", len(spans) >= 2, str(spans))
            bars = [m for m in page.marks("timeline", "t-disturbed") if float(m[1]["y"]) > 40]
            for span in spans:
                inside = [b for b in bars if float(b[1]["x"]) - 0.05 <= float(span[1]["x"]) and
                          float(span[1]["x"]) + float(span[1]["width"]) <= float(b[1]["x"]) + float(b[1]["width"]) + 0.05]
                f.true("a span lies in its bar", inside, str(span))
    finally:
        neighbour.kill()
        neighbour.wait()


if __name__ == "__main__":
    sys.exit(main([
        ("the page of a verified bundle says so, and shows what its files say", a_verified_bundle_is_shown_whole),
        ("priorities and loads of a bundle are found without their names", documents_beside_the_decision_are_found),
        ("what a bundle lacks is said", what_a_bundle_lacks_is_said),
        ("a study that did not end has no page", an_unfinished_study_has_no_page),
        ("a neighbour that computes is drawn, and attempts made again are", a_neighbour_is_drawn),
    ]))
