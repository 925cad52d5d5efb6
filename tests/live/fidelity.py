"""fidelity.py PARETOPILOT ASK_FIDELITY LLAMA_SERVER WORK - fidelity of table models, measured and computed.

Prints TAP. Expected values are computed here: from the probabilities that the tables declare, and
from the weights that the files hold (gguf_tensors.py), never by the program that is tested.
"""

import contextlib
import json
import math
import pathlib
import subprocess
import sys
import traceback

from gguf_tensors import read_tensors, tensors_of
from llama_server import LlamaServer

PARETOPILOT, ASK, LLAMA_SERVER, WORK = sys.argv[1:5]
TOLERANCE = 3e-4  # 1e-3 is promised; what halves round here makes less than 1e-4
LIKELIEST = 20

STATES = [" red", " green", " blue", " grey", " black", " white", " north", " south", " east", " west"]
# Of each state: what comes next, in the reference and in another model. Several are near ties, and in
# 3 of 10 the most probable token differs.
REFERENCE = {
    " red": {" green": 0.4, " blue": 0.35, " grey": 0.25},
    " green": {" blue": 0.34, " grey": 0.33, " red": 0.33},
    " blue": {" grey": 0.501, " red": 0.499},
    " grey": {" red": 0.9, " green": 0.1},
    " black": {" white": 0.97, " red": 0.02, " green": 0.01},
    " white": {" black": 0.26, " red": 0.25, " green": 0.25, " blue": 0.24},
    " north": {" south": 0.6, " east": 0.2, " west": 0.2},
    " south": {" north": 0.999, " east": 0.001},
    " east": {" west": 0.5, " north": 0.3, " south": 0.2},
    " west": {" east": 0.45, " north": 0.44, "end": 0.11},
}
OTHER = {
    " red": {" green": 0.45, " blue": 0.35, " grey": 0.2},
    " green": {" grey": 0.34, " blue": 0.33, " red": 0.33},  # another first
    " blue": {" red": 0.52, " grey": 0.48},  # another first
    " grey": {" red": 0.8, " green": 0.2},
    " black": {" white": 0.9, " red": 0.07, " green": 0.03},
    " white": {" black": 0.28, " red": 0.24, " green": 0.24, " blue": 0.24},
    " north": {" south": 0.5, " east": 0.3, " west": 0.2},
    " south": {" north": 0.99, " east": 0.01},
    " east": {" north": 0.4, " west": 0.35, " south": 0.25},  # another first
    " west": {" east": 0.5, " north": 0.4, "end": 0.1},
}

checks = 0
failures = 0


def check(passed, name, *notes):
    global checks, failures
    checks += 1
    failures += not passed
    print("%s %d - %s" % ("ok" if passed else "not ok", checks, name))
    for note in notes:
        print("# " + str(note))
    sys.stdout.flush()


# ---- models ----------------------------------------------------------------------------------------


def write_table(name, rows):
    path = "%s/%s.json" % (WORK, name)
    table = {
        "schema_version": "1.0", "document": "model-table", "name": name, "vocabulary": STATES,
        "rows": [{"state": state, "next": rows[state]} for state in STATES],
        "otherwise": {"end": 1}, "endless": True,
    }
    pathlib.Path(path).write_text(json.dumps(table), encoding="utf-8")
    return path


def synth(table, weight_type):
    path = "%s-%s.gguf" % (table[:-len(".json")], weight_type)
    subprocess.run([PARETOPILOT, "model", "synth", "--table", table, "--type", weight_type, "-o", path],
                   check=True, stdout=subprocess.DEVNULL)
    return path


