// in_page.js - runs inside a page under test: colours as its reader sees them.
globalThis.pageTools = (() => {
  // [r, g, b, a] of a computed colour; null for none.
  const parse = (text) => {
    const n = text.match(/[\d.]+/g)?.map(Number) ?? [];
    if (!/^rgba?\(/.test(text) || n.length < 3) return null;
    return [n[0], n[1], n[2], n[3] ?? 1];
  };
  // Relative luminance and contrast: WCAG 2.2, definitions.
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, ground) => [0, 1, 2].map((i) => top[i] * top[3] + ground[i] * (1 - top[3])).concat(1);
  const contrast = (colour, ground) => {
    const [high, low] = [luminance(over(colour, ground)), luminance(ground)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  // What is painted behind an element.
  const ground = (element) => {
    const layers = [];
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour !== null && colour[3] > 0) layers.push(colour);
      if (colour !== null && colour[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const name = (e) => `${e.tagName.toLowerCase()}${e.getAttribute("class") ? `.${e.getAttribute("class")}` : ""}`;
  return { parse, contrast, ground, name };
})();
