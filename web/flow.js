// What is asked of the server, and when: the plain translation of the sentence, the changed one of "what if", and the
// second sentence of a comparison. A new request takes the place of the one under way.
import {Look} from "dragoman/look.js";
import {searchDefault, searchFields} from "dragoman/state.js";

// Settings that only one kind of search looks at.
const only = {beam: "beam", temperature: "sample", top_k: "sample", top_p: "sample", seed: "sample"};

/** The settings that differ from what the server uses by itself, as fields of a request. */
export function changesOf(state) {
  const changes = {};
  for (const name of searchFields) {
    const used = !only[name] || only[name] === state.search;
    if (used && state[name] !== searchDefault(name)) changes[name] = state[name];
  }
  if (state.off.length) {
    changes.heads_off = state.off.map(({attention, layer, head}) => ({attention, layer: layer + 1, head: head + 1}));
  }
  return changes;
}

export const isChanged = (state) => Object.keys(changesOf(state)).length > 0;

// How many hypotheses to ask for: no more than the search keeps.
function hypotheses(changes) {
  const search = changes.search ?? searchDefault("search");
  return search === "beam" ? Math.max(1, Math.min(4, changes.beam ?? searchDefault("beam"))) : 1;
}

/** The request for a text with some changes. */
export function requestOf(app, text, changes = {}) {
  const {source, target} = app.state;
  return {q: text, source: source || undefined, target: target || undefined, ...changes,
    n_best: hypotheses(changes), trace: true, packed: true};
}

// One line of requests, of which the newest counts. `result` is what came last: {request, answer, looks, took} or
// {request, error}; `text` is the translation so far while one is under way.
class Line {
  result = null;
  text = null;
  #under_way = null;
  #asked = "";
  #fetching = null;  // a layer that is fetched after others

  constructor(app, streams) {
    this.app = app;
    this.streams = streams;
  }

  /** What was asked last may be asked again. */
  forget() { this.#asked = ""; }

  get busy() { return this.#under_way !== null; }

  clear() {
    this.#under_way?.abort();
    this.#under_way = null;
    this.#asked = "";
    this.text = null;
    if (!this.result) return;
    this.result = null;
    this.app.refresh();
  }

  async ask(request, layer) {
    const asked = JSON.stringify(request);
    const one_layer = asked === this.#asked && Boolean(this.result?.layers) && !this.result.layers.includes(layer);
    if (asked === this.#asked && (!one_layer || this.#fetching === layer)) return;
    this.#under_way?.abort();
    const abort = this.#under_way = new AbortController();
    this.#asked = asked;
    this.#fetching = one_layer ? layer : null;
    this.text = null;
    this.app.refresh();
    const begin = performance.now();
    const options = {signal: abort.signal};
    if (this.streams && !this.app.offline) {
      options.text = (text) => {
        if (this.#under_way !== abort) return;
        this.text = text;
        this.app.refresh();
      };
    }
    try {
      const {answer, layers, error} = await this.#answer(request, options, layer, one_layer);
      if (this.#under_way !== abort) return;
      const sentences = answer.translations.flatMap(({sentences}) => sentences);
      const looks = sentences.map(
        ({trace}) => (trace?.attention || trace?.beam ? new Look(trace, this.app.sites) : null));
      const before = this.result;
      if (one_layer && looks.every((look, i) => look && before.looks[i]?.absorb(look))) {
        before.layers.push(layer);
        before.looks = [...before.looks];
      } else this.result = {request, answer, sentences, layers, error, took: performance.now() - begin, looks};
    } catch (error) {
      if (this.#under_way !== abort || error.name === "AbortError") return;
      this.result = {request, error: error.message, sentences: [], looks: []};
    }
    this.#under_way = this.#fetching = null;
    this.text = null;
    this.app.arrived(this);
  }

  // Of a text whose whole attention is too much for one answer, only the layer that is looked at; of one for which even
  // that is too much, the translation.
  async #answer(request, options, layer, one_layer) {
    const narrow = async () => (
      {answer: await this.app.api.translate({...request, layers: [layer + 1]}, options), layers: [layer]});
    if (one_layer) return narrow();
    const ways = [narrow, async () => {
      const {trace, packed, ...rest} = request;
      return {answer: await this.app.api.translate(rest, options)};
    }];
    if (!this.app.sites.length) ways.shift();
    if (!this.app.tooLong(request.q))
      ways.unshift(async () => ({answer: await this.app.api.translate(request, options)}));
    let refusal = null;
    for (const way of ways) {
      try {
        return {...await way(), error: way === ways.at(-1) ? refusal?.message : undefined};
      } catch (error) {
        if (error.status !== 413 || this.app.offline) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }
}

export class Flow {
  constructor(app) {
    this.app = app;
    this.plain = new Line(app, true);
    this.changed = new Line(app, false);
    this.other = new Line(app, false);
  }

  forget() { for (const line of [this.plain, this.changed, this.other]) line.forget(); }
  clear() { for (const line of [this.plain, this.changed, this.other]) line.clear(); }

  /** Asks for whatever the state needs and is not there or under way. */
  refresh() {
    const {app} = this;
    const {state} = app;
    if (app.settings.keyRequired && !app.api.key) return;
    const [text, second, layer] = [state.sentence.trim(), state.compare.trim(), state.layer ?? 0];
    if (text) this.plain.ask(requestOf(app, text), layer);
    else this.plain.clear();
    const changes = changesOf(state);
    if (text && Object.keys(changes).length) this.changed.ask(requestOf(app, text, changes), layer);
    else this.changed.clear();
    if (second && state.tab === "compare") this.other.ask(requestOf(app, second), layer);
    else if (!second) this.other.clear();
  }
}
