// The page of the study that the original published: the figures that were printed for it then stand in
// our page, each in its place. What our page does not show is listed with the section that would bring it;
// the test says so when it does.
//
// tests/fixtures/published holds the benchmark set: test_published_study.c proves that it follows from the
// published figures and has the published digest. The printed figures are read in place.

import fs from "node:fs";
import path from "node:path";

import { launch, Window } from "./browser.mjs";
import { inSource, makePage, readJson } from "./documents.mjs";
import { checkPage } from "./page_checks.mjs";
import { Report } from "./tap.mjs";

// The least number of figures compared; fewer means that the fixture or the page lost some.
const LEAST = 120;

// What a reader finds in the page, by what is printed around it.
function readPage(page) {
  return page.evaluate(() => {
    const words = (e) => e.textContent.replace(/\s+/g, " ").trim();
    const tableOf = (caption) => [...document.querySelectorAll("table")].find((t) => t.caption !== null && words(t.caption) === caption);
    const rowsOf = (caption) => [...(tableOf(caption)?.tBodies[0].rows ?? [])];
    const idOf = (head) => words(head.querySelector("code"));
    const columnsOf = (caption) => [...(tableOf(caption)?.tHead.rows[0].cells ?? [])].map(words);

    // "Peak memory peak_rss_mib" in the list of definitions tells which title means which metric
    const titles = Object.fromEntries([...document.querySelectorAll(".terms dt")].map((dt) =>
      [words(dt.querySelector("code")), words(dt).replace(words(dt.querySelector("code")), "").trim()]));
    const columns = columnsOf("Candidates and what was measured of each");
    const cells = {};
    for (const row of rowsOf("Candidates and what was measured of each")) {
      const own = (cells[idOf(row.cells[0])] = { status: words(row.cells[1]) });
      for (const [metric, title] of Object.entries(titles)) {
        const cell = row.cells[columns.findIndex((text) => text === title || text.startsWith(`${title} `))];
        own[metric] = { value: words(cell.querySelector(".value")), change: words(cell.querySelector(".change") ?? document.createElement("i")) };
      }
    }
    const labels = Object.fromEntries(rowsOf("Candidates and what was measured of each").map((row) =>
      [words(row.cells[0].querySelector("bdi")), idOf(row.cells[0])]));
    const byLabel = (caption) => Object.fromEntries(rowsOf(caption).map((row) =>
      [labels[words(row.cells[0].querySelector("bdi"))], [...row.cells].map(words)]));
    return {
      titles, cells,
      points: byLabel("Points of the chart"), models: byLabel("Model of each candidate"),
      columns: { points: columnsOf("Points of the chart"), models: columnsOf("Model of each candidate") },
      reasons: Object.fromEntries(rowsOf("What each candidate misses, and by how much").map((row) => [idOf(row.cells[0]), words(row.cells[2])])),
      facts: Object.fromEntries([...document.querySelectorAll(".verdict .facts div")].map((d) => [words(d.querySelector("dt")), words(d.querySelector("dd"))])),
      limits: Object.fromEntries(rowsOf("Limits and preferences of this decision").map((row) => [words(row.cells[0]), words(row.cells[1])])),
      inputs: Object.fromEntries(rowsOf("Inputs of this page").map((row) => [words(row.cells[0]), words(row.cells[1])])),
      machine: [...rowsOf("Machine"), ...rowsOf("Runtime")].map((row) => words(row.cells[1])),
      parameters: Object.fromEntries([...document.querySelectorAll("details")].filter((d) => d.querySelector("summary code") !== null)
        .map((d) => [words(d.querySelector("summary code")), JSON.parse(d.querySelector("pre").textContent)])),
      command: document.querySelector("pre.command").textContent,
      dots: [...document.querySelectorAll("svg[aria-label*='Dots' i] text, figure:last-of-type svg text")].map(words),
      text: words(document.body),
      headings: [...document.querySelectorAll("h2, h3")].map(words),
    };
  });
}

