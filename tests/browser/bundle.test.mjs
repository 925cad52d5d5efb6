// The page of a whole bundle: a small study that is made here, as it is and spoilt.

import fs from "node:fs";
import path from "node:path";

import { launch, Window } from "./browser.mjs";
import { makeBundle, makeBundlePage } from "./bundle.mjs";
import { readJson, work } from "./documents.mjs";
import { checkPage } from "./page_checks.mjs";
import { Report } from "./tap.mjs";

// Time to first token and end to end of each measured request, ms, from the samples of the bundle.
function measured(bundle, id) {
  const lines = [1, 2].flatMap((pass) =>
    fs.readFileSync(path.join(bundle, `experiment/candidates/${id}/samples-pass-${pass}.jsonl`), "utf8").trim().split("\n"));
  return lines.map((line) => JSON.parse(line)).filter((s) => s.phase === "measured").map((s) => [s.ttft_ns / 1e6, s.e2e_ns / 1e6]);
}

function quantiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  return { p50: (sorted[n / 2 - 1] + sorted[n / 2]) / 2, p95: sorted[Math.ceil(0.95 * n) - 1] };
}

// Where the dots and lines of quantiles are on the screen, as values of the axis that is drawn there.
function readSamples(page, id) {
  return page.evaluate((chart) => {
    const svg = document.querySelector(`svg[aria-labelledby^="${chart}-title"]`);
    const middle = (e) => { const b = e.getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + b.height / 2 }; };
    const ticks = [...svg.querySelectorAll('text.muted[text-anchor="middle"]')].filter((e) => /^[\d,.]+$/.test(e.textContent.trim()))
      .map((e) => ({ value: Number(e.textContent.replaceAll(",", "")), ...middle(e) }));
    const [first, last] = [ticks[0], ticks.at(-1)];
    const valueAt = (x) => first.value + ((x - first.x) / (last.x - first.x)) * (last.value - first.value);
    const names = [...svg.querySelectorAll('text[text-anchor="end"]')].map((e) => ({ text: e.textContent.trim(), ...middle(e) }));
    const rowOf = (y) => names.reduce((best, n) => (Math.abs(n.y - y) < Math.abs(best.y - y) ? n : best)).text;
    const top = Math.min(...names.map((n) => n.y)) - 40; // above stands the legend
    const read = (selector) => [...svg.querySelectorAll(selector)].map(middle).filter((p) => p.y > top)
      .map((p) => ({ row: rowOf(p.y), value: valueAt(p.x) }));
    const pixel = Math.abs(valueAt(1) - valueAt(0));
    return { pixel, dots: read(".d-quiet, .d-disturbed, .d-undecided"), p50: read(".q-median"), p95: read(".q-tail") };
  }, id);
}

async function sampleFaults(page, bundle) {
  const faults = [];
  for (const [chart, measure] of [["samples-ttft", 0], ["samples-e2e", 1]]) {
    const drawn = await readSamples(page, chart);
    for (const id of ["slow", "fast"]) {
      const values = measured(bundle, id).map((times) => times[measure]).sort((a, b) => a - b);
      const found = drawn.dots.filter((d) => d.row.startsWith(`Server ${id}`)).map((d) => d.value).sort((a, b) => a - b);
      if (found.length !== values.length) faults.push(`${chart}, ${id}: ${found.length} dots for ${values.length} requests`);
      const off = values.findIndex((value, i) => Math.abs(value - found[i]) > 1.5 * drawn.pixel);
      if (off >= 0) faults.push(`${chart}, ${id}: a dot at ${found[off]} ms, expected ${values[off]}`);
      for (const [name, value] of Object.entries(quantiles(values))) {
        const line = drawn[name].find((d) => d.row.startsWith(`Server ${id}`));
        if (line === undefined || Math.abs(line.value - value) > 1.5 * drawn.pixel) faults.push(`${chart}, ${id}: ${name} at ${line?.value}, expected ${value}`);
      }
    }
  }
  return faults;
}

