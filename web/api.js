// Talks to the server, or answers from the data that an offline file carries.

/** What the server refused or could not do; the message is its own sentence. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

export const offlineSentence = "This is an offline file: it shows what was computed when it was made. " +
  "New translations need the server (dragoman serve).";

export class Server {
  key = "";

  async #fetch(path, options = {}) {
    const headers = {...options.headers};
    if (this.key) headers["X-Api-Key"] = this.key;
    let answer;
    try {
      answer = await fetch(path, {...options, headers});
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Refused("The server does not answer. Is it still running?", 0);
    }
    if (answer.ok) return answer;
    let sentence = `The server answered with status ${answer.status}.`;
    try {
      sentence = (await answer.json()).error ?? sentence;
    } catch {
      // no sentence of its own
    }
    throw new Refused(sentence, answer.status);
  }

  async #json(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    const answer = await this.#fetch(given.length ? `${path}?${new URLSearchParams(given)}` : path);
    return answer.json();
  }

  settings() { return this.#json("/frontend/settings"); }
  languages() { return this.#json("/languages"); }
  model(source, target) { return this.#json("/v1/model", {source, target}); }
  positions(source, target, count) { return this.#json("/v1/positions", {source, target, count}); }
  film(source, target) { return this.#json("/v1/film", {source, target}); }

  /** The answer of /v1/translate. With `text` the translation so far is handed over as it grows. */
  async translate(request, {signal, text} = {}) {
    const body = JSON.stringify(text ? {...request, stream: true} : request);
    const answer = await this.#fetch("/v1/translate",
      {method: "POST", headers: {"Content-Type": "application/json"}, body, signal});
    if (!text) return answer.json();
    let so_far = "";
    for await (const {name, data} of events(answer.body)) {
      if (name === "text") text(so_far += data.text);
      else if (name === "error") throw new Refused(data.error, 200);
      else if (name === "done") return data;
    }
    throw new Refused("The server's answer broke off.", 0);
  }
}

// Server-sent events of a body as they come in.
async function* events(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let chunks = [];
  try {
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      chunks.push(decoder.decode(value, {stream: true}));
      if (!chunks.at(-1).includes("\n")) continue;  // a long event: joined once, when it is whole
      const parts = chunks.join("").split("\n\n");
      chunks = [parts.pop()];
      for (const part of parts) {
        const name = /^event: (.*)$/m.exec(part)?.[1] ?? "message";
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (data !== undefined) yield {name, data: JSON.parse(data)};
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// The fields of a request that decide what is translated; the others say what of it is told.
const telling = new Set(
  ["trace", "packed", "stream", "layers", "projections", "api_key", "n_best", "source", "target"]);
const asked = (request) => JSON.stringify(
  Object.entries(request)
    .filter(([name, value]) => !telling.has(name) && value !== undefined && !(Array.isArray(value) && !value.length))
    .sort());

export class Offline {
  key = "";

  constructor(data) { this.data = data; }

  async settings() { return {keyRequired: false}; }
  async languages() {
    const {source, target, source_name: from = source, target_name: to = target} = this.data.model;
    return [{code: source, name: from, targets: [target]}, {code: target, name: to, targets: []}];
  }
  async model() { return this.data.model; }
  async positions(source, target, count = 64) {
    const {positions} = this.data;
    return positions && {...positions, rows: Math.min(positions.rows, count)};  // the other rows stay unread
  }
  async film() { return this.data.film; }
  get sentences() { return [...new Set(this.data.sentences.map(({request}) => request.q))]; }

  async translate(request) {
    const found = this.data.sentences.find((entry) => asked(entry.request) === asked(request)) ??
      (plain(request) ? this.data.sentences.find((entry) => entry.request.q === request.q) : undefined);
    if (!found) throw new Refused(offlineSentence, 0);
    return found.answer;
  }
}

const plain = (request) => Object.keys(request).every((name) => telling.has(name) || name === "q");
