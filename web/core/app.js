// The application without its page: state, model, requests and answers. The parts and views read it and change the
// state by set().

import {text} from "../strings/core.js";
import {roleName} from "../strings/roles.js";
import {OfflineFile, Server} from "./api.js";
import {fitToModel, keptHeads} from "./fitting.js";
import {languageName} from "./language.js";
import {followedPins, movedPins, pinsWithin} from "./pins.js";
import {isAgainstRival, isChanged, Requests} from "./requests.js";
import {siteOf, sitesOf} from "./sites.js";
import {fromHash, initialState, searchDefault, searchFields, setSearchDefaults} from "./state.js";
import {mixed, Survey} from "./survey.js";

const slowAnswer = 1500;  // milliseconds; a slower model translates on Enter instead of while the user types

export class App {
  state = initialState();
  draft = "";      // the text in the sentence box, which may not be translated yet
  model = null;    // the answer of /v1/model
  sites = [];      // the model's attention sites, see sites.js
  survey = null;   // what its heads do over many sentences, see survey.js; null if that is not known
  models = [];     // the list of /v1/models
  rival = null;    // the second model of a comparison: {name, model, sites}; null if none is chosen or loaded
  languages = [];
  settings = {};
  failure = null;  // a sentence on what failed last, apart from translations
  goal = null;     // where the page scrolls when a view opens: "" for its beginning, or a part; null for nowhere
  #page;
  #remembered = new Map();
  #pinned = null;  // the trace that the pins belong to

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
    if (changes.sentence !== undefined && changes.sentence !== this.state.sentence) {
      changes = {forced: "", word: null, ...changes};  // they belonged to the translation of the other sentence
    }
    if (this.trace) Object.assign(this.state, movedPins(this.trace, this.state, changes));
    Object.assign(this.state, keptHeads(this.state, this.sites, changes), changes);
    if (changes.sentence !== undefined) this.draft = changes.sentence;
    if (this.model) fitToModel(this.state, this.sites, this.model);
    this.#setMerged();
    this.requests.refresh();
    this.#followPins();
    this.refresh();
    this.#page.stateChanged();
  }

  /** Changes the state so that another view opens, and scrolls to it. `goal` names a part of it: a step of "Why". */
  goTo(changes, goal = "") {
    this.goal = goal;
    this.set(changes);
  }

  /** Takes over what the user has typed. It is not translated before translateDraft() is called. */
  type(draft) {
    this.draft = draft;
    this.refresh();
  }

  translateDraft() {
    this.failure = null;
    this.set({sentence: this.draft, part: 0});
  }

  /** Whether the text in the sentence box has not been sent yet. */
  get hasDraft() { return this.draft.trim() !== this.state.sentence.trim(); }

  /** Whether a text is translated only when the user asks for it, because the model is slow. */
  get translatesOnEnter() { return (this.requests.plain.result?.milliseconds ?? 0) > slowAnswer; }

  /** Whether what is shown belongs to another text than the one in the sentence box. */
  get isStale() { return this.hasDraft || this.requests.plain.isOutdated; }

  /** Tries again what has failed. */
  async retry() {
    this.failure = null;
    if (!this.model) await this.connect();
    else await this.#loadRival();
    this.requests.forgetFailures();
    this.set({});
  }

  /** Undoes the changes of "What if" (all heads on, every setting as the server has it) and makes others. */
  reset(changes = {}) {
    this.set({...Object.fromEntries(searchFields.map((name) => [name, searchDefault(name)])), off: [], ...changes});
  }

  refresh() { this.#page.redraw(); }

  /** Announces a text to screen readers. */
  say(sentence) { this.#page.announce(sentence); }

  fail(sentence) {
    this.failure = sentence;
    this.refresh();
  }

  /** Called by a LatestRequest when its answer has arrived. */
  onAnswer(request) {
    this.#setMerged();
    this.#followPins();
    const {sentences, answer} = request.result;
    if (request === this.requests.plain && this.trace && this.state.part >= sentences.length) this.state.part = 0;
    if (sentences.length) {
      const name = ["plain", "changed", "other"].find((candidate) => this.requests[candidate] === request);
      this.say(text[name](answer.translations.map((translation) => translation.text).join(" ")));
    }
    this.refresh();
    this.#page.stateChanged();
  }

  /** The pinned tokens {query, key} as those of another trace; null where it does not have the word. */
  pinsIn(trace) {
    const {state} = this;
    return this.trace && trace ? followedPins(this.trace, trace, state) : {query: state.query, key: state.key};
  }

  /** Pins tokens of any trace: their words in the one that is shown. */
  pin(trace, pins) { this.set(followedPins(trace, this.trace, {attention: this.state.attention, ...pins})); }

  /** Which sentence of the text the views show. */
  get part() {
    return Math.min(this.state.part, Math.max(0, (this.requests.plain.result?.traces.length ?? 1) - 1));
  }

  /** The traces of the plain translation, the changed one, and the second of a comparison; null if missing. */
  get plain() { return this.requests.plain.result?.traces[this.part] ?? null; }
  get changed() { return this.requests.changed.result?.traces[this.part] ?? null; }
  get other() { return this.requests.other.result?.traces[isAgainstRival(this.state) ? this.part : 0] ?? null; }

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
  isTooLong(sentence) {
    const most = this.model?.trace_weights ?? 2 ** 24;
    const matrices = this.sites.reduce((sum, {layers, heads}) => sum + layers * heads, 0);
    return (sentence.length / 4) ** 2 * matrices > most;
  }

  isOff(attention, layer, head) {
    return this.state.off.some((entry) => isHead(entry, attention, layer, head));
  }

  /** Switches a head off in the model, or on again. */
  toggleHead(attention, layer, head) {
    const wasOff = this.isOff(attention, layer, head);
    const others = this.state.off.filter((entry) => !isHead(entry, attention, layer, head));
    this.set({off: wasOff ? others : [...others, {attention, layer, head}], show: "changed"});
    this.say((wasOff ? text.headIsOn : text.headIsOff)(this.headTitle(attention, layer, head)));
  }

  /** A layer and a head as the page names them; both are counted from 0. */
  layerTitle(attention, layer) { return text.layerTitle(this.site(attention).title, layer + 1); }

  headTitle(attention, layer, head) {
    const role = this.roleOf(attention, layer, head);
    const title = text.headTitle(this.site(attention).title, layer + 1, head + 1);
    return role && role !== mixed ? text.headWithRole(title, roleName(role)) : title;
  }

  /** The role that a head has over many sentences; an empty text if it is not known. */
  roleOf(attention, layer, head) { return this.survey?.roleOf(attention, layer, head) ?? ""; }

  /** The table of position encodings. */
  positions(count = 64) {
    return this.#once(["positions", count], () => this.api.positions(this.state, count));
  }

  /** What the heads do over many sentences, as the server tells it. */
  heads() {
    return this.#once(["heads"], () => this.api.heads(this.state));
  }

  /** The training film. */
  film() {
    return this.#once(["film"], () => this.api.film(this.state));
  }

  /** Loads the state, from the data of an offline file and from the address, and the model. */
  async start(hash) {
    const linked = fromHash(hash);
    // An address with a sentence has the whole state, without the fields that have their initial values.
    const wanted = {...("sentence" in linked ? {} : this.data?.state), ...linked};
    if (Array.isArray(wanted.heads)) wanted.heads = new Set(wanted.heads);
    Object.assign(this.state, wanted);
    await this.connect();
    for (const name of searchFields) if (!(name in wanted)) this.state[name] = searchDefault(name);
    if (!this.state.sentence) {
      this.state.sentence = (this.offline ? this.api.sentences[0] : this.model?.examples?.[0]) ?? "";
    }
    this.draft = this.state.sentence;
  }

  /** Asks for the server's settings, languages and model. Called again when the user has given a key. */
  async connect() {
    try {
      const [settings, languages, models] = await Promise.all(
        [this.api.settings(), this.api.languages(), this.api.models()]);
      this.settings = settings;
      this.models = models;
      this.languages = languages.map((entry) => ({...entry, name: languageName(entry.code, entry.name)}));
      const pair = this.languages.find(({targets}) => targets.length);
      this.state.source ||= pair?.code ?? "";
      this.state.target ||= pair?.targets[0] ?? "";
      await this.#loadModel();
      this.failure = null;
      await this.#loadRival();
    } catch (error) {
      this.failure = error.message;
    }
    this.requests.forget();
  }

  choosePair(source, target) { return this.#change({source, target, model: "", rival: ""}); }

  /** Shows another model of the same languages, by its name. */
  chooseModel(model) { return this.#change({model}); }

  /** Compares with another model of the same languages, by its name. */
  async chooseRival(rival) {
    this.failure = null;
    this.state.rival = rival;
    this.requests.other.clear();
    await this.#loadRival();
    this.set({});
  }

  /** The models for the languages that are shown, as /v1/models lists them. */
  get namedModels() {
    const {source, target} = this.state;
    return this.models.filter((model) => model.source === source && model.target === target);
  }

  // Changes languages or model, and what belongs to the model.
  async #change(changes) {
    const before = {};
    for (const name of Object.keys(changes)) before[name] = this.state[name];
    try {
      Object.assign(this.state, changes);
      await this.#loadModel({off: [], heads: null, layer: null, query: null, key: null});
      this.failure = null;
      this.requests.clear();  // their answers belong to another model
      this.#pinned = null;
      await this.#loadRival();
      this.set({});
    } catch (error) {
      Object.assign(this.state, before);
      this.fail(error.message);
    }
  }

  /** Takes over the state of an address that the user has entered. */
  async restore(hash) {
    const {source, target, model} = this.state;
    Object.assign(this.state, {...initialState(), source, target}, fromHash(hash));
    this.#pinned = null;  // the pins are those of the address
    try {
      if (this.state.model !== model) await this.#loadModel();
      await this.#loadRival();
    } catch (error) {
      this.state.model = model;
      this.failure = error.message;
    }
    this.set({sentence: this.state.sentence});
  }

  // Loads the model that the state names as the second of a comparison. If that fails, there is none.
  async #loadRival() {
    const {source, target, rival: name} = this.state;
    if (this.rival?.name === name) return;
    this.rival = null;
    if (!name) return;
    try {
      const model = await this.api.model(source, target, name);
      if (this.state.rival === name) this.rival = {name, model, sites: sitesOf(model)};
    } catch (error) {
      this.failure = error.message;
    }
  }

  // `changes` are made to the state once the model has been loaded.
  async #loadModel(changes = {}) {
    const {state} = this;
    this.model = await this.api.model(state.source, state.target, state.model);
    this.sites = sitesOf(this.model);
    Object.assign(state, changes);
    state.source = this.model.source ?? state.source;
    state.target = this.model.target ?? state.target;
    setSearchDefaults(this.model.search);
    fitToModel(state, this.sites, this.model);
    this.#loadSurvey(this.model);
  }

  // The page does not wait for it.
  async #loadSurvey(model) {
    this.survey = null;
    if (!model.heads) return;
    try {
      const survey = new Survey(await this.heads());
      if (model !== this.model) return;
      this.survey = survey;
      this.refresh();
    } catch (error) {
      this.fail(error.message);
    }
  }

  // A promise for each model and each `what`, so that views can ask every time they are drawn. After a
  // failure the next call asks again.
  #once(what, ask) {
    const {source, target, model} = this.state;
    const name = JSON.stringify([source, target, model, ...what]);
    if (!this.#remembered.has(name)) {
      const promise = ask();
      promise.catch(() => this.#remembered.delete(name));
      this.#remembered.set(name, promise);
    }
    return this.#remembered.get(name);
  }

  // Pins in an address belong to the first trace that is shown for it.
  #followPins() {
    const {state, trace, requests} = this;
    if (!trace || requests.plain.isOutdated) return;
    if (this.#pinned && this.#pinned !== trace) {
      this.#pinned.merged = state.merged;
      Object.assign(state, followedPins(this.#pinned, trace, state));
    }
    this.#pinned = trace;
    Object.assign(state, pinsWithin(trace, state));
  }

  #setMerged() {
    for (const {result} of this.requests.all) {
      for (const trace of result?.traces ?? []) if (trace) trace.merged = this.state.merged;
    }
  }
}

const isHead = (entry, attention, layer, head) => (
  entry.attention === attention && entry.layer === layer && entry.head === head);
