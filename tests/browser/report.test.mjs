// The report page of sets that are small, large and in between.

import { launch, Window } from "./browser.mjs";
import { inSource, makePage, makePageOf } from "./documents.mjs";
import { checkPage } from "./page_checks.mjs";
import { Report } from "./tap.mjs";

// 64 candidates with 20 metrics, of which four decide; every seventh candidate lacks one.
function largeDocuments() {
  const known = ["generation_tps", "prompt_tps", "e2e_latency_ms_p95", "ttft_ms_p95", "peak_rss_mib", "model_size_mib"];
  const names = [...known, ...Array.from({ length: 14 }, (_, i) => `phase_${i}_latency_ms_p95`)];
  const candidates = Array.from({ length: 64 }, (_, i) => ({
    id: `build-${i % 4}-threads-${(i % 16) + 1}-batch-${32 << (i % 5)}-${i}`,
    label: `Build ${i % 4}, ${(i % 16) + 1} threads, batch ${32 << (i % 5)}`,
    parameters: { threads: (i % 16) + 1, batch: 32 << (i % 5) },
    metrics: Object.fromEntries(
      names.filter((_, j) => j < 6 || i % 7 !== j % 7).map((name, j) => [name, 1000 + ((i * 37 + j * 91) % 641) + j / 8]),
    ),
  }));
  const set = { schema_version: "1.0", baseline_id: candidates[0].id, synthetic: true, metadata: { synthetic_kind: "simulated" }, candidates };
  const constraints = {
    schema_version: "2.0",
    quality: "not-measurable",
    max_values: { peak_rss_mib: 1500 },
    min_values: {},
    objective: { metric: "e2e_latency_ms_p95", direction: "min" },
    objective_tolerance_percent: 1.0,
    preference_order: [],
    frontier_metrics: { e2e_latency_ms_p95: "min", generation_tps: "max", peak_rss_mib: "min", model_size_mib: "min" },
  };
  return [set, constraints];
}

// One panel of priorities at a time, by rules of style alone; an arrow key goes to the next; on paper all.
async function switchFaults(page) {
  const shown = () => page.evaluate(() => [...document.querySelectorAll(".panel")].map((e) => e.getClientRects().length > 0).join());
  const faults = [];
  const expect = async (what, want) => {
    const got = await shown();
    if (got !== want) faults.push(`${what}: panels shown ${got}, expected ${want}`);
  };
  await expect("at first", "true,false,false");
  await page.focus("#priority-0");
  await page.keyboard.press("ArrowRight");
  await expect("after an arrow key", "false,true,false");
  await page.click("label[for='priority-2']");
  await expect("after a click", "false,false,true");
  await page.emulateMedia({ media: "print" });
  await expect("on paper", "true,true,true");
  return faults;
}

const report = new Report();
const browser = await launch();
try {
  const example = (name) => inSource(`examples/recommend/${name}.json`);
  await checkPage(report, browser, "example", makePage("example", example("benchmarks"), example("constraints")));
  const full = (name) => inSource(`tests/fixtures/report/full-${name}.json`);
  await checkPage(report, browser, "full", makePage("full", full("set"), full("constraints")));
  const none = inSource("tests/fixtures/report/none-constraints.json");
  await checkPage(report, browser, "nothing eligible", makePage("none", full("set"), none));
  const golden = (name) => inSource(`tests/golden/report/${name}`);
  const whole = makePage("whole", golden("every-document/benchmarks.json"), golden("every-document/constraints.json"), "--load", golden("every-document/load.json"),
    "--load", golden("load-reports/first.json"), "--stability", golden("every-document/stability.json"), "--policies", example("policies"));
  await checkPage(report, browser, "with every document", whole);
  const window = await Window.open(browser);
  report.test("priorities are switched without a script", await window.look(whole, {}, switchFaults));
  await checkPage(report, browser, "64 by 20", makePageOf("large", ...largeDocuments()));
} finally {
  await browser.close();
}
report.end();
