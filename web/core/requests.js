// Which translations the page asks for, and when: that of the sentence with the server's settings (plain), that with
// the changes made in the view "What if" (changed), and that of the second sentence of a comparison, or of the second
// model (other). A new request replaces the one of its kind that is in progress.

import {searchDefault, searchFields} from "./state.js";
import {Trace} from "./trace.js";

// Settings that only one kind of search uses.
const usedBy = {beam: "beam", temperature: "sample", top_k: "sample", top_p: "sample", seed: "sample"};

/** The settings that differ from the server's defaults, as fields of a request. */
export function changesOf(state) {
  const changes = {};
  for (const name of searchFields) {
    const used = !usedBy[name] || usedBy[name] === state.search;
    if (used && state[name] !== searchDefault(name)) changes[name] = state[name];
  }
  if (changes.forced) {
    changes.prefix_ids = changes.forced.split(" ").map(Number);
    delete changes.forced;
  }
  if (state.off.length) {
    changes.heads_off = state.off.map(({attention, layer, head}) => ({attention, layer: layer + 1, head: head + 1}));
  }
  return changes;
}

/** The fields of the state that give such changes: the reverse of changesOf(). */
export function stateOf({heads_off: off = [], ...search}) {
  return {...search, off: off.map(({attention, layer, head}) => ({attention, layer: layer - 1, head: head - 1}))};
}

export const isChanged = (state) => Object.keys(changesOf(state)).length > 0;

/** Whether the view "Compare" compares two models, not two sentences. */
export const isAgainstRival = (state) => state.versus === "model";

const noticeable = 300;  // milliseconds; the page says that a request is in progress if it takes longer

// How many hypotheses to ask for: at most 4, and no more than the search keeps.
function hypothesisCount(changes) {
  const search = changes.search ?? searchDefault("search");
  return search === "beam" ? Math.max(1, Math.min(4, changes.beam ?? searchDefault("beam"))) : 1;
}

/** The request for the translation of a text with some changes. */
export function requestOf({source, target, model}, text, changes = {}) {
  return {q: text, source: source || undefined, target: target || undefined, model: model || undefined, ...changes,
    n_best: hypothesisCount(changes), trace: true, packed: true};
}

/**
 * Keeps the answer to the newest of several requests. `result` is the last answer: {request, answer, sentences, traces,
 * milliseconds, layers?, error?}, or {request, error} with empty lists if it failed. `layers` lists the layers that
 * were fetched if not all fit into one answer. An `error` beside an `answer` says why the server refused to send
 * attention; `isFinal` beside an `error` says that the same request would fail again. `text` is the translation so far
 * while a request is in progress.
 */
export class LatestRequest {
  result = null;
  text = null;
  isSlow = false;        // whether the request in progress takes noticeably long
  #app;
  #streams;
  #sites;                // gives the attention sites of the model that is asked
  #abort = null;         // of the request in progress
  #asked = "";           // the newest request as text
  #fetchedLayer = null;  // the layer that is being added to `result`
  #slowTimer = 0;

  constructor(app, {streams = false, sites = () => app.sites} = {}) {
    this.#app = app;
    this.#streams = streams;
    this.#sites = sites;
  }

