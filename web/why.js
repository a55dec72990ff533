// Why one weight is what it is: query, key, their products, scaling, mask and softmax, with this sentence's numbers,
// beside the weight that the decoder recorded.

import {attentionPicker, bar, headPicker, layerPicker, showPicker} from "dragoman/controls.js";
import {el, number} from "dragoman/draw.js";
import {lastPlace, shortest32, strongest, traceWeight} from "dragoman/equation.js";
import {digits, equationOne, formula, mi, mn, mo, name, oneWeight, over, row, sqrt, sub} from "dragoman/formula.js";
import {label} from "dragoman/look.js";
import {picker} from "dragoman/picks.js";
import {projectionsOf} from "dragoman/projections.js";
import {isSelf} from "dragoman/sites.js";
import {stripElement} from "dragoman/strip.js";
import {whyPicture} from "dragoman/whypicture.js";

const otherSum = "The weights of this attention are not computed by equation (1), so this view cannot show the sum " +
  "behind them.";
const shortRow = 24;  // keys that are listed before the rest is folded

export function whyView(root, app) {
  const controls = bar(attentionPicker(app), layerPicker(app), headPicker(app), showPicker(app));
  const queries = picker("Query", (value) => pick({query: Number(value)}));
  const keys = picker("Key", (value) => pick({key: Number(value)}));
  const strip = stripElement();
  const [question, dot, scale, mask, softmax, result] = Array.from({length: 6}, () => el("div"));
  const status = el("p", {class: "empty"});
  const steps = el("ol", {class: "why-steps"},
    step("Query and key", [
      "This head's projections of the two tokens, ", width(), " numbers each. Where both have the same sign, the ",
      "product speaks for looking here.",
    ], strip.element, dot),
    step("Scaling", [
      "Long vectors give large sums, and a softmax of large numbers sees only the largest; so the sum is divided by ",
      "the root of ", width(), ".",
    ], scale),
    step("Mask", [], mask),
    step("Softmax over all keys", [
      "The exponentials of the row, each divided by their sum: weights that add up to one.",
    ], softmax),
    step("What the decoder recorded", [], result));
  const body = el("div", {class: "why"}, question, steps);
  controls.element.append(queries.element, keys.element);
  root.append(controls.element, status, body);

  let own = null;   // {look, attention, query, key}: pieces picked here
  let all = false;  // whether light keys are listed too
  let known = "";
  let trace = null;

  function pick(change) {
    const {look, state} = app;
    const sides = look.sides(state.attention);
    const at = {...chosen(), ...change};
    own = {look, attention: state.attention, ...at};
    const word = (side, index) => (state.merged ? look.position(side, index, false) : index);
    app.set({query: word(sides.queries, at.query), key: word(sides.keys, at.key)});
  }

  // The piece that a pin means: of a merged word the one picked here, or else its first.
  function pinned(side, index, picked) {
    const {look, state} = app;
    if (index === null || !state.merged) return index;
    const mine = own?.look === look && own.attention === state.attention;
    return mine && look.position(side, picked, false) === index ? picked : look.position(side, index, true);
  }

  // The pieces that are looked at: picked here, pinned elsewhere, or else one in the middle and its strongest key.
  function chosen() {
    const {look, state} = app;
    const sides = look.sides(state.attention);
    const weights = look.exact(state.attention, state.layer, state.head);
    const middle = Math.floor(weights.rows / 2);
    const query = Math.min(pinned(sides.queries, state.query, own?.query) ?? middle, weights.rows - 1);
    let key = pinned(sides.keys, state.key, own?.key);
    if (key === null || key >= weights.columns) {
      key = 0;
      for (let j = 1; j < weights.columns; ++j) if (weights.at(query, j) > weights.at(query, key)) key = j;
    }
    return {query, key};
  }

  // A sentence in place of the view, or the view.
  function show(text) {
    if (text) known = "";
    status.textContent = text;
    status.hidden = text === "";
    body.hidden = text !== "";
  }

  async function update() {
    controls.update();
    const {look, state} = app;
    if (!look) return show("Translate a sentence first: this view traces one of its weights.");
    const {attention, layer, head} = state;
    const site = app.site();
    queries.element.hidden = keys.element.hidden = !site.d_k;
    if (!site.d_k) {
      trace = null;
      return show(otherSum);
    }
    if (!look.has(attention, layer)) return show("This layer is being fetched.");
    const at = chosen();
    const sides = look.sides(attention);
    const labels = {queries: look[sides.queries].map(label), keys: look[sides.keys].map(label)};
    queries.show(labels.queries.map((token, i) => [String(i), `${i + 1}  ${token}`]), String(at.query));
    keys.show(labels.keys.map((token, i) => [String(i), `${i + 1}  ${token}`]), String(at.key));
    const now = [attention, layer, head, at.query, at.key, all].join(" ");
    if (known === now && trace?.look === look) return undefined;
    let found;
    try {
      found = await projectionsOf(app, look, attention, layer, head);
    } catch (error) {
      return show(error.message);
    }
    const moved = state.attention !== attention || state.layer !== layer || state.head !== head;
    if (app.look !== look || moved) return undefined;
    known = now;
    trace = {
      ...traceWeight(found.q, found.k, at.query, at.key, site),
      ...at, look, site, attention, layer, head, labels,
      recorded: look.exact(attention, layer, head).at(at.query, at.key),
    };
    show("");
    draw();
    return undefined;
  }

  function draw() {
    const {chosen: {dot: product, scaled}, products, query, key} = trace;
    question.replaceChildren(
      el("p", {class: "why-question"}, ...asked(),
        el("strong", {class: "number"}, trace.chosen.seen ? number(trace.recorded, 4) : "0")),
      el("div", {class: "why-formulas"}, equationOne(), oneWeight(trace.site.causal)));
    const loudest = strongest(products, 3);
    strip.show(trace, loudest[0].at);
    dot.replaceChildren(
      el("div", {class: "formulas"},
        formula(sub(mi("q"), mn(query + 1)), mo("·"), sub(mi("k"), mn(key + 1)), mo("="), ...sumOf(products)),
        formula(mo("="), digits(product))),
      el("p", {class: "note"}, "Loudest dimensions: ",
        loudest.map(({at, value}) => `${at + 1} (${number(value)})`).join(", "), "."));
    scale.replaceChildren(formula(over(digits(product), sqrt(mn(trace.d))), mo("="),
      over(digits(product), digits(trace.root)), mo("="), digits(scaled)));
    mask.replaceChildren(el("p", {}, maskWords()));
    softmax.replaceChildren(...softmaxParts());
    result.replaceChildren(...comparison());
  }

  function asked() {
    const query = el("strong", {class: "why-token"}, trace.labels.queries[trace.query]);
    const key = el("strong", {class: "why-token"}, trace.labels.keys[trace.key]);
    const {queries: from, keys: to} = trace.site;
    if (from === "source") return ["How much does ", query, " look at ", key, "? "];
    const of = to === "source" ? " of the source? " : ", which it had read? ";
    return ["When ", query, " was chosen, how much did the decoder look at ", key, of];
  }

  function maskWords() {
    const hidden = trace.keys.filter(({seen}) => !seen).length;
    const of = `${hidden} of ${trace.keys.length} keys`;
    if (hidden === 0 && !isSelf(trace.site)) return "None: every word of the source may be looked at.";
    if (!trace.chosen.seen) {
      return `This key is hidden: its score is set to −∞, so its weight is 0. ${of} are hidden from this query.`;
    }
    if (hidden === 0) return "Nothing is hidden from this query.";
    const why = trace.site.causal ? "come later than what has been written" : "lie outside the window";
    return `${of} ${why}; their scores are set to −∞. This key is not one of them.`;
  }

  function softmaxParts() {
    const {query, key, chosen: {exp, weight}, sum} = trace;
    const order = trace.keys.map((_, j) => j);
    const listed = all ? order : heaviest(trace, shortRow);
    const rest = order.length - listed.length;
    const fold = el("button", {type: "button", hidden: rest === 0 && order.length <= shortRow, onclick: () => {
      all = !all;
      update();
    }}, all ? "List the heaviest only" : `List ${rest} lighter keys too`);
    const note = `exp is of the score less the row's largest, ${number(trace.most)}, as the decoder computes it: ` +
      "nothing can overflow, and the weights are the same.";
    return [
      el("p", {class: "note"}, note),
      el("div", {class: "scroll-x"}, rowTable(listed)),
      fold,
      el("div", {class: "formulas"},
        formula(sub(mi("α"), row(mn(query + 1), mo(","), mn(key + 1))), mo("="), over(exponential(), digits(sum))),
        formula(mo("="), over(digits(exp), digits(sum)), mo("="), digits(weight, 6))),
    ];
  }

  function rowTable(listed) {
    const most = Math.max(...trace.keys.map(({weight}) => weight));
    const total = trace.keys.reduce((sum, {weight}) => sum + weight, 0);
    const titles = ["Key", "q · k", "÷ √d", "exp", "weight"];
    return el("table", {class: "why-row"},
      el("caption", {}, el("span", {}, "One row of the softmax, key by key; choose a key to trace it.")),
      el("thead", {}, el("tr", {},
        titles.map((title, at) => el("th", {scope: "col", class: at === 1 ? "dots" : null}, title)), el("td"))),
      el("tbody", {}, listed.map((j) => keyRow(j, most))),
      el("tfoot", {}, el("tr", {}, el("th", {scope: "row"}, "Sum"), el("td", {class: "dots"}), el("td"),
        el("td", {}, number(trace.sum, 4)), el("td", {}, number(total, 4)), el("td"))));
  }

  function keyRow(j, most) {
    const {dot: product, scaled, seen, exp, weight} = trace.keys[j];
    const is = j === trace.key;
    const numbers = seen ? [number(scaled), number(exp, 4), number(weight, 4)] : ["−∞", "0", "0"];
    const choose = el("button", {type: "button", "aria-pressed": String(is), onclick: () => pick({key: j})},
      trace.labels.keys[j]);
    return el("tr", {class: `${is ? "row-chosen" : ""} ${seen ? "" : "hidden-key"}`},
      el("th", {scope: "row"}, choose), el("td", {class: "dots"}, number(product)),
      numbers.map((text) => el("td", {}, text)),
      el("td", {class: "why-bar", "aria-hidden": "true"}, el("span", {style: {width: `${(100 * weight) / most}%`}})));
  }

  function exponential() {
    const {seen, scaled} = trace.chosen;
    if (!seen) return mn(0);
    const less = mo(trace.most < 0 ? "+" : "−");
    return row(name("exp"), mo("("), digits(scaled), less, digits(Math.abs(trace.most)), mo(")"));
  }

  function comparison() {
    const [here, there] = [trace.chosen.weight, trace.recorded];
    const off = Math.abs(here - there) / lastPlace(there);
    const small = (there - here).toExponential(2).replaceAll("-", "−");
    const fact = (title, text) => [el("dt", {}, title), el("dd", {class: "number"}, text)];
    return [
      el("dl", {class: "sums"},
        fact("computed here, in double precision", here.toPrecision(12)),
        fact("recorded by the attention kernel, float32", shortest32(there)),
        fact("difference", `${small} = ${number(off, 2)} units in the last place`)),
      el("p", {class: "note"}, `${roundingWords(here, there, off)} The weight then says how much of this key's value ` +
        "vector goes into the result: that is the V of the equation."),
    ];
  }

  return {update, svg: () => (trace ? whyPicture(trace, heaviest(trace, shortRow)) : null), destroy: strip.destroy};
}

