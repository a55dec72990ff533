// A small curve with one of its points marked.

import {number, svg} from "dragoman/draw.js";

const [width, height, left, right, top, bottom] = [430, 150, 40, 8, 8, 22];

/**
 * `values` over `places` (numbers, rising), point `marked`, the range of values at least [low, high]; `unit` says what
 * a place is.
 */
export function curve({places, values, marked, low, high, unit}) {
  const [from, to] = [Math.min(low, ...values), Math.max(high, ...values)];
  const span = places.at(-1) - places[0] || 1;
  const x = (i) => left + ((places[i] - places[0]) / span) * (width - left - right);
  const y = (value) => top + (1 - (value - from) / (to - from || 1)) * (height - bottom - top);
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img",
    "aria-label": `Curve; at ${unit} ${places[marked]}: ${number(values[marked])}`});
  for (const tick of new Set([from, 0, to])) {
    const text = number(tick, Number.isInteger(tick) ? 0 : 1);
    picture.append(svg("line", {x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "curve-grid"}),
      svg("text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end", class: "curve-label"}, text));
  }
  const path = values.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  picture.append(svg("path", {d: path, class: "curve-line"}),
    svg("line", {x1: x(marked), x2: x(marked), y1: top, y2: height - bottom, class: "curve-mark"}),
    svg("circle", {cx: x(marked), cy: y(values[marked]), r: 4, class: "curve-dot"}));
  const last = places.length - 1;
  for (const i of new Set([0, marked, last])) {
    if (i !== marked && Math.abs(x(i) - x(marked)) < 36) continue;
    const anchor = x(i) < left + 12 ? "start" : x(i) > width - right - 12 ? "end" : "middle";
    const place = {x: x(i), y: height - 6, "text-anchor": anchor};
    picture.append(svg("text", {...place, class: "curve-label"}, String(places[i])));
  }
  return picture;
}
