"""Documents against their tables and against an independent validator of JSON Schema.

schemas.py          the documents of the source tree, and broken ones made of them; TAP
schemas.py FOLDER   every JSON file of a bundle; one line for each that is refused; exit 1 if any

The program's tables are asked through check_documents, the schemas through `paretopilot schema`.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
from functools import partial

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from tap import Report

BINARY = os.environ["PARETOPILOT_BINARY"]
CHECKER = os.environ["PARETOPILOT_CHECK_DOCUMENTS"]

# Which document a file must be: by its place in a bundle, or in the source tree.
BUNDLE = [
    (r"status\.json", "status"),
    (r"plan\.json", "study-plan"),
    (r"journal\.jsonl", "journal"),
    (r"journal\.jsonl\.torn-\d+-\d+", None),  # the beginning of a line
    (r"environment/paretopilot-doctor\.json", "host"),
    (r"environment/(engines/[^/]+/)?engine\.json", "engine"),
    (r"models/[^/]+\.json", "model-info"),
    (r"preflight/[^/]+/server-command\.json", "server-command"),
    (r"preflight/[^/]+/endpoint\.json", "endpoint"),
    (r"experiment/candidates/[^/]+/endpoint-pass-\d+\.json", "endpoint"),
    (r"(preflight/[^/]+/gateway|experiment/candidates/[^/]+/(gateway-pass-\d+|load-gateway))/access\.jsonl", "access-log"),
    (r"experiment/candidates/[^/]+/serve-config\.json", "serve-config"),
    (r"experiment/constraints\.json", "constraints"),
    (r"experiment/benchmark-set\.json", "benchmark-set"),
    (r"experiment/recommendation\.json", "recommendation"),
    (r"experiment/decision-details\.json", "decision-details"),
    (r"experiment/candidates/[^/]+/settings\.json", "settings"),
    (r"experiment/candidates/[^/]+/throughput-command\.json", "bench-command"),
    (r"experiment/candidates/[^/]+/server-command-pass-\d+\.json", "server-command"),
    (r"experiment/candidates/[^/]+/(throughput|requests)-run-pass-\d+\.json", "study-run"),
    (r"experiment/candidates/[^/]+/load-run\.json", "study-run"),
    (r"extensions/load/[^/]+/run\.json", "study-run"),
    (r"extensions/load/[^/]+/server-command\.json", "server-command"),
    (r"extensions/load/[^/]+/endpoint\.json", "endpoint"),
    (r"extensions/load/[^/]+/load-report\.json", "load-report"),
    (r"extensions/load/[^/]+/samples\.jsonl", "samples"),
    (r"extensions/load/[^/]+/load-evaluation\.json", "load-evaluation"),
    (r"extensions/load-evaluation\.json", "combined-load"),
    (r"extensions/load-plan\.json", "load-plan"),
    (r"extensions/policy-config\.json", "policy-set"),
    (r"extensions/policy-profiles\.json", "profiles"),
    (r"extensions/decision-passport\.json", "passport"),
    (r"extensions/benchmark-set-pass-\d+\.json", "benchmark-set"),
    (r"extensions/repeat-stability\.json", "stability"),
    (r"experiment/candidates/[^/]+/load-server-command\.json", "server-command"),
    (r"experiment/candidates/[^/]+/load-endpoint\.json", "endpoint"),
    (r"experiment/candidates/[^/]+/load-report\.json", "load-report"),
    (r"experiment/candidates/[^/]+/load-samples\.jsonl", "samples"),
    (r"experiment/candidates/[^/]+/resource-measurement-pass-\d+\.json", "resource-measurement"),
    (r"experiment/candidates/[^/]+/samples-pass-\d+\.jsonl", "samples"),
    (r"experiment/candidates/[^/]+/raw/suite-pass-\d+\.jsonl", "suite-replies"),
    (r"experiment/evaluation-suite\.json", "quality-suite"),
    (r"experiment/quality-report\.json", "suite-report"),
    (r"context/[^/]+/profile\.json", "profile-run"),
    (r"context/[^/]+/server-command\.json", "server-command"),
    (r"context/.*", None),  # what the profiling command wrote
    # Other programs' documents: rows of llama-bench, and what llama-server was asked.
    (r"experiment/candidates/[^/]+/raw/.*", None),
]
TREE = [
    (r"examples/recommend/benchmarks\.json", "benchmark-set"),
    (r"examples/recommend/constraints\.json", "constraints"),
    (r"examples/stability/[^/]+\.json", "benchmark-set"),
    (r"examples/(recommend|qwen2\.5-ladder)/policies\.json", "policy-set"),
    (r"examples/load/plan\.json", "load-plan"),
    (r"examples/load/[^/]+\.json", "load-evaluation"),
    (r"examples/[^/]+/plan\.json", "study-plan"),
    (r"examples/sim/[^/]+\.json", "sim-answers"),
    (r"examples/serve/[^/]+\.json", "serve-config"),
    (r"tests/golden/study-plan/serve-config-refused/d/serve\.json", ""),
    (r"tests/golden/study-plan/[^/]+/d/serve\.json", "serve-config"),
    (r"tests/golden/serve/no-back-ends/c\.json", ""),  # refused
    (r"tests/golden/serve/[^/]+/c\.json", "serve-config"),
    (r"examples/suites/[^/]+\.json", "quality-suite"),
    (r"examples/tables/[^/]+\.json", "model-table"),
    (r"examples/suites/[^/]+\.json", "quality-suite"),
    (r"tests/fixtures/quality/behaviour-answers\.json", ""),  # no document of the program's
    (r"examples/llama-bench/(generic|kleidiai)\.json", "llama-bench-summary"),
    (r"examples/llama-bench/.*", ""),  # rows of llama-bench and free settings
    (r"tests/golden/(import|summarize)-llama-bench/[^/]+/(settings\.json|(rows|a|b)\.jsonl?)", ""),
    (r"tests/golden/import-llama-bench/[^/]+/written/set\.json", "benchmark-set"),
    (r"tests/golden/(summarize-llama-bench)/[^/]+/written/out\.json", "llama-bench-summary"),
    (r"tests/golden/compare-llama-bench/(written|printed)/(generic|kleidiai)\.json", "llama-bench-summary"),
    (r"tests/golden/compare-llama-bench/[^/]+/(generic|kleidiai)\.json", ""),  # some are broken
    (r"tests/golden/compare-llama-bench/[^/]+/written/out\.json", "llama-bench-comparison"),
    (r"tests/golden/validate/[^/]+/written/out\.json", "validation"),
    (r"tests/golden/validate/loads/plan\.json", "load-plan"),
    (r"tests/golden/validate/loads/combined\.json", "combined-load"),
    (r"tests/golden/validate/loads/[^/]+\.json", "load-evaluation"),
    (r"tests/golden/validate/evaluations/(binding|other-files)\.json", "capacity-quality-binding"),
    (r"tests/golden/validate/evaluations/[^/]+\.json", "server-evaluation"),
    (r"tests/golden/combine-load/no-evaluation/plan\.json", "load-plan"),
    (r"tests/golden/report/load-reports/(first|second)\.json", "load-report"),
    (r"tests/golden/report/load-twice/load\.json", "combined-load"),
    (r"tests/golden/report/every-document/load\.json", "combined-load"),
    (r"tests/golden/report/load-other-candidates/load\.json", "load-evaluation"),
    (r"tests/golden/report/(every-document|stability-other-baseline)/stability\.json", "stability"),
    (r"tests/golden/report(/index-unverified|-compare)/.*/benchmark-set\.json", "benchmark-set"),
    (r"tests/golden/report(/index-unverified|-compare)/.*/constraints\.json", "constraints"),
    (r"tests/golden/report(/index-unverified|-compare)/.*/status\.json", ""),  # of bundles that nobody measured
    (r"tests/golden/combine-load/[^/]+/written/combined\.json", "combined-load"),
    (r"tests/golden/combine-load/[^/]+/\w+\.json", "load-evaluation"),
    (r"tests/golden/load/plan-invalid/plan\.json", ""),  # its rule is between values
    (r"tests/golden/load/[^/]+/plan\.json", "load-plan"),
    (r"tests/golden/load/[^/]+/(load|canonical)\.json", ""),  # command lines of the original's form
    (r"tests/golden/validate/.*", ""),  # copies, and what is no document
    (r"tests/golden/model-synth/table-(bad-json|other-document)/t\.json", ""),  # neither is one
    (r"tests/golden/model-synth/table-[^/]+/t\.json", "model-table"),
    (r"tests/fixtures/report/.*-set\.json", "benchmark-set"),
    (r"tests/fixtures/report/.*-constraints\.json", "constraints"),
    (r"tests/fixtures/decision/.*-benchmarks\.json", "benchmark-set"),
    (r"tests/fixtures/decision/.*-constraints\.json", "constraints"),
    (r"tests/fixtures/decision/.*-policies\.json", "policy-set"),
    (r"tests/fixtures/published/benchmark-set\.json", "benchmark-set"),
    (r"tests/fixtures/published/constraints\.json", "constraints"),
    (r"tests/fixtures/load/load-report-find\.json", "load-report"),
    (r"tests/fixtures/load/samples(-find)?\.jsonl", "samples"),
    (r"tests/golden/suite/suite-broken/suite\.json", ""),  # broken on purpose
    (r"tests/golden/suite/[^/]+/suite\.json", "quality-suite"),
    (r"tests/golden/suite/[^/]+/other\.json", "sim-answers"),
    (r"tests/fixtures/study/(steps-|killed/)?plan(-2)?\.json", "study-plan"),
    (r"tests/fixtures/study/killed/journal\.jsonl", ""),  # cut off in the middle of a line
    (r"tests/golden/study-\w+/killed(-json)?/d/journal\.jsonl", ""),  # the same
    (r"tests/golden/study-\w+/[^/]+/d/journal\.jsonl", "journal"),
    (r"tests/golden/study-\w+/[^/]+/d/plan\.json", "study-plan"),
    (r"tests/golden/(load|sim)/[^/]+/.*", ""),  # broken on purpose
    (r"tests/fixtures/documents/journal(-\w+)?\.jsonl", "journal"),
    (r"tests/fixtures/quality/suite-[^/]+\.json", "quality-suite"),
    (r"tests/fixtures/documents/quality-suite(-\w+)?\.json", "quality-suite"),
    (r"tests/fixtures/quality/suite-1\.0\.json", "quality-suite"),
    (r"tests/fixtures/documents/(?P<kind>[\w-]+)\.jsonl?", None),
    (r"tests/golden/recommend/byte-order-mark/constraints\.json", ""),  # no document
    (r"tests/golden/[^/]+/[^/]+/benchmarks\.json", "benchmark-set"),
    (r"tests/golden/[^/]+/[^/]+/constraints\.json", "constraints"),
    (r"tests/golden/recommend/[^/]+/written/recommendation\.json", "recommendation"),
    (r"tests/golden/recommend/[^/]+/written/decision-details\.json", "decision-details"),
    (r"tests/golden/summarize-stability/[^/]+/[ab]\.json", "benchmark-set"),
    (r"tests/golden/summarize-stability/written/written/stability\.json", "stability"),
    (r"tests/golden/profiles/(bad-[^/]+|list-on-top|latin-1)/policies\.json", ""),  # no documents
    (r"tests/golden/(profiles|report)/[^/]+/policies\.json", "policy-set"),
    (r"tests/golden/profiles/[^/]+/written/profiles\.json", "profiles"),
    (r"tests/golden/(recommend|profiles|summarize-stability)/output-exists/taken\.json", ""),  # stands in the way; no document
    (r"tests/golden/passport/[^/]+/written/passport\.json", "passport"),
    (r"tests/golden/validate/stability-altered/(whole|altered)\.json", "stability"),
    (r"tests/golden/validate/passport-altered/(whole|altered)\.json", "passport"),
    (r"tests/golden/ci-gate/[^/]+/written/.*/gate\.json", "gate"),
    (r"tests/golden/ci-gate/[^/]+/written/.*/regression\.json", "regression"),
    (r"tests/golden/ci-gate/[^/]+/written/.*/recommendation\.json", "recommendation"),
    (r"tests/golden/ci-gate/[^/]+/written/.*/decision-passport\.json", "passport"),
    (r"tests/golden/ci-gate/[^/]+/written/failure\.json", "gate-failure"),
    (r"tests/golden/ci-gate/[^/]+/earlier\.json", "recommendation"),
    (r"tests/golden/ci-gate/[^/]+/study/experiment/benchmark-set\.json", "benchmark-set"),
    (r"tests/golden/ci-gate/[^/]+/study/experiment/constraints\.json", "constraints"),
    (r"tests/golden/passport/output-exists/passport\.json", ""),  # stands in the way; no document
    (r"tests/golden/recommend/output-exists/taken\.json", ""),  # stands in the way; no document
]
# What a command prints with --json, by its name and its exit code.
PRINTED = {
    ("ci-gate", 0): "gate",
    ("ci-gate", 1): "gate-failure",
    ("doctor", 0): "doctor",
    ("import llama-bench", 0): "benchmark-set",
    ("summarize-llama-bench", 0): "llama-bench-summary",
    ("compare-llama-bench", 0): "llama-bench-comparison",
    ("validate", 0): "validation",
    ("validate", 1): "validation",
    ("validate", 2): "validation",
    ("model info", 0): "model-info",
    ("model synth", 0): "model-synth",
    ("profiles", 0): "profiles",
    ("profiles", 1): "decision-details",
    ("passport", 0): "passport-result",
    ("passport", 1): "passport-result",
    ("optimization-receipt", 0): "receipt-result",
    ("optimization-receipt", 1): "receipt-result",
    ("recommend", 0): "recommendation",
    ("recommend", 1): "decision-details",
    ("study resume", 0): "study-summary",
    ("study run", 0): "study-summary",
    ("study status", 0): "study-status",
    ("verify", 0): "verification",
    ("verify", 1): "verification",
    ("verify", 3): "verification",
    ("combine-load", 0): "combined-load",
    ("summarize-stability", 0): "stability",
}
# Written to be refused.
REFUSED = {
    "tests/golden/profiles/hostile-key/policies.json",
    "tests/golden/profiles/profile-id/policies.json",
    "tests/golden/profiles/tolerance-range/policies.json",
    "tests/golden/profiles/unknown-key/policies.json",
    *(f"tests/golden/{command}/unknown-key/constraints.json" for command in ("recommend", "passport", "optimization-receipt")),
}

# Put in the place of every value of a document in turn.
STRANGERS = [None, "", " ", "x", "0" * 64, "A" * 64, -1, 0, 1, 0.5, 2**62, True, [], [0], {}, {"": 1}, {"x": "y"}]
MUTANTS_PER_DOCUMENT = 1500


def schema_of(kind):
    out = subprocess.run([BINARY, "schema", kind], capture_output=True, check=True).stdout
    return json.loads(out)


class Known:
    """Parts of one document that are known to be valid, each with the schema that says so.

    What is changed in the document shares every other part with it, and those need no second look: the
    same object against the same schema. Most of the time of this test would go there."""

    def __init__(self, document, schema):
        self.document = document  # kept: its parts are known by identity
        self.valid = set()
        self.is_learning = True
        own = {"properties": self.properties, "items": self.items}
        self.validator = extend(Draft202012Validator, own)(schema)
        list(self.validator.iter_errors(document))
        self.is_learning = False

    def part(self, validator, part, schema, **path):
        key = id(part), id(schema)
        if key in self.valid:
            return
        errors = list(validator.descend(part, schema, **path))
        if self.is_learning and not errors:
            self.valid.add(key)
        yield from errors

    def properties(self, validator, schemas, instance, _):
        if validator.is_type(instance, "object"):
            for name, schema in schemas.items():
                if name in instance:
                    yield from self.part(validator, instance[name], schema, path=name, schema_path=name)

    def items(self, validator, schema, instance, _):
        if validator.is_type(instance, "array"):
            for index, item in enumerate(instance):
                yield from self.part(validator, item, schema, path=index)


class Schemas:
    def __init__(self):
        self.validators = {}

    def validator(self, kind):
        if kind not in self.validators:
            self.validators[kind] = Draft202012Validator(schema_of(kind))
        return self.validators[kind]

    def first_error(self, kind, document):
        return first_error(self.validator(kind), document)


def first_error(validator, document):
    for error in validator.iter_errors(document):
        return f"$.{'.'.join(str(part) for part in error.path)}: {error.message[:200]}"
    return None


def read(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n")[:-1]]
    return [json.loads(text)]


def by_table(path):
    """Kind and refusal (None when it is valid), as the tables have it."""
    line = subprocess.run([CHECKER, str(path)], capture_output=True, text=True).stdout
    kind, verdict, rest = line.rstrip("\n").split(" ", 2)
    return kind, None if verdict == "ok" else rest


def kind_by_path(rules, name):
    for pattern, kind in rules:
        match = re.fullmatch(pattern, name)
        if match:
            return match.groupdict().get("kind", kind)
    raise LookupError(f"{name}: which document is this? Say so in tests/support/schemas.py")


def faults(schemas, path, kind):
    """What is wrong with a document that must be one of this kind."""
    found, refusal = by_table(path)
    if found != kind:
        yield f"recognised as {found}, expected {kind}"
    if refusal:
        yield f"by the table: {refusal}"
    for number, document in enumerate(read(path), 1):
        error = schemas.first_error(kind, document)
        if error:
            yield f"by the schema, document {number}: {error}"


def check_bundle(folder):
    schemas = Schemas()
    count = 0
    bad = 0
    for path in sorted(folder.rglob("*.json*")):
        try:
            place = re.sub(r"^attempts/.+?/attempt-\d+/", "", path.relative_to(folder).as_posix())
            kind = kind_by_path(BUNDLE, place)
            errors = list(faults(schemas, path, kind)) if kind else []
        except (LookupError, ValueError) as error:
            kind, errors = "?", [str(error)]
        count += kind is not None
        bad += bool(errors)
        for error in errors:
            print(f"{path}: {error}")
    print(f"{count} documents, {bad} refused")
    return 0 if count > 0 and bad == 0 else 1


# ---- broken documents ---------------------------------------------------------------------------


def places(value, path=()):
    """Path of every value; of a list only the first two items."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, path + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value[:2]):
            yield from places(inner, path + (index,))


