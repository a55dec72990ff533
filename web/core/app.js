// The application without its page: state, model, requests and answers. The parts and views read it and change the
// state by set().

import {OfflineFile, Server} from "./api.js";
import {isChanged, Requests} from "./requests.js";
import {siteOf, sitesOf} from "./sites.js";
import {fromHash, initialState, searchDefault, searchFields, setSearchDefaults} from "./state.js";

export class App {
  state = initialState();
  model = null;    // the answer of /v1/model
  sites = [];      // the model's attention sites, see sites.js
  languages = [];
  settings = {};
  failure = null;  // a sentence on what failed last, apart from translations
  #page;
  #remembered = new Map();

  /**
   * `data` is the content of an offline file, or null. `page` draws: {redraw(), announce(text), stateChanged()}; redraw
   * may be called often.
   */
  constructor(data, page) {
    this.data = data;
    this.offline = data !== null;
    this.api = data ? new OfflineFile(data) : new Server();
    this.#page = page;
    this.requests = new Requests(this);
  }

  /** Merges changes into the state, sends the requests that it needs, and redraws. */
  set(changes) {
    this.#movePins(changes);
    this.#keepAllHeads(changes);
    Object.assign(this.state, changes);
    this.#fitToModel();
    this.#setMerged();
    this.requests.refresh();
    this.refresh();
    this.#page.stateChanged();
  }

  /** Undoes the changes of "What if": all heads on, every setting of the search as the server has it. */
  reset() {
    this.set({...Object.fromEntries(searchFields.map((name) => [name, searchDefault(name)])), off: []});
  }

  refresh() { this.#page.redraw(); }

  /** Announces a text to screen readers. */
  say(text) { this.#page.announce(text); }

  fail(text) {
    this.failure = text;
    this.refresh();
  }

  /** Called by a LatestRequest when its answer has arrived. */
  onAnswer(request) {
    this.#setMerged();
    this.#dropPinsBeyondTheEnd();
    const {sentences, answer} = request.result;
    if (request === this.requests.plain && this.trace && this.state.part >= sentences.length) this.state.part = 0;
    if (sentences.length) {
      const text = answer.translations.map((translation) => translation.text).join(" ");
      const kind = {plain: "Translation", changed: "Changed translation", other: "Second translation"};
      const name = Object.keys(kind).find((candidate) => this.requests[candidate] === request);
      this.say(`${kind[name]}: ${text}`);
    }
    this.refresh();
  }

  /** Which sentence of the text the views show. */
  get part() {
    return Math.min(this.state.part, Math.max(0, (this.requests.plain.result?.traces.length ?? 1) - 1));
  }

  /** The traces of the plain translation, the changed one, and a comparison's second sentence; null if missing. */
  get plain() { return this.requests.plain.result?.traces[this.part] ?? null; }
  get changed() { return this.requests.changed.result?.traces[this.part] ?? null; }
  get other() { return this.requests.other.result?.traces[0] ?? null; }

  /** The trace that the views show: the plain one or the changed one. */
  get trace() {
    return isChanged(this.state) && this.state.show === "changed" && this.changed ? this.changed : this.plain;
  }

  /** The result that the shown trace belongs to. */
  get shownResult() {
    const {plain, changed} = this.requests;
    return this.trace && this.trace === this.changed ? changed.result : plain.result;
  }

  /** The attention site of a name, by default the one that is shown. */
  site(name = this.state.attention) { return siteOf(this.sites, name); }

  /** Whether the model is known to have no attention. */
  get withoutAttention() { return this.model !== null && !this.sites.length; }

  /** Whether heads can be switched off. */
  get canSwitchHeads() { return !this.offline && this.model?.heads_can_be_switched !== false; }

  /** Whether the attention of a text is probably too much for one answer. A token has about four letters. */
  isTooLong(text) {
    const most = this.model?.trace_weights ?? 2 ** 24;
    const matrices = this.sites.reduce((sum, {layers, heads}) => sum + layers * heads, 0);
    return (text.length / 4) ** 2 * matrices > most;
  }

  isOff(attention, layer, head) {
    return this.state.off.some((entry) => isHead(entry, attention, layer, head));
  }

  /** Switches a head off in the model, or on again. */
  toggleHead(attention, layer, head) {
    const wasOff = this.isOff(attention, layer, head);
    const others = this.state.off.filter((entry) => !isHead(entry, attention, layer, head));
    this.set({off: wasOff ? others : [...others, {attention, layer, head}], show: "changed"});
    this.say(`${this.headTitle(attention, layer, head)} is ${wasOff ? "on" : "off"}.`);
  }

  headTitle(attention, layer, head) { return `${this.site(attention).title}, layer ${layer + 1}, head ${head + 1}`; }

  /** The table of position encodings. */
  positions(count = 64) {
    return this.#once(["positions", count], () => this.api.positions(this.state.source, this.state.target, count));
  }

  /** The training film. */
  film() {
    return this.#once(["film"], () => this.api.film(this.state.source, this.state.target));
  }

  /** What failed last, as a sentence, or null. */
  get error() {
    return this.failure ?? this.requests.plain.result?.error ?? this.requests.changed.result?.error ?? null;
  }

  /** Loads the state, from the data of an offline file and from the address, and the model. */
  async start(hash) {
    const wanted = {...(this.data?.state ?? {}), ...fromHash(hash)};
    if (Array.isArray(wanted.heads)) wanted.heads = new Set(wanted.heads);
    Object.assign(this.state, wanted);
    await this.connect();
    for (const name of searchFields) if (!(name in wanted)) this.state[name] = searchDefault(name);
    if (!this.state.sentence) {
      this.state.sentence = (this.offline ? this.api.sentences[0] : this.model?.examples?.[0]) ?? "";
    }
  }

  /** Asks for the server's settings, languages and model. Called again when the user has given a key. */
  async connect() {
    try {
      [this.settings, this.languages] = await Promise.all([this.api.settings(), this.api.languages()]);
      const pair = this.languages.find(({targets}) => targets.length);
      this.state.source ||= pair?.code ?? "";
      this.state.target ||= pair?.targets[0] ?? "";
      await this.#loadModel();
      this.failure = null;
    } catch (error) {
      this.failure = error.message;
    }
    this.requests.forget();
  }

  async choosePair(source, target) {
    try {
      Object.assign(this.state, {source, target});
      await this.#loadModel({off: [], heads: null, layer: null});
      this.requests.clear();  // their answers belong to another model
      this.set({});
    } catch (error) {
      this.fail(error.message);
    }
  }

  /** Takes over the state of an address that the user has entered. */
  restore(hash) {
    const {source, target} = this.state;
    Object.assign(this.state, {...initialState(), source, target}, fromHash(hash));
    this.#fitToModel();
    this.set({});
  }

  // `changes` are made to the state once the model has been loaded.
  async #loadModel(changes = {}) {
    const {state} = this;
    this.model = await this.api.model(state.source, state.target);
    this.sites = sitesOf(this.model);
    Object.assign(state, changes);
    state.source = this.model.source ?? state.source;
    state.target = this.model.target ?? state.target;
    setSearchDefaults(this.model.search);
    this.#fitToModel();
  }

  // A promise for each pair of languages and each `what`, so that views can ask every time they are drawn.
  #once(what, ask) {
    const name = JSON.stringify([this.state.source, this.state.target, ...what]);
    if (!this.#remembered.has(name)) this.#remembered.set(name, ask());
    return this.#remembered.get(name);
  }

  // Pins stay on their words when words are merged or another attention is shown. They are removed if they no longer
  // mean the same token.
  #movePins(changes) {
    const {state, trace} = this;
    if (changes.sentence !== undefined && changes.sentence !== state.sentence) {
      for (const pin of ["query", "key"]) if (changes[pin] === undefined) changes[pin] = null;
      return;
    }
    if (!trace) return;
    const [before, after] = [trace.sides(state.attention), trace.sides(changes.attention ?? state.attention)];
    for (const [pin, side] of [["query", "queries"], ["key", "keys"]]) {
      if (changes[pin] !== undefined || state[pin] === null) continue;
      if (before[side] !== after[side]) changes[pin] = null;
      else if (changes.merged !== undefined && changes.merged !== state.merged) {
        changes[pin] = trace.position(after[side], state[pin], state.merged);
      }
    }
  }

