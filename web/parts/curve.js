// A small curve with one of its points marked.

import {number} from "../core/format.js";
import {text as strings} from "../strings/parts.js";
import {svg} from "./elements.js";

const [width, height] = [430, 150];
const margin = {left: 40, right: 8, top: 8, bottom: 22};

/**
 * Draws `values` over `places` (rising numbers) and marks the point of index `marked`. The range of values contains
 * [low, high]; `unit` names what a place is.
 */
export function curve({places, values, marked, low, high, unit}) {
  const [from, to] = [Math.min(low, ...values), Math.max(high, ...values)];
  const span = places.at(-1) - places[0] || 1;
  const x = (i) => margin.left + ((places[i] - places[0]) / span) * (width - margin.left - margin.right);
  const y = (value) => margin.top + (1 - (value - from) / (to - from || 1)) * (height - margin.bottom - margin.top);
  const path = values.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img",
    "aria-label": strings.curve(unit, places[marked], number(values[marked]))},
  ...[...new Set([from, 0, to])].flatMap((value) => gridLine(value, y(value))),
  svg("path", {d: path, class: "curve-line"}),
  svg("line", {x1: x(marked), x2: x(marked), y1: margin.top, y2: height - margin.bottom, class: "curve-mark"}),
  svg("circle", {cx: x(marked), cy: y(values[marked]), r: 4, class: "curve-dot"}),
  ...placeLabels(places, marked, x), unitLabel(unit, x(marked)));
}

// What the places are, in the middle of the axis or where the label of the marked place leaves room.
function unitLabel(unit, marked) {
  const middle = (margin.left + width - margin.right) / 2;
  const x = Math.abs(marked - middle) < 60 ? middle + (marked > middle ? -80 : 80) : middle;
  return svg("text", {x, y: height - 6, "text-anchor": "middle", class: "curve-label"}, unit);
}

function gridLine(value, y) {
  const text = number(value, Number.isInteger(value) ? 0 : 1);
  return [
    svg("line", {x1: margin.left, x2: width - margin.right, y1: y, y2: y, class: "curve-grid"}),
    svg("text", {x: margin.left - 6, y: y + 4, "text-anchor": "end", class: "curve-label"}, text),
  ];
}

// Labels of the first, the marked and the last place, unless they would overlap the marked one.
function placeLabels(places, marked, x) {
  const shown = [...new Set([0, marked, places.length - 1])].filter(
    (i) => i === marked || Math.abs(x(i) - x(marked)) >= 36);
  return shown.map((i) => {
    const anchor = x(i) < margin.left + 12 ? "start" : x(i) > width - margin.right - 12 ? "end" : "middle";
    return svg("text", {x: x(i), y: height - 6, "text-anchor": anchor, class: "curve-label"}, String(places[i]));
  });
}
