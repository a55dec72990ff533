// What if: heads switched off, a beginning forced, another search; the plain and the changed translation side by side,
// with their scores and the difference of their attention.
import {offlineSentence} from "dragoman/api.js";
import {boards} from "dragoman/board.js";
import {cells} from "dragoman/cells.js";
import {
  attentionPicker, bar, headPicker, isOff, layerPicker, mergedSwitch, segmented, toggleOff,
} from "dragoman/controls.js";
import {el, number, signed} from "dragoman/draw.js";
import {isChanged, requestOf} from "dragoman/flow.js";
import {difference} from "dragoman/look.js";
import {differing} from "dragoman/sentence.js";

export function whatifView(root, app) {
  if (app.offline) {
    root.append(el("p", {class: "empty"}, offlineSentence));
    return {update() {}};
  }
  const parts = [searchControls(app), headControls(app), translations(app), attentionDifference(app)];
  const [search, heads, texts, change] = parts;
  root.append(el("div", {class: "lab"}, el("div", {class: "lab-controls"}, search.element),
    el("div", {}, texts.element, heads.element)), change.element);
  return {
    update() { for (const part of parts) part.update(); },
    destroy() { for (const part of parts) part.destroy?.(); },
    svg: () => change.svg(),
  };
}

// Settings of the search. What a search does not use is hidden.
function searchControls(app) {
  const kind = segmented("Search",
    () => [{value: "beam", text: "Beam"}, {value: "greedy", text: "Greedy"}, {value: "sample", text: "Sample"}],
    () => app.state.search, (search) => app.set({search, show: "changed"}));
  const inputs = [];
  let timer = 0;
  const soon = (changes) => {
    clearTimeout(timer);
    timer = setTimeout(() => app.set({...changes, show: "changed"}), 120);
  };
  const figure = (name, title, attributes, used) => {
    const input = el("input", {type: "number", ...attributes, oninput: () => {
      if (input.validity.valid && input.value !== "") soon({[name]: Number(input.value)});
    }});
    const element = el("label", {class: "field"}, el("span", {}, title), input);
    inputs.push({element, used, update() { if (document.activeElement !== input) input.value = app.state[name]; }});
    return element;
  };
  const norm = el("select", {onchange: () => app.set({length_norm: norm.value, show: "changed"})},
    ...[["gnmt", "GNMT"], ["pow", "n to the α"], ["none", "none"]].map(([value, text]) => el("option", {value}, text)));
  const normField = el("label", {class: "field"}, el("span", {}, "Length norm"), norm);
  inputs.push(
    {element: normField, used: () => app.state.search !== "sample", update() { norm.value = app.state.length_norm; }});
  const prefix = el(
    "input", {type: "text", spellcheck: "false", lang: app.state.target, oninput: () => soon({prefix: prefix.value})});
  const is = (...names) => () => names.includes(app.state.search);
  const undo = el("button", {type: "button", onclick: () => app.reset()}, "Undo all changes");
  const element = el("section", {}, el("h3", {}, "Change the search"),
    el("div", {class: "lab-controls"}, kind.element,
      el("div", {class: "fields"}, figure("beam", "Beam", {min: 1, max: 64, step: 1}, is("beam")),
        figure("alpha", "α (length)", {min: 0, max: 5, step: 0.1},
          () => app.state.search !== "sample" && app.state.length_norm !== "none"),
        normField, figure("temperature", "Temperature", {min: 0.01, max: 10, step: "any"}, is("sample")),
        figure("top_k", "Top k (0: all)", {min: 0, max: 1000000, step: 1}, is("sample")),
        figure("top_p", "Top p", {min: 0.01, max: 1, step: "any"}, is("sample")),
        figure("seed", "Seed", {min: 0, max: 4294967295, step: 1}, is("sample"))),
      el("label", {class: "field"}, el("span", {}, "The translation begins with"), prefix),
      el("p", {class: "note"}, "Changes take effect as you make them, here and in all other views."), undo));
  return {element, update() {
    kind.update();
    for (const input of inputs) {
      input.element.hidden = !input.used();
      input.update();
    }
    if (document.activeElement !== prefix) prefix.value = app.state.prefix;
    undo.disabled = !isChanged(app.state);
  }, destroy() { clearTimeout(timer); }};
}

const boardSays = "Numbers are heads, rows are layers. A click switches a head off; " +
  "“Measure each head” tries each of them alone.";