  #dropPinsBeyondTheEnd() {
    const {state, trace} = this;
    if (!trace) return;
    const {queries, keys} = trace.tokens(state.attention);
    if (state.query !== null && state.query >= queries.length) state.query = null;
    if (state.key !== null && state.key >= keys.length) state.key = null;
  }

  // If all heads of one attention are shown, all heads of the next one are, however many it has.
  #keepAllHeads(changes) {
    if (changes.attention === undefined || changes.heads !== undefined) return;
    const {heads, headCount} = this.state;
    if (this.site(changes.attention).heads !== headCount && heads?.size === headCount) changes.heads = null;
  }

  #setMerged() {
    for (const {result} of this.requests.all) {
      for (const trace of result?.traces ?? []) if (trace) trace.merged = this.state.merged;
    }
  }

  // Brings the attention, layer and heads of the state into the range of the model. If the layer is null, the last
  // one is taken.
  #fitToModel() {
    if (!this.model) return;
    const {state} = this;
    if (this.sites.length && !this.sites.includes(this.site())) state.attention = this.sites[0].name;
    const {layers, heads} = this.site();
    fitHeads(state, heads);
    const within = (value, count) => Math.max(0, Math.min(value, count - 1));
    state.layer = within(state.layer ?? Infinity, layers);
    state.head = within(state.head, heads);
    state.off = state.off.filter(
      ({attention, layer, head}) => layer < this.site(attention).layers && head < this.site(attention).heads);
  }
}

const isHead = (entry, attention, layer, head) => (
  entry.attention === attention && entry.layer === layer && entry.head === head);

// Keeps the shown heads that exist. Shows all heads if none is left, or if none was chosen (null).
function fitHeads(state, count) {
  state.headCount = count;
  if (state.heads && [...state.heads].every((head) => head < count)) return;
  const all = Array.from({length: count}, (_, head) => head);
  const left = all.filter((head) => state.heads?.has(head));
  state.heads = new Set(left.length ? left : all);
}