// A comparison: group, what it is, the published text, ours.
class Comparisons {
  rows = [];
  add(group, what, want, got) {
    this.rows.push({ group, what, want: String(want), got: got === undefined ? "nothing" : String(got) });
  }
  groups() {
    return [...new Set(this.rows.map((row) => row.group))];
  }
  faults(group) {
    return this.rows.filter((row) => row.group === group && row.want !== row.got)
      .map((row) => `${row.what}: published '${row.want}', the page has '${row.got}'`);
  }
}

// "3.40% higher" and "+3.4 % regressed" say the same; both become "+3.40 %".
const deltaOf = (text) => {
  const published = text.match(/^([\d.]+)% (higher|lower)$/);
  if (published !== null) return `${published[2] === "higher" ? "+" : "-"}${Number(published[1]).toFixed(2)} %`;
  const ours = text.match(/^([+-])([\d.]+) % \w+$/);
  return ours === null ? text : `${ours[1]}${Number(ours[2]).toFixed(2)} %`;
};
const effectOf = { Tradeoff: "regressed", Better: "improved", Changed: "changed", tradeoff: "regressed", improvement: "improved" };
// A printed figure with as many decimals as another one has: "45.2021 ms" as "45.2 ms".
const rounded = (text, like) => {
  const [, number, unit] = text.match(/^([\d,.]+)(.*)$/) ?? [, "NaN", ""];
  const decimals = (like.match(/\.(\d+)/)?.[1] ?? "").length;
  return Number(number.replaceAll(",", "")).toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }) + unit;
};

function compareCandidates(c, study, shown) {
  for (const candidate of study.candidates) {
    const own = shown.cells[candidate.id] ?? {};
    for (const [metric, printed] of Object.entries(candidate.metrics_printed))
      c.add("metrics of the candidates", `${candidate.id} ${metric}`, printed, own[metric]?.value);
    const point = shown.points[candidate.id] ?? [];
    for (const metric of ["e2e_latency_ms_p95", "generation_tps"])
      c.add("points of the chart", `${candidate.id} ${metric}`, candidate.metrics_printed[metric], point[shown.columns.points.indexOf(shown.titles[metric])]);
    c.add("values beside the dots", `${candidate.id} e2e_latency_ms_p95`, candidate.metrics_printed.e2e_latency_ms_p95,
      shown.dots.find((text) => text === candidate.metrics_printed.e2e_latency_ms_p95));
    const parameters = shown.parameters[candidate.id] ?? {};
    for (const [name, value] of Object.entries(candidate.configuration))
      c.add("configuration", `${candidate.id} ${name}`, value, parameters.configuration?.[name]);
    for (const name of ["size_bytes", "sha256", "revision"])
      c.add("models", `${candidate.id} ${name}`, candidate.model[name], parameters.model?.[name]);
    const model = shown.models[candidate.id] ?? [];
    c.add("models", `${candidate.id} size`, rounded(candidate.metrics_printed.model_size_mib, "0.0"), model[shown.columns.models.indexOf("Size")]);
    c.add("models", `${candidate.id} digest`, candidate.model.sha256, model[shown.columns.models.indexOf("SHA-256")]);
    c.add("launch commands", candidate.id, candidate.deployment_argv.join(" "), parameters.deployment_argv?.join(" "));
  }
}

function compareChanges(c, study, shown) {
  const { baseline_id, decision } = study;
  const alternative = shown.cells[decision.resource_alternative_id];
  for (const row of study.tradeoffs_printed) {
    c.add("trade-offs", `${row.metric} of the baseline`, row.baseline, shown.cells[baseline_id][row.metric]?.value);
    c.add("trade-offs", `${row.metric} of the alternative`, row.alternative, alternative[row.metric]?.value);
    c.add("trade-offs", `${row.metric} change`, deltaOf(row.delta), deltaOf(alternative[row.metric]?.change ?? ""));
    c.add("trade-offs", `${row.metric} effect`, effectOf[row.effect], alternative[row.metric]?.change.split(" ").at(-1));
  }
  for (const stage of study.ladder_printed) {
    c.add("ladder", `${stage.id} objective`, stage.e2e, rounded(shown.cells[stage.id].e2e_latency_ms_p95.value, stage.e2e));
    if (stage.stage !== 2) continue; // its stage before is the baseline, which our changes are against
    for (const [metric, delta, effect] of stage.changes) {
      c.add("ladder", `${stage.id} ${metric} change`, deltaOf(delta), deltaOf(shown.cells[stage.id][metric].change));
      c.add("ladder", `${stage.id} ${metric} effect`, effectOf[effect], shown.cells[stage.id][metric].change.split(" ").at(-1));
    }
  }
}

