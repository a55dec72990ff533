// The page as one file that needs no server: the page as it was loaded, and the data of what is shown.

import {isAgainstRival} from "../core/requests.js";
import {text} from "../strings/page.js";

// A copy from before the parts and views add anything.
const pristine = document.documentElement.cloneNode(true);
pristine.querySelector("#dragoman-data")?.remove();

const mostProjectionBytes = 8 << 20;  // of queries and keys in a file
const [leastPositions, mostPositions] = [64, 512];  // position encodings in a file

/** The answers that have arrived: of the plain translation, the changed one, and the second sentence. */
export const resultsOf = (app) => app.requests.all.map(({result}) => result).filter((result) => result?.answer);

const lengthsOf = ({trace}) => [trace?.src?.length ?? 0, trace?.tgt?.length ?? 0];

// Whether the model has queries and keys, and those of all heads together are small enough for a file.
function canHaveProjections(app, {sentences, layers}) {
  const rows = sentences.flatMap(lengthsOf).reduce((sum, length) => sum + length, 0);
  const numbers = app.sites.reduce((sum, {layers: count, heads, d_k}) => sum + count * heads * d_k, 0);
  return !layers && numbers > 0 && rows * numbers * 4 < mostProjectionBytes;
}

// A result with the queries and keys of all heads, and with the steps of the layer that is shown, if they can be had.
// The steps of all layers would be many times as large as everything else in the file.
async function withNumbers(app, result) {
  const {request, answer} = result;
  if (!canHaveProjections(app, result)) return {request, answer};
  const numbers = {...request, projections: "all"};
  const steps = {attention: app.state.attention, layer: app.state.layer + 1};
  for (const wanted of [{...numbers, steps}, numbers]) {
    try {
      return {request, answer: await app.api.translate(wanted)};
    } catch {
      continue;  // the answer would be too long, or the model shows no steps
    }
  }
  return {request, answer};
}

/** The data of the file, as OfflineFile in core/api.js reads it. */
export async function offlineData(app) {
  const state = {...app.state, heads: [...(app.state.heads ?? [])]};
  if (app.offline) return {...app.data, state};
  const results = resultsOf(app);
  if (!results.length) throw new Error(text.noTranslation);
  const longest = Math.max(leastPositions, ...results.flatMap(({sentences}) => sentences.flatMap(lengthsOf)));
  const [positions, film, heads, ...sentences] = await Promise.all([
    app.positions(Math.min(mostPositions, longest)),
    app.model.film ? app.film() : null,
    app.model.heads ? app.heads() : null,
    ...results.map((result) => withNumbers(app, result)),
  ]);
  const rival = isAgainstRival(app.state) ? app.rival?.model : undefined;
  return {version: 1, model: app.model, rival, positions, sentences, film, heads, state};
}

/** The text of the file. */
export function offlinePage(data) {
  const page = pristine.cloneNode(true);
  const script = document.createElement("script");
  script.type = "application/json";
  script.id = "dragoman-data";
  script.textContent = JSON.stringify(data).replaceAll("<", "\\u003c");
  page.querySelector("body").append(script);
  return `<!doctype html>\n${page.outerHTML}\n`;
}
