// Simple shapes, which painting.js draws on a canvas or as SVG. Colours are names of base.css or "#rrggbb".

/** Rises smoothly from 0 to 1 while t goes from 0 to 1. */
export const ease = (t) => (t < 0 ? 0 : t > 1 ? 1 : t * t * (3 - 2 * t));

/** A rectangle with round corners. */
export const rect = (x, y, w, h, style) => ({shape: "rect", x, y, w, h, r: 5, fill: null, stroke: null, alpha: 1,
  thickness: 1, ...style});

export const circle = (x, y, r, style) => ({shape: "circle", x, y, r, fill: null, stroke: null, alpha: 1, thickness: 1,
  ...style});

/** A text in one line. `align` is "left", "center" or "right"; `angle` slants it, in degrees. */
export const words = (x, y, text, style) => ({shape: "text", x, y, text, size: 13, fill: "--ink", align: "center",
  angle: 0, alpha: 1, ...style});

/** A line through points [x, y], with an arrow at its end if `arrow` is set. */
export const line = (points, style) => ({shape: "line", points, stroke: "--edge", thickness: 1, alpha: 1, arrow: false,
  ...style});

/** The part from 0 to `grown` of a Bézier curve from the first to the last of four points. */
export function curve([a, b, c, d], grown, style) {
  const points = grown >= 1 ? [a, b, c, d] : grown <= 0 ? null : beginning([a, b, c, d], grown);
  return points && {shape: "curve", points, alpha: 1, ...style};
}

const between = ([x1, y1], [x2, y2], t) => [x1 + (x2 - x1) * t, y1 + (y2 - y1) * t];

// De Casteljau's construction.
function beginning([a, b, c, d], t) {
  const [ab, bc, cd] = [between(a, b, t), between(b, c, t), between(c, d, t)];
  const [abc, bcd] = [between(ab, bc, t), between(bc, cd, t)];
  return [a, ab, abc, between(abc, bcd, t)];
}

/** The points of an arrow head at the end of a line. */
export function arrowHead(points, size = 4.5) {
  const [[x1, y1], [x, y]] = points.slice(-2);
  const length = Math.hypot(x - x1, y - y1) || 1;
  const [dx, dy] = [(x - x1) / length, (y - y1) / length];
  const back = [x - dx * size * 1.5, y - dy * size * 1.5];
  return [[x, y], [back[0] - dy * size * 0.7, back[1] + dx * size * 0.7],
    [back[0] + dy * size * 0.7, back[1] - dx * size * 0.7]];
}

let ruler = null;

/** The width of a text in pixels. */
export function widthOf(text, size, strong = false) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${strong ? 600 : 400} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

/** A text that is at most `room` pixels wide, cut short if it must be, at its end or at its beginning. */
export function fitted(text, room, size, {atBeginning = false} = {}) {
  if (widthOf(text, size) <= room) return text;
  const letters = [...text];
  let [least, most] = [0, letters.length];  // how many letters fit
  while (least < most) {
    const half = Math.ceil((least + most) / 2);
    const part = atBeginning ? letters.slice(-half) : letters.slice(0, half);
    if (widthOf(`${part.join("")}…`, size) <= room) least = half;
    else most = half - 1;
  }
  if (!least) return "";
  return atBeginning ? `…${letters.slice(-least).join("")}` : `${letters.slice(0, least).join("")}…`;
}
