// One attention weight, computed again from its query and key by equation (1). Nothing here uses the page.

import {visible} from "../../core/sites.js";

/**
 * Computes the weight of key `j` for query `i` at a site, with all its steps. q and k are {rows, columns, data}. The
 * sums are taken in double precision, from the float32 numbers of the model. In the result, `root` is the square root
 * of d, `keys` has {dot, scaled, seen, exp, weight} for each key, `most` is the largest score, `sum` is that of the
 * exponentials, and `chosen` is the entry of key `j`.
 */
export function computeWeight(q, k, i, j, site) {
  const d = q.columns;
  const root = Math.sqrt(d);
  const queryVector = q.data.subarray(i * d, (i + 1) * d);
  const keyVector = k.data.subarray(j * d, (j + 1) * d);
  const products = Float64Array.from(queryVector, (value, c) => value * keyVector[c]);
  const keys = Array.from({length: k.rows}, (_, m) => {
    const dot = dotProduct(queryVector, k.data, m * d);
    return {dot, scaled: dot / root, seen: visible(site, i, m), exp: 0, weight: 0};
  });
  const {most, sum} = applySoftmax(keys);
  return {d, root, queryVector, keyVector, products, keys, most, sum, chosen: keys[j]};
}

function dotProduct(vector, data, begin) {
  let sum = 0;
  for (let c = 0; c < vector.length; ++c) sum += vector[c] * data[begin + c];
  return sum;
}

// Sets `exp` and `weight` of the keys that the query sees. Returns the largest score and the sum of the exponentials.
function applySoftmax(keys) {
  const seen = keys.filter((entry) => entry.seen);
  const most = seen.reduce((largest, {scaled}) => Math.max(largest, scaled), -Infinity);
  let sum = 0;
  for (const entry of seen) {
    entry.exp = Math.exp(entry.scaled - most);
    sum += entry.exp;
  }
  for (const entry of keys) entry.weight = entry.exp / sum;
  return {most, sum};
}

/** The distance from a float32 to the next one: the unit in its last place. */
export function lastPlace(x) {
  const size = Math.abs(x);
  if (size < 2 ** -126) return 2 ** -149;
  return 2 ** (Math.floor(Math.log2(size)) - 23);
}

/** The shortest decimal number that reads back as this float32. */
export function shortest32(x) {
  for (let digits = 1; digits <= 9; ++digits) {
    const text = x.toPrecision(digits);
    if (Math.fround(Number(text)) === Math.fround(x)) return text;
  }
  return x.toPrecision(9);
}

/** The dimensions {value, at} whose products are largest by size, the largest first. */
export function strongest(products, count) {
  const order = Array.from(products, (value, at) => ({value, at}));
  order.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return order.slice(0, count);
}

/**
 * The indices of the `count` keys of largest weight and of the chosen key, in the order of the sentence. `keys` is that
 * of computeWeight(), `key` the index of the chosen key.
 */
export function heaviestKeys({keys, key}, count) {
  const order = keys.map((_, j) => j).sort((a, b) => keys[b].weight - keys[a].weight).slice(0, count);
  if (!order.includes(key)) order.push(key);
  return order.sort((a, b) => a - b);
}
