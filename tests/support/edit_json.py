#!/usr/bin/env python3
"""edit_json.py IN OUT PATH=JSON...: a copy of a JSON file with members set or, without a value, removed.

A path is keys and indexes with dots between them: engines.0.log_markers.required=["text"]
"""

import json
import sys


def step(value, key):
    return value[int(key)] if isinstance(value, list) else value[key]


def edit(root, change):
    path, equals, text = change.partition("=")
    *folders, last = path.split(".")
    for key in folders:
        root = step(root, key)
    place = int(last) if isinstance(root, list) else last
    if not equals:
        del root[place]
    elif isinstance(root, list) and place == len(root):
        root.append(json.loads(text))
    else:
        root[place] = json.loads(text)


def main():
    source, target, *changes = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        root = json.load(file)
    for change in changes:
        edit(root, change)
    with open(target, "w", encoding="utf-8") as file:
        json.dump(root, file, indent=2)


main()