def changed(document, path, change):
    """A copy that shares with the document what is not on the path."""
    if not path:
        return change(document)
    copy = document.copy()
    copy[path[0]] = changed(document[path[0]], path[1:], change)
    return copy


def without(document, path):
    return changed(document, path[:-1], lambda v: {key: inner for key, inner in v.items() if key != path[-1]})


def value_at(document, path):
    for part in path:
        document = document[part]
    return document


def mutants(document):
    """(what is done, function that makes the document): each key left out, an unknown one added, each value replaced."""
    for path in places(document):
        value = value_at(document, path)
        where = "/".join(str(part) for part in path)
        if path and isinstance(path[-1], str):
            yield f"without {where}", partial(without, document, path)
        if isinstance(value, dict):
            yield f"unknown key in {where}", partial(changed, document, path, lambda v: {**v, "colour": "red"})
        if isinstance(value, list):
            yield f"emptied {where}", partial(changed, document, path, lambda v: [])
        for stranger in STRANGERS:
            yield f"{where} = {stranger!r}", partial(changed, document, path, lambda v, s=stranger: s)


def verdicts_by_table(kind, documents):
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    out = subprocess.run([CHECKER, "--kind", kind], input=lines, capture_output=True, text=True, check=True)
    return out.stdout.splitlines()


