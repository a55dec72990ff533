// Brings the state into the range of a model and its server: attention sites, layers, heads, and the width of the beam.

import {siteOf} from "./sites.js";

/** If the layer is null, the last one is taken. */
export function fitToModel(state, sites, {max_beam: mostBeams = Infinity}) {
  const site = (name) => siteOf(sites, name);
  if (sites.length && !sites.includes(site(state.attention))) state.attention = sites[0].name;
  const {layers, heads} = site(state.attention);
  fitHeads(state, heads);
  const within = (value, count) => Math.max(0, Math.min(value, count - 1));
  state.layer = within(state.layer ?? Infinity, layers);
  state.head = within(state.head, heads);
  state.beam = Math.max(1, Math.min(state.beam, mostBeams));
  state.off = state.off.filter(
    ({attention, layer, head}) => layer < site(attention).layers && head < site(attention).heads);
}

// Keeps the shown heads that exist. Shows all heads if none is left, or if none was chosen (null).
function fitHeads(state, count) {
  state.headCount = count;
  if (state.heads && [...state.heads].every((head) => head < count)) return;
  const all = Array.from({length: count}, (_, head) => head);
  const left = all.filter((head) => state.heads?.has(head));
  state.heads = new Set(left.length ? left : all);
}

/** If all heads of one attention are shown, all heads of the next one are, however many it has. */
export function keptHeads({heads, headCount}, sites, {attention, heads: wanted}) {
  const changes = attention !== undefined && wanted === undefined && heads?.size === headCount &&
    siteOf(sites, attention).heads !== headCount;
  return changes ? {heads: null} : {};
}
