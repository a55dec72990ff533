// Pinned tokens: a query and a key. A pin belongs to a word, not to a place: it follows its word when the sentence, the
// translation or the shown attention changes, and when words are merged.

import {sharedTokens} from "./difference.js";

const pins = [["query", "queries"], ["key", "keys"]];

// The index of a token of one trace in another: that of its counterpart, or of the nearest token with the same text if
// the word has moved; null if the other trace does not have it.
function followed(from, to, attention, side, index) {
  if (index === null || from === to) return index;
  const pairs = sharedTokens(from, to, attention, side);
  const pair = pairs.find(([i]) => i === index);
  if (pair) return pair[1];
  const taken = new Set(pairs.map(([, j]) => j));
  const text = from.tokens(attention)[side][index];
  let nearest = null;
  to.tokens(attention)[side].forEach((token, j) => {
    if (token !== text || taken.has(j)) return;
    if (nearest === null || Math.abs(j - index) < Math.abs(nearest - index)) nearest = j;
  });
  return nearest;
}

/** The pins {query, key} of one trace as those of another. */
export function followedPins(from, to, {attention, query, key}) {
  return {query: followed(from, to, attention, "queries", query), key: followed(from, to, attention, "keys", key)};
}

/** The pins that change with the state: they are removed if another attention has other words on their side. */
export function movedPins(trace, state, changes) {
  const moved = {};
  const [before, after] = [trace.sides(state.attention), trace.sides(changes.attention ?? state.attention)];
  for (const [pin, side] of pins) {
    if (changes[pin] !== undefined || state[pin] === null) continue;
    if (before[side] !== after[side]) moved[pin] = null;
    else if (changes.merged !== undefined && changes.merged !== state.merged) {
      moved[pin] = trace.position(after[side], state[pin], state.merged);
    }
  }
  return moved;
}

/** The pins without those beyond the last token, which an address may have. */
export function pinsWithin(trace, {attention, query, key}) {
  const {queries, keys} = trace.tokens(attention);
  return {query: query < queries.length ? query : null, key: key < keys.length ? key : null};
}
