// Matrices as images with one pixel for each cell; the browser enlarges them.

import {channels} from "./colours.js";
import {el} from "./elements.js";

/** A canvas of weights: opacity is |weight| / `full`; `more` and `less` are the colours above and below zero. */
export function weightImage({rows, columns, data}, {more, less = more}, full = 1) {
  const [above, below] = [channels(more), channels(less)];
  return imageOf(rows, columns, (bytes) => {
    for (let i = 0; i < data.length; ++i) {
      const opacity = Math.min(255, Math.round(255 * Math.abs(data[i]) / full));
      setPixel(bytes, i, data[i] < 0 ? below : above, opacity);
    }
  });
}

/** A canvas of any numbers: `at(i, j)` gives a number, `scale` its colour [r, g, b]. */
export function scaledImage(rows, columns, at, scale) {
  return imageOf(rows, columns, (bytes) => {
    for (let i = 0, pixel = 0; i < rows; ++i) {
      for (let j = 0; j < columns; ++j, ++pixel) setPixel(bytes, pixel, scale(at(i, j)), 255);
    }
  });
}

function setPixel(bytes, pixel, [r, g, b], opacity) {
  bytes[4 * pixel] = r;
  bytes[4 * pixel + 1] = g;
  bytes[4 * pixel + 2] = b;
  bytes[4 * pixel + 3] = opacity;
}

function imageOf(rows, columns, paint) {
  const canvas = el("canvas", {width: columns, height: rows});
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  paint(image.data);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** The matrix reduced to at most `most` rows and columns. Cells that fall together keep the largest weight by size. */
export function pooled({rows, columns, data}, most) {
  if (rows <= most && columns <= most) return {rows, columns, data};
  const [height, width] = [Math.min(rows, most), Math.min(columns, most)];
  const small = new Float32Array(height * width);
  const column = Uint16Array.from({length: columns}, (_, j) => Math.floor(j * width / columns));
  for (let i = 0, at = 0; i < rows; ++i) {
    const begin = Math.floor(i * height / rows) * width;
    for (let j = 0; j < columns; ++j, ++at) {
      const cell = begin + column[j];
      if (Math.abs(data[at]) > Math.abs(small[cell])) small[cell] = data[at];
    }
  }
  return {rows: height, columns: width, data: small};
}