function step(title, about, ...content) {
  return el("li", {}, el("h3", {}, title), about.length ? el("p", {class: "note"}, about) : null, content);
}

const width = () => el("i", {}, "d", el("sub", {}, "k"));

// The keys of most weight and the chosen one, in the order of the sentence.
function heaviest({keys, key}, count) {
  const order = keys.map((_, j) => j).sort((a, b) => keys[b].weight - keys[a].weight).slice(0, count);
  if (!order.includes(key)) order.push(key);
  return order.sort((a, b) => a - b);
}

function roundingWords(here, there, off) {
  if (here === there) return "They are the same.";
  if (off <= 0.5) return "The recorded number is the float32 nearest to what was computed here.";
  if (off < 256) return "The decoder computes in float32, and adds up in another order; the difference is rounding.";
  return "That is more than float32 rounds off: the decoder computes with fewer digits, as on a GPU.";
}

// All products would be long: the first two, and the last.
function sumOf(products) {
  const term = (value) => [mo(value < 0 ? "−" : "+"), digits(Math.abs(value), 3)];
  const [first, second] = products;
  const begin = first < 0 ? term(first) : [digits(first, 3)];
  if (products.length <= 3) return [...begin, ...[...products.slice(1)].flatMap(term)];
  return [...begin, ...term(second), mo("+"), mo("⋯"), ...term(products.at(-1))];
}
