// Draws a scene (see scene.js) on a canvas, or as SVG for export.

import {colour, faded} from "../../parts/colours.js";
import {svg} from "../../parts/elements.js";

// The end of a line that has grown in part.
function endOf({x1, y1, x2, y2, grown}) {
  return {x: x1 + (x2 - x1) * grown, y: y1 + (y2 - y1) * grown};
}

const alignmentOf = ({angle, below, begins}) => (begins || (angle && !below) ? "left" : angle ? "right" : "center");

/** Draws the part of a scene from `left` to `left + width`. */
export function paint(context, scene, left, width) {
  context.translate(-left, 0);
  const isVisible = (x) => x > left - 80 && x < left + width + 80;
  for (const line of scene.lines) if (isVisible(line.x1) || isVisible(line.x2)) paintLine(context, line);
  for (const dot of scene.dots) if (isVisible(dot.x)) paintDot(context, dot);
  context.textBaseline = "middle";
  const font = getComputedStyle(document.body).fontFamily;
  for (const text of scene.texts) if (isVisible(text.x)) paintText(context, text, font);
}

function paintLine(context, line) {
  if (line.grown <= 0) return;
  const to = endOf(line);
  context.strokeStyle = faded(line.colour, line.alpha);
  context.lineWidth = line.width;
  context.beginPath();
  context.moveTo(line.x1, line.y1);
  context.lineTo(to.x, to.y);
  context.stroke();
}

function paintDot(context, {x, y, r, lit, current}) {
  const own = colour(current ? "--accent" : "--ink");
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = colour("--paper");
  context.fill();
  if (lit > 0) {
    context.fillStyle = faded(own, lit);
    context.fill();
  }
  context.lineWidth = 1;
  context.strokeStyle = lit > 0 ? faded(own, 0.4 + 0.6 * lit) : faded(colour("--edge"), 0.7);
  context.stroke();
}

function paintText(context, text, font) {
  context.save();
  context.globalAlpha = text.alpha ?? 1;
  context.font = `${text.strong ? 600 : 400} 13px ${font}`;
  context.fillStyle = colour(text.strong ? "--ink" : "--soft");
  context.translate(text.x, text.y);
  if (!text.begins) context.rotate((-(text.angle ?? 0) * Math.PI) / 180);
  context.textAlign = alignmentOf(text);
  context.fillText(text.text, 0, 0);
  context.restore();
}

const rounded = (value) => value.toFixed(1);

/** The whole scene as SVG. */
export function scenePicture(scene, {width, height}) {
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height},
    ...scene.lines.filter(({grown}) => grown > 0).map(lineShape), ...scene.dots.map(dotShape),
    ...scene.texts.map(textShape));
}

function lineShape(line) {
  const to = endOf(line);
  return svg("line", {
    x1: rounded(line.x1), y1: rounded(line.y1), x2: rounded(to.x), y2: rounded(to.y), stroke: line.colour,
    "stroke-opacity": line.alpha.toFixed(2), "stroke-width": line.width.toFixed(2),
  });
}

function dotShape({x, y, r, lit, current}) {
  const own = colour(current ? "--accent" : "--ink");
  const fill = lit > 0.5 ? own : colour("--paper");
  return svg("circle", {cx: rounded(x), cy: rounded(y), r, fill, stroke: own, "stroke-opacity": "0.7"});
}

function textShape(text) {
  const [x, y] = [rounded(text.x), rounded(text.y)];
  return svg("text", {
    x, y, transform: text.angle && !text.begins ? `rotate(${-text.angle} ${x} ${y})` : null,
    class: text.strong ? "label strong" : "label", "dominant-baseline": "middle",
    "text-anchor": {left: "start", right: "end", center: "middle"}[alignmentOf(text)],
  }, text.text);
}
