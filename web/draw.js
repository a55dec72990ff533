// Small helpers that all views share: elements, colours of heads in both themes, canvases, the tooltip, numbers.

/** el("button", {class: "x", onclick: f, "aria-label": "..."}, "text", node): an HTML element. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "style" && typeof value === "object") setStyle(element, value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setStyle(element, style) {
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
}

// One colour a head, told apart by hue and lightness; each has a contrast of at least 3:1 with its theme's paper.
const lightHeads = ["#1f6fc6", "#b85300", "#15834a", "#bb2f8c", "#6f4ad2", "#8a5a2b", "#087f8c", "#cf3030",
  "#0d4b94", "#8a4000", "#0b5c33", "#8a1a66", "#4a2aa5", "#5f3c18", "#055760", "#961d1d"];
const darkHeads = ["#6fb1ff", "#ff9d47", "#5fd390", "#f57fc8", "#ae98ff", "#d6ab80", "#4fd2dc", "#ff8279",
  "#b5d6ff", "#ffca99", "#aeebc8", "#fbbfe3", "#d5caff", "#ebd3ba", "#a6e9ee", "#ffc0bb"];

export const darkTheme = () => document.documentElement.dataset.theme === "dark";
export const headColour = (head) => {
  const colours = darkTheme() ? darkHeads : lightHeads;
  return colours[head % colours.length];
};

/** The value of a colour of style.css, as "--ink", for canvases. */
export function colour(name) {
  const known = colours[darkTheme() ? "dark" : "light"];
  return known[name] ??= getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
const colours = {light: {}, dark: {}};

/** "#rrggbb" with an opacity. */
export function faded(hex, opacity) {
  const [r, g, b] = channels(hex);
  return `rgba(${r},${g},${b},${opacity})`;
}

/** A picture that stands by itself, on paper: for export. */
export function sheet(width, height, ...parts) {
  return svg("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-family": "system-ui, sans-serif"
  }, svg("rect", {width, height, fill: colour("--paper")}), ...parts);
}

/** Between two colours "#rrggbb": `share` 0 is the first, 1 the second. */
export function mixed(first, second, share) {
  const [a, b] = [channels(first), channels(second)];
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * share)).join(",")})`;
}

// Relative luminance, as the guidelines for contrast define it.
function luminance(rgb) {
  const [r, g, b] = rgb.map((value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Ink or paper: what reads better on paper with this much of a colour over it. */
export function readableOn(hex, opacity) {
  const [paper, over] = [channels(colour("--paper")), channels(hex)];
  const ground = luminance(paper.map((value, i) => value + (over[i] - value) * opacity));
  const contrast = (name) => {
    const own = luminance(channels(colour(name)));
    return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
  };
  return colour(contrast("--ink") >= contrast("--paper") ? "--ink" : "--paper");
}

export const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** Sizes a canvas in CSS pixels for this screen and returns its cleared context, scaled so that 1 is a CSS pixel. */
export function prepared(canvas, width, height) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.reset();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** 0.1234 -> "0.123"; what is not 0 never reads as 0. */
export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const least = 10 ** -digits;
  if (value !== 0 && Math.abs(value) < least / 2)
    return value > 0 ? `<${least.toFixed(digits)}` : `>−${least.toFixed(digits)}`;
  return value.toFixed(digits).replace("-", "−");
}

/** With a sign, for differences. */
export function signed(value, digits = 3) {
  const text = value.toFixed(digits).replace("-", "−");
  return Number(value.toFixed(digits)) === 0 ? (0).toFixed(digits) : value > 0 ? `+${text}` : text;
}

export const grouped = (count) => Math.round(count).toLocaleString("en").replaceAll(",", " ");

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// One tooltip for the whole page. It repeats what a focused element says by its label, so readers may pass it over.
let tip = null;

export function showTip(x, y, ...content) {
  if (!tip) document.body.append(tip = el("div", {class: "tip", "aria-hidden": "true"}));
  tip.replaceChildren(...content);
  tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect();
  const left = Math.min(Math.max(4, x + 14), innerWidth - width - 4);
  const above = y + 18 + height > innerHeight - 4;
  tip.style.transform = `translate(${Math.round(left)}px,${Math.round(above ? y - height - 10 : y + 18)}px)`;
}

export function hideTip() {
  if (tip) tip.hidden = true;
}
