"""`suite` counts what servers were told to say: scores, groups, pairs, flips, demands. TAP."""

import json
import math
import os
import subprocess
import tempfile

from suites import BINARY, CASES, RIGHT, Sim, answering, document, main, suite, write

WRONG = {"planet": "Saturn", "product": "56"}
TWO_WRONG = {**RIGHT, **WRONG}  # 4 of 6
OTHER = {**RIGHT, "sum": "43"}  # 5 of 6, and wrong elsewhere


def clopper_pearson(passed, n, alpha=0.05):
    """By bisection on sums of binomial probabilities."""
    def at_least(k, p):
        return math.fsum(math.comb(n, i) * p**i * (1 - p)**(n - i) for i in range(k, n + 1))

    def solve(f):
        low, high = 0.0, 1.0
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if f(middle) else (low, middle)
        return low
    lower = 0.0 if passed == 0 else solve(lambda p: at_least(passed, p) < alpha / 2)
    upper = 1.0 if passed == n else solve(lambda p: 1 - at_least(passed + 1, p) > alpha / 2)
    return lower, upper


def the_score_is_the_share_of_right_answers(f):
    for answers, passed in ((RIGHT, 6), (TWO_WRONG, 4), (OTHER, 5), ({}, 0)):
        with answering(answers) as sim:
            run = suite(sim.url)
        f.exit(run, 0)
        score = run.endpoint()["score"]
        f.equal("passed, total", (score["passed"], score["total"]), (passed, 6))
        f.equal("score", score["score"], passed / 6)
        lower, upper = clopper_pearson(passed, 6)
        f.true("interval", math.isclose(score["lower"], lower, abs_tol=1e-9) and
               math.isclose(score["upper"], upper, abs_tol=1e-9), (score, lower, upper))
        f.equal("origin", run.endpoint()["origin"], "simulated")


def groups_and_answers_are_told(f):
    with answering(TWO_WRONG) as sim:
        run = suite(sim.url)
    groups = {g["group"]: (g["passed"], g["total"]) for g in run.endpoint()["groups"]}
    f.equal("groups", groups, {"fact": (1, 2), "arithmetic": (1, 2), "json": (1, 1),
                               "instruction": (1, 1)})
    for name, row in run.results().items():
        f.equal(f"answer to {name}", row["answer"], TWO_WRONG[name])
    f.equal("missed", [n for n, o in run.outcomes().items() if o == "missed"], sorted(WRONG))


def silence_and_echo_score_nothing(f):
    """A server that says nothing, and one that repeats the question."""
    echo = {c["id"]: c["prompt"] for c in CASES}
    with answering({c["id"]: "" for c in CASES}, "--fault", "nothing") as sim:
        run = suite(sim.url)
    f.equal("silence", (run.endpoint()["score"]["passed"], run.endpoint()["score"]["score"]), (0, 0))
    f.equal("outcomes", set(run.outcomes().values()), {"missed"})
    long = document()
    long["sampling"]["max_tokens"] = 256
    with answering(echo) as sim:
        run = suite(sim.url, suite_document=long)
    f.equal("echoed", {n: r["answer"] for n, r in run.results().items()}, echo)
    f.equal("echo", run.endpoint()["score"]["score"], 0)


def changed_sides_are_named_one_by_one(f):
    with answering(TWO_WRONG) as a, answering(OTHER) as b:
        run = suite([f"old={a.url}", f"new={b.url}"])
        shown = suite([f"old={a.url}", f"new={b.url}"], json_output=False)
        turned = suite([f"old={a.url}", f"new={b.url}", "--reference", "new"])
    f.exit(run, 0)
    pair = run.endpoint("new")["comparison"]
    f.equal("lost", pair["only_reference"], ["sum"])
    f.equal("gained", pair["only_candidate"], ["planet", "product"])
    f.equal("p", pair["mcnemar_p"], 1.0)  # 2 * (C(3,0) + C(3,1)) / 8
    f.equal("retention", pair["retention"], (5 / 6) / (4 / 6))
    f.equal("of the reference", run.endpoint("old")["comparison"], None)
    f.equal("turned", turned.endpoint("old")["comparison"]["only_candidate"], ["sum"])
    lines = shown.stdout.splitlines()
    f.true("100 columns", max(map(len, lines)) <= 100, max(lines, key=len))
    at = lines.index("gained by new against old: 2")
    f.equal("flips", [" ".join(x.split()) for x in lines[at + 1:at + 7]],
            ["planet", 'reference "Saturn"', 'here "Jupiter"',
             "product", 'reference "56"', 'here "54"'])
    f.true("origin", "simulated" in shown.stdout)


