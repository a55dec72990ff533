// The page's state, and how it is written into the address, so that a link restores what is shown.

// Settings of the search. Their defaults are replaced by those of the server when it is known.
const searchSettings = {
  search: {type: "text", initial: "beam"},
  beam: {type: "number", initial: 4},
  alpha: {type: "number", initial: 0.6},
  length_norm: {type: "text", initial: "gnmt"},
  temperature: {type: "number", initial: 1},
  top_k: {type: "number", initial: 0},
  top_p: {type: "number", initial: 1},
  seed: {type: "number", initial: 1},
  prefix: {type: "text", initial: ""},
  forced: {type: "text", initial: ""},  // ids of the tokens that the translation must begin with, separated by spaces
};

/** The names of the search settings that a request may change. */
export const searchFields = Object.keys(searchSettings);

// Layers, heads and tokens are counted from 0 in the state and from 1 in the address. `key` is a field's name in the
// address where that differs from its name in the state.
const fields = {
  tab: {type: "text", initial: "heads"},
  sentence: {type: "text", initial: "", key: "q"},
  source: {type: "text", initial: ""},
  target: {type: "text", initial: ""},
  part: {type: "index", initial: 0},              // which sentence of a longer text the views show
  attention: {type: "text", initial: "cross"},    // name of the attention site
  layer: {type: "index", initial: null},          // null for the last
  head: {type: "index", initial: 0},              // for views of one head
  heads: {type: "set", initial: null},            // for views of several heads; null for all
  least: {type: "number", initial: 0},            // smallest weight that is drawn as a line; 0 for automatic
  merged: {type: "switch", initial: false, key: "words"},  // whether the pieces of a word are shown as one
  query: {type: "index", initial: null},          // pinned tokens
  key: {type: "index", initial: null},
  show: {type: "text", initial: "changed"},       // the "plain" or the "changed" translation
  compare: {type: "text", initial: ""},
  versus: {type: "text", initial: "sentence"},    // what the view "Compare" compares: "sentence" or "model"
  model: {type: "text", initial: ""},             // the name of the model; empty for the server's first
  rival: {type: "text", initial: ""},             // the name of the second model of a comparison
  step: {type: "index", initial: null},           // of the animation
  frame: {type: "index", initial: null},          // of the training film
  over: {type: "text", initial: ""},              // whose numbers the ranking shows: of the "sentence" or of "many"
  word: {type: "index", initial: null},           // the position of the view "Next word"; null for the first
  off: {type: "heads", initial: []},              // heads that are switched off in the model
  ...searchSettings,
};

// A head that is switched off is written as site, layer and head: "c1.2" for the sites below, "memory:1.2" for others.
const siteLetters = {e: "encoder", d: "decoder", c: "cross"};
const siteCode = (attention) => (siteLetters[attention[0]] === attention ? attention[0] : `${attention}:`);

const writers = {
  text: (value) => value,
  number: (value) => String(value),
  index: (value) => String(value + 1),
  switch: (value) => (value ? "1" : "0"),
  set: (value) => [...value].sort((a, b) => a - b).map((head) => head + 1).join("."),
  heads: (value) => value.map(({attention, layer, head}) => `${siteCode(attention)}${layer + 1}.${head + 1}`).join(" "),
};

const readers = {
  text: (text) => text,
  number: (text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  index: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) - 1 : undefined),
  switch: (text) => text === "1",
  set: (text) => new Set(text.split(".").filter((part) => /^[1-9]\d{0,2}$/.test(part)).map((part) => Number(part) - 1)),
  heads: (text) => [...text.matchAll(/(?:([edc])|([^\s:]+):)(\d{1,3})\.(\d{1,3})/g)].map(
    ([, letter, name, layer, head]) => ({attention: name ?? siteLetters[letter], layer: layer - 1, head: head - 1})),
};

export const initialState = () => Object.fromEntries(Object.entries(fields).map(([name, {type, initial}]) => (
  [name, type === "heads" ? [] : initial])));

/** Makes the server's settings of the search the defaults. */
export function setSearchDefaults(settings) {
  for (const name of searchFields) {
    if (settings && settings[name] !== undefined && settings[name] !== null) {
      searchSettings[name].initial = settings[name];
    }
  }
}

export const searchDefault = (name) => searchSettings[name].initial;

export function toHash(state) {
  const parts = new URLSearchParams();
  for (const [name, {type, initial, key}] of Object.entries(fields)) {
    const value = state[name];
    if (value === null || value === undefined || value === initial) continue;
    // All heads are shown by default. headCount is the number of heads of the site that is shown.
    if (name === "heads" && state.headCount === value.size) continue;
    const text = writers[type](value);
    if (text !== "" || type === "set") parts.set(key ?? name, text);
  }
  return `#${parts}`;
}

/** The fields that an address sets. Unknown and malformed parts are ignored. */
export function fromHash(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const state = {};
  for (const [name, {type, key}] of Object.entries(fields)) {
    const text = parts.get(key ?? name);
    if (text === null) continue;
    const value = readers[type](text);
    if (value !== undefined) state[name] = value;
  }
  return state;
}
