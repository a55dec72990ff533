// Matrices of attention weights: a row for each query, a column for each key. Nothing here uses the page.

import {unpacked} from "./packed.js";
import {isSelf} from "./sites.js";

export class Matrix {
  /** `data` holds the rows one after the other. */
  constructor(rows, columns, data) {
    Object.assign(this, {rows, columns, data});
  }

  at(i, j) { return this.data[i * this.columns + j]; }
}

/**
 * The weights of one attention site from the server's JSON, packed or as nested lists: {heads, queries, keys, layers},
 * where `layers` maps a layer (counted from 0) to its weights, a Float32Array in the order [head][query][key].
 */
export function weightTable(json = []) {
  return Array.isArray(json) ? tableOfLists(json) : packedTable(json);
}

// `which` lists the packed layers, counted from 1; without it, all layers are packed.
function packedTable({layers, heads, queries, keys, which, packed}) {
  const data = unpacked(packed);
  const size = heads * queries * keys;
  const numbers = which ? which.map((layer) => layer - 1) : Array.from({length: layers}, (_, i) => i);
  const weights = numbers.map((layer, i) => [layer, data.subarray(i * size, (i + 1) * size)]);
  return {heads, queries, keys, layers: new Map(weights)};
}

function tableOfLists(layers) {
  return {
    heads: layers[0]?.length ?? 0,
    queries: layers[0]?.[0]?.length ?? 0,
    keys: layers[0]?.[0]?.[0]?.length ?? 0,
    layers: new Map(layers.map((layer, i) => [i, Float32Array.from(layer.flat(2))])),
  };
}

/**
 * Merges pieces to words: the rows of a word's pieces are averaged, their columns added. `rowGroups` and
 * `columnGroups` have the indices of the pieces of each word.
 */
export function mergedToWords(matrix, rowGroups, columnGroups) {
  const data = new Float32Array(rowGroups.length * columnGroups.length);
  rowGroups.forEach((row, i) => {
    columnGroups.forEach((column, j) => {
      let sum = 0;
      for (const r of row) for (const c of column) sum += matrix.at(r, c);
      data[i * columnGroups.length + j] = sum / row.length;
    });
  });
  return new Matrix(rowGroups.length, columnGroups.length, data);
}

/** The average of several matrices of one shape. */
export function meanOf(matrices) {
  const [{rows, columns}] = matrices;
  const data = new Float32Array(rows * columns);
  for (const {data: weights} of matrices) {
    for (let i = 0; i < data.length; ++i) data[i] += weights[i] / matrices.length;
  }
  return new Matrix(rows, columns, data);
}

/**
 * What a head does, averaged over its queries: {entropy, distance, peak}. The entropy is in bits: 0 if a query looks at
 * one token, log2 of the number of keys if it looks at all of them equally. The distance is in tokens between a query
 * and the keys it looks at. If queries and keys belong to two sentences, the query's position is first scaled to the
 * sentence of the keys: the first token corresponds to the first, the last to the last. The peak is the largest weight.
 */
export function statistics({rows, columns, data}, site) {
  const slope = !isSelf(site) && rows > 1 ? (columns - 1) / (rows - 1) : 1;
  let [entropy, distance, peak] = [0, 0, 0];
  for (let i = 0, at = 0; i < rows; ++i) {
    let highest = 0;
    for (let j = 0; j < columns; ++j, ++at) {
      const weight = data[at];
      if (weight <= 0) continue;
      entropy -= weight * Math.log2(weight);
      distance += weight * Math.abs(j - i * slope);
      highest = Math.max(highest, weight);
    }
    peak += highest;
  }
  return {entropy: entropy / rows, distance: distance / rows, peak: peak / rows};
}
