// browser.mjs - local files in a real browser that watches what they try.
//
// Chromium is the distribution's. Nothing a page asks for leaves the machine: every request but the one
// for the file itself is refused and noted, and so is everything the page says on its console.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The modules lie in the build cache, not beside this file (tools/browser.sh).
const load = createRequire(`${process.env.PARETOPILOT_BROWSER_DIR}/package.json`);
const { chromium } = load("playwright-core");
export const axeSource = load("axe-core").source;

const isRoot = process.getuid() === 0;

export function launch() {
  return chromium.launch({
    executablePath: process.env.PARETOPILOT_CHROMIUM,
    // Its sandbox cannot be had as root; whoever is not root keeps it.
    chromiumSandbox: !isRoot,
    args: [
      "--disable-dev-shm-usage", // containers give it 64 MiB
      "--disable-gpu",
      "--host-resolver-rules=MAP * ~NOTFOUND",
    ],
  });
}

function watch(context, own, noise) {
  context.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== own && !url.startsWith("data:")) noise.push(`asked for ${url}`);
  });
  context.on("console", (message) => noise.push(`console ${message.type()}: ${message.text()}`));
  context.on("weberror", (error) => noise.push(`page error: ${error.error().message}`));
  context.on("dialog", (dialog) => {
    noise.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
}

// Opens a file and gives { page, noise, close }: noise gets a line for each thing a page must not do.
// Options: width, height (CSS pixels), scheme ("light", "dark"), media ("screen", "print"),
// ignorePolicy (the page's Content-Security-Policy is not applied), before (a script to run first).
export async function open(browser, file, options = {}) {
  const { width = 1280, height = 900, scheme = "light", media = "screen", ignorePolicy = false, before } = options;
  const own = pathToFileURL(file).href;
  const noise = [];
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: "reduce",
    bypassCSP: ignorePolicy,
  });
  await context.route(
    (url) => url.protocol !== "file:" && url.protocol !== "data:",
    (route) => route.abort(),
  );
  watch(context, own, noise);
  if (before !== undefined) await context.addInitScript(before);
  const page = await context.newPage();
  await page.emulateMedia({ media, colorScheme: scheme });
  await page.goto(own, { waitUntil: "load" });
  return { page, noise, close: () => context.close() };
}

export async function withPage(browser, file, options, use) {
  const opened = await open(browser, file, options);
  try {
    return await use(opened.page, opened.noise);
  } finally {
    await opened.close();
  }
}