// The bars on the screen against the records: order, and width in proportion to duration.
async function timelineFaults(page, bundle) {
  const runs = ["slow", "fast"].flatMap((id) => ["requests-run-pass-1", "requests-run-pass-2", "load-run"]
    .map((name) => readJson(path.join(bundle, `experiment/candidates/${id}/${name}.json`)))).sort((a, b) => a.started_unix_ms - b.started_unix_ms);
  const bars = await page.evaluate(() => {
    const svg = document.querySelector('svg[aria-labelledby^="timeline-title"]');
    const top = svg.getBoundingClientRect().top + 40 * (svg.getBoundingClientRect().width / 800);
    return [...svg.querySelectorAll("rect.t-quiet, rect.t-disturbed, rect.t-undecided")].map((e) => ({ kind: e.getAttribute("class"), box: e.getBoundingClientRect() }))
      .filter((b) => b.box.top > top).sort((a, b) => a.box.top - b.box.top).map((b) => ({ kind: b.kind, left: b.box.left, width: b.box.width }));
  });
  if (bars.length !== runs.length) return [`${bars.length} bars for ${runs.length} runs`];
  const faults = [];
  const perNs = bars[0].width / runs[0].duration_ns;
  bars.forEach((bar, i) => {
    const want = runs[i].duration_ns * perNs;
    if (Math.abs(bar.width - want) > 2.5) faults.push(`run ${i}: ${bar.width} pixels wide, expected ${want}`);
    const left = bars[0].left + (runs[i].started_unix_ms - runs[0].started_unix_ms) * 1e6 * perNs;
    if (Math.abs(bar.left - left) > 2.5 + 0.01 * left) faults.push(`run ${i}: begins at ${bar.left}, expected ${left}`);
    if (bar.kind !== `t-${runs[i].watch.verdict}`) faults.push(`run ${i}: drawn as ${bar.kind}, recorded ${runs[i].watch.verdict}`);
  });
  return faults;
}

// Texts of a chart lie inside it and do not cover each other.
function labelFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    for (const svg of document.querySelectorAll("svg")) {
      const outer = svg.getBoundingClientRect();
      const texts = [...svg.querySelectorAll("text")].map((e) => ({ text: e.textContent, box: e.getBoundingClientRect() }));
      for (const { text, box } of texts)
        if (box.left < outer.left - 1 || box.right > outer.right + 1 || box.bottom > outer.bottom + 1) faults.push(`'${text}' leaves the chart '${svg.querySelector("title").textContent}'`);
      texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (wide > 2 && high > 4) faults.push(`'${a.text}' and '${b.text}' cover each other`);
      }));
    }
    return faults;
  });
}

// What stands beside a word in the tables of facts, and the words of the head.
function evidenceFaults(page, want) {
  return page.evaluate((expected) => {
    const words = (e) => e.textContent.replace(/\s+/g, " ").trim();
    const fact = (head) => words([...document.querySelectorAll("tr")].find((r) => words(r.cells[0]) === head)?.cells[1] ?? document.createElement("p"));
    const found = { head: words(document.querySelector("header .sub")), evidence: fact("Evidence"), files: fact("Files") };
    return Object.entries(expected).filter(([key, text]) => !found[key].includes(text)).map(([key, text]) => `${key}: '${found[key]}' lacks '${text}'`);
  }, want);
}

const report = new Report();
const browser = await launch();
try {
  const bundle = await makeBundle();
  const file = makeBundlePage("verified", bundle, 0);
  const spoilt = path.join(work, "spoilt");
  fs.cpSync(bundle, spoilt, { recursive: true });
  fs.writeFileSync(path.join(spoilt, "more.json"), "{}");
  const spoiltFile = makeBundlePage("spoilt", spoilt, 1);
  const count = fs.readFileSync(path.join(bundle, "SHA256SUMS"), "utf8").trim().split("\n").length;
  const window = await Window.open(browser);

  report.test("verified: head, evidence and count of files", await window.look(file, {}, (page) =>
    evidenceFaults(page, { head: "evidence: verified", evidence: `verified with this page: ${count} files hashed`, files: `${count} hashed, ${count} listed` })));
  report.test("spoilt: head, evidence and finding", await window.look(spoiltFile, {}, (page) =>
    evidenceFaults(page, { head: "evidence: not verified", evidence: "2 findings, the first file-unlisted more.json", files: `${count} listed` })));
  report.test("every request is a dot at its time, quantiles are lines at theirs", await window.look(file, {}, (page) => sampleFaults(page, bundle)));
  report.test("every run is a bar as long as it took", await window.look(file, {}, (page) => timelineFaults(page, bundle)));
  for (const width of [360, 1280])
    report.test(`texts of charts do not collide at ${width} px`, await window.look(file, { width }, labelFaults));
  await window.close();
  await checkPage(report, browser, "bundle", file);
  await checkPage(report, browser, "spoilt bundle", spoiltFile);
} finally {
  await browser.close();
}
report.end();
