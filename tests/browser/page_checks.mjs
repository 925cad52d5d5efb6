// page_checks.mjs - everything that any page of ours is held to, as tests of one file.

import fs from "node:fs";
import path from "node:path";

import { Window } from "./browser.mjs";
import * as checks from "./checks.mjs";

// A4 without the margins that @page asks for: 182 mm at 96 CSS pixels an inch.
const PAPER_WIDTH = 688;
const PHONE_WIDTH = 360;
const DESK_WIDTH = 1280;
// Taller pictures cost more than they show.
const SHOT_HEIGHT = 5000;

async function shoot(page, name) {
  const folder = process.env.PARETOPILOT_SCREENSHOTS;
  if (!folder) return;
  fs.mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: before.width, height: Math.min(height, SHOT_HEIGHT) });
  await page.screenshot({ path: path.join(folder, `${name.replace(/\W+/g, "-")}.png`) });
  await page.setViewportSize(before);
}

async function gather(page, ...functions) {
  const faults = [];
  for (const f of functions) faults.push(...(await f(page)));
  return faults;
}

async function openDisclosures(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
}

// name: what the page is called in the tests and its screenshots
export async function checkPage(report, browser, name, file) {
  const window = await Window.open(browser);
  const see = async (what, options, check) => report.test(`${name}: ${what}`, await window.look(file, options, check));

  await see("landmarks, headings, tables and charts are named", {}, (page) =>
    gather(page, checks.structureFaults, checks.tableFaults));
  for (const scheme of ["light", "dark"]) {
    for (const width of [PHONE_WIDTH, DESK_WIDTH]) {
      await see(`accessible in ${scheme} at ${width} px`, { scheme, width }, async (page) => {
        // axe and pictures are slow; colours hardly depend on the width, nor the rest on the colours.
        const isCorner = (scheme === "dark") === (width === PHONE_WIDTH);
        if (isCorner) await shoot(page, `${name}-${width}-${scheme}`);
        await openDisclosures(page);
        return gather(page, checks.contrastFaults, ...(isCorner ? [checks.axeFaults] : []));
      });
    }
    await see(`reached by the keyboard in ${scheme}`, { scheme }, checks.keyboardFaults);
  }
  for (const width of [320, PHONE_WIDTH, DESK_WIDTH]) {
    await see(`does not scroll sideways at ${width} px`, { width }, async (page) => {
      const closed = await checks.sidewaysFaults(page);
      if (width <= PHONE_WIDTH) closed.push(...(await checks.stackFaults(page)));
      await openDisclosures(page);
      return [...closed, ...(await gather(page, checks.sidewaysFaults, checks.scrollRegionFaults))];
    });
  }
  await see("a link leads past the head, Enter opens disclosures", { width: PHONE_WIDTH }, (page) =>
    gather(page, checks.skipLinkFaults, checks.disclosureFaults));
  for (const scheme of ["light", "dark"]) {
    await see(`prints from ${scheme}`, { scheme, media: "print", width: PAPER_WIDTH }, async (page) => {
      if (scheme === "dark") await shoot(page, `${name}-print`);
      return gather(page, checks.printFaults, checks.contrastFaults);
    });
  }
  await window.close();
}
