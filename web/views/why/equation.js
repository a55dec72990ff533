// One attention weight, computed again from its query and key: by equation (1), or with the score that the attention
// site names. Nothing here uses the page.

import {scores, visible} from "../../core/sites.js";

/**
 * Computes the weight of key `j` for query `i` at a site, with all its steps. q and k are {rows, columns, data}; v is
 * the vector of additive scores, otherwise null. The sums are taken in double precision, from the float32 numbers of
 * the model. In the result,
 *   vector     is v, and `terms` has the term of each dimension: q k, or v tanh(q + k)
 *   root       is the square root of d, by which the score is divided; 1 if it is not divided
 *   keys       has {dot, scaled, seen, exp, weight, used} for each key: the sum of the terms, the score, whether the
 *              query sees the key, and the weight as the softmax gives it and as it is used
 *   most, sum  are the largest score and the sum of the exponentials
 *   chosen     is the entry of key `j`, and `largest` the index of the key with the largest weight
 */
export function computeWeight({q, k, v}, i, j, site) {
  const d = q.columns;
  const root = site.score === scores.scaled ? Math.sqrt(d) : 1;
  const vector = site.score === scores.additive ? v : null;
  const queryVector = q.data.subarray(i * d, (i + 1) * d);
  const keyOf = (m) => k.data.subarray(m * d, (m + 1) * d);
  const keys = Array.from({length: k.rows}, (_, m) => {
    const dot = termsOf(queryVector, keyOf(m), vector).reduce((total, value) => total + value, 0);
    return {dot, scaled: dot / root, seen: visible(site, i, m), exp: 0, weight: 0};
  });
  const {most, sum} = applySoftmax(keys);
  const weights = keys.map(({weight}) => weight);
  const largest = weights.indexOf(Math.max(...weights));
  keys.forEach((entry, m) => { entry.used = site.chooses_one ? Number(m === largest) : entry.weight; });
  const keyVector = keyOf(j);
  const terms = termsOf(queryVector, keyVector, vector);
  return {d, root, vector, queryVector, keyVector, terms, keys, most, sum, chosen: keys[j], largest};
}

const termsOf = (q, k, v) => Float64Array.from(
  q, v ? (value, c) => v[c] * Math.tanh(value + k[c]) : (value, c) => value * k[c]);

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

/** The dimensions {value, at} whose terms are largest by size, the largest first. */
export function strongest(terms, count) {
  const order = Array.from(terms, (value, at) => ({value, at}));
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
