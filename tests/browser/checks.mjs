// checks.mjs - what any page of ours must be. Each function gives its faults, one line each.

import fs from "node:fs";

import { axeSource } from "./browser.mjs";

const inPage = fs.readFileSync(new URL("in_page.js", import.meta.url), "utf8");
const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// What axe-core finds. What it cannot decide about contrast is contrastFaults' business.
export async function axeFaults(page) {
  await page.evaluate(axeSource);
  const result = await page.evaluate(
    (tags) => globalThis.axe.run(document, { runOnly: tags, resultTypes: ["violations"] }),
    AXE_TAGS,
  );
  return result.violations.map((rule) => {
    const nodes = rule.nodes.slice(0, 3).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`);
    return `${rule.id} (${rule.nodes.length}): ${rule.help}\n  ${nodes.join("\n").replace(/\n\s*/g, "\n    ")}`;
  });
}

// A page as a whole never scrolls sideways: what is wide scrolls in a region of its own.
export function sidewaysFaults(page) {
  return page.evaluate(() => {
    const root = document.documentElement;
    window.scrollTo(100000, 0);
    const moved = window.scrollX;
    window.scrollTo(0, 0);
    if (root.scrollWidth <= root.clientWidth && moved === 0) return [];
    const wide = [...document.querySelectorAll("body *")]
      .filter((e) => e.getBoundingClientRect().right > root.clientWidth + 0.5 && !e.parentElement.closest(".scroll, pre, svg"))
      .slice(0, 3)
      .map((e) => `${e.tagName.toLowerCase()}.${e.getAttribute("class") ?? ""}`);
    return [`${root.scrollWidth} wide in ${root.clientWidth} CSS pixels; beyond the edge: ${wide.join(", ")}`];
  });
}

// What scrolls by itself can be reached by the keyboard and says what it is.
export function scrollRegionFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    for (const e of document.querySelectorAll("body, body *")) {
      const style = getComputedStyle(e);
      const scrolls = (how, inner, outer) => /auto|scroll/.test(how) && inner > outer + 1;
      if (!scrolls(style.overflowX, e.scrollWidth, e.clientWidth) && !scrolls(style.overflowY, e.scrollHeight, e.clientHeight))
        continue;
      const where = `${e.tagName.toLowerCase()}.${e.className} '${e.textContent.trim().slice(0, 30)}'`;
      if (e.tabIndex < 0) faults.push(`${where} scrolls, and the keyboard does not reach it`);
      if (!["region", "group"].includes(e.getAttribute("role")) || (!e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby")))
        faults.push(`${where} scrolls, and is no region or group with a label`);
    }
    return faults;
  });
}

// On a phone a table whose cells stack has nothing beside the screen, and every cell says its column.
export function stackFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    for (const table of document.querySelectorAll("table.stack, table.facts-table")) {
      const caption = table.caption.textContent.trim();
      const room = table.closest(".scroll");
      if (room.scrollWidth > room.clientWidth + 1) faults.push(`'${caption}' is ${room.scrollWidth} wide in ${room.clientWidth}`);
      if (!table.classList.contains("stack")) continue;
      const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
      for (const row of table.tBodies[0].rows)
        [...row.cells].forEach((cell, i) => {
          const said = cell.tagName === "TD" && getComputedStyle(cell, "::before").content;
          if (said !== false && said !== `"${titles[i]}: "`) faults.push(`'${caption}': a cell says ${said} for '${titles[i]}'`);
        });
    }
    return faults;
  });
}

// Every table has a caption, and every head cell says what it is the head of.
export function tableFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    for (const table of document.querySelectorAll("table")) {
      const caption = table.caption?.textContent.trim() ?? "";
      if (caption === "") faults.push(`a table without a caption: '${table.textContent.trim().slice(0, 40)}'`);
      for (const head of table.querySelectorAll("th"))
        if (!["row", "col", "rowgroup", "colgroup"].includes(head.scope)) faults.push(`'${caption}': head '${head.textContent}' has no scope`);
      for (const row of table.tBodies[0]?.rows ?? [])
        if (row.querySelector("th[scope=row]") === null) faults.push(`'${caption}': a row without a head`);
    }
    return faults;
  });
}

// One main with a focusable target, one h1, named sections, headings that skip no level.
export function structureFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    const one = (selector) => {
      const n = document.querySelectorAll(selector).length;
      if (n !== 1) faults.push(`${n} of ${selector}, expected 1`);
    };
    one("main");
    one("h1");
    one("body > header");
    one("body > footer");
    if (document.documentElement.lang === "") faults.push("the page names no language");
    if (document.title.trim() === "") faults.push("the page has no title");
    for (const section of document.querySelectorAll("section")) {
      const label = document.getElementById(section.getAttribute("aria-labelledby") ?? "");
      if (label === null || label.textContent.trim() === "") faults.push(`a section without a name: '${section.textContent.trim().slice(0, 40)}'`);
    }
    let level = 0;
    for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
      const own = Number(h.tagName[1]);
      if (own > level + 1) faults.push(`${h.tagName} '${h.textContent}' stands below a heading of level ${level}`);
      level = own;
    }
    // by title and description inside the image, or by a label
    const isNamed = (image) => image.getAttribute("aria-label") ||
      (image.getAttribute("aria-labelledby") ?? "none").split(" ").every((id) => image.querySelector(`#${id}`)?.textContent);
    for (const image of document.querySelectorAll("svg"))
      if (image.getAttribute("role") !== "img" || !isNamed(image) || image.closest("figure")?.querySelector("figcaption") == null)
        faults.push("a chart that is no image with a label and a caption");
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) faults.push(`the id '${id}' stands twice`);
    return faults;
  });
}

