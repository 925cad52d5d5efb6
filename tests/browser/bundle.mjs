// bundle.mjs - a bundle of a real study over simulated servers, made in seconds.

import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { work } from "./documents.mjs";

const binary = process.env.PARETOPILOT_BINARY;

// The address is the first thing that it prints.
function startServer(...options) {
  const child = spawn(binary, ["sim", "--for", "200s", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.stdout.once("data", (data) => resolve({ child, url: data.toString().trim() }));
    child.once("exit", (code) => reject(new Error(`sim ended with ${code}`)));
  });
}

function planOf(urls) {
  const candidates = Object.entries(urls).map(([id, url]) => ({
    kind: "endpoint", id, label: `Server ${id}, with a name of some length`, endpoint: { url, server: "llama-server" },
  }));
  return {
    schema_version: "2.0", document: "study-plan", study_id: "servers", title: "Servers that run already",
    baseline_id: candidates[0].id, engines: [], models: [], settings: {}, candidates, stages: [],
    order: { kind: "mirrored", seed: 0 }, passes: 2, pause: { kind: "settle", settle_ms: 0 },
    throughput: null, suite: null, requests: { prompt_tokens: 24, output_tokens: 8, warmup: 1, measured: 12, seed: 7 },
    load_plan: null, policies: null,
    load: {
      steps: [{ loop: "closed", clients: 1, measured: 4 }, { loop: "closed", clients: 2, measured: 6 },
        { loop: "open", rate_per_second: 20, arrivals: "poisson", measured: 5 }],
      warmup: 1, prompt_tokens: 24, output_tokens: 8, seed: 5, slo: ["e2e.p50<=5s"],
    },
    deadlines: { start_ms: 10000, throughput_ms: 10000, request_ms: 10000, load_ms: 60000 },
    noise_limits: { foreign_cpu_percent: 5, steal_percent: 1, repeats: 0 },
    constraints: {
      schema_version: "2.0", quality: "not-measurable", objective: { metric: "e2e_latency_ms_p50", direction: "min" },
      objective_tolerance_percent: 1, frontier_metrics: { e2e_latency_ms_p50: "min", ttft_ms_p95: "min" },
      preference_order: candidates.map((c) => c.id),
    },
  };
}

// The folder of the bundle. Whether its runs are disturbed lies with the machine.
export async function makeBundle() {
  const folder = path.join(work, "bundle");
  const plan = path.join(work, "plan.json");
  const slow = await startServer("--token-time", "12ms", "--jitter", "exponential");
  const fast = await startServer("--token-time", "6ms", "--jitter", "exponential", "--seed", "2");
  try {
    fs.writeFileSync(plan, JSON.stringify(planOf({ slow: slow.url, fast: fast.url })));
    const run = spawnSync(binary, ["study", "run", plan, "--output-dir", folder], { encoding: "utf8", timeout: 120000 });
    if (run.status !== 0) throw new Error(`study run gave ${run.status}: ${run.stderr}`);
  } finally {
    slow.child.kill();
    fast.child.kill();
  }
  return folder;
}

export function makeBundlePage(name, bundle, want) {
  const page = path.join(work, `${name}.html`);
  const run = spawnSync(binary, ["report", bundle, "-o", page], { encoding: "utf8" });
  if (run.status !== want) throw new Error(`report gave ${run.status}, expected ${want}: ${run.stderr}`);
  return page;
}