function compareDecision(c, study, shown) {
  const { decision, constraints, hashes, source } = study;
  const title = shown.titles[decision.objective];
  const limit = (name) => shown.limits[`${shown.titles[name]} ${name}`];
  c.add("decision", "selected", decision.selected_id, shown.inputs.Selected);
  c.add("decision", "selected by its status", "selected baseline", shown.cells[decision.selected_id].status);
  c.add("decision", "value of the selected", decision.numeric_best_printed, shown.facts[title]);
  c.add("decision", "best value", decision.numeric_best_printed, shown.facts["Best eligible value"]?.match(/^[\d,.]+ ms/)?.[0]);
  c.add("decision", "cutoff", `at most ${decision.cutoff_printed[1]} tolerance ${decision.objective_tolerance_percent} %`, shown.facts.Cutoff);
  c.add("decision", "distance of the closest outside", decision.closest_outside_printed,
    rounded(shown.facts["Closest outside the cutoff"]?.match(/misses it by ([\d,.]+ ms)/)?.[1] ?? "", decision.closest_outside_printed));
  c.add("decision", "the same beside its name", decision.closest_outside_printed,
    rounded(shown.reasons[decision.closest_outside_id]?.match(/misses it by ([\d,.]+ ms)/)?.[1] ?? "", decision.closest_outside_printed));
  c.add("limits", "quality retention", `at least ${constraints.min_quality_retention * 100} %`, shown.limits.Quality?.match(/at least \d+ %/)?.[0]);
  for (const [name, value] of Object.entries(constraints.max_values))
    c.add("limits", name, `at most ${value.toLocaleString("en-US")} ${name.endsWith("mib") ? "MiB" : "ms"}`, limit(name));
  for (const [name, value] of Object.entries(constraints.min_values)) c.add("limits", name, `at least ${value}`, limit(name));
  c.add("limits", "preference order", constraints.preference_order.join(" → "), shown.limits["Preference order"]);
  c.add("digests", "benchmark set", hashes.canonical_artifacts.benchmark_set, shown.inputs["Benchmark set, SHA-256"]);
  c.add("digests", "constraints", hashes.canonical_artifacts.constraints, shown.inputs["Constraints, SHA-256"]);
  for (const [name, value] of Object.entries(source.runner)) c.add("machine and runtime", name, value, shown.machine.find((text) => text === String(value)));
  for (const [name, value] of Object.entries(study.runtime)) c.add("machine and runtime", name, value, shown.machine.find((text) => text === value));
  const selected = study.candidates.find((candidate) => candidate.id === decision.selected_id);
  c.add("launch commands", "as printed", selected.deployment_argv.join(" "), shown.command.replace(/\\\n/g, " ").replace(/\s+/g, " ").trim());
}

// Printed then, not shown by our page yet: how many figures, what would bring them, words of its heading,
// and texts that only it would print. What needs documents beside the set (other priorities, load,
// repeatability) and the ladder are compared in tests/unit/report/test_published_page.c.
function missing(study) {
  return [
    { what: "operating points of slots and clients", figures: study.capacity.cells.length * 3, heading: /capacity|operating point/i, section: "capacity",
      texts: study.capacity.cells.slice(0, 4).map((cell) => `${cell.generated_tokens_per_second_median} tok/s`) },
  ];
}

