"""study_plan.py models PLAN | repetitions N PLAN - what scripts need of a study plan.

models       id, path, size, SHA-256 and address ("" for none) of each model, each ended by a NUL
repetitions  the plan with N repetitions of llama-bench per pass, in managed and verbatim candidates; all
             else stays. Where it has N already the very same bytes are printed, so its digest stays, too.

Checks what it uses; `paretopilot validate` checks the whole. Exit 2 with a reason when a plan is wrong.
"""

import json
import pathlib
import re
import sys

KINDS = {str: "text", int: "an integer", list: "a list", dict: "an object"}


class Refused(Exception):
    pass


def once(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def read(path):
    try:
        data = pathlib.Path(path).read_bytes()
        return data, json.loads(data.decode("utf-8"), object_pairs_hook=once)
    except (OSError, ValueError, RecursionError) as error:
        raise Refused(f"cannot be read: {error}") from error


def member(at, value, key, kind):
    if type(value) is not dict:
        raise Refused(f"{at}: expected an object")
    found = value.get(key)
    if type(found) is not kind:
        raise Refused(f"{at}.{key}: expected {KINDS[kind]}, found {json.dumps(found)[:60]}")
    return found


def model_fields(at, model):
    fields = [member(at, model, key, str) for key in ("id", "path", "sha256")]
    size = member(at, model, "size_bytes", int)
    url = member(at, model, "url", str) if "url" in model else ""
    path = pathlib.PurePosixPath(fields[1])
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise Refused(f"{at}.path: expected a path inside the folder, found {fields[1]!r}")
    if not re.fullmatch("[0-9a-f]{64}", fields[2]):
        raise Refused(f"{at}.sha256: expected 64 lower-case hexadecimal digits, found {fields[2]!r}")
    if size < 1:
        raise Refused(f"{at}.size_bytes: expected at least 1, found {size}")
    return [fields[0], fields[1], str(size), fields[2], url]


def models(plan):
    rows = []
    for number, model in enumerate(member("$", plan, "models", list)):
        rows += model_fields(f"$.models[{number}]", model)
    if any("\0" in field for field in rows):
        raise Refused("$.models: a text holds a NUL")
    return "".join(field + "\0" for field in rows).encode()


def set_word(at, words, option, value):
    places = [place for place, word in enumerate(words) if word == option]
    if len(places) != 1 or places[0] + 1 == len(words):
        raise Refused(f"{at}: expected {option} once, with a value behind it")
    words[places[0] + 1] = value


def repetitions(plan, count):
    """True when this changed the plan."""
    before = json.dumps(plan)
    member("$.throughput", member("$", plan, "throughput", dict), "repetitions", int)
    plan["throughput"]["repetitions"] = count
    for number, candidate in enumerate(member("$", plan, "candidates", list)):
        at = f"$.candidates[{number}]"
        if type(candidate) is dict and candidate.get("kind") == "verbatim":
            argv = member(at, candidate, "argv", dict)
            if argv.get("throughput") is not None:
                set_word(f"{at}.argv.throughput", member(f"{at}.argv", argv, "throughput", list), "-r", str(count))
    return json.dumps(plan) != before


def answer(arguments):
    if len(arguments) == 2 and arguments[0] == "models":
        return models(read(arguments[1])[1])
    if len(arguments) == 3 and arguments[0] == "repetitions" and re.fullmatch("[1-9][0-9]{0,3}", arguments[1]):
        data, plan = read(arguments[2])
        changed = repetitions(plan, int(arguments[1]))
        return (json.dumps(plan, indent=2, ensure_ascii=False) + "\n").encode() if changed else data
    sys.exit(print(__doc__, file=sys.stderr) or 2)


def main():
    try:
        sys.stdout.buffer.write(answer(sys.argv[1:]))
    except Refused as refused:
        print(f"study_plan.py: plan '{sys.argv[-1]}': {refused}", file=sys.stderr)
        return 2
    return 0


sys.exit(main())
