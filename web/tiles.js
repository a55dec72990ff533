// A matrix of numbers as a picture of cells, one pixel a cell and enlarged by the browser, with a cell that is looked
// at by pointer or by arrow keys.

import {channels, colour, el, prepared, svg} from "dragoman/draw.js";

/** A function from a number to [r, g, b]: one colour below zero, one above, paper in between. */
export function diverging(most) {
  const [paper, below, above] = ["--raised", "--less", "--more"].map((name) => channels(colour(name)));
  return (value) => {
    const share = Math.min(1, Math.abs(value) / most);
    const to = value < 0 ? below : above;
    return paper.map((part, i) => part + (to[i] - part) * share);
  };
}

/** From paper to a colour, for weights from 0 to `most`. */
export function rising(most, hex) {
  const [paper, to] = [channels(colour("--raised")), channels(hex)];
  return (value) => {
    const share = Math.min(1, Math.max(0, value / most));
    return paper.map((part, i) => part + (to[i] - part) * share);
  };
}

/** One pixel a cell. */
export function pixels(rows, columns, at, tint) {
  const canvas = el("canvas", {width: columns, height: rows});
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  for (let i = 0, p = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j, p += 4) {
      const [r, g, b] = tint(at(i, j));
      image.data[p] = r;
      image.data[p + 1] = g;
      image.data[p + 2] = b;
      image.data[p + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/**
 * The element: `name` says what it is, `text(i, j)` what a cell says, `looked(i, j)` is told which cell is looked at,
 * `say(text)` speaks for those who move by keys. show() gets {rows, columns, at, tint, width, height} and the cell.
 */
export function heatMap({name, text, looked, say}) {
  const canvas = el("canvas", {"aria-hidden": "true"});
  const element = el("div", {
    class: "heat", tabindex: "0", role: "application", "aria-roledescription": "heat map", "aria-label": name,
  }, canvas);
  let of = null;
  let image = null;
  let cell = [0, 0];

  function draw() {
    const {width, height, rows, columns} = of;
    const context = prepared(canvas, width, height);
    context.imageSmoothingEnabled = false;
    context.drawImage(image, 0, 0, width, height);
    const [w, h] = [width / columns, height / rows];
    context.strokeStyle = colour("--ink");
    context.lineWidth = 1.5;
    context.strokeRect(cell[1] * w - 0.5, cell[0] * h - 0.5, Math.max(3, w) + 1, Math.max(3, h) + 1);
    element.setAttribute("aria-label", `${name}. ${text(cell[0], cell[1])}`);
  }
  function look(i, j, tell = true) {
    if (!of) return;
    const next = [Math.min(of.rows - 1, Math.max(0, i)), Math.min(of.columns - 1, Math.max(0, j))];
    if (next[0] === cell[0] && next[1] === cell[1]) return;
    cell = next;
    draw();
    if (tell) looked(...cell);
  }
  const point = (event) => {
    if (!of) return;
    const {left, top, width, height} = canvas.getBoundingClientRect();
    look(Math.floor(((event.clientY - top) / height) * of.rows),
      Math.floor(((event.clientX - left) / width) * of.columns));
  };
  element.addEventListener("pointermove", point);
  element.addEventListener("pointerdown", point);
  element.addEventListener("keydown", (event) => {
    const [i, j] = cell;
    const to = {ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], Home: [i, 0],
      End: [i, of?.columns - 1], PageUp: [i - 10, j], PageDown: [i + 10, j]}[event.key];
    if (!to || !of) return;
    event.preventDefault();
    look(...to);
    say(text(...cell));
  });
  return {
    element, look,
    show(next, at) {
      of = next;
      image = pixels(of.rows, of.columns, of.at, of.tint);
      cell = [Math.min(at[0], of.rows - 1), Math.min(at[1], of.columns - 1)];
      draw();
    },
    /** As an image of an SVG. */
    picture(x, y, width, height) {
      const place = {x, y, width, height, preserveAspectRatio: "none"};
      return svg("image", {...place, href: image.toDataURL(), style: {"image-rendering": "pixelated"}});
    },
  };
}