// Contrast of all text (4.5, large text 3) and of what charts draw (3), scrolled out of sight or not: axe
// decides neither. Lines of the grid, grounds and hatching may be faint: they only lead the eye.
export async function contrastFaults(page) {
  await page.evaluate(inPage);
  return page.evaluate(() => {
    const { parse, contrast, ground, name } = globalThis.pageTools;
    const faults = new Map();
    const grounds = new Map();
    const groundOf = (e) => grounds.get(e) ?? (grounds.set(e, ground(e)), grounds.get(e));
    const judge = (e, colours, behind, least) => {
      const best = Math.max(...colours.map((c) => contrast(c, behind)));
      if (best < least - 0.005) faults.set(name(e), `${name(e)}: contrast ${best.toFixed(2)}, expected ${least}: '${e.textContent.trim().slice(0, 30)}'`);
    };
    const holdsText = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim() !== "");
    for (const e of document.querySelectorAll("body *")) {
      if (e.closest("svg") !== null || !holdsText(e) || !e.checkVisibility()) continue;
      const style = getComputedStyle(e);
      const size = parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      judge(e, [parse(style.color)], groundOf(e), isLarge ? 3 : 4.5);
    }
    for (const chart of document.querySelectorAll("svg")) {
      const behind = [groundOf(chart), ...[...chart.querySelectorAll(".band")].map((e) => parse(getComputedStyle(e).fill))];
      for (const e of chart.querySelectorAll("text, line, path, rect, circle, polygon, polyline")) {
        if (e.closest("defs, .grid, .band, [fill^='url']") !== null) continue;
        const style = getComputedStyle(e);
        const isText = e.tagName === "text";
        const colours = (isText ? [style.fill] : [style.fill, style.stroke]).map(parse).filter((c) => c !== null);
        if (colours.length > 0) behind.forEach((g) => judge(e, colours, g, isText ? 4.5 : 3));
      }
    }
    return [...faults.values()];
  });
}