def check_mutants(schemas, kind, document):
    """(number refused, number made, disagreements)"""
    made = list(mutants(document))
    if len(made) > MUTANTS_PER_DOCUMENT:
        made = random.Random(kind).sample(made, MUTANTS_PER_DOCUMENT)
    made = [(name, make()) for name, make in made]  # after the choice: of a large document there are many
    verdicts = verdicts_by_table(kind, [mutant for _, mutant in made])
    known = Known(document, schemas.validator(kind).schema)
    refused = 0
    disagreements = []
    for (name, mutant), verdict in zip(made, verdicts):
        error = first_error(known.validator, mutant)
        refused += error is not None
        if (error is None) != (verdict == "ok"):
            disagreements.append(f"{name}: table: {verdict}; schema: {error or 'ok'}")
    if len(verdicts) != len(made):
        disagreements.append(f"{len(made)} documents, {len(verdicts)} verdicts")
    return refused, len(made), disagreements


# ---- the source tree ----------------------------------------------------------------------------


def documents_of_tree(root):
    """(path, kind) of every document of ours in the source tree."""
    for folder in ("examples", "tests/fixtures", "tests/golden"):
        for path in sorted((root / folder).rglob("*.json*")):
            if path.is_file():
                name = path.relative_to(root).as_posix()
                kind = kind_by_path(TREE, name)
                if kind != "" and name not in REFUSED:
                    yield path, kind
    for args in sorted((root / "tests/golden").glob("*/*/args")):
        words = args.read_text(errors="replace").split("\n")
        if "--json" not in words or not (args.parent / "stdout").exists():
            continue
        exit_file = args.parent / "exit"
        code = int(exit_file.read_text()) if exit_file.exists() else 0
        name = words[0] if (words[0], code) in PRINTED else " ".join(words[:2])
        yield args.parent / "stdout", PRINTED[(name, code)]


