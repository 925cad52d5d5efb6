"""How large report pages are, and that the whole of a large set stands beside its page. TAP.

tools/bench.sh has the same limits, and the time that the pages take."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from tap import Report

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
BINARY = os.environ["PARETOPILOT_BINARY"]
WORK = tempfile.TemporaryDirectory(prefix="page-sizes-test-")
CANDIDATES = 5000
SHOWN = 400


def make_large(folder):
    """None dominated: the four costs of each add up to 1."""
    numbers = random.Random(3)
    candidates = []
    for i in range(CANDIDATES):
        costs = [numbers.expovariate(1) for _ in range(4)]
        candidates.append({"id": f"c{i}", "label": f"Candidate number {i}", "parameters": {"configuration": {"threads": i}},
                           "metrics": {"q": 1, **{f"m{j}": cost / sum(costs) for j, cost in enumerate(costs)}}})
    (folder / "set.json").write_text(json.dumps({
        "schema_version": "1.0", "baseline_id": "c0", "synthetic": True, "candidates": candidates}))
    (folder / "limits.json").write_text(json.dumps({
        "quality_metric": "q", "objective": {"metric": "m0", "direction": "min"},
        "frontier_metrics": {f"m{j}": "min" for j in range(4)}}))


def run(*args):
    return subprocess.run([BINARY, "report", *map(str, args)], capture_output=True, text=True, timeout=120)


def at_most(path, limit):
    size = path.stat().st_size
    return [] if 0 < size <= limit else [f"{size} bytes, expected 1 to {limit}"]


def main():
    report, folder = Report(), pathlib.Path(WORK.name)
    published = SOURCE / "tests/fixtures/published"
    done = run(published / "benchmark-set.json", "--constraints", published / "constraints.json", "--output", folder / "published.html")
    report.test("the page of the published study is at most 400 kB", [done.stderr] if done.returncode else at_most(folder / "published.html", 400_000))
    report.test("it names all its candidates, so nothing stands beside it", [p.name for p in folder.glob("published.*.json")])

    make_large(folder)
    for end, limit in (("html", 20_000_000), ("md", 20_000_000)):
        done = run(folder / "set.json", "--constraints", folder / "limits.json", "--output", folder / f"large-{end}.{end}")
        report.test(f"the page of {CANDIDATES} candidates as {end} is at most 20 MB",
                    [done.stderr] if done.returncode else at_most(folder / f"large-{end}.{end}", limit))
    page = (folder / "large-html.html").read_text()
    report.test("it says how many it names", [] if f"Shown are {SHOWN} of 5,000 candidates" in page else ["it does not"])
    named = set(re.findall(r"<bdi>Candidate number (\d+)</bdi>", page))
    report.test("and names as many", [] if len(named) == SHOWN else [f"{len(named)} names"])
    copy, details = folder / "large-html.benchmark-set.json", folder / "large-html.decision-details.json"
    report.test("the set beside it has its bytes", [] if copy.read_bytes() == (folder / "set.json").read_bytes() else ["it has others"])
    known = [c["id"] for c in json.loads(details.read_text())["candidates"]]
    report.test("the details beside it say what became of every candidate",
                [] if known == [f"c{i}" for i in range(CANDIDATES)] else [f"{len(known)} candidates"])
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
