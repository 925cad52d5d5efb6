// The checks themselves: a page without a fault passes them all, and each fault is found by its check.

import fs from "node:fs";
import path from "node:path";

import { launch, Window } from "./browser.mjs";
import * as checks from "./checks.mjs";
import { work } from "./documents.mjs";
import { Report } from "./tap.mjs";

const STYLE = `body{margin:0;background:#fff;color:#222}a{color:#04c}.scroll{overflow-x:auto}
  :focus-visible{outline:3px solid #04c}.dark{background:#222;color:#eee}`;
const TABLE = `<div class="scroll" role="region" tabindex="0" aria-label="T"><table><caption>T</caption>
  <thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>
  <tbody><tr><th scope="row">a</th><td>1</td></tr></tbody></table></div>`;
const CHART = `<figure><svg viewBox="0 0 9 9" role="img" aria-label="C" width="90"><line class="grid" stroke="#eee" x2="9"/>
  <circle class="p" r="3" fill="#04c"/><text y="5">t</text></svg><figcaption>Dots</figcaption></figure>`;

const document = ({ head = "", style = "", main = "", table = TABLE, chart = CHART, skip = '<a class="skip" href="#c">Skip</a>' }) =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title><style>${STYLE}${style}</style>${head}</head>
  <body>${skip}<header><h1>One</h1></header><main id="c" tabindex="-1"><section aria-labelledby="s"><h2 id="s">Two</h2>
  ${table}${chart}<details><summary>More</summary><p>text</p></details><p>Words. ${main}</p></section></main>
  <footer>End</footer></body></html>`;

// name, the change of the page, the check that must object, what it must say; options of the page
const rows = [
  ["a request", { main: '<img src="http://127.0.0.1:9/x.png" alt="x">' }, null, /asked for http:\/\/127/],
  ["a request for a file", { main: '<img src="other.png" alt="x">' }, null, /asked for file:.*other\.png/],
  ["a word on the console", { main: "<script>console.info('hello')</script>" }, null, /console info: hello/],
  ["a page error", { main: "<script>throw new Error('broken')</script>" }, null, /page error: broken/],
  ["a dialog", { main: "<script>alert('hey')</script>" }, null, /dialog: hey/],
  ["a blocked script", { head: `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`, main: "<script>1</script>" }, null, /console error: .*Content Security Policy/],
  ["an image without a text", { main: '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">' }, checks.axeFaults, /^image-alt/],
  ["faint text", { main: '<b style="color:#999">faint</b>' }, checks.contrastFaults, /^b: contrast 2\.8/],
  ["faint text, to axe", { main: '<b style="color:#999">faint</b>' }, checks.axeFaults, /^color-contrast/],
  ["faint text in the dark", { style: "@media (prefers-color-scheme:dark){body{background:#222;color:#777}}" }, checks.contrastFaults, /contrast 3\.5/, { scheme: "dark" }],
  ["text on a half transparent ground", { main: '<b style="background:rgba(0,0,0,.5)">grey</b>' }, checks.contrastFaults, /^b: contrast 4\.0/],
  ["a faint mark", { chart: CHART.replace('fill="#04c"', 'fill="#ccc"') }, checks.contrastFaults, /^circle\.p: contrast 1\.6/],
  ["a chart without a label", { chart: CHART.replace(' aria-label="C"', "") }, checks.structureFaults, /chart/],
  ["a chart without a caption", { chart: CHART.replace(/<figcaption.*figcaption>/, "") }, checks.structureFaults, /chart/],
  ["a level left out", { main: "</p><h4>Deep</h4><p>" }, checks.structureFaults, /H4 'Deep' stands below a heading of level 2/],
  ["an id that stands twice", { main: '<i id="s">x</i>' }, checks.structureFaults, /'s' stands twice/],
  ["a second main", { main: "</p><main>x</main><p>" }, checks.structureFaults, /2 of main/],
  ["a section without a name", { main: "</p><section>alone</section><p>" }, checks.structureFaults, /section without a name/],
  ["no caption", { table: TABLE.replace(/<caption.*caption>/, "") }, checks.tableFaults, /without a caption/],
  ["a head without a scope", { table: TABLE.replace('<th scope="col">B', "<th>B") }, checks.tableFaults, /'B' has no scope/],
  ["a row without a head", { table: TABLE.replace('<th scope="row">a</th>', "<td>a</td>") }, checks.tableFaults, /row without a head/],
  ["a page wider than the phone", { main: '<i style="display:inline-block;width:500px">wide</i>' }, checks.sidewaysFaults, /beyond the edge: .*i\./, { width: 360 }],
  ["a region beyond the keyboard", { main: '<i style="display:block;overflow:auto;width:50px"><b style="display:block;width:200px">x</b></i>' }, checks.scrollRegionFaults, /keyboard does not reach/],
  ["a stacked table wider than the screen", { table: TABLE.replace("<table>", '<table class="facts-table" style="width:900px">') }, checks.stackFaults, /'T' is 900 wide/, { width: 360 }],
  ["a stacked cell without its column", { table: TABLE.replace("<table>", '<table class="stack">') }, checks.stackFaults, /'T': a cell says none for 'B'/, { width: 360 }],
  ["a stacked cell of another column", { style: "td::before{content:attr(data-head) ': '}", table: TABLE.replace("<table>", '<table class="stack">').replace("<td>", '<td data-head="A">') }, checks.stackFaults, /'T': a cell says "A: " for 'B'/, { width: 360 }],
  ["a region without a label", { table: TABLE.replace(' aria-label="T"', ' style="width:10px"') }, checks.scrollRegionFaults, /no region or group/],
  ["no outline", { style: "summary:focus-visible{outline:none}" }, checks.keyboardFaults, /summary 'More': no outline/],
  ["a faint outline", { style: "summary:focus-visible{outline-color:#ddd}" }, checks.keyboardFaults, /summary 'More': outline has a contrast of 1\.3/],
  ["an order of its own", { main: '<a href="#c" tabindex="1">early</a>' }, checks.keyboardFaults, /stop 1: expected a 'Skip'/],
  ["a stop that cannot be seen", { main: '<a href="#c" style="position:absolute;left:-999px">hidden</a>' }, checks.keyboardFaults, /focused out of view/],
  ["no link past the head", { skip: "" }, checks.skipLinkFaults, /first stop links to/],
  ["a link that leads nowhere", { skip: '<a href="#nowhere">Skip</a>' }, checks.skipLinkFaults, /expected MAIN/],
  ["a disclosure that stays shut", { main: "<script>document.querySelector('summary').addEventListener('click',e=>e.preventDefault())</script>" }, checks.disclosureFaults, /false, false, false/],
  ["a table cut by the paper", { table: TABLE.replace(' tabindex="0"', ' tabindex="0" style="width:10px"') }, checks.printFaults, /is cut at 10/, { media: "print" }],
  ["dark paper", { style: "@media (prefers-color-scheme:dark){body{background:#222}}" }, checks.printFaults, /ground is rgb\(34/, { media: "print", scheme: "dark" }],
  ["a printed skip link", {}, checks.printFaults, /skip link is printed/, { media: "print" }],
];

const everything = [
  checks.structureFaults, checks.tableFaults, checks.axeFaults, checks.contrastFaults, checks.sidewaysFaults,
  checks.scrollRegionFaults, checks.stackFaults, checks.keyboardFaults, checks.skipLinkFaults, checks.disclosureFaults, checks.printFaults,
];

const report = new Report();
const browser = await launch();
const window = await Window.open(browser);
const file = path.join(work, "page.html");

fs.writeFileSync(file, document({ style: "@media print{.skip{display:none}}" }));
for (const scheme of ["light", "dark"]) {
  const faults = [];
  for (const check of everything)
    faults.push(...(await window.look(file, { scheme, media: check === checks.printFaults ? "print" : "screen" }, check)));
  report.test(`a page without faults passes in ${scheme}`, faults);
}
for (const [name, change, check, want, options = {}] of rows) {
  fs.writeFileSync(file, document(change));
  const found = await window.look(file, options, check ?? (() => []));
  report.test(`finds ${name}`, found.some((fault) => want.test(fault)) ? [] : [`expected ${want}, got ${found.length} faults: ${found.join("; ")}`]);
}
await browser.close();
report.end();
