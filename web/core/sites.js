// The attention sites of a model: which tokens each of them joins, what it is called, and which keys a query may see.
// A site is {name, queries, keys, layers, heads, d_k, causal, window} as /v1/model gives it, with two names to show.

const knownTitles = [
  {name: "encoder", queries: "source", keys: "source", title: "Encoder self-attention"},
  {name: "decoder", queries: "target", keys: "target", title: "Decoder self-attention"},
  {name: "cross", queries: "target", keys: "source", title: "Cross-attention"},
];
const sentenceNames = {source: "source", target: "translation"};

const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function titleOf({name, queries, keys}) {
  const known = knownTitles.find((site) => site.name === name && site.queries === queries && site.keys === keys);
  return known?.title ?? `${capitalised(name)} (${sentenceNames[queries]} to ${sentenceNames[keys]})`;
}

/** The sites of a model, each with a short name, `text`, and a long one, `title`. */
export const sitesOf = (model) => (model?.sites ?? []).map(
  (site) => ({...site, text: capitalised(site.name), title: titleOf(site)}));

// Stands for a site that the model does not have.
const noSite = {
  name: "", text: "", title: "", queries: "target", keys: "source",
  layers: 0, heads: 0, d_k: 0, causal: false, window: 0,
};

export const siteOf = (sites, name) => sites.find((site) => site.name === name) ?? noSite;

/** What the page says instead of showing attention if the model has none. */
export const noAttentionNote = "This model has no attention to look at.";

/** Whether a model adds position encodings to its embeddings, as far as its settings say. */
export const hasPositions = (model) => (model?.config?.positions ?? "none") !== "none";

/** Whether queries and keys are positions of the same sentence. */
export const isSelf = ({queries, keys}) => queries === keys;

/** Whether query i may look at key j: the causal mask, and attention restricted to `window` positions. */
export function visible({causal, window}, i, j) {
  if (causal) return j <= i && (!window || i - j < window);
  return !window || Math.abs(i - j) <= Math.floor(window / 2);
}

/** The options of a picker of sites. */
export const siteOptions = (sites) => sites.map(({name, text, title}) => ({value: name, text, title}));
