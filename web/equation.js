// One attention weight, computed again from its query and key as equation (1) says; plain functions without a page.

import {visible} from "dragoman/sites.js";

/**
 * Traces the weight of key `j` for query `i` at a site.
 * q and k are {rows, columns, data}; the sums are taken in double precision, from the float32 numbers of the model.
 */
export function traceWeight(q, k, i, j, site) {
  const d = q.columns;
  const root = Math.sqrt(d);
  const queryVector = q.data.subarray(i * d, (i + 1) * d);
  const keyVector = k.data.subarray(j * d, (j + 1) * d);
  const products = new Float64Array(d);
  for (let c = 0; c < d; ++c) products[c] = queryVector[c] * keyVector[c];
  const keys = [];
  let most = -Infinity;
  for (let m = 0; m < k.rows; ++m) {
    let dot = 0;
    for (let c = 0; c < d; ++c) dot += queryVector[c] * k.data[m * d + c];
    const seen = visible(site, i, m);
    const entry = {dot, scaled: dot / root, seen, exp: 0, weight: 0};
    if (seen) most = Math.max(most, entry.scaled);
    keys.push(entry);
  }
  let sum = 0;
  for (const entry of keys) {
    if (entry.seen) entry.exp = Math.exp(entry.scaled - most);
    sum += entry.exp;
  }
  for (const entry of keys) entry.weight = entry.exp / sum;
  return {d, root, queryVector, keyVector, products, keys, most, sum, chosen: keys[j]};
}

/** The distance from a float32 to the next one: the unit of its last place. */
export function lastPlace(x) {
  const size = Math.abs(x);
  if (size < 2 ** -126) return 2 ** -149;
  return 2 ** (Math.floor(Math.log2(size)) - 23);
}

/** The shortest decimal that reads back as this float32. */
export function shortest32(x) {
  for (let digits = 1; digits <= 9; ++digits) {
    const text = x.toPrecision(digits);
    if (Math.fround(Number(text)) === Math.fround(x)) return text;
  }
  return x.toPrecision(9);
}

/** The dimensions that say most, the largest product by size first. */
export function strongest(products, count) {
  const order = Array.from(products, (value, at) => ({value, at}));
  order.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return order.slice(0, count);
}