def demands_are_exit_codes(f):
    rows = (("--min-score", "0.66", 0), ("--min-score", "0.67", 1))
    with answering(TWO_WRONG) as sim:
        for *args, want in rows:
            f.exit(suite(sim.url, *args), want)
        # 4 of 6 at a floor of 0.1: P(Bin(6, 0.1) >= 4) = 0.00127; at 0.5: 22/64
        f.exit(suite(sim.url, "--min-score", "0.1", "--certify"), 0)
        f.exit(suite(sim.url, "--min-score", "0.5", "--certify"), 3)
        f.exit(suite(sim.url, "--min-score", "0.5"), 0)
        shown = suite(sim.url, "--min-score", "0.5", json_output=False)
    f.true("needed", "not certified at 95 %: 6 of 6 cases would do" in
           " ".join(shown.stdout.split()), shown.stdout)
    with answering(RIGHT) as a, answering(OTHER) as b:
        for value, want in (("0.8", 0), ("0.84", 1)):  # 5 / 6
            f.exit(suite([a.url, b.url], "--min-retention", value), want)


def a_case_that_flips_between_passes_is_not_passed(f):
    """The eighth request, the planet in the second pass, gets an answer without any text."""
    with answering(RIGHT, "--fault", "nothing@8") as sim:
        run = suite(sim.url, "--passes", "2")
    with answering(RIGHT, "--fault", "nothing@8") as sim:
        shown = suite(sim.url, "--passes", "2", json_output=False)
    score = run.endpoint()["score"]
    f.exit(run, 0)
    f.equal("by pass", [p["matched"] for p in run.endpoint()["passes"]], [6, 5])
    f.equal("passed, flipped", (score["passed"], score["flipped"]), (5, 1))
    f.equal("named", [flip["case"] for flip in run.endpoint()["flips"]], ["planet"])
    lines = [" ".join(x.split()) for x in shown.stdout.splitlines()]
    at = lines.index("flipped between passes of url-1: 1")
    f.equal("shown", lines[at + 1:at + 4], ["planet", 'pass 1 "Jupiter"',
                                          "pass 2 nothing (its tokens ran out)"])


def requests_in_flight_do_not_mix_answers_up(f):
    with answering(TWO_WRONG, "--slots", "4", "--jitter", "exponential") as sim:
        run = suite(sim.url, "--clients", "4", "--passes", "5")
        sim.stop()
    for number in range(1, 6):
        got = {name: row["answer"] for name, row in run.results(number=number).items()}
        f.equal(f"pass {number}", got, TWO_WRONG)
    f.equal("score", run.endpoint()["score"]["score"], 4 / 6)


def the_system_prompt_is_sent_and_hashed(f):
    """One prompt makes the server right, another wrong; the digest of the suite follows it."""
    texts = ("Be right.", "Be wrong.")
    rows = [{"contains": texts[1], "answer": "no"}] + [
        {"contains": f"[{name}]", "answer": text} for name, text in RIGHT.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.json")
        write(path, {"schema_version": "1.0", "document": "sim-answers", "answers": rows})
        with Sim("--answers", path, "--prefill", "1us") as sim:
            runs = [suite(sim.url, suite_document=document(system_prompt=t)) for t in texts]
    f.equal("scores", [r.endpoint()["score"]["passed"] for r in runs], [6, 0])
    hashes = [r.report["suite"] for r in runs]
    for key in ("sha256", "content_sha256", "system_prompt_sha256"):
        f.true(key, hashes[0][key] != hashes[1][key], hashes)


def a_report_survives_validate_and_a_changed_one_does_not(f):
    with tempfile.TemporaryDirectory() as folder, answering(TWO_WRONG) as sim:
        report, table = os.path.join(folder, "r.json"), os.path.join(folder, "r.csv")
        run = suite(sim.url, "--output", report, "--csv", table)
        f.exit(run, 0)
        f.equal("file", json.load(open(report)), run.report)
        f.equal("rows", len(open(table).read().splitlines()), 1 + 6)
        f.equal("valid", subprocess.run([BINARY, "validate", report], capture_output=True).returncode, 0)
        changed = json.load(open(report))
        changed["endpoints"][0]["score"]["passed"] += 1
        write(report, changed)
        done = subprocess.run([BINARY, "validate", report], capture_output=True, text=True)
        f.true("changed", done.returncode != 0 and "passed" in done.stdout + done.stderr,
               done.stdout + done.stderr)


if __name__ == "__main__":
    raise SystemExit(main([(f.__name__.replace("_", " "), f) for f in (
        the_score_is_the_share_of_right_answers,
        groups_and_answers_are_told,
        silence_and_echo_score_nothing,
        changed_sides_are_named_one_by_one,
        demands_are_exit_codes,
        a_case_that_flips_between_passes_is_not_passed,
        requests_in_flight_do_not_mix_answers_up,
        the_system_prompt_is_sent_and_hashed,
        a_report_survives_validate_and_a_changed_one_does_not,
    )]))
