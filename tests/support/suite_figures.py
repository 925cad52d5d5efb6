"""Every figure of suite reports, computed anew from their recorded outcomes: exact rational
arithmetic, nothing of the program.

suite_figures.py REPORT...   TAP; a real number may be 1e-9 off, everything else must be equal
"""

import hashlib
import json
import sys
from fractions import Fraction
from math import ceil, comb

from tap import Report


def at_least(n, p, k):
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(max(k, 0), n + 1))


def lower_end(count, n):
    low, high = Fraction(0), Fraction(1)
    for _ in range(48):
        middle = (low + high) / 2
        if at_least(n, middle, count) < Fraction(1, 40):
            low = middle
        else:
            high = middle
    return float(low)


def part_of(numbers, passes, origin):
    columns = [[p[i]["outcome"] for p in passes] for i in numbers]
    missed = sum("missed" in c for c in columns)
    opened = sum("missed" not in c and "failed" in c for c in columns)
    n = len(columns)
    passed = n - missed - opened
    failed = sum(c.count("failed") for c in columns)
    gap = "synthetic-weights" if origin == "synthetic-weights" else "request-failed" if failed else None
    known = gap is None
    return {
        "total": n,
        "passed": passed,
        "missed": missed,
        "open": opened,
        "flipped": sum("missed" in c and "matched" in c for c in columns),
        "failed_requests": failed,
        "score": passed / n if known else None,
        "gap": gap,
        "lower": lower_end(passed, n) if known else None,
        "upper": 1 - lower_end(n - passed, n) if known else None,
        "score_min": None if gap == "synthetic-weights" else passed / n,
        "score_max": None if gap == "synthetic-weights" else (passed + opened) / n,
    }


def floor_of(part, floor):
    if floor is None:
        return None
    exact = Fraction(floor)
    limit = Fraction(1, 20)
    n = part["total"]
    needed = next((k for k in range(n + 1) if at_least(n, exact, k) <= limit), None)
    out = dict.fromkeys(["met", "certified", "chance", "cases_needed"])
    if part["score"] is not None:
        passed = part["passed"]
        out["met"] = part["score"] >= floor
        out["certified"] = needed is not None and passed >= needed
        out["chance"] = float(at_least(n, exact, passed))
        if not out["certified"] and Fraction(passed, n) > exact:
            out["cases_needed"] = next(
                m for m in range(1, 2000) if at_least(m, exact, m * passed // n) <= limit
            )
    return {"floor": floor, "passes_needed": needed, **out}


def latency_of(passes):
    answered = sorted(
        r["latency_ns"] / 1e6
        for p in passes
        for r in p
        if r["outcome"] != "failed" and r["latency_ns"] is not None
    )
    n = len(answered)
    rank = {q: max(1, ceil(Fraction(q, 100) * n)) for q in (50, 95)}
    return {
        "count": n,
        "ms_p50": answered[rank[50] - 1] if n else None,
        "ms_p95": answered[rank[95] - 1] if n else None,
        "p95_is_maximum": n > 0 and rank[95] == n,
    }


def comparison_of(report, endpoint, reference, ids):
    if reference is None or reference is endpoint:
        return None

    def states(e):
        columns = [[p["results"][i]["outcome"] for p in e["passes"]] for i in range(len(ids))]
        return ["-" if "missed" in c else "?" if "failed" in c else "+" for c in columns]

    pairs = list(zip(states(endpoint), states(reference)))
    lost = [i for i, pair in zip(ids, pairs) if pair == ("-", "+")]
    gained = [i for i, pair in zip(ids, pairs) if pair == ("+", "-")]
    gaps = {endpoint["score"]["gap"], reference["score"]["gap"]}
    gap = next((g for g in ("synthetic-weights", "request-failed") if g in gaps), None)
    b, c = len(lost), len(gained)
    mine, theirs = (Fraction(e["score"]["passed"], len(ids)) for e in (endpoint, reference))
    p = min(1, 2 * at_least(b + c, Fraction(1, 2), max(b, c)))
    return {
        "reference": reference["name"],
        "both": pairs.count(("+", "+")),
        "neither": pairs.count(("-", "-")),
        "only_reference": lost,
        "only_candidate": gained,
        "open": sum("?" in pair for pair in pairs),
        "gap": gap,
        "mcnemar_p": None if gap else float(p),
        "difference": None if gap else float(mine - theirs),
        "retention": None if gap or not theirs else float(mine / theirs),
    }


def digest_of(results):
    if any(r["outcome"] == "failed" for r in results):
        return None
    lines = [
        f"{r['case']}\t{'true' if r['outcome'] == 'matched' else 'false'}\t{r['matched_answer'] or ''}"
        for r in results
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def figures_of(report, endpoint):
    cases = report["suite"]["cases"]
    ids = [c["id"] for c in cases]
    passes = [p["results"] for p in endpoint["passes"]]
    reference = next((e for e in report["endpoints"] if e["name"] == report["reference"]), None)
    groups = list(dict.fromkeys(c["group"] for c in cases if c["group"] is not None))
    columns = [[p[i] for p in passes] for i in range(len(ids))]
    drafted = [r["drafted_tokens"] for p in passes for r in p if r["drafted_tokens"] is not None]
    score = part_of(range(len(ids)), passes, endpoint["origin"])
    return {
        "matched": [sum(r["outcome"] == "matched" for r in p) for p in passes],
        "outcomes_sha256": [digest_of(p) for p in passes],
        "score": score,
        "groups": [
            {"group": g, **part_of([i for i, c in enumerate(cases) if c["group"] == g], passes, endpoint["origin"])}
            for g in groups
        ],
        "flips": [
            {
                "case": i,
                "answers": [
                    {"pass": n + 1, "outcome": r["outcome"], "answer": r["answer"]}
                    for n, r in enumerate(column)
                ],
            }
            for i, column in zip(ids, columns)
            if {"matched", "missed"} <= {r["outcome"] for r in column}
        ],
        "changed": sum(len({r["answer"] for r in column if r["outcome"] != "failed"}) > 1 for column in columns),
        "drafted_tokens": sum(drafted) if drafted else None,
        "latency": latency_of(passes),
        "floor": floor_of(score, report["floor"]),
        "comparison": comparison_of(report, endpoint, reference, ids),
    }


def said_by(endpoint):
    said = {key: endpoint[key] for key in ("score", "groups", "flips", "changed", "latency", "floor", "comparison")}
    said["matched"] = [p["matched"] for p in endpoint["passes"]]
    said["outcomes_sha256"] = [p["outcomes_sha256"] for p in endpoint["passes"]]
    said["drafted_tokens"] = endpoint["speculation"]["drafted_tokens"]
    return said


def differences(said, want, path):
    if isinstance(want, dict) and isinstance(said, dict):
        for key in sorted(want.keys() | said.keys()):
            yield from differences(said.get(key), want.get(key), f"{path}.{key}")
    elif isinstance(want, list) and isinstance(said, list) and len(want) == len(said):
        for i, (a, b) in enumerate(zip(said, want)):
            yield from differences(a, b, f"{path}[{i}]")
    elif isinstance(want, float) and isinstance(said, (int, float)):
        if abs(said - want) > 1e-9:
            yield f"{path}: expected {want!r}, got {said!r}"
    elif said != want or type(said) is not type(want):
        yield f"{path}: expected {want!r}, got {said!r}"


def main():
    tap = Report()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        for endpoint in report["endpoints"]:
            found = list(differences(said_by(endpoint), figures_of(report, endpoint), endpoint["name"]))
            tap.test(f"figures of '{endpoint['name']}' follow from its outcomes", found)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