def spoil_blocks(model, path):
    """A copy whose answers are the same and whose Q4_0 is coarse: beside each logit, where the hidden
    state is 0, stands a number that takes its block's scale. The tables' own files lose nothing."""
    data = bytearray(pathlib.Path(model).read_bytes())
    _, tensors = tensors_of(data)
    output = tensors["output.weight"]
    for row in range(output.rows):
        for slot in range(0, output.width, 32):
            output.set(row, slot + 1, 0.05 + 0.01 * ((7 * row + slot // 32) % 12))
    pathlib.Path(path).write_bytes(data)
    return path


def quantise(model, path):
    program = str(pathlib.Path(LLAMA_SERVER).parent / "llama-quantize")
    subprocess.run([program, "--pure", model, path, "Q4_0"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=60)
    return path


def contexts(prompts):
    path = WORK + "/contexts.json"
    pathlib.Path(path).write_text(json.dumps([{"id": "c" + str(i), "prompt": p} for i, p in enumerate(prompts)]))
    return path


# ---- what is expected ------------------------------------------------------------------------------


def declared(rows):
    """Distributions by name; what is not listed has e^-32 each, which no figure here shows."""
    return [dict(rows[state]) for state in STATES]


def softmax(logits):
    top = max(logits)
    exps = [math.exp(x - top) for x in logits]
    total = math.fsum(exps)
    return [e / total for e in exps]


def of_weights(path):
    """Distributions that the file's weights give after each state: the embedding of the state, RMS
    normalised, times the output matrix (docs/method/table-models.md: nothing else is added to it)."""
    keys, tensors = read_tensors(path)
    tokens = keys["tokenizer.ggml.tokens"]
    for name, tensor in tensors.items():  # what this computation leaves out is zero indeed
        if "attn_output" in name or "ffn_down" in name:
            assert all(x == 0 for n in (0, tensor.rows - 1) for x in tensor.row(n)), name
    epsilon = keys["llama.attention.layer_norm_rms_epsilon"]
    gain = tensors["output_norm.weight"].row(0)
    output = [tensors["output.weight"].row(i) for i in range(len(tokens))]
    out = []
    for state in STATES:
        x = tensors["token_embd.weight"].row(tokens.index(state))
        scale = 1 / math.sqrt(math.fsum(v * v for v in x) / len(x) + epsilon)
        slots = [(i, v * scale * gain[i]) for i, v in enumerate(x) if v != 0]
        p = softmax([math.fsum(v * row[i] for i, v in slots) for row in output])
        out.append({i: value for i, value in enumerate(p)})
    return out


def divergence(p, q):
    """Over the 20 likeliest of p and one bin for the rest."""
    likeliest = sorted(p, key=p.get, reverse=True)[:LIKELIEST]
    bins = [(p[t], q.get(t, 0)) for t in likeliest]
    bins.append((1 - math.fsum(a for a, _ in bins), 1 - math.fsum(b for _, b in bins)))
    return math.fsum(a * math.log(a / b) for a, b in bins if a > 1e-9)


def first(p):
    return max(p, key=p.get)


# ---- what is measured ------------------------------------------------------------------------------


class Endpoint:
    def __init__(self, url):
        self.url = url

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def server(model, *options):
    return LlamaServer(LLAMA_SERVER, model, "--threads-batch", "1", "--ctx-size", "2048", "--parallel", "1",
                       "--offline", *options)


def ask(reference, candidate, prompts, origin="constructed-weights", how=()):
    done = subprocess.run([ASK, reference.url, candidate.url, contexts(prompts), origin, *how],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    assert done.returncode == 0, "exit %d: %s" % (done.returncode, done.stderr.decode())
    return json.loads(done.stdout)


def compare(name, part, expected_p, expected_q):
    """Each context and the summary against what is computed."""
    kls = [divergence(p, q) for p, q in zip(expected_p, expected_q)]
    same = [first(p) == first(q) for p, q in zip(expected_p, expected_q)]
    seen = [c["comparison"] for c in part["contexts"]]
    off = [abs(c["kl_nats"] - kl) for c, kl in zip(seen, kls)]
    summary = part["summary"]
    n = len(kls)
    check(len(seen) == n and max(off) <= TOLERANCE, name + ": the divergence of each context is as computed",
          "largest |measured - computed| %.1e nats; computed %.6f to %.6f" % (max(off), min(kls), max(kls)))
    check([c["agrees"] for c in seen] == same, name + ": the contexts that agree are those that should",
          "%d of %d" % (sum(same), n))
    check(summary["gap"] is None and summary["compared_count"] == n and summary["agree_count"] == sum(same)
          and summary["reference_top1_agreement"] == sum(same) / n
          and abs(summary["reference_kl_nats_mean"] - math.fsum(kls) / n) <= TOLERANCE
          and abs(summary["reference_kl_nats_max"] - max(kls)) <= TOLERANCE,
          name + ": the summary is as computed", json.dumps(summary))
    return kls


def check_tables(models):
    """Two tables in F16: the declared probabilities themselves."""
    prompts = ["any words" + state for state in STATES]
    want = declared(REFERENCE), declared(OTHER)
    with server(models["reference-f16"]) as a, server(models["other-f16"]) as b:
        part = ask(a, b, prompts)
        kls = compare("two tables", part, *want)
        worst = "c%d" % kls.index(max(kls))
        check(part["summary"]["reference_kl_max_context"] == worst, "two tables: the largest divergence names its context", worst)
        check(part["origin"] == part["candidate_origin"] == "constructed-weights", "two tables: the origin stays")
        again = ask(a, b, prompts)
        check(again == part, "two tables: asked again, the same document")
        same = ask(a, a, prompts)["summary"]
        check(same["reference_top1_agreement"] == 1 and same["reference_kl_nats_max"] == 0, "a server against itself: no divergence")
        refused = ask(a, b, prompts, "synthetic-weights")["summary"]
        check(refused["gap"] == "synthetic-weights" and refused["reference_kl_nats_mean"] is None,
              "random weights: refused, without figures")
        compare("chats", ask(a, b, prompts, how=["chat"]), *want)
        compare("chats of another kind of server", ask(a, b, prompts, how=["openai"]), *want)


def check_types(models):
    """One table in three types: the weights of the files, dequantised here."""
    prompts = ["any words" + state for state in STATES]
    for weight_type in ("q4_0", "q8_0"):
        with server(models["reference-f16"]) as a, server(models["reference-" + weight_type]) as b:
            part = ask(a, b, prompts)
        compare(weight_type + " against f16", part, of_weights(models["reference-f16"]),
                of_weights(models["reference-" + weight_type]))
    with server(models["reference-f16"]) as a, server(models["other-q4_0"]) as b:
        compare("another table in q4_0", ask(a, b, prompts), of_weights(models["reference-f16"]),
                of_weights(models["other-q4_0"]))


def check_loss(models):
    """What a quantisation really loses: llama-quantize's Q4_0 of blocks that hold more than a logit."""
    prompts = ["any words" + state for state in STATES]
    spoilt = spoil_blocks(models["reference-f16"], WORK + "/spoilt-f16.gguf")
    coarse = quantise(spoilt, WORK + "/spoilt-q4_0.gguf")
    with server(spoilt) as a, server(coarse) as b:
        part = ask(a, b, prompts)
    kls = compare("a coarse q4_0 of one model", part, of_weights(spoilt), of_weights(coarse))
    check(max(kls) > 30 * TOLERANCE, "a coarse q4_0 of one model: the loss is far above the tolerance", "%.4f nats" % max(kls))


# ---- what is refused -------------------------------------------------------------------------------


def check_speculation(models):
    draft = ["--spec-type", "draft-simple", "--spec-draft-model", models["other-f16"], "--spec-draft-n-max", "3",
             "--spec-draft-n-min", "0", "--spec-draft-p-min", "0"]
    prompts = ["x" + state for state in STATES[:2]]
    with server(models["reference-f16"]) as a, server(models["reference-f16"], *draft) as b:
        for name, part, gap in (("a candidate", ask(a, b, prompts), "candidate-refused"),
                                ("a reference", ask(b, a, prompts), "reference-refused")):
            s = part["summary"]
            check(s["gap"] == gap and s["gap_refusal"] == "speculation" and s["reference_top1_agreement"] is None
                  and s["reference_kl_nats_mean"] is None, name + " that speculates is refused", json.dumps(s))


@contextlib.contextmanager
def sim(*faults):
    command = [PARETOPILOT, "sim"]
    for fault in faults:
        command += ["--fault", fault]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield Endpoint(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait(20)


def check_sim():
    prompts = ["a", "b", "c"]
    with sim() as good:
        s = ask(good, good, prompts, "simulated")["summary"]
        check(s["gap"] is None and s["reference_top1_agreement"] == 1 and s["reference_kl_nats_mean"] == 0,
              "the simulated server agrees with itself", json.dumps(s))
        for fault, refusal in (("zero-logprobs", "all-zero"), ("status:500", "request-failed")):
            with sim(fault) as bad:
                part = ask(good, bad, prompts, "simulated")
            s = part["summary"]
            check(s["gap"] == "candidate-refused" and s["gap_refusal"] == refusal and s["reference_kl_nats_mean"] is None,
                  "sim --fault %s: refused as %s" % (fault, refusal), part["contexts"][0]["candidate_why"])
        with sim("draft-fields") as other:
            s = ask(good, other, prompts, "simulated")["summary"]
        check(s["gap"] is None, "counters of 0 drafted tokens are no speculation", json.dumps(s))
        with sim("status:500@2") as bad:
            part = ask(good, bad, prompts, "simulated")
        s = part["summary"]
        check(s["gap_context"] == "c1" and s["compared_count"] == 2 and s["reference_top1_agreement"] is None,
              "one failed request: named, and no figure of the others alone", json.dumps(s))


def main():
    try:
        tables = {name: write_table(name, rows) for name, rows in (("reference", REFERENCE), ("other", OTHER))}
        models = {"%s-%s" % (name, t): synth(path, t) for name, path in tables.items() for t in ("f16", "q8_0", "q4_0")}
        check_tables(models)
        check_types(models)
        check_loss(models)
        check_speculation(models)
        check_sim()
    except Exception as problem:  # the plan is not printed then, and the harness sees that
        traceback.print_exc()
        print("Bail out! %s: %s" % (type(problem).__name__, str(problem).replace("\n", " | ")))
        return 1
    print("1..%d" % checks)
    return failures != 0


sys.exit(main())
