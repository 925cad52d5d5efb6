"""What `load` says when a server cannot be loaded as asked: what is wrong and what to do, exit code 2, no file."""

import os
import pathlib
import subprocess
import tempfile

from harness import BINARY, Sim, main


def refused(f, sim_args, load_args, *words, url=None):
    with Sim(*sim_args) as sim, tempfile.TemporaryDirectory(prefix="load-messages-") as folder:
        asked = "--api-key-file" not in sim_args and "--loading" not in sim_args
        before = sim.metrics() if asked else None
        done = subprocess.run(
            [BINARY, "load", sim.url if url is None else url, "--requests", "2", "-o", "report.json",
             "--samples", "samples.jsonl", *load_args],
            cwd=folder, capture_output=True, text=True, timeout=60)
        f.equal("exit code", done.returncode, 2)
        f.equal("standard output", done.stdout, "")
        f.equal("files", os.listdir(folder), [])
        f.equal("lines", done.stderr.count("\n"), 1)
        for word in words:
            f.true(f"says '{word}'", word in done.stderr, f"but: {done.stderr.strip()}")
        if before is not None:
            f.equal("tokens generated meanwhile", sim.metrics()["llamacpp:tokens_predicted_total"],
                    before["llamacpp:tokens_predicted_total"])


def no_tokenizer(f):
    refused(f, ["--fault", "status:404@/tokenize"], [], "/tokenize", "status 404", "--prompts")


def no_llama_server(f):
    refused(f, ["--fault", "status:404@/props"], [], "tokenizer of a llama-server", "--prompts")


def completion_elsewhere(f):
    refused(f, ["--fault", "status:404@/props"], ["--api", "completion"], "llama-server", "openai")


def still_loading(f):
    refused(f, ["--loading", "60s"], [], "503", "loading")


def too_long_for_the_context(f):
    refused(f, ["--ctx-size", "256"], ["--prompt-tokens", "200", "--output-tokens", "64"],
            "200 prompt and up to 64 output tokens", "context of 256 tokens")


def too_short_for_the_template(f):
    refused(f, [], ["--prompt-tokens", "2"], "a prompt of 2 tokens cannot be made")


def key(f):
    with tempfile.NamedTemporaryFile("w", suffix=".key") as right, tempfile.NamedTemporaryFile("w") as wrong:
        right.write("right-key\n")
        right.flush()
        wrong.write("wrong-key\n")
        wrong.flush()
        refused(f, ["--api-key-file", right.name], [], "401", "--api-key-file")
        refused(f, ["--api-key-file", right.name], ["--api-key-file", wrong.name], "401")


def a_prompts_file_does_without(f):
    with tempfile.TemporaryDirectory(prefix="load-messages-") as folder, \
            Sim("--fault", "status:404@/tokenize", "--fault", "status:404@/props") as sim:
        prompts = pathlib.Path(folder, "prompts.txt")
        prompts.write_text("one prompt\nanother one\n", encoding="utf-8")
        done = subprocess.run([BINARY, "load", sim.url, "--requests", "2", "--prompts", prompts, "--quiet"],
                              capture_output=True, text=True, timeout=60)
        f.true("exit code 0 or 3", done.returncode in (0, 3), f"{done.returncode} {done.stderr}")


def all_refused_says_why(f):
    with Sim("--fault", "status:400", "--fault", "body:json") as sim:
        done = subprocess.run([BINARY, "load", sim.url, "--requests", "3"], capture_output=True, text=True,
                              timeout=60)
        f.equal("exit code", done.returncode, 1)
        for word in ("failed    1 client: ", "http-status", "such as request 1 of level 1: ", "400"):
            f.true(f"says '{word}'", word in done.stdout, done.stdout)


if __name__ == "__main__":
    raise SystemExit(main([(check.__name__.replace("_", " "), check) for check in (
        no_tokenizer, no_llama_server, completion_elsewhere, still_loading, too_long_for_the_context,
        too_short_for_the_template, key, a_prompts_file_does_without, all_refused_says_why)]))
