// Matrices as colour: one pixel a cell for enlarging, or pooled to the size of a thumbnail.
import {channels, colour, headColour} from "dragoman/draw.js";

/** The colours of a picture of weights: of a head, or with signs (more and less). */
export const hues = (head) => (
  head === null ? {more: colour("--more"), less: colour("--less")} : {more: headColour(head)});

/** A canvas with a pixel for each cell; opacity is |weight| / `full`. */
export function heat({rows, columns, data}, {more, less = more}, full = 1) {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const [plus, minus] = [channels(more), channels(less)];
  for (let i = 0; i < data.length; ++i) {
    const [r, g, b] = data[i] < 0 ? minus : plus;
    image.data[4 * i] = r;
    image.data[4 * i + 1] = g;
    image.data[4 * i + 2] = b;
    image.data[4 * i + 3] = Math.min(255, Math.round(255 * Math.abs(data[i]) / full));
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** No larger than `most` rows and columns: of the cells that share one, the largest counts. */
export function pooled({rows, columns, data}, most) {
  if (rows <= most && columns <= most) return {rows, columns, data};
  const [height, width] = [Math.min(rows, most), Math.min(columns, most)];
  const small = new Float32Array(height * width);
  const place = Uint16Array.from({length: columns}, (_, j) => Math.floor(j * width / columns));
  for (let i = 0, at = 0; i < rows; ++i) {
    const begin = Math.floor(i * height / rows) * width;
    for (let j = 0; j < columns; ++j, ++at) {
      const cell = begin + place[j];
      if (Math.abs(data[at]) > Math.abs(small[cell])) small[cell] = data[at];
    }
  }
  return {rows: height, columns: width, data: small};
}
