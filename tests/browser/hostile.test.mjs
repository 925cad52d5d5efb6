// A stranger's documents, made to break out of the page or to mislead its reader. The page stays inert:
// whether or not its Content-Security-Policy applies, no script runs and no element of theirs exists.

import fs from "node:fs";
import path from "node:path";

import { launch, Window } from "./browser.mjs";
import { makePageOf, work } from "./documents.mjs";
import { checkPage } from "./page_checks.mjs";
import { Report } from "./tap.mjs";

// Whatever of these runs sets `breached`; whatever becomes an element is called trojan.
const run = "globalThis.breached=1";
const payloads = [
  `<script>${run}</script>`,
  `</style><script>${run}</script><trojan class="trojan">`,
  `</title></head><body><trojan>`,
  `"><img class="trojan" src=x onerror="${run}">`,
  `'><svg class="trojan" onload='${run}'>`,
  `" onfocus="${run}" autofocus tabindex="0" class="trojan`,
  `javascript:${run}`,
  `</pre></code></td></table><iframe class="trojan" srcdoc="<script>${run}</script>">`,
  `<!-- <trojan> --><![CDATA[<trojan>]]>`,
  `<a class="trojan" href="javascript:${run}">x</a>`,
  `&lt;trojan&gt; &#60;trojan&#62; &amp;lt;`,
  `<base class="trojan" href="http://127.0.0.1:9/"><link rel="stylesheet" href="//127.0.0.1:9/x">`,
  `<math><mtext><table><mglyph><style><img class=trojan src onerror=${run}>`,
  `\u202eevil\u2066 first\u2069 \u200f\u200b\ufeff`, // turns around or hides what follows
  `nul\u0000 bell\u0007 esc\u001b[31m del\u007f csi\u009b`,
  `\u{1f980}\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f3f4}\u{e0067}\u{e007f} e\u0301\u0323\u0323`,
  "unbroken".repeat(1280), // 10 kB
  `${"a ".repeat(5000)}`,
  "\n\r\t\u2028\u2029 lines",
];