const measuredSays = "Change of the best translation's log-probability when this head alone is off; " +
  "a thick frame: the text becomes another one. A click switches the head off.";

// The board of heads to switch off, and what each of them alone would change.
function headControls(app) {
  let measured = null;  // {sentence, known: Map of "attention layer head" -> {by, same, text}, under_way}
  const name = (attention, layer, head) => `${attention} ${layer} ${head}`;
  const board = boards(app, {
    wide: true,
    tell: (attention, layer, head) => {
      const out = isOff(app.state, attention, layer, head);
      const effect = measured?.known.get(name(attention, layer, head));
      const state = out ? "switched off" : "on";
      if (!effect)
        return {
          text: out ? "off" : String(head + 1),
          out,
          label: state,
          title: out ? "Click to switch on" : "Click to switch off"
        };
      return {
        text: signed(effect.by, 2),
        out,
        other: !effect.same,
        shade: Math.min(1, Math.abs(effect.by) / 4),
        label: `${state}; alone off, log p changes by ${signed(effect.by, 2)}, ${
          effect.same ? "same text" : "another text"}`,
        title: effect.same ? "the same text" : effect.text
      };
    },
    act: (attention, layer, head) => toggleOff(app, attention, layer, head),
  });
  const measure = el("button", {type: "button", onclick: () => run()}, "Measure each head");
  const all = el("button", {type: "button", onclick: () => app.set({off: []})}, "All on");
  const progress = el("span", {class: "progress", role: "status"});
  const legend = el("p", {class: "note"});
  const element = el("section", {}, el("h3", {}, "Switch heads off"), board.element,
    el("div", {class: "bar"}, measure, all, progress), legend);

  async function run() {
    measured?.under_way?.abort();
    const under_way = new AbortController();
    const mine = measured = {sentence: app.state.sentence, known: new Map(), under_way};
    const before = app.flow.plain.result?.sentences[app.part];
    if (!before) return;
    const list = app.sites.flatMap(({name: attention, layers, heads}) => Array.from(
      {length: layers * heads}, (_, i) => ({attention, layer: Math.floor(i / heads), head: i % heads})));
    try {
      for (const [i, {attention, layer, head}] of list.entries()) {
        progress.textContent = `${i + 1} of ${list.length}`;
        const {trace, packed, ...request} = requestOf(
          app, before.source, {heads_off: [{attention, layer: layer + 1, head: head + 1}]});
        const answer = await app.api.translate({...request, n_best: 1}, {signal: under_way.signal});
        const now = answer.translations[0].sentences[0];
        mine.known.set(name(attention, layer, head),
          {by: now.log_probability - before.log_probability, same: now.text === before.text, text: now.text});
        update();
      }
      progress.textContent = "";
    } catch (error) {
      if (error.name !== "AbortError") progress.textContent = error.message;
    }
  }

  function update() {
    if (measured && measured.sentence !== app.state.sentence) {
      measured.under_way.abort();
      measured = null;
      progress.textContent = "";
    }
    element.hidden = app.withoutAttention;
    all.disabled = !app.state.off.length;
    measure.disabled = !app.flow.plain.result?.answer;
    legend.textContent = measured ? measuredSays : boardSays;
    board.update();
  }
  return {element, update, destroy() { measured?.under_way?.abort(); }};
}

// Plain and changed, with their n best.
function translations(app) {
  const [plain, now] = [el("div", {class: "card"}), el("div", {class: "card now"})];
  const element = el("section", {}, el("div", {class: "pair"}, plain, now));
  const card = (title, sentence, other) => [el("h3", {}, title),
    el("div", {class: "translation", lang: app.state.target},
      ...(other ? differing(other.text, sentence.text) : [sentence.text])),
    el("p", {class: "facts"}, el("span", {}, `score ${number(sentence.score)}`),
      other ? el("span", {class: "delta"}, signed(sentence.score - other.score)) : null,
      el("span", {}, `log p ${number(sentence.log_probability)}`),
      other ? el("span", {class: "delta"}, signed(sentence.log_probability - other.log_probability)) : null,
      sentence.finished ? null : el("span", {class: "warning"}, "cut short")),
    sentence.hypotheses?.length > 1
      ? el("table", {},
          el("tbody", {},
            ...sentence.hypotheses.slice(1).map(
              ({text, score}) => el("tr", {}, el("td", {lang: app.state.target}, ...differing(sentence.text, text)),
                el("td", {class: "figure"}, number(score))))))
      : null,
  ].filter(Boolean);
  return {element, update() {
    const [before, after] = [app.flow.plain, app.flow.changed].map((line) => line.result?.sentences[app.part]);
    plain.replaceChildren(...(before ? card("Plain", before) : [el("p", {class: "note"}, "Type a sentence above.")]));
    if (!isChanged(app.state)) {
      now.replaceChildren(el("h3", {}, "Changed"),
        el("p", {class: "note"},
          "Nothing is changed yet: ", app.withoutAttention ? "" : "switch a head off, ",
          "force a beginning, or take another search."));
    } else if (after && before) now.replaceChildren(...card("Changed", after, before));
    else if (app.flow.changed.result?.error)
      now.replaceChildren(el("h3", {}, "Changed"), el("p", {class: "note"}, app.flow.changed.result.error));
    now.classList.toggle("busy", app.flow.changed.busy);
  }};
}

