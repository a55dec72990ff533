// The words that the model considered at each position of a translation: from the answer that has them, or asked from
// the server when they are needed. A position is {id, p, rank, words: [{token, id, p}, ...]}: the id, probability and
// rank of the word that the translation has, and the likeliest words.

import {text} from "../strings/core.js";
import {offlineNote} from "./api.js";

const count = 10;
const known = new WeakMap();  // a Trace -> its promises, by temperature

/** Promises {model, layers}: the positions by the model's own output, and by each layer as if it were the last. */
export function nextWordsOf(app, trace, temperature) {
  if (!known.has(trace)) known.set(trace, new Map());
  const promises = known.get(trace);
  if (!promises.has(temperature)) {
    const promise = find(app, trace, temperature);
    promise.catch(() => promises.delete(temperature));  // so that the next call asks again
    promises.set(temperature, promise);
  }
  return promises.get(temperature);
}

async function find(app, trace, temperature) {
  if (trace.nextWords && temperature === 1) return {model: trace.nextWords, layers: trace.layerWords ?? []};
  if (app.offline) throw new Error(offlineNote);
  const {part} = app;
  const request = {...app.shownResult.request, layers: [1], next_words: {count, temperature, layers: true}};
  if (!app.sites.length) delete request.layers;
  const answer = await app.api.translate(request);
  const found = answer.translations.flatMap(({sentences}) => sentences)[part]?.trace;
  if (!found?.next_words) throw new Error(text.noNextWords);
  return {model: found.next_words, layers: found.layer_words ?? []};
}
