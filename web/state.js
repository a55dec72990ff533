// The one state of the page, and how it is written into the address: a link restores what is seen.

const search = {
  search: {of: "text", is: "beam"},
  beam: {of: "number", is: 4},
  alpha: {of: "number", is: 0.6},
  length_norm: {of: "text", is: "gnmt"},
  temperature: {of: "number", is: 1},
  top_k: {of: "number", is: 0},
  top_p: {of: "number", is: 1},
  seed: {of: "number", is: 1},
  prefix: {of: "text", is: ""},
};

/** Names of the settings of a search that a request may change. */
export const searchFields = Object.keys(search);

// Layers, heads and tokens are counted from 0 in the state and from 1 in the address.
const fields = {
  tab: {of: "text", is: "heads"},
  sentence: {of: "text", is: "", as: "q"},
  source: {of: "text", is: ""},
  target: {of: "text", is: ""},
  look: {of: "index", is: 0, as: "part"},
  attention: {of: "text", is: "cross"},
  layer: {of: "index", is: null},
  head: {of: "index", is: 0},
  heads: {of: "set", is: null},
  least: {of: "number", is: 0},
  merged: {of: "switch", is: false, as: "words"},
  query: {of: "index", is: null},
  key: {of: "index", is: null},
  show: {of: "text", is: "changed"},
  compare: {of: "text", is: ""},
  step: {of: "index", is: null},
  frame: {of: "index", is: null},
  off: {of: "heads", is: [], as: "off"},
  ...search,
};

// A head that is switched off is "c1.2", by the first letter of a usual attention, or "memory:1.2".
const letters = {e: "encoder", d: "decoder", c: "cross"};
const codeOf = (attention) => (letters[attention[0]] === attention ? attention[0] : `${attention}:`);

const writers = {
  text: (value) => value,
  number: (value) => String(value),
  index: (value) => String(value + 1),
  switch: (value) => (value ? "1" : "0"),
  set: (value) => [...value].sort((a, b) => a - b).map((head) => head + 1).join("."),
  heads: (value) => value.map(({attention, layer, head}) => `${codeOf(attention)}${layer + 1}.${head + 1}`).join(" "),
};

const readers = {
  text: (text) => text,
  number: (text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  index: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) - 1 : undefined),
  switch: (text) => text === "1",
  set: (text) => new Set(text.split(".").filter((part) => /^[1-9]\d{0,2}$/.test(part)).map((part) => Number(part) - 1)),
  heads: (text) => [...text.matchAll(/(?:([edc])|([^\s:]+):)(\d{1,3})\.(\d{1,3})/g)].map(
    ([, letter, name, layer, head]) => ({attention: name ?? letters[letter], layer: layer - 1, head: head - 1})),
};

export const defaults = () => Object.fromEntries(Object.entries(fields).map(([name, {of, is}]) => (
  [name, of === "heads" ? [] : is])));

/** What the server uses where nothing is asked for takes the place of what is written above. */
export function setSearchDefaults(settings) {
  for (const name of searchFields) {
    if (settings && settings[name] !== undefined && settings[name] !== null) search[name].is = settings[name];
  }
}

export const searchDefault = (name) => search[name].is;

export function toHash(state) {
  const parts = new URLSearchParams();
  for (const [name, {of, is, as}] of Object.entries(fields)) {
    const value = state[name];
    if (value === null || value === undefined || value === is) continue;
    if (name === "heads" && state.allHeads === value.size) continue;
    const text = writers[of](value);
    if (text !== "" || of === "set") parts.set(as ?? name, text);
  }
  return `#${parts}`;
}

/** What an address says; unknown and damaged parts are passed over. */
export function fromHash(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const state = {};
  for (const [name, {of, as}] of Object.entries(fields)) {
    const text = parts.get(as ?? name);
    if (text === null) continue;
    const value = readers[of](text);
    if (value !== undefined) state[name] = value;
  }
  return state;
}
