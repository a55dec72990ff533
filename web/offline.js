// The page as one file that needs no server: the page as it came, and the data of what is shown.

// Kept before anything is put into it.
const pristine = document.documentElement.cloneNode(true);
pristine.querySelector("#dragoman-data")?.remove();

const mostProjections = 8 << 20;  // bytes of queries and keys that a file carries
const leastPositions = 64;
const mostPositions = 512;

/** The answers that are there: the plain translation, the changed one, the second sentence. */
export const resultsOf = (app) => [app.flow.plain, app.flow.changed, app.flow.other]
  .map(({result}) => result).filter((result) => result?.answer);

const lengthOf = ({trace}) => [trace?.src?.length ?? 0, trace?.tgt?.length ?? 0];

// Whether there are queries and keys, and those of all heads are few enough.
function small(app, {sentences, layers}) {
  const rows = sentences.reduce((sum, sentence) => sum + lengthOf(sentence)[0] + lengthOf(sentence)[1], 0);
  const numbers = app.sites.reduce((sum, {layers: count, heads, d_k}) => sum + count * heads * d_k, 0);
  return !layers && numbers > 0 && rows * numbers * 4 < mostProjections;
}

async function complete(app, result) {
  const {request, answer} = result;
  if (!small(app, result)) return {request, answer};
  try {
    return {request, answer: await app.api.translate({...request, projections: "all"})};
  } catch {
    return {request, answer};  // without queries and keys, then
  }
}

/** What a file carries; see api.js for who reads it. */
export async function offlineData(app) {
  const state = {...app.state, heads: [...(app.state.heads ?? [])]};
  if (app.offline) return {...app.data, state};
  const results = resultsOf(app);
  if (!results.length) throw new Error("There is no translation yet.");
  const longest = Math.max(leastPositions, ...results.flatMap(({sentences}) => sentences.flatMap(lengthOf)));
  const [positions, film, ...sentences] = await Promise.all([
    app.positions(Math.min(mostPositions, longest)),
    app.model.film ? app.film() : null,
    ...results.map((result) => complete(app, result)),
  ]);
  return {version: 1, model: app.model, positions, sentences, film, state};
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
