// Draws the shapes of a scene (see shapes.js) on a canvas, or as SVG for export.

import {colour} from "../../parts/colours.js";
import {svg} from "../../parts/elements.js";
import {arrowHead} from "./shapes.js";

const valueOf = (name) => (name.startsWith("--") ? colour(name) : name);

const painters = {
  rect(context, {x, y, w, h, r, fill, stroke, thickness, dashed}) {
    context.beginPath();
    context.roundRect(x, y, w, h, Math.min(r, w / 2, h / 2));
    if (dashed) context.setLineDash([4, 3]);
    fillAndStroke(context, {fill, stroke, thickness});
    if (dashed) context.setLineDash([]);
  },
  circle(context, {x, y, r, fill, stroke, thickness}) {
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
    fillAndStroke(context, {fill, stroke, thickness});
  },
  line(context, {points, stroke, thickness, arrow}) {
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    fillAndStroke(context, {stroke, thickness});
    if (!arrow) return;
    context.beginPath();
    for (const [x, y] of arrowHead(points)) context.lineTo(x, y);
    fillAndStroke(context, {fill: stroke});
  },
  curve(context, {points: [a, b, c, d], stroke, thickness}) {
    context.beginPath();
    context.moveTo(...a);
    context.bezierCurveTo(...b, ...c, ...d);
    fillAndStroke(context, {stroke, thickness});
  },
  text(context, {x, y, text, size, fill, align, angle, strong}) {
    context.font = `${strong ? 600 : 400} ${size}px ${fontFamily}`;
    context.fillStyle = valueOf(fill);
    context.textAlign = align;
    if (!angle) return context.fillText(text, x, y);
    context.save();
    context.translate(x, y);
    context.rotate((-angle * Math.PI) / 180);
    context.fillText(text, 0, 0);
    return context.restore();
  },
};

let fontFamily = "";

function fillAndStroke(context, {fill, stroke, thickness}) {
  if (fill) {
    context.fillStyle = valueOf(fill);
    context.fill();
  }
  if (stroke) {
    context.strokeStyle = valueOf(stroke);
    context.lineWidth = thickness;
    context.stroke();
  }
}

export function paint(context, shapes) {
  fontFamily = getComputedStyle(document.body).fontFamily;
  context.textBaseline = "middle";
  for (const shape of shapes) {
    context.globalAlpha = shape.alpha;
    painters[shape.shape](context, shape);
  }
}

const rounded = (value) => Number(value.toFixed(1));
const joined = (points) => points.map((point) => point.map(rounded).join(",")).join(" ");

const drawers = {
  rect: ({x, y, w, h, r, dashed, ...style}) => svg("rect", {x: rounded(x), y: rounded(y), width: rounded(w),
    height: rounded(h), rx: r, "stroke-dasharray": dashed ? "4 3" : null, ...look(style)}),
  circle: ({x, y, r, ...style}) => svg("circle", {cx: rounded(x), cy: rounded(y), r: rounded(r), ...look(style)}),
  line: ({points, arrow, ...style}) => svg("g", {opacity: rounded(style.alpha)},
    svg("polyline", {points: joined(points), ...look({...style, alpha: 1})}),
    arrow ? svg("polygon", {points: joined(arrowHead(points)), fill: valueOf(style.stroke)}) : null),
  curve: ({points: [a, ...others], title, ...style}) => svg("path", {d: `M${joined([a])} C${joined(others)}`,
    ...look(style)}, title ? svg("title", {}, title()) : null),
  text: ({x, y, text, size, fill, align, angle, strong, alpha}) => svg("text", {
    x: rounded(x), y: rounded(y), "font-size": `${size}px`, fill: valueOf(fill), opacity: rounded(alpha),
    "font-weight": strong ? 600 : 400, "dominant-baseline": "middle", class: "play-text",
    transform: angle ? `rotate(${-angle} ${rounded(x)} ${rounded(y)})` : null,
    "text-anchor": {left: "start", right: "end", center: "middle"}[align],
  }, text),
};

const look = ({fill, stroke, thickness, alpha}) => ({
  fill: fill ? valueOf(fill) : "none", stroke: stroke ? valueOf(stroke) : null,
  "stroke-width": stroke ? Number(thickness.toFixed(2)) : null, opacity: alpha < 1 ? Number(alpha.toFixed(2)) : null,
});

/** The whole scene as SVG. */
export const scenePicture = (shapes, {width, height}) => svg(
  "svg", {viewBox: `0 0 ${width} ${height}`, width, height}, ...shapes.map((shape) => drawers[shape.shape](shape)));
