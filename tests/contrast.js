// Returns a sentence for each visible text whose contrast with its background is less than 4.5:1, or 3:1 for large text
// (WCAG 2, success criterion 1.4.3). Text on a canvas is not checked.
const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);

// `f` with a cache of its results.
function remembered(f) {
  const known = new Map();
  return (of) => {
    if (!known.has(of)) known.set(of, f(of));
    return known.get(of);
  };
}

// Red, green, blue and opacity, from 0 to 1, of any colour that a computed style may have.
const brush = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const read = remembered((colour) => {
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 1, 1);
  return [...brush.getImageData(0, 0, 1, 1).data].map((byte) => byte / 255);
});

const over = ([r, g, b, a], below) => [r, g, b].map((value, i) => value * a + below[i] * (1 - a));
const faded = ([r, g, b, a], by) => [r, g, b, a * by];
const opacityOf = remembered((element) => (
  element ? Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement) : 1));

// The colour that an element paints under its text.
const ground = remembered((element) => {
  const style = getComputedStyle(element);
  if (!(element instanceof SVGElement) || element instanceof SVGSVGElement) return read(style.backgroundColor);
  return element.matches("rect, circle, path") && style.fill !== "none"
    ? faded(read(style.fill), Number(style.fillOpacity))
    : [0, 0, 0, 0];
});

// The background of a text: the backgrounds of its ancestors and, in an SVG, the shapes drawn before it at its place.
function behind(element) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(ground(at));
  if (element instanceof SVGElement) {
    const {x, y, width, height} = element.getBoundingClientRect();
    for (const shape of element.ownerSVGElement.querySelectorAll("rect, circle")) {
      if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const box = shape.getBoundingClientRect();
      const [across, down] = [x + width / 2 - box.x, y + height / 2 - box.y];
      if (across >= 0 && across <= box.width && down >= 0 && down <= box.height) layers.unshift(ground(shape));
    }
  }
  return layers.reduceRight((below, layer) => over(layer, below), [1, 1, 1]);
}

const found = [];
for (const element of document.querySelectorAll("body *")) {
  const text = [...element.childNodes].filter(({nodeType}) => nodeType === Node.TEXT_NODE)
    .map(({textContent}) => textContent.trim()).join(" ").trim();
  const box = element.getBoundingClientRect();
  if (!text || box.width < 2 || box.height < 2 || !element.checkVisibility({visibilityProperty: true})) continue;
  if (element.closest(":disabled, [aria-disabled=true], noscript, script, style, option")) continue;
  const style = getComputedStyle(element);
  const paper = behind(element);
  const ink = read(element instanceof SVGElement ? style.fill : style.color);
  const tones = [luminance(over(faded(ink, opacityOf(element)), paper)), luminance(paper)].sort((a, b) => b - a);
  const ratio = (tones[0] + 0.05) / (tones[1] + 0.05);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (ratio < (large ? 3 : 4.5)) {
    const name = element.getAttribute("class");
    found.push(`${ratio.toFixed(2)}: "${text.slice(0, 40)}", ${element.tagName} of class "${name}"`);
  }
}
return [...new Set(found)];