// Three matrices of one head: plain, changed, and their difference; before them how much each head's attention moved.
function attentionDifference(app) {
  const controls = bar(attentionPicker(app), layerPicker(app), headPicker(app), mergedSwitch(app));
  const board = boards(app, {
    tell: (attention, layer, head) => {
      const moved = both(attention, layer) ? movedBy(attention, layer, head) : 0;
      const {state} = app;
      return {
        text: String(Math.round(100 * moved)),
        shade: moved,
        label: `${number(100 * moved, 1)} per cent of its attention moved`,
        title: `${number(100 * moved, 1)} % of the attention of layer ${layer + 1}, head ${head + 1} moved`,
        chosen: state.attention === attention && state.layer === layer && state.head === head
      };
    },
    act: (attention, layer, head) => app.set({attention, layer, head}),
  });
  const note = el("p", {class: "note"});
  const both = (attention, layer) => app.plain?.has(attention, layer) && app.changed?.has(attention, layer);
  let known = {};
  const movedBy = (attention, layer, head) => {
    if (known.plain !== app.plain || known.changed !== app.changed || known.merged !== app.state.merged) {
      known = {plain: app.plain, changed: app.changed, merged: app.state.merged, moved: new Map()};
    }
    const name = `${attention} ${layer} ${head}`;
    if (!known.moved.has(name)) known.moved.set(name, difference(app.plain, app.changed, attention, layer, head).moved);
    return known.moved.get(name);
  };
  const select = (query, key) => app.set({query, key});
  const of = (look) => () => {
    const {attention, layer, head, query, key} = app.state;
    return look()?.has(attention, layer) ? {
      matrix: look().weights(attention, layer, head),
      ...look().tokens(attention),
      head,
      query,
      key,
      title: app.site(attention).title,
      masked: (i, j) => look().masked(attention, i, j)
    }
                                         : null;
  };
  const delta = () => {
    const {attention, layer, head, query, key} = app.state;
    if (!both(attention, layer)) return null;
    const found = difference(app.plain, app.changed, attention, layer, head);
    return {
      ...found,
      full: Math.max(0.1, found.matrix.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0)),
      head: null,
      query,
      key,
      title: `Difference, ${app.site(attention).title}, layer ${layer + 1}, head ${head + 1}`
    };
  };
  const places = ["Plain", "Changed", "Difference"].map((text) => el("div", {}, el("h4", {}, text)));
  const panels = [of(() => app.plain), of(() => app.changed), delta].map(
    (get, i) => cells(places[i], {get, select, most: 30}));
  const element = el("section", {}, el("h3", {}, "How attention changes"),
    el("p", {class: "note"}, "Per cent of each head's attention that went elsewhere; choose a head to see where."),
    board.element, el("div", {class: "spaced"}, controls.element), el("div", {class: "trio"}, ...places), note);
  return {
    element,
    update() {
      element.hidden = app.withoutAttention || !isChanged(app.state) || !app.plain || !app.changed;
      if (element.hidden) return;
      controls.update();
      board.update();
      for (const panel of panels) panel.update();
      const {alone = 0, full = 1} = delta() ?? {};
      note.textContent = "Difference: blue is more attention than in the plain translation, orange less; " +
        `full colour is ${number(full, 2)}.${
          alone ? ` Left blank: ${alone} without a counterpart in the plain translation.` : ""}`;
    },
    destroy() {
      for (const panel of panels) panel.destroy();
    },
    svg: () => panels[2].svg()
  };
}