def check_tree(root):
    report = Report()
    schemas = Schemas()
    samples = {}
    kinds = [line.split()[0] for line in subprocess.run([BINARY, "schema"], capture_output=True, text=True).stdout.splitlines()]

    for kind in kinds:
        try:
            Draft202012Validator.check_schema(schema_of(kind))
            errors = []
        except Exception as error:  # whatever the validator finds is the finding
            errors = [str(error)[:400]]
        report.test(f"the schema of {kind} is a JSON Schema of draft 2020-12", errors)
    for path, kind in documents_of_tree(root):
        report.test(f"{path.relative_to(root)} is a valid {kind}", list(faults(schemas, path, kind))[:5])
        for document in read(path):
            samples.setdefault((kind, frozenset(document)), document)
    for name in sorted(REFUSED):
        kind = kind_by_path(TREE, name)
        document = read(root / name)[0]
        refused = by_table(root / name)[1] and schemas.first_error(kind, document)
        report.test(f"{name} is refused by table and schema", [] if refused else ["accepted"])
    missing = [kind for kind in kinds if kind not in {kind for kind, _ in samples}]
    report.test("there is a document of every kind", [f"none of {kind}" for kind in missing])
    for (kind, _), document in sorted(samples.items(), key=lambda item: item[0][0]):
        refused, made, disagreements = check_mutants(schemas, kind, document)
        few = [f"only {refused} of {made} broken documents were refused"] if refused < made // 3 else []
        report.test(f"{refused} of {made} changed documents of {kind} are refused, by table and schema alike", (disagreements + few)[:5])
    return report.end()


if len(sys.argv) > 1:
    sys.exit(check_bundle(pathlib.Path(sys.argv[1])))
sys.exit(check_tree(pathlib.Path(os.environ["PARETOPILOT_SOURCE"])))
