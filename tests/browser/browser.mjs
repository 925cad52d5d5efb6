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

function watch(window) {
  const { context, noise } = window;
  context.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== window.own && !/^(data|about):/.test(url)) noise.push(`asked for ${url}`);
  });
  context.on("console", (message) => noise.push(`console ${message.type()}: ${message.text()}`));
  context.on("weberror", (error) => noise.push(`page error: ${error.error().message}`));
  context.on("dialog", (dialog) => {
    noise.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
}

// A window of the browser in which one file after the other is looked at. Options: ignorePolicy (the
// pages' Content-Security-Policy is not applied).
export class Window {
  static async open(browser, { ignorePolicy = false } = {}) {
    const window = new Window();
    window.context = await browser.newContext({ bypassCSP: ignorePolicy, reducedMotion: "reduce" });
    await window.context.route((url) => url.protocol !== "file:" && url.protocol !== "data:", (route) => route.abort());
    window.noise = [];
    watch(window);
    window.page = await window.context.newPage();
    return window;
  }

  // Loads a file afresh and gives the faults that `use` finds, with a line for each thing a page must not
  // do. Options: width, height (CSS pixels), scheme ("light", "dark"), media ("screen", "print").
  async look(file, { width = 1280, height = 900, scheme = "light", media = "screen" }, use) {
    this.noise.length = 0;
    this.own = pathToFileURL(file).href;
    await this.page.setViewportSize({ width, height });
    await this.page.emulateMedia({ media, colorScheme: scheme });
    // Another address than before, so that the page starts at its top and without a focus.
    await this.page.goto("about:blank");
    await this.page.goto(this.own, { waitUntil: "load" });
    const faults = await use(this.page);
    // What a page says arrives behind the answers to what it is asked.
    await this.page.evaluate(() => new Promise((done) => setTimeout(done, 0)));
    return [...faults, ...this.noise];
  }

  close() {
    return this.context.close();
  }
}
