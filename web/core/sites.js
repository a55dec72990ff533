// The attention sites of a model: which tokens each of them joins, what it is called, and which keys a query may see.
import {text} from "../strings/core.js";

// A site is {name, queries, keys, layers, heads, d_k, causal, window, window_kind, score, formula, chooses_one} as
// /v1/model gives it (see dragoman/nn/sites.h), with two names to show.

const knownTitles = [
  {name: "encoder", queries: "source", keys: "source", title: text.encoderTitle},
  {name: "decoder", queries: "target", keys: "target", title: text.decoderTitle},
  {name: "cross", queries: "target", keys: "source", title: text.crossTitle},
];
const capitalised = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** The name of a site in running text. */
export const siteName = (name) => (knownTitles.some((site) => site.name === name) ? text[name] : name);

function titleOf({name, queries, keys}) {
  const known = knownTitles.find((site) => site.name === name && site.queries === queries && site.keys === keys);
  return known?.title ?? text.siteTitle(capitalised(name), text[queries], text[keys]);
}

/** How the score of a query and a key is computed; see SiteScore in dragoman/nn/sites.h. */
export const scores = {scaled: "scaled-product", product: "product", additive: "additive"};

/** Whether the weights of a site are those of equation (1) of the paper, and its queries and keys can be had. */
export const followsEquationOne = ({d_k: d, score, formula}) => d > 0 && score === scores.scaled && !formula;

/** The sites of a model, each with a short name, `text`, and a long one, `title`. */
export const sitesOf = (model) => (model?.sites ?? []).map(
  (site) => ({score: scores.scaled, ...site, text: capitalised(siteName(site.name)), title: titleOf(site)}));

// Stands for a site that the model does not have.
const noSite = {
  name: "", text: "", title: "", queries: "target", keys: "source",
  layers: 0, heads: 0, d_k: 0, causal: false, window: 0, score: scores.scaled, chooses_one: false,
};

export const siteOf = (sites, name) => sites.find((site) => site.name === name) ?? noSite;

/** What the page says instead of showing attention if the model has none. */
export const noAttentionNote = text.noAttention;

/** Whether a model adds position encodings to its embeddings, as far as its settings say. */
export const hasPositions = (model) => (model?.config?.positions ?? "none") !== "none";

/** A sentence on hard attention; empty for a site whose queries look at several tokens. */
export const choiceNote = ({chooses_one: choosesOne}) => (choosesOne ? text.choosesOne : "");

/** Whether queries and keys are positions of the same sentence. */
export const isSelf = ({queries, keys}) => queries === keys;

/** Whether query i may look at key j: the causal mask, and attention restricted to `window` positions. */
export function visible({causal, window, window_kind: kind}, i, j) {
  if (window && kind === "block") return Math.floor(i / window) === Math.floor(j / window) && (!causal || j <= i);
  if (causal) return j <= i && (!window || i - j < window);
  return !window || Math.abs(i - j) <= Math.floor(window / 2);
}

/** The options of a picker of sites. */
export const siteOptions = (sites) => sites.map(({name, text: short, title}) => ({value: name, text: short, title}));
