"""Prometheus text format 0.0.4, read strictly: a text that a scraper would refuse is refused here.

Source: the "Exposition formats" page of Prometheus. parse() gives {family: Family}; samples are
{(name, frozenset of labels): value}. check_histograms() holds buckets against _count.
"""
import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
VALUE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?Inf|NaN")
TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}


class Family:
    def __init__(self, kind, help_text):
        self.kind, self.help, self.samples = kind, help_text, {}


def take(pattern, line, at, what):
    found = pattern.match(line, at)
    if not found:
        raise ValueError(f"expected {what} at byte {at} of {line!r}")
    return found.group(), found.end()


def take_label_value(line, at):
    out = ""
    while line[at] != '"':
        if line[at] == "\\":
            at += 1
            out += {"\\": "\\", '"': '"', "n": "\n"}[line[at]]
        else:
            out += line[at]
        at += 1
    return out, at + 1


def take_labels(line, at):
    labels = {}
    while line[at] != "}":
        name, at = take(LABEL, line, at, "a label")
        if line[at : at + 2] != '="' or name in labels:
            raise ValueError(f"label {name} of {line!r}")
        labels[name], at = take_label_value(line, at + 2)
        if line[at] == ",":
            at += 1
        elif line[at] != "}":
            raise ValueError(f"expected ',' or '}}' at byte {at} of {line!r}")
    return labels, at + 1


def take_sample(line):
    name, at = take(NAME, line, 0, "a name")
    labels = {}
    if line[at] == "{":
        labels, at = take_labels(line, at + 1)
    if line[at] != " ":
        raise ValueError(f"expected a blank at byte {at} of {line!r}")
    value, at = take(VALUE, line, at + 1, "a value")
    if at != len(line):
        raise ValueError(f"more behind the value of {line!r}")
    return name, labels, float(value)


def belongs(name, family, kind):
    ends = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
    return any(name == family + end for end in ends)


def parse(text):
    if not text.endswith("\n"):
        raise ValueError("the last line has no end")
    families, current, helps = {}, None, {}
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name, help_text = line[7:].split(" ", 1)
            if name in helps:
                raise ValueError(f"HELP {name} twice")
            helps[name] = help_text
        elif line.startswith("# TYPE "):
            current, kind = line[7:].split(" ")
            if current in families or kind not in TYPES or not NAME.fullmatch(current):
                raise ValueError(line)
            families[current] = Family(kind, helps.get(current))
        elif line and not line.startswith("#"):
            name, labels, value = take_sample(line)
            if current is None or not belongs(name, current, families[current].kind):
                raise ValueError(f"{name} stands in family {current}")
            key = (name, frozenset(labels.items()))
            if key in families[current].samples:
                raise ValueError(f"twice: {line!r}")
            families[current].samples[key] = value
    return families


def check_histograms(families):
    for name, family in families.items():
        if family.kind != "histogram":
            continue
        series = {}
        for (sample, labels), value in family.samples.items():
            rest = frozenset(pair for pair in labels if pair[0] != "le")
            of = series.setdefault(rest, {"buckets": []})
            if sample.endswith("_bucket"):
                of["buckets"].append((float(dict(labels)["le"]), value))
            else:
                of[sample[len(name) :]] = value
        for rest, of in series.items():
            counts = [count for _, count in of["buckets"]]
            bounds = [bound for bound, _ in of["buckets"]]
            if bounds != sorted(set(bounds)) or bounds[-1] != float("inf"):
                raise ValueError(f"{name} {dict(rest)}: bounds {bounds}")
            if counts != sorted(counts) or counts[-1] != of["_count"] or "_sum" not in of:
                raise ValueError(f"{name} {dict(rest)}: {of}")


def value_of(families, name, **labels):
    """The sample with exactly these labels; KeyError when there is none."""
    for family in families.values():
        key = (name, frozenset(labels.items()))
        if key in family.samples:
            return family.samples[key]
    raise KeyError(f"{name} {labels}")


def sum_of(families, name, **labels):
    """All samples of that name with these labels among theirs."""
    wanted = set(labels.items())
    return sum(
        value
        for family in families.values()
        for (sample, has), value in family.samples.items()
        if sample == name and wanted <= has
    )
