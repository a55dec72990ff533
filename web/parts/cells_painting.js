// Paints the visible cells of a matrix on a canvas: colours, mask, lines, numbers, and the cells that are pointed at
// or chosen.

import {colour, readableOn, weightColours} from "./colours.js";

/** Whether the weights are written into cells of this size. */
export const hasRoomForNumbers = ({x, y}) => x >= 27 && y >= 18;

/**
 * `image` has one pixel for each cell. `view` is what Cells shows ({matrix, head, full, query, key, masked?}) and
 * {cell: the size {x, y} of a cell, covered: the part {left, top, right, bottom} of the area that the canvas covers,
 * pointed: the cell [i, j] that is pointed at, or null, font: of the numbers}.
 */
export function paintCells(context, image, view) {
  const {matrix, cell, covered, pointed, query, key} = view;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, matrix.columns * cell.x, matrix.rows * cell.y);
  const range = visibleRange(matrix, cell, covered);
  if (view.masked) paintMask(context, view, range);
  if (cell.y >= 8) paintLines(context, view, range);
  if (hasRoomForNumbers(cell)) paintNumbers(context, view, range);
  if (pointed) paintPointed(context, view);
  if (query !== null && key !== null && query < matrix.rows && key < matrix.columns) {
    paintOutline(context, [query, key], cell, colour("--ink"));
  }
}

function visibleRange({rows, columns}, cell, {left, top, right, bottom}) {
  return {
    firstRow: Math.floor(top / cell.y), endRow: Math.min(rows, Math.ceil(bottom / cell.y)),
    firstColumn: Math.floor(left / cell.x), endColumn: Math.min(columns, Math.ceil(right / cell.x)),
  };
}

// Masked cells are at the end of each row.
function paintMask(context, {masked, cell}, {firstRow, endRow, firstColumn, endColumn}) {
  context.fillStyle = colour("--masked");
  for (let i = firstRow; i < endRow; ++i) {
    let j = endColumn;
    while (j > firstColumn && masked(i, j - 1)) --j;
    if (j < endColumn) context.fillRect(j * cell.x, i * cell.y, (endColumn - j) * cell.x, cell.y);
  }
}

function paintLines(context, {cell, covered: {left, top, right, bottom}}, {firstRow, endRow, firstColumn, endColumn}) {
  context.fillStyle = colour("--line");
  for (let i = firstRow; i <= endRow; ++i) context.fillRect(left, i * cell.y - 0.5, right - left, 1);
  for (let j = firstColumn; j <= endColumn; ++j) context.fillRect(j * cell.x - 0.5, top, 1, bottom - top);
}

function paintNumbers(context, {matrix, full = 1, head, cell, font}, {firstRow, endRow, firstColumn, endColumn}) {
  context.font = `${Math.min(12.5, cell.x * 0.38, cell.y * 0.55)}px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const {more, less = more} = weightColours(head);
  const digits = cell.x >= 38 ? 3 : 2;
  for (let i = firstRow; i < endRow; ++i) {
    for (let j = firstColumn; j < endColumn; ++j) {
      const value = matrix.at(i, j);
      if (Math.abs(value) < 0.5 / 10 ** digits) continue;
      context.fillStyle = readableOn(value < 0 ? less : more, Math.min(1, Math.abs(value) / full));
      context.fillText(shortNumber(value, digits), (j + 0.5) * cell.x, (i + 0.5) * cell.y + 0.5);
    }
  }
}

// 0.25 -> ".250", to save room.
function shortNumber(value, digits) {
  const size = Math.abs(value);
  const text = size > 1 - 0.5 / 10 ** digits ? "1.0" : size.toFixed(digits).slice(1);
  return value < 0 ? `−${text}` : text;
}

// Shades the row and the column of the cell that is pointed at.
function paintPointed(context, {pointed, cell, covered: {left, top, right, bottom}}) {
  const [i, j] = pointed;
  context.fillStyle = colour("--ink");
  context.globalAlpha = 0.07;
  context.fillRect(left, i * cell.y, right - left, cell.y);
  context.fillRect(j * cell.x, top, cell.x, bottom - top);
  context.globalAlpha = 1;
  paintOutline(context, pointed, cell, colour("--soft"));
}

function paintOutline(context, [i, j], cell, hue) {
  context.strokeStyle = hue;
  context.lineWidth = 2;
  context.strokeRect(j * cell.x, i * cell.y, cell.x, cell.y);
}
