// A site over several bundles: made of a stranger's documents, of a few and of many.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { launch, Window } from "./browser.mjs";
import { inSource, work } from "./documents.mjs";
import { checkPage } from "./page_checks.mjs";
import { Report } from "./tap.mjs";

const run = "globalThis.breached=1";
const names = [
  `<script>${run}</script>`,
  `"><img class="trojan" src=x onerror="${run}">`,
  `' onmouseover='${run}' class='trojan`,
  `</title></h2></a><trojan class="trojan">`,
  "\u202eevil\u2066 first\u2069",
  "unbroken".repeat(1280), // 10 kB
  "\u{1f980}\u{1f468}\u200d\u{1f469}\u200d\u{1f467} crab",
  `javascript:${run}`,
];
// A folder's name may hold neither "/" nor more than 255 bytes.
const folderOf = (text, i) => `${i} ${text.replaceAll("/", "\\")}`.slice(0, 60);

function documents({ text, cpu = text, model = text, tokens = 24, best = 100 }) {
  const candidate = (id, ms) => ({
    id, label: `${text} ${id}`, parameters: { model: { name: model }, configuration: { [text.slice(0, 40)]: text, threads: 4 } },
    metrics: { e2e_latency_ms_p50: ms, [`${text.slice(0, 60)} ms`]: ms + 1, peak_rss_mib: 512.5 },
  });
  return [
    {
      schema_version: "1.0", baseline_id: "q8", synthetic: true, candidates: [candidate("q8", 200), candidate("q4", best)],
      metadata: {
        synthetic_kind: "simulated", host: { architecture: cpu, cpu: { model: cpu, core_count: 4 }, os_name: cpu },
        study: { title: text, passes: 2, requests: { prompt_tokens: tokens, output_tokens: 8, measured: 4, seed: 7 } },
      },
    },
    {
      schema_version: "2.0", quality: "not-measurable", objective: { metric: "e2e_latency_ms_p50", direction: "min" },
      objective_tolerance_percent: 1, frontier_metrics: { e2e_latency_ms_p50: "min" }, preference_order: ["q8", "q4"],
    },
  ];
}

function writeBundle(folder, [set, constraints]) {
  fs.mkdirSync(path.join(folder, "experiment"), { recursive: true });
  fs.writeFileSync(path.join(folder, "status.json"), "{}");
  fs.writeFileSync(path.join(folder, "experiment/benchmark-set.json"), JSON.stringify(set));
  fs.writeFileSync(path.join(folder, "experiment/constraints.json"), JSON.stringify(constraints));
}

// Gives the folder of the site. Exit 3: none of these bundles can be verified, as they were never measured.
function makeSite(name, bundles) {
  const results = path.join(work, `${name}-results`);
  const site = path.join(work, `${name}-site`);
  for (const [folder, description] of bundles) writeBundle(path.join(results, folder), documents(description));
  const done = spawnSync(process.env.PARETOPILOT_BINARY, ["report", "--index", results, "--output", site], { encoding: "utf8" });
  if (done.status !== 3) throw new Error(`report --index gave ${done.status}: ${done.stderr}`);
  return site;
}

const pagesOf = (site, start) => fs.readdirSync(site).filter((name) => name.startsWith(start)).map((name) => path.join(site, name));