// Different payloads in every free text, and all of them once in the parameters and the metadata.
function hostileDocuments() {
  const metrics = (i) => ({
    e2e_latency_ms_p95: 100 + i,
    "</th><trojan>": 5 + i,
    [`javascript:${run}`]: 7 + i,
    "\u202esm_ycnetal": 3 + i,
    ["metric".repeat(500)]: 2 + i,
    quality_score: 0.9,
  });
  // A NUL in a key is refused before there is a page.
  const all = Object.fromEntries(payloads.map((text, i) => [`${text.replaceAll("\u0000", "")} key ${i}`, [text]]));
  const candidates = payloads.map((text, i) => ({
    id: `${text} id ${i}`,
    label: text,
    parameters: {
      ...all,
      deployment_argv: [text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").slice(0, 4000)],
      model: { filename: text, origin: text, architecture: text, tensor_types: text, sha256: text, url: text, size_bytes: 1000 },
      measurement: {
        p95_method: text,
        memory_by_phase: [{ phase: text, anon_mib: 1 }],
      },
    },
    metrics: metrics(i),
  }));
  const study = {
    title: payloads[2],
    study_id: payloads[0],
    status: payloads[1],
    runs: payloads.map((text) => ({
      candidate_id: text, phase: text, pass: 1, outcome: text, verdict: "disturbed", failure: text,
      foreign_percent_peak: 50, steal_percent: 2, duration_ns: 5e9,
      reasons: [{ cause: text, value: 50, limit: 5, unit: text }],
    })),
    workload: { prompts: [payloads[3]], name: payloads[4] },
  };
  const set = {
    schema_version: "1.0", baseline_id: candidates[0].id, synthetic: true, candidates,
    metadata: {
      synthetic_kind: payloads[3], study, host: { ...all, cpu: { model: payloads[3] } },
      runner: { cpu: payloads[5], os: payloads[13] }, runtime: { name: payloads[1], revision: payloads[9] }, note: payloads[7],
    },
  };
  const names = Object.keys(metrics(0));
  const constraints = {
    min_quality_retention: 0.9, quality_metric: "quality_score",
    max_values: { [names[1]]: 15 }, min_values: { [names[3]]: 1 },
    objective: { metric: "e2e_latency_ms_p95", direction: "min" }, objective_tolerance_percent: 2.0,
    preference_order: candidates.map((c) => c.id),
    frontier_metrics: Object.fromEntries(names.map((name, i) => [name, i % 2 === 0 ? "min" : "max"])),
  };
  return [set, constraints];
}

// What may stand in a page of ours; anything else was brought in.
const OWN = ("html head meta title style body a header p h1 h2 h3 code strong main div section dl dt dd small span table " +
  "caption thead tbody tr th td bdi figure figcaption svg defs pattern path line text rect circle polygon details " +
  "summary ul ol li br pre footer sup title desc g polyline nav fieldset legend input label").split(" ");

function intruders(page) {
  return page.evaluate((own) => {
    const faults = [];
    if (globalThis.breached !== undefined) faults.push("a script of the document ran");
    for (const e of document.querySelectorAll("*")) {
      if (!own.includes(e.localName)) faults.push(`an element <${e.localName}>`);
      if (e.classList.contains("trojan")) faults.push(`an element of class trojan: <${e.localName}>`);
      for (const { name, value } of e.attributes) {
        if (name.startsWith("on")) faults.push(`an attribute ${name}`);
        if ((name === "href" || name === "src") && !value.startsWith("#")) faults.push(`${name}="${value.slice(0, 40)}"`);
      }
    }
    return faults;
  }, OWN);
}

// No character of the page hides or reorders others; what the documents brought is shown as a code.
function hiddenCharacters(page) {
  return page.evaluate(() => {
    const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
    const faults = [];
    const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    let all = document.title;
    while (texts.nextNode()) {
      const at = texts.currentNode.data.search(hidden);
      if (at >= 0) faults.push(`U+${texts.currentNode.data.charCodeAt(at).toString(16)} in '${texts.currentNode.data.slice(0, 30)}'`);
      all += texts.currentNode.data;
    }
    for (const e of document.querySelectorAll("[aria-label]"))
      if (hidden.test(e.getAttribute("aria-label"))) faults.push(`a hidden character in the label of <${e.localName}>`);
    for (const code of ["\\u202eevil\\u2066", "\\u0000", "\\u001b[31m", "\\u009b"])
      if (!all.includes(code)) faults.push(`${code} is not shown`);
    return faults;
  });
}

// The labels as text, so that a reader sees what was tried.
function shownLabels(page) {
  return page.evaluate((texts) => {
    const shown = [...document.querySelectorAll("bdi")].map((e) => e.textContent);
    return texts.filter((text) => !shown.includes(text)).map((text) => `no label reads '${text.slice(0, 60)}'`);
  }, payloads.slice(0, 13));
}

// The payloads as they are, in a page that escapes nothing.
function openPage() {
  const file = path.join(work, "open.html");
  fs.writeFileSync(file, `<!DOCTYPE html><title>x</title>${payloads.map((text) => `<p>${text}</p>`).join("\n")}`);
  return file;
}

async function provoke(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  for (let i = 0; i < 5; i++) await page.keyboard.press("Tab");
  await page.mouse.click(640, 450);
  await page.waitForTimeout(200);
  return intruders(page);
}

const report = new Report();
const browser = await launch();
try {
  const file = makePageOf("hostile", ...hostileDocuments());
  const guarded = await Window.open(browser);
  const unguarded = await Window.open(browser, { ignorePolicy: true });
  report.test("nothing of the documents runs or becomes an element", await guarded.look(file, {}, provoke));
  report.test("nor does it without the page's policy", await unguarded.look(file, {}, provoke));
  report.test("what hides or reorders text is shown as a code", await guarded.look(file, {}, hiddenCharacters));
  report.test("what was tried can be read", await guarded.look(file, {}, shownLabels));
  const found = await unguarded.look(openPage(), {}, provoke);
  const worked = [/a script of the document ran/, /an element of class trojan/, /asked for/].filter((want) => !found.some((fault) => want.test(fault)));
  report.test("the payloads work where nothing is escaped", worked.map((want) => `no fault like ${want}`));
  await guarded.close();
  await unguarded.close();
  await checkPage(report, browser, "hostile", file);
} finally {
  await browser.close();
}
report.end();