// Every section of the page: figures as they were published, or why they are not there. The sections
// are the whole page in its order, so one that is lost, or comes and is not looked at, is found as well.
function sectionFaults(study) {
  const { decision, candidates, hashes } = study;
  const selected = candidates.find((candidate) => candidate.id === decision.selected_id);
  const printed = (id, metric) => candidates.find((candidate) => candidate.id === id).metrics_printed[metric];
  const wanted = {
    "": [selected.id, decision.numeric_best_printed],
    brief: [selected.id, String(candidates.length)],
    steps: candidates.map((candidate) => candidate.id),
    rule: [decision.numeric_best_printed, decision.cutoff_printed[1]],
    guardrails: Object.keys(study.constraints.max_values),
    tradeoffs: [decision.resource_alternative_id, printed(selected.id, "e2e_latency_ms_p95")],
    crossover: ["ms on each prompt token"],
    priorities: ["No policy set was given"],
    load: ["No load evaluation was given"],
    repeatability: ["No stability document was given"],
    charts: [decision.cutoff_printed[1].replace(/ ms$/, "").slice(0, 3)],
    comparison: candidates.map((candidate) => candidate.metrics_printed.e2e_latency_ms_p95),
    others: candidates.filter((candidate) => candidate.id !== selected.id).map((candidate) => candidate.id),
    measured: ["Workload: not recorded", "Number of samples behind each figure: not recorded"],
    machine: [String(study.source.runner.cpu), String(study.source.runner.os)],
    models: candidates.map((candidate) => candidate.model.sha256),
    deployment: [selected.deployment_argv[0]],
    verification: ["Not verified."],
    provenance: [hashes.canonical_artifacts.benchmark_set, hashes.canonical_artifacts.constraints],
  };
  return async (page) => {
    const shown = await page.evaluate(() => {
      document.querySelectorAll("details").forEach((d) => (d.open = true));
      return [...document.querySelectorAll("section")].map((s) => [s.getAttribute("aria-labelledby"), s.textContent.replaceAll("\u00a0", " ")]);
    });
    const names = shown.map(([id]) => (id in wanted ? id : ""));
    const faults = names.join() === Object.keys(wanted).join() ? [] : [`sections ${shown.map(([id]) => id)}, expected ${Object.keys(wanted)}`];
    shown.forEach(([, text], i) => {
      for (const want of wanted[names[i]]) if (!text.includes(want)) faults.push(`section '${names[i]}' does not say '${want}'`);
    });
    return faults;
  };
}

const report = new Report();
const folder = process.env.PARETOPILOT_SHARED ?? inSource("../shared");
const figures = path.join(folder, "published/study.json");
const browser = await launch();
try {
  const file = makePage("published", inSource("tests/fixtures/published/benchmark-set.json"), inSource("tests/fixtures/published/constraints.json"));
  if (fs.existsSync(figures)) {
    const study = readJson(figures);
    const window = await Window.open(browser);
    let shown;
    report.test("the page can be read", await window.look(file, {}, async (page) => ((shown = await readPage(page)), [])));
    report.test("every section shows its figures, or says why it has none", await window.look(file, {}, sectionFaults(study)));
    const comparisons = new Comparisons();
    compareCandidates(comparisons, study, shown);
    compareChanges(comparisons, study, shown);
    compareDecision(comparisons, study, shown);
    for (const group of comparisons.groups()) {
      const rows = comparisons.rows.filter((row) => row.group === group);
      report.test(`${group}: ${rows.length} published texts stand in the page`, comparisons.faults(group));
    }
    const numbers = comparisons.rows.filter((row) => /\d/.test(row.want));
    report.test(`${numbers.length} texts with a number were compared, at least ${LEAST}`, numbers.length >= LEAST ? [] : [`only ${numbers.length}`]);
    for (const gap of missing(study)) {
      const heading = shown.headings.find((text) => gap.heading.test(text));
      const text = gap.texts.find((t) => shown.text.includes(t));
      report.test(`not shown before the section '${gap.section}' exists: ${gap.what}, ${gap.figures} figures`, [
        ...(heading === undefined ? [] : [`the section '${heading}' is there now: compare its figures above`]),
        ...(text === undefined ? [] : [`the page shows '${text}' now: compare it above`]),
      ]);
    }
  } else {
    report.skip("the published figures stand in the page", `no ${figures}`);
  }
  await checkPage(report, browser, "published", file);
} finally {
  await browser.close();
}
report.end();
