// Colours of heads and of the theme, for elements and canvases.

// One colour for each head, distinguished by hue and lightness. Each has a contrast of at least 3:1 with its theme's
// background.
const lightHeads = ["#1f6fc6", "#b85300", "#15834a", "#bb2f8c", "#6f4ad2", "#8a5a2b", "#087f8c", "#cf3030",
  "#0d4b94", "#8a4000", "#0b5c33", "#8a1a66", "#4a2aa5", "#5f3c18", "#055760", "#961d1d"];
const darkHeads = ["#6fb1ff", "#ff9d47", "#5fd390", "#f57fc8", "#ae98ff", "#d6ab80", "#4fd2dc", "#ff8279",
  "#b5d6ff", "#ffca99", "#aeebc8", "#fbbfe3", "#d5caff", "#ebd3ba", "#a6e9ee", "#ffc0bb"];

export const isDark = () => document.documentElement.dataset.theme === "dark";

export const headColour = (head) => {
  const colours = isDark() ? darkHeads : lightHeads;
  return colours[head % colours.length];
};

/** The value of a colour of base.css in the current theme, such as colour("--ink"). */
export function colour(name) {
  const known = themeColours[isDark() ? "dark" : "light"];
  return known[name] ??= getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
const themeColours = {light: {}, dark: {}};

/** The colours of a picture of weights: those of a head or, for null, of weights with a sign. */
export const weightColours = (head) => (
  head === null ? {more: colour("--more"), less: colour("--less")} : {more: headColour(head)});

/** Red, green and blue of "#rrggbb", from 0 to 255. */
export const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** "#rrggbb" with an opacity. */
export function faded(hex, opacity) {
  const [r, g, b] = channels(hex);
  return `rgba(${r},${g},${b},${opacity})`;
}

// Relative luminance as WCAG 2 defines it.
function luminance(rgb) {
  const [r, g, b] = rgb.map((value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The colour of text that is easier to read on a colour of some opacity over the background: ink or paper. */
export function readableOn(hex, opacity) {
  const [paper, over] = [channels(colour("--paper")), channels(hex)];
  const ground = luminance(paper.map((value, i) => value + (over[i] - value) * opacity));
  const contrast = (name) => {
    const own = luminance(channels(colour(name)));
    return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
  };
  return colour(contrast("--ink") >= contrast("--paper") ? "--ink" : "--paper");
}

/** A function from a number to [r, g, b]: one colour below zero, one above, and the background at zero. */
export function divergingScale(most) {
  const [paper, below, above] = ["--raised", "--less", "--more"].map((name) => channels(colour(name)));
  return (value) => {
    const share = Math.min(1, Math.abs(value) / most);
    const to = value < 0 ? below : above;
    return paper.map((part, i) => part + (to[i] - part) * share);
  };
}

/** A function from a number between 0 and `most` to [r, g, b]: from the background to a colour. */
export function risingScale(most, hex) {
  const [paper, to] = [channels(colour("--raised")), channels(hex)];
  return (value) => {
    const share = Math.min(1, Math.max(0, value / most));
    return paper.map((part, i) => part + (to[i] - part) * share);
  };
}
