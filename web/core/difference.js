// How the attention of two translations differs, on the tokens that both have.

import {Matrix} from "./weights.js";

/** A longest common subsequence of two lists, as pairs of indices [i, j]. */
export function commonPairs(first, second) {
  const width = second.length + 1;
  // longest[i * width + j]: the length of a longest common subsequence of first[i ...] and second[j ...].
  const longest = new Uint16Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; --i) {
    for (let j = second.length - 1; j >= 0; --j) {
      longest[i * width + j] = first[i] === second[j] ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < first.length && j < second.length;) {
    if (first[i] === second[j]) pairs.push([i++, j++]);
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) ++i;
    else ++j;
  }
  return pairs;
}

/** Index pairs of the tokens that two traces have in common; `side` is "queries" or "keys". */
export function sharedTokens(first, second, attention, side) {
  const name = `${attention} ${side} ${first.merged} shared`;
  if (first.cache.get(name)?.second !== second) {
    const pairs = commonPairs(first.tokens(attention)[side], second.tokens(attention)[side]);
    first.cache.set(name, {second, pairs});
  }
  return first.cache.get(name).pairs;
}

/**
 * The index of a token of the first trace in the second, or the opposite. A token that only one of them has stands for
 * the one in its place, if it is the only one between the same neighbours; null if there is none.
 */
export function counterpart(pairs, index, fromFirst) {
  const [own, other] = fromFirst ? [0, 1] : [1, 0];
  const found = pairs.find((pair) => pair[own] === index);
  if (found) return found[other];
  const before = pairs.findLast((pair) => pair[own] < index) ?? [-1, -1];
  const after = pairs.find((pair) => pair[own] > index);
  const isReplaced = after && after[0] - before[0] === 2 && after[1] - before[1] === 2;
  return isReplaced ? before[other] + 1 : null;
}

/**
 * How a head's weights differ between two traces. Returns {matrix, queries, keys, unmatched, moved}: `matrix` is the
 * second trace's weights minus the first's, on the tokens of the second, with 0 for tokens that only one of them has.
 * `unmatched` counts the queries of the second trace that the first does not have. `moved` is the mean share of a
 * query's attention that moved to other keys, from 0 to 1, over the tokens that both have.
 */
export function difference(first, second, attention, layer, head) {
  const [before, now] = [first.weights(attention, layer, head), second.weights(attention, layer, head)];
  const rows = sharedTokens(first, second, attention, "queries");
  const columns = sharedTokens(first, second, attention, "keys");
  const data = new Float32Array(now.data.length);
  let moved = 0;
  for (const [i, row] of rows) {
    for (const [j, column] of columns) {
      const change = now.at(row, column) - before.at(i, j);
      data[row * now.columns + column] = change;
      moved += Math.abs(change) / 2;
    }
  }
  return {
    matrix: new Matrix(now.rows, now.columns, data),
    ...second.tokens(attention),
    unmatched: now.rows - rows.length,
    moved: rows.length ? moved / rows.length : 0,
  };
}

/** Remembers how much each head's attention moved between two traces, until one of them changes. */
export class MovedShares {
  #first = null;
  #second = null;
  #merged = false;
  #shares = new Map();

  /** The share of a head that moved; 0 if one of the traces does not have the layer. */
  of(first, second, attention, layer, head) {
    if (!first?.has(attention, layer) || !second?.has(attention, layer)) return 0;
    this.#forgetUnlessSame(first, second);
    const name = `${attention} ${layer} ${head}`;
    if (!this.#shares.has(name)) this.#shares.set(name, difference(first, second, attention, layer, head).moved);
    return this.#shares.get(name);
  }

  #forgetUnlessSame(first, second) {
    if (this.#first === first && this.#second === second && this.#merged === first.merged) return;
    this.#first = first;
    this.#second = second;
    this.#merged = first.merged;
    this.#shares = new Map();
  }
}
