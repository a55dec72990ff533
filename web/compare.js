// Compare: two sentences side by side under the same layer, heads and word, and how their attention differs, as in
// "The animal didn't cross the street because it was too tired (wide)".
import {offlineSentence} from "dragoman/api.js";
import {boards} from "dragoman/board.js";
import {columns} from "dragoman/columns.js";
import {attentionPicker, bar, headSquares, layerPicker, mergedSwitch} from "dragoman/controls.js";
import {el, number, signed, svg} from "dragoman/draw.js";
import {difference, shared} from "dragoman/look.js";
import {differing} from "dragoman/sentence.js";

export function compareView(root, app) {
  const second = el("textarea", {
    id: "second",
    dir: "auto",
    rows: 2,
    spellcheck: "false",
    value: app.state.compare,
    readonly: app.offline,
    placeholder: "A sentence that differs in a word or two",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => app.set({compare: taken = second.value}), 180);
    }
  });
  const listed = el(
    "select", {"aria-label": "Second sentence, from this file", onchange: () => app.set({compare: listed.value})});
  if (app.offline)
    listed.append(...["", ...app.api.sentences].map(
      (sentence) => el("option", {value: sentence}, sentence || "Choose a sentence")));
  const begin = el("button", {type: "button", class: "quiet small", onclick: () => {
    app.set({compare: app.state.sentence});
    second.focus();
  }}, "Begin with the first sentence");
  const translation = el("div", {class: "translation"});
  const facts = el("p", {class: "facts"});
  const failure = el("p", {class: "failure", role: "alert"});
  const label = el("label", {class: "language", for: "second"}, "Second sentence");
  const title = el("span", {class: "language"}, "Its translation");
  const inputs = el("div", {class: "translate"},
    el("div", {class: "side"}, el("div", {class: "side-head"}, label, begin, listed), second),
    el("div", {class: "side"}, el("div", {class: "side-head"}, title, facts), translation));
  const controls = bar(attentionPicker(app), layerPicker(app), headSquares(app, false), mergedSwitch(app));
  const picture = (title) => el("div", {}, el("div", {class: "column-titles"}, el("b", {}, title)));
  const [left, right] = [picture("First sentence"), picture("Second sentence")];
  const word = el("section", {});
  const overall = el("section", {}, el("h3", {}, "Where the two differ most"),
    el("p", {class: "note"},
      "Per cent of each head's attention that lies elsewhere in the second sentence, over the words that both have. " +
        "Choose a head to see it alone."));
  const pictures = el("div", {class: "compare-columns"}, left, right);
  root.append(el("div", {class: "compare"}, inputs, failure, controls.element, pictures, word, overall));
  let timer = 0;
  let taken = app.state.compare;
  let pointed = null;  // {which: "first" | "second", side, index}

  const sides = {query: "queries", key: "keys"};
  // A token of one sentence in the other, or null.
  function counterpart(side, index, from_first) {
    if (index === null || !app.plain || !app.other) return null;
    const {attention} = app.state;
    const found = shared(app.plain, app.other, attention, sides[side]).find(([i, j]) => (from_first ? i : j) === index);
    return found ? (from_first ? found[1] : found[0]) : null;
  }
  let alone = null;  // {side, index}: pinned in the second sentence, which the first has not
  const pinned = (side) => (alone?.side === side ? alone.index : counterpart(side, app.state[side], true));

  const panels = [
    columns(left, {
      get: () => ({...shown(), look: app.plain, query: app.state.query, key: app.state.key}),
      pin: (side, index) => {
        alone = null;
        app.set({[side]: index === app.state[side] ? null : index, [side === "query" ? "key" : "query"]: null});
      },
      hover: (side, index) => hovered("first", side, index), widest: 640,
    }),
    columns(right, {
      get: () => ({...shown(), look: app.other, query: pinned("query"), key: pinned("key")}),
      pin: (side, index) => {
        const first = counterpart(side, index, false);
        const again = index !== null && index === pinned(side);
        alone = first === null && index !== null && !again ? {side, index} : null;
        app.set({[side]: again ? null : first, [side === "query" ? "key" : "query"]: null});
      },
      hover: (side, index) => hovered("second", side, index), widest: 640,
    }),
  ];
  const shown = () => ({attention: app.state.attention, layer: app.state.layer, heads: app.state.heads});

  function hovered(which, side, index) {
    pointed = index === null ? null : {which, side, index};
    showWord();
  }

  const board = boards(app, {
    tell: (attention, layer, head) => {
      const moved = app.plain?.has(attention, layer) && app.other?.has(attention, layer)
        ? movedBy(attention, layer, head)
        : 0;
      const {state} = app;
      return {
        text: String(Math.round(100 * moved)),
        shade: moved,
        label: `${number(100 * moved, 1)} per cent differ`,
        title: `${number(100 * moved, 1)} % of the attention of layer ${layer + 1}, head ${head + 1} differ`,
        chosen:
          state.attention === attention && state.layer === layer && state.heads.size === 1 && state.heads.has(head)
      };
    },
    act: (attention, layer, head) => app.set({attention, layer, head, heads: new Set([head])}),
  });
  overall.append(board.element);
  let known = {};
  const movedBy = (attention, layer, head) => {
    if (known.first !== app.plain || known.second !== app.other || known.merged !== app.state.merged) {
      known = {first: app.plain, second: app.other, merged: app.state.merged, moved: new Map()};
    }
    const name = `${attention} ${layer} ${head}`;
    if (!known.moved.has(name)) known.moved.set(name, difference(app.plain, app.other, attention, layer, head).moved);
    return known.moved.get(name);
  };

  // The word that is pointed at or pinned: its weights in both sentences, mean of the shown heads.
  function showWord() {
    const {attention, layer, heads, query, key} = app.state;
    const choice = pointed ??
      (alone               ? {which: "second", ...alone}
          : query !== null ? {which: "first", side: "query", index: query}
          : key !== null   ? {which: "first", side: "key", index: key}
                           : null);
    if (!choice || !app.plain || !app.other || !heads.size) {
      word.replaceChildren(el("p", {class: "note"},
        "Point at a word in either sentence, or pin it by a click: its weights are set side by side here."));
      return;
    }
    const {side, index} = choice;
    const [first, second] = choice.which === "first" ? [index, counterpart(side, index, true)]
                                                     : [counterpart(side, index, false), index];
    const other = side === "query" ? "keys" : "queries";
    const tokens = [app.plain.tokens(attention), app.other.tokens(attention)];
    const weights = [[app.plain, first], [app.other, second]].map(([look, at]) => {
      if (at === null) return null;
      const mean = look.mean(attention, layer, heads);
      return (i) => (side === "query" ? mean.at(at, i) : mean.at(i, at));
    });
    const rows = merged(tokens[0][other], tokens[1][other], shared(app.plain, app.other, attention, other))
                   .map(([i, j]) => ({
                     text: i !== null ? tokens[0][other][i] : tokens[1][other][j],
                     a: i !== null && weights[0] ? weights[0](i) : null,
                     b: j !== null && weights[1] ? weights[1](j) : null
                   }))
                   .filter(({a, b}) => (a ?? 0) >= 0.005 || (b ?? 0) >= 0.005);
    const name = first !== null ? tokens[0][sides[side]][first] : tokens[1][sides[side]][second];
    const most = Math.max(...rows.map(({a, b}) => Math.max(a ?? 0, b ?? 0)), 0.005);
    const level = (value, is) => el(
      "div", {class: is ? "level more" : "level", style: {width: `${100 * (value ?? 0) / most}%`}});
    word.replaceChildren(el("h3", {}, side === "query" ? `“${name}” looks at` : `Who looks at “${name}”`),
      el("table", {class: "versus"},
        el("thead", {},
          el("tr", {}, el("th", {scope: "col", class: "figure"}, "First"), el("td", {}), el("td", {}), el("td", {}),
            el("th", {scope: "col", class: "figure"}, "Second"), el("th", {scope: "col", class: "figure"}, "Change"))),
        el("tbody", {},
          ...rows.map(({text, a, b}) => el("tr", {}, el("td", {class: "figure"}, number(a)),
                        el("td", {class: "left"}, level(a, false)), el("th", {scope: "row"}, text),
                        el("td", {class: "right"}, level(b, true)), el("td", {class: "figure"}, number(b)),
                        el("td", {class: "figure"}, a !== null && b !== null ? signed(b - a) : ""))))),
      el("p", {class: "note"},
        `${app.site(attention).title}, layer ${layer + 1}, mean of ${
          heads.size === 1 ? "one head" : `${heads.size} heads`}; weights below 0.005 in both are left out.`));
  }

  return {
    update() {
      const {state} = app;
      if (state.compare !== taken) second.value = taken = state.compare;
      listed.hidden = !app.offline;
      listed.value = state.compare;
      begin.hidden = app.offline || Boolean(state.compare);
      second.title = app.offline ? offlineSentence : "";
      second.lang = state.source;
      translation.lang = state.target;
      const [one, two] = [app.flow.plain, app.flow.other].map((line) => line.result?.sentences);
      translation.replaceChildren(...(
        two?.length ? differing(one?.map(({text}) => text).join(" ") ?? "", two.map(({text}) => text).join(" ")) : []));
      facts.textContent = two?.length ? `score ${number(two[0].score)}` : "";
      failure.hidden = !app.flow.other.result?.error;
      failure.textContent = app.flow.other.result?.error ?? "";
      controls.element.hidden = app.withoutAttention;
      controls.update();
      left.hidden = !app.plain?.has(state.attention, state.layer);
      right.hidden = word.hidden = overall.hidden = !app.other?.has(state.attention, state.layer);
      if (!left.hidden) panels[0].update();
      if (right.hidden) return;
      panels[1].update();
      showWord();
      board.update();
    },
    destroy() {
      clearTimeout(timer);
      for (const panel of panels) panel.destroy();
    },
    svg: () => (
      left.hidden || right.hidden ? null
        : beside(panels[0].svg(app.state.sentence), panels[1].svg(app.state.compare))),
  };
}

// Both lists in one order: [i, j] where both have the token, [i, null] or [null, j] where one has.
function merged(first, second, pairs) {
  const all = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...pairs, [first.length, second.length]]) {
    while (i < a) all.push([i++, null]);
    while (j < b) all.push([null, j++]);
    if (a < first.length) all.push([i++, j++]);
  }
  return all;
}

// Two pictures as one.
function beside(first, second) {
    const [a, b] = [first, second].map(
      (picture) => ["width", "height"].map((name) => Number(picture.getAttribute(name))));
    second.setAttribute("x", a[0] + 24);
    return svg("svg", {xmlns: "http://www.w3.org/2000/svg", width: a[0] + 24 + b[0], height: Math.max(a[1], b[1])},
      first, second);
}