function intruders(page) {
  return page.evaluate(() => {
    const faults = [];
    if (globalThis.breached !== undefined) faults.push("a script of the document ran");
    for (const e of document.querySelectorAll("*")) {
      if (e.classList.contains("trojan") || ["trojan", "script", "img", "iframe", "link", "base"].includes(e.localName)) faults.push(`<${e.localName}>`);
      for (const { name, value } of e.attributes) {
        if (name.startsWith("on") || name === "style") faults.push(`an attribute ${name}`);
        if ((name === "href" || name === "src") && !/^#[\w-]+$|^[a-z0-9-]+\.html$/.test(value)) faults.push(`${name}="${value.slice(0, 40)}"`);
      }
    }
    const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
    const text = document.body.textContent + document.title;
    if (hidden.test(text)) faults.push(`U+${text.charCodeAt(text.search(hidden)).toString(16)} is in the page`);
    if (!text.includes("\\u202eevil\\u2066")) faults.push("\\u202e is not shown as a code");
    if (!text.includes("\u{1f980}")) faults.push("the crab is not shown");
    return faults;
  });
}

async function provoke(page) {
  for (let i = 0; i < 5; i++) await page.keyboard.press("Tab");
  await page.mouse.click(640, 450);
  await page.waitForTimeout(100);
  return intruders(page);
}

// Every link is followed as a reader would, and leads to a page of the site with a way back.
async function linkFaults(page) {
  const faults = [];
  const start = page.url();
  const links = await page.evaluate(() => [...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).filter((href) => !href.startsWith("#")));
  if (links.length === 0) faults.push("no link leads away");
  for (const link of new Set(links)) {
    await page.goto(new URL(link, start).href, { waitUntil: "load" });
    const back = page.locator("a[href='index.html']");
    if ((await back.count()) !== 1) faults.push(`${link}: ${await back.count()} ways back`);
    await back.first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(start);
  }
  return faults;
}

// Where each figure stands: in the section of its own machine and nowhere else.
async function mixtureFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    for (const [machine, own, foreign] of [["One", "125 ms", "50 ms"], ["Two", "50 ms", "125 ms"]]) {
      const section = [...document.querySelectorAll("section")].find((s) => s.querySelector("h2").textContent.includes(`Machine ${machine}`));
      if (section === undefined) faults.push(`no section of machine ${machine}`);
      else if (!section.textContent.replace(/\s/g, " ").includes(own) || section.textContent.replace(/\s/g, " ").includes(foreign)) faults.push(`machine ${machine}: ${section.textContent}`);
    }
    if (/%/.test(document.querySelector("main").textContent)) faults.push("a difference in percent on the index");
    if (!/no difference is taken, between machines/.test(document.body.textContent)) faults.push("the page does not say why");
    return faults;
  });
}

// The requests for the other pages of the site are what following a link is.
const withoutOwnPages = (faults) => faults.filter((fault) => !/^asked for file:.*\/[a-z0-9-]+\.html$/.test(fault));

const report = new Report();
const browser = await launch();
try {
  const few = makeSite("few", [
    ["monday", { text: "Study one", cpu: "Machine One", model: "Model", best: 125 }],
    ["tuesday", { text: "Study two", cpu: "Machine One", model: "Model", best: 120 }],
    ["abroad", { text: "Study three", cpu: "Machine Two", model: "Model", best: 50 }],
  ]);
  const window = await Window.open(browser);
  const index = path.join(few, "index.html");
  report.test("each figure stands with its own machine", await window.look(index, {}, mixtureFaults));
  report.test("links lead to pages that lead back", withoutOwnPages(await window.look(index, {}, linkFaults)));

  const hostile = makeSite("hostile-site", names.flatMap((text, i) => [
    [folderOf(text, i), { text, best: 100 + i }],
    [path.join("again", folderOf(text, i)), { text, best: 110 + i }],
  ]));
  const guarded = await Window.open(browser);
  const unguarded = await Window.open(browser, { ignorePolicy: true });
  report.test("hostile index: nothing runs or becomes an element", await guarded.look(path.join(hostile, "index.html"), {}, provoke));
  report.test("hostile index: nor does it without the page's policy", await unguarded.look(path.join(hostile, "index.html"), {}, provoke));
  const groups = pagesOf(hostile, "group-");
  report.test("each name has its page side by side", groups.length === names.length ? [] : [`${groups.length} groups of ${names.length}`]);
  report.test("every page of a hostile site has a plain name", fs.readdirSync(hostile).filter((name) => !/^[a-z0-9-]{1,70}\.html$/.test(name)));
  for (const w of [window, guarded, unguarded]) await w.close();

  await checkPage(report, browser, "site few", index);
  await checkPage(report, browser, "site hostile", path.join(hostile, "index.html"));
  await checkPage(report, browser, "site side by side", pagesOf(few, "group-")[0]);
  await checkPage(report, browser, "site hostile side by side", groups.find((file) => fs.readFileSync(file, "utf8").includes("unbrokenunbroken")));

  const page = path.join(work, "apart.html");
  const folders = ["monday", "abroad"].map((name) => path.join(work, "few-results", name));
  const done = spawnSync(process.env.PARETOPILOT_BINARY, ["report-compare", ...folders, "--output", page], { encoding: "utf8" });
  report.test("bundles of two machines give exit 1", done.status === 1 ? [] : [`${done.status}: ${done.stderr}`]);
  await checkPage(report, browser, "site apart", page);

  const many = makeSite("many", Array.from({ length: 60 }, (_, i) => [`run-${i}`, { text: `Study ${i}`, cpu: `CPU ${i % 4}`, model: `Model ${i % 3}`, best: 100 + i }]));
  const bytes = fs.statSync(path.join(many, "index.html")).size;
  report.test("an index of 60 bundles stays below 100 kB", bytes < 100e3 ? [] : [`${bytes} bytes`]);
} finally {
  await browser.close();
}
report.end();
