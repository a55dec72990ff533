// Boots the page: state from the address or the embedded data, the model's description, the sentence box, the tabs.
import {Offline, Server} from "dragoman/api.js";
import {grouped, headColour} from "dragoman/draw.js";
import {Flow, isChanged} from "dragoman/flow.js";
import {sentenceBox} from "dragoman/sentence.js";
import {siteOf, sitesOf} from "dragoman/sites.js";
import {defaults, fromHash, searchDefault, searchFields, setSearchDefaults, toHash} from "dragoman/state.js";
import {tabs} from "dragoman/tabs.js";
import {tools} from "dragoman/tools.js";

const byId = (id) => document.getElementById(id);
const embedded = byId("dragoman-data");
const data = embedded ? JSON.parse(embedded.textContent) : null;

const app = {
  state: defaults(),
  model: null,
  sites: [],
  languages: [],
  settings: {},
  offline: data !== null,
  data,
  api: data ? new Offline(data) : new Server(),
  headColour,

  /** Merges changes into the state, writes the address, asks for what is missing, redraws in the next frame. */
  set(changes) {
    keepPins(app.state, changes);
    keepAllHeads(app.state, changes);
    Object.assign(app.state, changes);
    fit();
    tellMerging();
    app.flow.refresh();
    app.refresh();
    writeHash();
  },

  /** All heads on, every setting as the server has it. */
  reset() {
    app.set({...Object.fromEntries(searchFields.map((name) => [name, searchDefault(name)])), off: []});
  },

  /** Redraws in the next frame. */
  refresh() {
    if (frame) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      const sentence = app.error ?? "";
      byId("failure").hidden = !sentence;
      if (byId("failure").textContent !== sentence) byId("failure").textContent = sentence;
      app.box?.update();
      app.views?.update();
    });
  },

  // An answer has come.
  arrived(line) {
    tellMerging();
    const {state, look} = app;
    if (look) {
      const {queries, keys} = look.tokens(state.attention);
      if (state.query !== null && state.query >= queries.length) state.query = null;
      if (state.key !== null && state.key >= keys.length) state.key = null;
      if (state.look >= line.result.sentences.length && line === app.flow.plain) state.look = 0;
    }
    if (line.result.sentences.length) {
      const text = line.result.answer.translations.map((translation) => translation.text).join(" ");
      app.say(line === app.flow.plain ? `Translation: ${text}`
          : line === app.flow.changed ? `Changed translation: ${text}`
                                      : `Second translation: ${text}`);
    }
    app.refresh();
  },

  get part() { return Math.min(app.state.look, Math.max(0, (app.flow.plain.result?.looks.length ?? 1) - 1)); },
  /** Looks of the plain translation, of the changed one, and of the second sentence of a comparison. */
  get plain() { return app.flow.plain.result?.looks[app.part] ?? null; },
  get changed() { return app.flow.changed.result?.looks[app.part] ?? null; },
  get other() { return app.flow.other.result?.looks[0] ?? null; },
  /** The one that the views show. */
  get look() {
    return isChanged(app.state) && app.state.show === "changed" && app.changed ? app.changed : app.plain;
  },

  /** The attention site of that name, the shown one if none is given. */
  site(name = app.state.attention) { return siteOf(app.sites, name); },
  /** Whether the model is known to have no attention. */
  get withoutAttention() { return app.model !== null && !app.sites.length; },

  // Whether the attention of a text is likely to be more than one answer may hold; a token has some four letters.
  tooLong(text) {
    const most = app.model?.trace_weights ?? 2 ** 24;
    const matrices = app.sites.reduce((sum, {layers, heads}) => sum + layers * heads, 0);
    return (text.length / 4) ** 2 * matrices > most;
  },

  positions: remembered((count = 64) => app.api.positions(app.state.source, app.state.target, count)),
  film: remembered(() => app.api.film(app.state.source, app.state.target)),

  /** What went wrong last, as a sentence, or null. */
  get error() {
    return app.failure ?? app.flow?.plain.result?.error ?? app.flow?.changed.result?.error ?? null;
  },
  say(text) {
    byId("said").textContent = text;
  },
  fail(text) {
    app.failure = text;
    app.refresh();
  },
};

let frame = 0;

// Promises by languages and arguments, so that views may ask each time.
function remembered(ask) {
  const known = new Map();
  return (...args) => {
    const name = JSON.stringify([app.state.source, app.state.target, ...args]);
    if (!known.has(name)) known.set(name, ask(...args));
    return known.get(name);
  };
}

