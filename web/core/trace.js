// What the decoder computed for one sentence: its tokens, the search, and the attention weights, of pieces or merged to
// words.

import {text} from "../strings/core.js";
import {siteOf} from "./sites.js";
import {label, startToken, wordGroups, wordLabel} from "./tokens.js";
import {Matrix, meanOf, mergedToWords, statistics, weightTable} from "./weights.js";

export const mergedNote = text.merged;

export class Trace {
  #sites;
  #attention;  // the server's JSON, by name of the site
  #tables = {};
  #groups;

  /** `json` is the server's trace; `sites` are those of the model that made it (see sites.js). */
  constructor(json, sites) {
    this.#sites = sites;
    this.#attention = json.attention ?? {};
    this.norm = json.norm;  // the length norm of the search and its alpha, such as "gnmt:0.6"
    this.src = json.src;
    this.tgt = json.tgt;
    this.read = [startToken, ...json.tgt.slice(0, -1)];  // the decoder read read[i] and then chose tgt[i]
    this.beam = json.beam ?? [];
    this.projections = json.projections ?? [];
    this.nextWords = json.next_words ?? null;    // see core/next_words.js
    this.layerWords = json.layer_words ?? null;
    this.steps = json.steps ?? null;             // of one layer, see views/why/layer_steps.js
    this.pondering = json.pondering ?? null;     // of a model that halts: {source, target}: {steps, rest} of each token
    this.merged = false;  // whether weights and labels are those of words
    this.cache = new Map();
    this.#groups = {src: wordGroups(this.src), tgt: wordGroups(this.tgt), read: wordGroups(this.read)};
  }

  #table(attention) {
    return this.#tables[attention] ??= weightTable(this.#attention[attention]);
  }

  #cached(name, compute) {
    if (!this.cache.has(name)) this.cache.set(name, compute());
    return this.cache.get(name);
  }

  /** The token lists that are a site's queries and keys: "src", "tgt" or "read". */
  sides(attention) {
    const {queries, keys} = siteOf(this.#sites, attention);
    return {queries: queries === "source" ? "src" : "tgt", keys: keys === "source" ? "src" : "read"};
  }

  /** {layers, heads, recorded}: `recorded` lists the layers (from 0) whose weights are known. */
  shape(attention) {
    const {layers, heads} = this.#table(attention);
    const recorded = [...layers.keys()].sort((a, b) => a - b);
    return {layers: Math.max(...recorded, -1) + 1, heads, recorded};
  }

  has(attention, layer) {
    return this.#table(attention).layers.has(layer);
  }

  /** Takes over the layers of another trace of the same translation. Returns false if the translations differ. */
  absorb(other) {
    if (this.src.join(" ") !== other.src.join(" ") || this.tgt.join(" ") !== other.tgt.join(" ")) return false;
    for (const {name} of this.#sites) {
      for (const [layer, data] of other.#table(name).layers) this.#table(name).layers.set(layer, data);
    }
    return true;
  }

  /** The tokens of "src", "tgt" or "read" as the page shows them. */
  labels(side) {
    if (!this.merged) return this[side].map(label);
    return this.#groups[side].map((group) => wordLabel(group.map((i) => this[side][i])));
  }

  tokens(attention) {
    const {queries, keys} = this.sides(attention);
    return {queries: this.labels(queries), keys: this.labels(keys)};
  }

  /** Converts the index of a word to that of its first piece (`fromMerged`), or of a piece to that of its word. */
  position(side, index, fromMerged) {
    if (fromMerged) return this.#groups[side][index]?.[0] ?? null;
    const found = this.#groups[side].findIndex((group) => group.includes(index));
    return found < 0 ? null : found;
  }

  /** The weights of pieces, exactly as the decoder used them. */
  exact(attention, layer, head) {
    return this.#cached(`${attention} ${layer} ${head}`, () => {
      const {layers, queries, keys} = this.#table(attention);
      const begin = head * queries * keys;
      return new Matrix(queries, keys, layers.get(layer).subarray(begin, begin + queries * keys));
    });
  }

  /** The weights of pieces or, if `merged` is set, of words. */
  weights(attention, layer, head) {
    if (!this.merged) return this.exact(attention, layer, head);
    return this.#cached(`${attention} ${layer} ${head} merged`, () => {
      const {queries, keys} = this.sides(attention);
      return mergedToWords(this.exact(attention, layer, head), this.#groups[queries], this.#groups[keys]);
    });
  }

  /** Whether the causal mask hides a key from a query because the key comes later. */
  masked(attention, query, key) {
    if (!siteOf(this.#sites, attention).causal) return false;
    const {queries, keys} = this.sides(attention);
    return this.merged ? this.#groups[keys][key][0] > this.#groups[queries][query].at(-1) : key > query;
  }

  /** The average of several heads, at least one. */
  mean(attention, layer, heads) {
    return meanOf([...heads].map((head) => this.weights(attention, layer, head)));
  }

  /** Entropy, distance and peak of a head: see weights.js. */
  statistics(attention, layer, head) {
    return this.#cached(`${attention} ${layer} ${head} ${this.merged} statistics`,
      () => statistics(this.weights(attention, layer, head), siteOf(this.#sites, attention)));
  }

  entropy(attention, layer, head) { return this.statistics(attention, layer, head).entropy; }
}
