// Queries and keys of one head: from the answer that has them, or asked from the server when they are needed.

import {unpacked} from "../../core/packed.js";
import {text} from "../../strings/why.js";

const known = new WeakMap();  // a Trace -> its promises, by name of the head

/**
 * Promises {q, k, v}: q and k as {rows, columns, data}, and v as a vector, or null without one. Layer and head are
 * counted from 0.
 */
export function projectionsOf(app, trace, attention, layer, head) {
  const name = `${attention} ${layer} ${head}`;
  if (!known.has(trace)) known.set(trace, new Map());
  const promises = known.get(trace);
  if (!promises.has(name)) {
    const promise = find(app, trace, {attention, layer: layer + 1, head: head + 1});
    promise.catch(() => promises.delete(name));  // so that the next call asks again
    promises.set(name, promise);
  }
  return promises.get(name);
}

async function find(app, trace, wanted) {
  const isWanted = (entry) => Object.keys(wanted).every((name) => entry[name] === wanted[name]);
  const entry = trace.projections.find(isWanted) ?? (await ask(app, wanted)).find(isWanted);
  if (!entry) throw new Error(text.noProjections);
  const matrix = ({rows, columns, packed}) => ({rows, columns, data: unpacked(packed)});
  return {q: matrix(entry.q), k: matrix(entry.k), v: entry.v ? unpacked(entry.v) : null};
}

async function ask(app, wanted) {
  if (app.offline) throw new Error(text.notInFile);
  const {part} = app;
  const answer = await app.api.translate({...app.shownResult.request, layers: [wanted.layer], projections: [wanted]});
  return answer.translations.flatMap(({sentences}) => sentences)[part]?.trace?.projections ?? [];
}