// Marks every element that the keyboard must reach, in the order of the page, and gives their number.
function numberStops(page) {
  return page.evaluate(() => {
    const stops = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
      .filter((e) => e.type !== "radio" || e.checked) // the others of a group are reached by arrow keys
      .filter((e) => e.tabIndex >= 0 && e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }))
      .map((e, i) => (e.setAttribute("data-stop", i), e));
    return stops.map((e) => `${e.tagName.toLowerCase()} '${(e.getAttribute("aria-label") ?? e.textContent).trim().slice(0, 40)}'`);
  });
}

// Where the focus is, and how its outline differs from the ground behind it.
function describeFocus(page) {
  return page.evaluate(() => {
    const { parse, contrast, ground } = globalThis.pageTools;
    const e = document.activeElement;
    if (e === null || e === document.body || e === document.documentElement) return null;
    const style = getComputedStyle(e);
    const box = e.getBoundingClientRect();
    return {
      stop: Number(e.getAttribute("data-stop") ?? -1),
      outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
      contrast: contrast(parse(style.outlineColor), ground(e.parentElement)),
      inView: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth && box.width > 0,
    };
  });
}

// Walks the page with the Tab key: every stop in the order of the page, each in view and outlined.
export async function keyboardFaults(page) {
  await page.evaluate(inPage);
  const names = await numberStops(page);
  const faults = [];
  if (names.length === 0) return ["nothing on the page takes the focus"];
  for (let i = 0; i < names.length; i++) {
    await page.keyboard.press("Tab");
    const focus = await describeFocus(page);
    if (focus === null || focus.stop !== i) {
      faults.push(`stop ${i + 1}: expected ${names[i]}, got ${focus === null ? "nothing" : names[focus.stop] ?? "an element without a number"}`);
      break;
    }
    if (focus.outline < 2) faults.push(`${names[i]}: no outline when focused`);
    else if (focus.contrast < 3) faults.push(`${names[i]}: outline has a contrast of ${focus.contrast.toFixed(2)}`);
    if (!focus.inView) faults.push(`${names[i]}: focused out of view`);
  }
  return faults;
}

// The first stop leads past everything that stands before the content.
export async function skipLinkFaults(page) {
  await page.keyboard.press("Tab");
  const before = await page.evaluate(() => document.activeElement.getAttribute("href"));
  await page.keyboard.press("Enter");
  const after = await page.evaluate(() => document.activeElement.tagName);
  if (before === null || !before.startsWith("#")) return [`the first stop links to '${before}'`];
  return after === "MAIN" ? [] : [`after the first link the focus is on ${after}, expected MAIN`];
}

// A disclosure opens and closes with Enter.
export async function disclosureFaults(page) {
  const summary = page.locator("summary").first();
  if ((await summary.count()) === 0) return [];
  const isOpen = () => summary.evaluate((e) => e.parentElement.open);
  const first = await isOpen();
  await summary.focus();
  await page.keyboard.press("Enter");
  const second = await isOpen();
  await page.keyboard.press("Enter");
  const third = await isOpen();
  return second === !first && third === first ? [] : [`open before, after one and after two Enters: ${first}, ${second}, ${third}`];
}

// On paper nothing scrolls and nothing is coloured for a dark room. The page is as wide as A4 has room.
export function printFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) faults.push(`${root.scrollWidth} wide on paper of ${root.clientWidth} CSS pixels`);
    for (const e of document.querySelectorAll("body *")) {
      const style = getComputedStyle(e);
      if (/auto|scroll|hidden/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && e.tagName !== "svg")
        faults.push(`${e.tagName.toLowerCase()}.${e.className} is cut at ${e.clientWidth} of ${e.scrollWidth} CSS pixels`);
    }
    const skip = document.querySelector(".skip");
    if (skip !== null && getComputedStyle(skip).display !== "none") faults.push("the skip link is printed");
    const ground = getComputedStyle(document.body).backgroundColor;
    if (ground !== "rgb(255, 255, 255)") faults.push(`the ground is ${ground}`);
    return faults;
  });
}
