// Queries and keys of one head: from the answer that is there, or asked for when somebody wants to see them.

import {unpacked} from "dragoman/look.js";
import {shownResult} from "dragoman/picks.js";

const known = new WeakMap();  // look -> Map of promises by head

/** {q, k} as {rows, columns, data}; layer and head are counted from 0. */
export function projectionsOf(app, look, attention, layer, head) {
  const name = `${attention} ${layer} ${head}`;
  if (!known.has(look)) known.set(look, new Map());
  const heads = known.get(look);
  if (!heads.has(name)) {
    const found = find(app, look, {attention, layer: layer + 1, head: head + 1});
    found.catch(() => heads.delete(name));  // to be asked again
    heads.set(name, found);
  }
  return heads.get(name);
}

async function find(app, look, wanted) {
  const is = (entry) => Object.keys(wanted).every((name) => entry[name] === wanted[name]);
  const entry = look.projections.find(is) ?? (await ask(app, wanted)).find(is);
  if (!entry) throw new Error("The server sent no queries and keys of this head.");
  const matrix = ({rows, columns, packed}) => ({rows, columns, data: unpacked(packed)});
  return {q: matrix(entry.q), k: matrix(entry.k)};
}

async function ask(app, wanted) {
  if (app.offline) {
    throw new Error("This offline file carries no queries and keys of this head; on the server they are there.");
  }
  const {part} = app;
  const answer = await app.api.translate({...shownResult(app).request, layers: [wanted.layer], projections: [wanted]});
  return answer.translations.flatMap(({sentences}) => sentences)[part]?.trace?.projections ?? [];
}
