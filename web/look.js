// The data of one sentence, a "Look": weights as the decoder computed them, subwords merged to words if wanted, and
// what can be counted in them.

import {isSelf, siteOf} from "dragoman/sites.js";

export const start = "<s>";
export const mergedSentence = "Words: rows of subwords averaged, columns added.";

// A piece goes on with the word before it if both are letters or numbers of a script that puts spaces between words.
const inner = /[\p{L}\p{M}\p{N}'’-]/u;
const scripts = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"];
const unspaced = new RegExp(`[${scripts.map((script) => `\\p{Script=${script}}`).join("")}]`, "u");

/** A piece as it is shown: "▁dog" begins a word and reads "dog"; "s" goes on with one and reads "·s"; "," is itself. */
export function label(piece) {
  if (/^<.*>$/.test(piece)) return piece;
  if (piece === "▁") return "␣";
  if (piece.startsWith("▁")) return piece.slice(1);
  return inner.test(piece[0]) && !unspaced.test(piece) ? `·${piece}` : piece;
}

/** base64 of little-endian float32 -> Float32Array. */
export function unpacked(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  const words = bytes.length >> 2;
  if (new Uint8Array(new Uint32Array([1]).buffer)[0] === 1) return new Float32Array(bytes.buffer, 0, words);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({length: words}, (_, i) => view.getFloat32(4 * i, true));
}

// {heads, queries, keys, layers: Map of a layer (from 0) to its weights [head][query][key]}, from base64 or lists.
function table(attention = []) {
  if (!Array.isArray(attention)) {
    const {layers, heads, queries, keys, which} = attention;
    const data = unpacked(attention.packed);
    const size = heads * queries * keys;
    const numbers = which ? which.map((layer) => layer - 1) : Array.from({length: layers}, (_, i) => i);
    return {
      heads,
      queries,
      keys,
      layers: new Map(numbers.map((layer, i) => [layer, data.subarray(i * size, (i + 1) * size)]))
    };
  }
  const flat = attention.map((layer) => Float32Array.from(layer.flat(2)));
  return {
    heads: attention[0]?.length ?? 0,
    queries: attention[0]?.[0]?.length ?? 0,
    keys: attention[0]?.[0]?.[0]?.length ?? 0,
    layers: new Map(flat.map((data, i) => [i, data]))
  };
}

class Matrix {
  constructor(rows, columns, data) {
    Object.assign(this, {rows, columns, data});
  }
  at(i, j) { return this.data[i * this.columns + j]; }
}

/** Pieces of each word: [[0], [1, 2], ...]. */
export function words(pieces) {
  const groups = [];
  pieces.forEach((piece, i) => {
    const before = pieces[i - 1];
    const special = /^<.*>$/;
    const goes_on = i > 0 && !piece.startsWith("▁") && !special.test(piece) && !special.test(before) &&
      inner.test(piece[0]) && inner.test(before.at(-1)) && !unspaced.test(piece) && !unspaced.test(before);
    const after_space = i > 0 && before === "▁" && !special.test(piece) && !piece.startsWith("▁");
    if (goes_on || after_space) groups.at(-1).push(i);
    else groups.push([i]);
  });
  return groups;
}

export class Look {
  /** `sites` are those of the model that the trace is of; see sites.js. */
  constructor(trace, sites) {
    this.trace = trace;
    this.sites = sites;
    this.src = trace.src;
    this.tgt = trace.tgt;
    this.read = [start, ...trace.tgt.slice(0, -1)];  // what the decoder had read when it chose tgt
    this.beam = trace.beam ?? [];
    this.projections = trace.projections ?? [];
    this.merged = false;
    this.tables = {};
    this.cache = new Map();
    this.groups = {src: words(trace.src), tgt: words(trace.tgt), read: words(this.read)};
  }

  #table(attention) {
    return this.tables[attention] ??= table(this.trace.attention?.[attention]);
  }

  /** "src", "tgt" or "read": the list that an attention's queries or keys are. */
  sides(attention) {
    const {queries, keys} = siteOf(this.sites, attention);
    return {queries: queries === "source" ? "src" : "tgt", keys: keys === "source" ? "src" : "read"};
  }

  /** {layers, heads, which}: which layers (from 0) were recorded. */
  shape(attention) {
    const {layers, heads} = this.#table(attention);
    const which = [...layers.keys()].sort((a, b) => a - b);
    return {layers: Math.max(...which, -1) + 1, heads, which};
  }

  has(attention, layer) {
    return this.#table(attention).layers.has(layer);
  }

  /** Takes over the layers of another look at the same translation. Returns false if it is another one. */
  absorb(other) {
    if (this.src.join(" ") !== other.src.join(" ") || this.tgt.join(" ") !== other.tgt.join(" ")) return false;
    for (const {name} of this.sites) {
      for (const [layer, data] of other.#table(name).layers) this.#table(name).layers.set(layer, data);
    }
    return true;
  }

  labels(side) {
    if (!this.merged) return this[side].map(label);
    return this.groups[side].map((group) => {
      const pieces = group.map((i) => this[side][i]);
      return group.length === 1 ? label(pieces[0]).replace(/^·(?=.)/, "") : pieces.join("").replace(/^▁(?=.)/, "");
    });
  }

  tokens(attention) {
    const {queries, keys} = this.sides(attention);
    return {queries: this.labels(queries), keys: this.labels(keys)};
  }

  /** Where a token of one way of counting is found in the other. */
  position(side, index, from_merged) {
    if (from_merged) return this.groups[side][index]?.[0] ?? null;
    const found = this.groups[side].findIndex((group) => group.includes(index));
    return found < 0 ? null : found;
  }

  /** Weights exactly as the decoder used them. */
  exact(attention, layer, head) {
    const name = `${attention} ${layer} ${head}`;
    if (!this.cache.has(name)) {
      const {layers, queries, keys} = this.#table(attention);
      const begin = head * queries * keys;
      this.cache.set(name, new Matrix(queries, keys, layers.get(layer).subarray(begin, begin + queries * keys)));
    }
    return this.cache.get(name);
  }

  /** Weights, merged to words if that is switched on: the rows of a word are averaged, its columns added. */
  weights(attention, layer, head) {
    if (!this.merged) return this.exact(attention, layer, head);
    const name = `${attention} ${layer} ${head} merged`;
    if (!this.cache.has(name)) {
      const {queries, keys} = this.sides(attention);
      this.cache.set(name, merge(this.exact(attention, layer, head), this.groups[queries], this.groups[keys]));
    }
    return this.cache.get(name);
  }

  /** Whether a query may not look at a key because it comes later: words that were not written yet. */
  masked(attention, query, key) {
    if (!siteOf(this.sites, attention).causal) return false;
    const {queries, keys} = this.sides(attention);
    return this.merged ? this.groups[keys][key][0] > this.groups[queries][query].at(-1) : key > query;
  }

  /** The average of several heads. */
  mean(attention, layer, heads) {
    const list = [...heads].map((head) => this.weights(attention, layer, head));
    const first = this.weights(attention, layer, list.length ? [...heads][0] : 0);
    const data = new Float32Array(first.data.length);
    for (const {data: weights} of list) for (let i = 0; i < data.length; ++i) data[i] += weights[i] / list.length;
    return new Matrix(first.rows, first.columns, data);
  }

  /**
   * What a head does on the whole, each the mean over its queries: entropy in bits (0: looks at one token; log2 of the
   * number of keys: at all alike), distance in tokens between a query and what it looks at (between two sentences from
   * the place that is as far into the one as the query is into the other), peak (the largest weight).
   */
  statistics(attention, layer, head) {
    const name = `${attention} ${layer} ${head} ${this.merged} statistics`;
    if (!this.cache.has(name)) {
      this.cache.set(name, statistics(this.weights(attention, layer, head), siteOf(this.sites, attention)));
    }
    return this.cache.get(name);
  }

  entropy(attention, layer, head) { return this.statistics(attention, layer, head).entropy; }
  distance(attention, layer, head) { return this.statistics(attention, layer, head).distance; }
}

function merge(matrix, rows, columns) {
  const data = new Float32Array(rows.length * columns.length);
  rows.forEach((row, i) => {
    columns.forEach((column, j) => {
      let sum = 0;
      for (const r of row) for (const c of column) sum += matrix.at(r, c);
      data[i * columns.length + j] = sum / row.length;
    });
  });
  return new Matrix(rows.length, columns.length, data);
}

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

/** Pairs [i, j] of equal entries that come in the same order in both lists, as many as possible. */
export function common(first, second) {
  const width = second.length + 1;
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

/** Pairs of tokens that the queries or keys of two looks have in common. */
export function shared(first, second, attention, side) {
  const name = `${attention} ${side} ${first.merged} shared`;
  if (first.cache.get(name)?.second !== second) {
    first.cache.set(name, {second, pairs: common(first.tokens(attention)[side], second.tokens(attention)[side])});
  }
  return first.cache.get(name).pairs;
}

/**
 * How a head's weights differ between two looks: second minus first, on the tokens of the second. Tokens that only one
 * of them has are left out of the sum and blank in the matrix. {matrix, queries, keys, alone, moved}: `alone` counts
 * the second's queries without a counterpart, `moved` is the mean share of attention that went elsewhere (0 to 1).
 */
export function difference(first, second, attention, layer, head) {
  const [before, now] = [first.weights(attention, layer, head), second.weights(attention, layer, head)];
  const labels = second.tokens(attention);
  const [rows, columns] = [shared(first, second, attention, "queries"), shared(first, second, attention, "keys")];
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
    ...labels,
    alone: now.rows - rows.length,
    moved: rows.length ? moved / rows.length : 0
  };
}