  /** Allows the last request to be sent again. */
  forget() { this.#asked = ""; }

  get busy() { return this.#abort !== null; }

  /** Whether `result` belongs to an older request than the one in progress. */
  get isOutdated() { return this.busy && this.#fetchedLayer === null && this.result !== null; }

  /** Why there is no translation, as a sentence; null if there is one, or if one is on its way. */
  get failure() { return this.busy || this.result?.answer ? null : this.result?.error ?? null; }

  clear() {
    this.#abort?.abort();
    this.#finish();
    this.#asked = "";
    if (!this.result) return;
    this.result = null;
    this.#app.refresh();
  }

  /**
   * Sends a request unless it is the newest already. `layer` is the layer that the views show. If the answer to this
   * request has only some layers, and not this one, asks for this layer and adds it to the answer.
   */
  async ask(request, layer) {
    const asked = JSON.stringify(request);
    const addsLayer = asked === this.#asked && Boolean(this.result?.layers) && !this.result.layers.includes(layer);
    if (asked === this.#asked && (!addsLayer || this.#fetchedLayer === layer)) return;
    this.#abort?.abort();
    const abort = this.#abort = new AbortController();
    this.#asked = asked;
    this.#fetchedLayer = addsLayer ? layer : null;
    this.text = null;
    this.#startTimer();
    this.#app.refresh();
    const begin = performance.now();
    try {
      const found = await this.#fetch(request, this.#options(abort), layer, addsLayer);
      if (this.#abort !== abort) return;
      this.#take({request, ...found, milliseconds: performance.now() - begin}, layer, addsLayer);
    } catch (error) {
      if (this.#abort !== abort || error.name === "AbortError") return;
      // A translation is kept if only one of its layers could not be fetched.
      this.result = {request, sentences: [], traces: [], ...(addsLayer ? this.result : {}), error: error.message,
        isFinal: error.status >= 400 && error.status < 500 && error.status !== 429};
    }
    this.#finish();
    this.#app.onAnswer(this);
  }

  #startTimer() {
    clearTimeout(this.#slowTimer);
    this.isSlow = false;
    this.#slowTimer = setTimeout(() => {
      this.isSlow = true;
      this.#app.refresh();
    }, noticeable);
  }

  #finish() {
    clearTimeout(this.#slowTimer);
    this.isSlow = false;
    this.#abort = this.#fetchedLayer = null;
    this.text = null;
  }

  #options(abort) {
    const options = {signal: abort.signal};
    if (!this.#streams || this.#app.offline) return options;
    options.onText = (text) => {
      if (this.#abort !== abort) return;
      this.text = text;
      this.#app.refresh();
    };
    return options;
  }

  #take(found, layer, addsLayer) {
    const sentences = found.answer.translations.flatMap((translation) => translation.sentences);
    const traces = sentences.map(
      ({trace}) => (trace?.attention || trace?.beam ? new Trace(trace, this.#sites()) : null));
    const before = this.result;
    // absorb() adds the new layer. It returns false if the translation differs, and then the new answer replaces all.
    if (addsLayer && traces.every((trace, i) => trace && before.traces[i]?.absorb(trace))) {
      before.layers.push(layer);
      before.traces = [...before.traces];
      delete before.error;
    } else {
      this.result = {...found, sentences, traces};
    }
  }

  // Asks for all of a text's attention. If that is too much for one answer, asks for the layer that is shown; if even
  // that is too much, for the translation alone. A model without `sites` has no attention.
  async #fetch(request, options, layer, addsLayer) {
    const {api, offline} = this.#app;
    const sites = this.#sites();
    const {trace, packed, ...translationOnly} = request;
    const whole = async () => ({answer: await api.translate(request, options)});
    const oneLayer = async () => (
      {answer: await api.translate({...request, layers: [layer + 1]}, options), layers: [layer]});
    const bare = async () => ({answer: await api.translate(translationOnly, options)});
    if (addsLayer) return oneLayer();
    const attempts = [...(this.#app.isTooLong(request.q) ? [] : [whole]), ...(sites.length ? [oneLayer] : []), bare];
    let refusal = null;
    for (const attempt of attempts) {
      try {
        return {...await attempt(), error: attempt === bare ? refusal?.message : undefined};
      } catch (error) {
        if (error.status !== 413 || offline) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }
}

/** The page's three translations. */
export class Requests {
  constructor(app) {
    this.app = app;
    this.plain = new LatestRequest(app, {streams: true});
    this.changed = new LatestRequest(app);
    this.other = new LatestRequest(app, {sites: () => (isAgainstRival(app.state) ? app.rival?.sites ?? [] : app.sites)});
  }

  get all() { return [this.plain, this.changed, this.other]; }

  forget() { for (const request of this.all) request.forget(); }
  forgetFailures() { for (const request of this.all) if (request.result?.error) request.forget(); }
  clear() { for (const request of this.all) request.clear(); }

  /** Sends the requests that the state needs and that are neither answered nor in progress. */
  refresh() {
    const {state, settings, api} = this.app;
    if (settings.keyRequired && !api.key) return;
    const [text, layer] = [state.sentence.trim(), state.layer ?? 0];
    if (text) this.plain.ask(requestOf(state, text), layer);
    else this.plain.clear();
    const changes = changesOf(state);
    if (text && Object.keys(changes).length) this.changed.ask(requestOf(state, text, changes), layer);
    else this.changed.clear();
    this.#refreshOther(layer);
  }

  // The second sentence with the same model, or the same sentence with the second model.
  #refreshOther(layer) {
    const {state, rival} = this.app;
    const byModel = isAgainstRival(state);
    const text = (byModel ? state.sentence : state.compare).trim();
    if (!text || (byModel && rival?.name !== state.rival)) this.other.clear();
    else if (state.tab === "compare") {
      this.other.ask(requestOf(byModel ? {...state, model: state.rival} : state, text), layer);
    }
  }
}
