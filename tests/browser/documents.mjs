// documents.mjs - benchmark sets, and the pages that the program under test makes of them.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const binary = process.env.PARETOPILOT_BINARY;
export const work = process.env.PARETOPILOT_WORK;
export const inSource = (name) => path.join(process.env.PARETOPILOT_SOURCE, name);

export function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

// Runs `report` and gives the page's path. Exit 1 says that nothing is eligible: a page all the same.
export function makePage(name, set, constraints, ...more) {
  const page = path.join(work, `${name}.html`);
  const run = spawnSync(binary, ["report", set, "--constraints", constraints, ...more, "-o", page], { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 1) throw new Error(`report gave ${run.status}: ${run.stderr}`);
  return page;
}

export function makePageOf(name, set, constraints) {
  const files = [`${name}-set.json`, `${name}-constraints.json`].map((file) => path.join(work, file));
  fs.writeFileSync(files[0], JSON.stringify(set));
  fs.writeFileSync(files[1], JSON.stringify(constraints));
  return makePage(name, ...files);
}