// Pins stay on their words when words are merged or another attention is shown; what they mean no longer, goes.
function keepPins(state, changes) {
  const look = app.look;
  if (changes.sentence !== undefined && changes.sentence !== state.sentence) {
    for (const pin of ["query", "key"]) if (changes[pin] === undefined) changes[pin] = null;
    return;
  }
  if (!look) return;
  const attention = changes.attention ?? state.attention;
  const [before, after] = [look.sides(state.attention), look.sides(attention)];
  for (const [pin, side] of [["query", "queries"], ["key", "keys"]]) {
    if (changes[pin] !== undefined || state[pin] === null) continue;
    if (before[side] !== after[side]) changes[pin] = null;
    else if (changes.merged !== undefined && changes.merged !== state.merged) {
      changes[pin] = look.position(after[side], state[pin], state.merged);
    }
  }
}

// If all heads of one attention are shown, all of the next one are, however many it has.
function keepAllHeads(state, changes) {
  if (changes.attention === undefined || changes.heads !== undefined) return;
  const other = app.site(changes.attention).heads !== state.allHeads;
  if (other && state.heads?.size === state.allHeads) changes.heads = null;
}

function tellMerging() {
  const {plain, changed, other} = app.flow;
  for (const line of [plain, changed, other]) {
    for (const look of line.result?.looks ?? []) if (look) look.merged = app.state.merged;
  }
}

// Browsers allow only so many changes of the address in a while.
let writing = 0;
function writeHash() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    const hash = toHash(app.state);
    document.title = app.state.sentence ? `${app.state.sentence.slice(0, 60)} · dragoman` : "dragoman: look inside";
    if (hash !== location.hash) history.replaceState(null, "", hash);
  }, 200);
}

// `changes` are made to the state when the model is there.
async function loadModel(changes = {}) {
  const {state} = app;
  app.model = await app.api.model(state.source, state.target);
  app.sites = sitesOf(app.model);
  Object.assign(state, changes);
  state.source = app.model.source ?? state.source;
  state.target = app.model.target ?? state.target;
  setSearchDefaults(app.model.search);
  const {summary, parameters} = app.model;
  const steps = app.model.steps ?? app.model.provenance?.steps;
  fit();
  const facts = summary ? [summary] : [];
  if (parameters) facts.push(`${grouped(parameters)} parameters`);
  if (steps) facts.push(`${grouped(steps)} steps of training`);
  byId("model").textContent = facts.join(" · ");
}

// Brings attention, layers and heads of the state within what the model has.
function fit() {
  if (!app.model) return;
  const {state} = app;
  if (app.sites.length && !app.sites.includes(app.site())) state.attention = app.sites[0].name;
  const {layers, heads} = app.site();
  fitHeads(state, heads);
  const within = (value, count) => Math.max(0, Math.min(value, count - 1));
  state.layer = within(state.layer ?? Infinity, layers);
  state.head = within(state.head, heads);
  state.off = state.off.filter(
    ({attention, layer, head}) => layer < app.site(attention).layers && head < app.site(attention).heads);
}

// The shown heads that there are; all of them if none is left, or if nothing was chosen (null).
function fitHeads(state, count) {
  state.allHeads = count;
  if (state.heads && [...state.heads].every((head) => head < count)) return;
  const all = Array.from({length: count}, (_, head) => head);
  const left = all.filter((head) => state.heads?.has(head));
  state.heads = new Set(left.length ? left : all);
}

/** Another pair of languages. */
app.choosePair = async (source, target) => {
  try {
    Object.assign(app.state, {source, target});
    await loadModel({off: [], heads: null, layer: null});
    app.flow.clear();  // what is there is of another model
    app.set({});
  } catch (error) {
    app.fail(error.message);
  }
};

/** Asks what the server is and has; again when a key has been given. */
app.connect = async () => {
  try {
    [app.settings, app.languages] = await Promise.all([app.api.settings(), app.api.languages()]);
    const pair = app.languages.find(({targets}) => targets.length);
    const {source, target} = app.state;
    Object.assign(app.state, {source: source || (pair?.code ?? ""), target: target || (pair?.targets[0] ?? "")});
    await loadModel();
    app.failure = null;
  } catch (error) {
    app.failure = error.message;
  }
  app.flow.forget();
};

async function boot() {
  const wanted = {...(data?.state ?? {}), ...fromHash(location.hash)};
  if (Array.isArray(wanted.heads)) wanted.heads = new Set(wanted.heads);
  Object.assign(app.state, wanted);
  app.flow = new Flow(app);
  tools(byId("tools"), app);
  byId("skip").addEventListener("click", () => byId("view").focus());
  await app.connect();
  Object.assign(app.state,
    Object.fromEntries(searchFields.filter((name) => !(name in wanted)).map((name) => [name, searchDefault(name)])));
  if (!app.state.sentence) app.state.sentence = (app.offline ? app.api.sentences[0] : app.model?.examples?.[0]) ?? "";
  app.box = sentenceBox(byId("translate"), app);
  app.views = tabs(byId("tabs"), byId("view"), app);
  app.set({});
  addEventListener("hashchange", () => {
    Object.assign(
      app.state, {...defaults(), source: app.state.source, target: app.state.target}, fromHash(location.hash));
    fit();
    app.set({});
  });
}

boot();
