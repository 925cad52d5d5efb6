"""suite.py LLAMA_SERVER WORK - scores of table models are those that their tables declare. TAP.

Each prompt ends in a state of the table, the likeliest token of that state is the greedy answer, so
what passes is counted from the table alone. Fidelity is algebra on the rows.
"""

import json
import math
import os
import pathlib
import subprocess
import sys

SERVER, WORK = sys.argv[1:3]
sys.argv = sys.argv[:1]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "quality"))
from suites import BINARY, document, main, suite, write  # noqa: E402
from llama_server import LlamaServer  # noqa: E402

# State, accepted answer, likeliest token in each model, its probability in each model.
ROWS = (
    ("capital of France?", "Paris", ("Paris", "Paris"), (0.9, 0.8)),
    ("capital of Spain?", "Madrid", ("Madrid", "Lisbon"), (0.7, 0.6)),
    ("largest planet?", "Jupiter", ("Saturn", "Jupiter"), (0.6, 0.9)),
    ("two and two?", "4", ("4", "5"), (0.95, 0.55)),
    ("colour of snow?", "white", ("black", "black"), (0.8, 0.8)),
    ("shout it!", "GO", ("GO", "GO"), (0.99, 0.9)),
    ("one more?", "yes", ("yes", "yes"), (0.75, 0.75)),
)
ANSWERS = ["Paris", "Madrid", "Lisbon", "Jupiter", "Saturn", "4", "5", "white", "black", "GO", "yes", "none"]


def row_of(model, state):
    """The likeliest token, and what is left on one other."""
    _, _, likeliest, chance = next(r for r in ROWS if r[0] == state)
    return {likeliest[model]: chance[model], "none": round(1 - chance[model], 6)}


def table(model):
    rows = [{"state": state, "next": row_of(model, state)} for state, *_ in ROWS]
    rows += [{"state": answer, "next": {"end": 1.0}} for answer in ANSWERS]
    return {"schema_version": "1.0", "document": "model-table", "name": f"suite-{model}",
            "vocabulary": [r[0] for r in ROWS] + ANSWERS, "rows": rows, "otherwise": {"end": 1.0}}


def passes(model):
    return [state for state, accepted, likeliest, _ in ROWS if likeliest[model] == accepted]


def case_id(state):
    return "".join(c for c in state.lower() if c.isalnum())


CASES = [{"id": case_id(state), "group": "all", "prompt": f"Tell me: {state}",
          "match_mode": "trimmed-exact", "accepted_answers": [accepted]} for state, accepted, *_ in ROWS]
CONTEXTS = [{"id": case_id(state), "prompt": f"Well, {state}"} for state, *_ in ROWS]
SUITE = document(CASES, fidelity={"contexts": CONTEXTS})


def synth(name, *args):
    path = os.path.join(WORK, name + ".gguf")
    if not os.path.exists(path):
        subprocess.run([BINARY, "model", "synth", *args, "--quiet", "-o", path], check=True,
                       stdout=subprocess.DEVNULL)
    return path


def server(model):
    path = os.path.join(WORK, f"table-{model}.json")
    write(path, table(model))
    return LlamaServer(SERVER, synth(f"table-{model}", "--table", path, "--type", "f16"),
                       "--ctx-size", "2048", "--parallel", "1")


def the_score_is_what_the_table_declares(f):
    for model in (0, 1):
        with server(model) as s:
            run = suite(s.url, "--passes", "2", suite_document=SUITE)
        want = passes(model)
        f.exit(run, 0)
        got = [name for name, outcome in run.outcomes().items() if outcome == "matched"]
        f.equal("passed", got, [case_id(state) for state in want])
        f.equal("score", run.endpoint()["score"]["score"], len(want) / len(ROWS))
        f.equal("answers", [r["answer"] for r in run.results().values()], [r[2][model] for r in ROWS])
        f.equal("origin", run.endpoint()["origin"], "constructed-weights")
        f.equal("kind", run.endpoint()["server"]["kind"], "llama-server")
        f.equal("flips", run.endpoint()["flips"], [])
        f.equal("cached", {r["cached_tokens"] for r in run.results(number=2).values()}, {0})


def two_tables_differ_in_the_cases_that_they_declare(f):
    lost = [case_id(s) for s in passes(0) if s not in passes(1)]
    gained = [case_id(s) for s in passes(1) if s not in passes(0)]
    with server(0) as a, server(1) as b:
        run = suite([f"a={a.url}", f"b={b.url}"], "--fidelity", suite_document=SUITE)
        shown = suite([f"a={a.url}", f"b={b.url}"], suite_document=SUITE, json_output=False)
    f.exit(run, 0)
    pair = run.endpoint("b")["comparison"]
    f.equal("lost, gained", (pair["only_reference"], pair["only_candidate"]), (lost, gained))
    f.equal("both, neither", (pair["both"], pair["neither"]),
            (sum(s in passes(1) for s in passes(0)), len(ROWS) - len(set(passes(0)) | set(passes(1)))))
    f.equal("retention", pair["retention"], (len(passes(1)) / len(ROWS)) / (len(passes(0)) / len(ROWS)))
    for what, names in (("lost", lost), ("gained", gained)):
        lines = shown.stdout.splitlines()
        at = lines.index(f"{what} by b against a: {len(names)}")
        f.equal(what, [x.strip() for x in lines[at + 1::3][:len(names)]], names)
    check_fidelity(f, run.endpoint("b")["fidelity"])
    report = os.path.join(WORK, "report.json")
    write(report, run.stdout)
    f.equal("valid", subprocess.run([BINARY, "validate", report], capture_output=True).returncode, 0)
    os.remove(report)


def divergence(p, q):
    """Of the reference's row from the candidate's; tokens that a table does not list have next to no
    probability there, which makes a divergence large and exact figures meaningless."""
    if any(token not in q for token in p):
        return None
    return math.fsum(p[t] * math.log(p[t] / q[t]) for t in p)


def check_fidelity(f, part):
    same = sum(r[2][0] == r[2][1] for r in ROWS)
    share = part["summary"]["reference_top1_agreement"]
    f.true("same likeliest", share is not None and math.isclose(share, same / len(ROWS)), part["summary"])
    contexts = {c["id"]: c["comparison"] for c in part["contexts"]}
    for state, *_ in ROWS:
        want = divergence(row_of(0, state), row_of(1, state))
        if want is not None:
            got = contexts[case_id(state)]["kl_nats"]
            f.true(f"KL of {state}", math.isclose(got, want, rel_tol=0.01, abs_tol=1e-4), (got, want))


def random_weights_are_not_judged(f):
    model = synth("tiny", "--shape", "tiny", "--type", "q8_0")
    with LlamaServer(SERVER, model, "--ctx-size", "2048", "--parallel", "1") as s:
        run = suite(s.url, "--min-score", "0.1", suite_document=SUITE)
        shown = suite(s.url, suite_document=SUITE, json_output=False)
    f.exit(run, 3)
    score = run.endpoint()["score"]
    f.equal("score", (score["score"], score["gap"], score["lower"]), (None, "synthetic-weights", None))
    f.equal("origin", run.endpoint()["origin"], "synthetic-weights")
    f.true("reason", "no score" in shown.stdout and "random weights" in shown.stdout, shown.stdout)


if __name__ == "__main__":
    raise SystemExit(main([(f.__name__.replace("_", " "), f) for f in (
        the_score_is_what_the_table_declares,
        two_tables_differ_in_the_cases_that_they_declare,
        random_weights_are_not_judged,
    )]))
