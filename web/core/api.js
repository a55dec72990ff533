// Where the page gets its data: from the server, or from the data that an offline file carries. Server and OfflineFile
// have the same methods.

import {text} from "../strings/core.js";

/** A request that failed. The message is the server's own sentence if it sent one; `status` is 0 without an answer. */
class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

export const offlineNote = text.offline;

export class Server {
  key = "";  // the API key that the user gave

  settings() { return this.#json("/frontend/settings"); }
  languages() { return this.#json("/languages"); }
  async models() { return (await this.#json("/v1/models")).models; }
  model(source, target, model) { return this.#json("/v1/model", {source, target, model}); }
  positions({source, target, model}, count) { return this.#json("/v1/positions", {source, target, model, count}); }
  heads({source, target, model}) { return this.#json("/v1/heads", {source, target, model}); }
  film({source, target, model}) { return this.#json("/v1/film", {source, target, model}); }

  /** The answer of /v1/translate. If `onText` is given, it is called with the translation so far as it grows. */
  async translate(request, {signal, onText} = {}) {
    const body = JSON.stringify(onText ? {...request, stream: true} : request);
    const headers = {"Content-Type": "application/json"};
    const answer = await this.#fetch("/v1/translate", {method: "POST", headers, body, signal});
    if (!onText) return answer.json();
    let translation = "";
    for await (const {name, data} of serverSentEvents(answer.body)) {
      if (name === "text") onText(translation += data.text);
      else if (name === "error") throw new RequestError(data.error, 200);
      else if (name === "done") return data;
    }
    throw new RequestError(text.incomplete, 0);
  }

  async #json(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    const answer = await this.#fetch(given.length ? `${path}?${new URLSearchParams(given)}` : path);
    return answer.json();
  }

  async #fetch(path, options = {}) {
    const headers = {...options.headers};
    if (this.key) headers["X-Api-Key"] = this.key;
    let answer;
    try {
      answer = await fetch(path, {...options, headers});
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new RequestError(text.noAnswer, 0);
    }
    if (!answer.ok) throw new RequestError(await refusalOf(answer), answer.status);
    return answer;
  }
}

async function refusalOf(answer) {
  const fallback = text.status(answer.status);
  try {
    return (await answer.json()).error ?? fallback;
  } catch {
    return fallback;  // the body is not JSON
  }
}

// The server-sent events of a body as they arrive.
async function* serverSentEvents(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let chunks = [];
  try {
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      chunks.push(decoder.decode(value, {stream: true}));
      if (!chunks.at(-1).includes("\n")) continue;  // part of a long event: join its chunks once, when it is complete
      const events = chunks.join("").split("\n\n");
      chunks = [events.pop()];
      for (const event of events) {
        const name = /^event: (.*)$/m.exec(event)?.[1] ?? "message";
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) yield {name, data: JSON.parse(data)};
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

export class OfflineFile {
  key = "";
  #own;  // the entries of the model that the file shows, as opposed to those of its rival

  /**
   * `data` is {version, model, rival?, positions, sentences: [{request, answer}], film, heads, state}: answers that the
   * server gave, and the state of the page when the file was made. `rival` is the second model of a comparison, whose name is
   * in the requests to it.
   */
  constructor(data) {
    this.data = data;
    const own = data.state?.model || undefined;
    this.#own = data.sentences.filter(({request}) => request.model === own);
  }

  async settings() { return {keyRequired: false}; }

  async languages() {
    const {source, target, source_name: from = source, target_name: to = target} = this.data.model;
    return [{code: source, name: from, targets: [target]}, {code: target, name: to, targets: []}];
  }

  async models() {
    const {model, rival} = this.data;
    return [model, ...(rival ? [rival] : [])].map(({name = "", source, target}) => ({name, source, target}));
  }

  async model(source, target, name) {
    const {model, rival} = this.data;
    return name && name === rival?.name ? rival : model;
  }

  async positions(pair, count = 64) {
    const {positions} = this.data;
    return positions && {...positions, rows: Math.min(positions.rows, count)};  // fewer rows of the same data
  }

  async heads() { return this.data.heads; }

  async film() { return this.data.film; }

  get sentences() { return [...new Set(this.#own.map(({request}) => request.q))]; }

  /** The changes (see changesOf in requests.js) for which the file has a translation of this sentence. */
  changesOf(sentence) {
    return this.#own.filter(({request}) => request.q === sentence && !isPlain(request)).map(({request}) => (
      Object.fromEntries(Object.entries(request).filter(([name]) => (
        !unusedFields.has(name) && !["q", "model"].includes(name))))));
  }

  /** The stored answer for the request. A plain request also takes any other stored answer for its sentence. */
  async translate(request) {
    const {sentences, state} = this.data;
    const isOwn = (request.model ?? "") === (state?.model ?? "");
    const found = sentences.find((entry) => translationKey(entry.request) === translationKey(request)) ??
      (isOwn && isPlain(request) ? this.#own.find((entry) => entry.request.q === request.q) : undefined);
    if (!found) throw new RequestError(isPlain(request) ? text.otherSentence : offlineNote, 0);
    return found.answer;
  }
}

// Fields of a request that do not matter for finding its translation in an offline file: those that choose what is
// reported about it, and those that are the same for the whole file (languages, key). All others decide what is
// translated, and how.
const unusedFields = new Set(
  ["trace", "packed", "stream", "layers", "projections", "next_words", "steps", "api_key", "n_best", "source", "target"]);

// Equal for two requests that have the same translation in an offline file.
const translationKey = (request) => JSON.stringify(Object.entries(request)
  .filter(([name, value]) => !unusedFields.has(name) && value !== undefined && !(Array.isArray(value) && !value.length))
  .sort());

// Whether a request has no settings, only a sentence and perhaps a model. Then any translation of the sentence in the file will do.
const isPlain = (request) => Object.keys(request).every(
  (name) => unusedFields.has(name) || name === "q" || name === "model");
