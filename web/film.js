// The training film: the attention of one head at each checkpoint of the training, for sentences that were chosen
// before it began, and what the model made of them then.

import {attentionPicker, bar, headPicker, layerPicker} from "dragoman/controls.js";
import {curve} from "dragoman/curve.js";
import {el, grouped, headColour, number, prepared, svg} from "dragoman/draw.js";
import {Look} from "dragoman/look.js";
import {picker} from "dragoman/picks.js";
import {player} from "dragoman/player.js";
import {pixels, rising} from "dragoman/tiles.js";

const noFilm = "This model has no training film. “dragoman train --probe FILE” keeps the attention of the sentences " +
  "of a file at every checkpoint; this view then scrubs through them.";
const thumb = 72;  // pixels of a small picture
const above = 84;  // room for the keys' labels
const tall = 560;  // pixels that the cells of a frame may be high

export function filmView(root, app) {
  let film = null;
  let sentence = 0;
  let frames = [];    // {step, look, text}
  let known = "";
  let asked = null;   // the frame of the state that was gone to
  const status = el("p", {class: "empty"}, "The film is being fetched.");
  const which = picker("Sentence", (value) => choose(Number(value)));
  const pickers = [attentionPicker(app), layerPicker(app), headPicker(app)];
  const controls = bar({element: which.element, update() {}}, ...pickers);
  const frameText = (at) => (frames[at] ? `Step ${frames[at].step}: ${frames[at].text}` : "");
  const steps = player({
    name: "Checkpoint", count: () => frames.length, text: frameText, show: draw, time: () => 700,
    moved(at) {
      asked = at;
      app.set({frame: at});
      app.say(frameText(at));
    },
  });
  const facts = el("div", {class: "film-now"});
  const holder = el("div", {class: "film-matrix scroll-x"});
  const entropy = el("div");
  const strip = el("div", {class: "film-strip", role: "group", "aria-label": "Checkpoints"});
  const parts = el("div", {class: "film-parts"}, holder, el("div", {}, entropy, strip));
  const note = el("p", {class: "note"}, "Colour is the square root of the weight, so that small weights show too.");
  const body = el("div", {class: "film", hidden: true}, controls.element, steps.element, facts, parts, note);
  root.append(status, body);

  async function update() {
    if (!film) {
      try {
        film = app.model?.film === false ? null : await app.film();
      } catch (error) {
        status.textContent = error.message;
        return;
      }
      if (!film?.sentences?.length) {
        film = null;
        status.textContent = noFilm;
        return;
      }
      choose(0);
    }
    controls.update();
    redraw();
  }

  function choose(index) {
    sentence = index;
    frames = film.sentences[index].frames.map(
      ({step, look}) => ({step, look: new Look(look, app.sites), text: look.text}));
    which.show(film.sentences.map(({source}, i) => [String(i), source]), String(index));
    which.element.hidden = film.sentences.length < 2;
    status.hidden = true;
    body.hidden = false;
    known = "";
    redraw();
  }

  function redraw() {
    const {attention, layer, head, frame} = app.state;
    parts.hidden = note.hidden = !weighed();
    for (const picker of pickers) picker.element.hidden = app.withoutAttention;
    const now = [sentence, attention, layer, head, document.documentElement.dataset.theme].join(" ");
    if (now !== known && weighed()) {
      known = now;
      strip.replaceChildren(...frames.map((_, at) => thumbnail(at)));
      const heights = frames.map((_, at) => weightsOf(at).rows * cellOf(weightsOf(at)).high);
      holder.style.minHeight = `${above + 4 + Math.max(...heights)}px`;  // nothing jumps while it plays
    }
    if (Number.isInteger(frame) && frame !== asked) steps.go(frame);
    else steps.refresh();
  }

  // Whether the frames have the attention that is chosen.
  const weighed = () => frames.every(({look}) => look.has(app.state.attention, app.state.layer));
  const weightsOf = (at) => frames[at].look.exact(app.state.attention, app.state.layer, app.state.head);
  // The square root, so that the small weights of an untrained model show.
  const imageOf = (weights) => pixels(weights.rows, weights.columns, (i, j) => Math.sqrt(weights.at(i, j)),
    rising(1, headColour(app.state.head)));

  function thumbnail(at) {
    const canvas = el("canvas", {"aria-hidden": "true"});
    const context = prepared(canvas, thumb, thumb);
    context.imageSmoothingEnabled = false;
    context.drawImage(imageOf(weightsOf(at)), 0, 0, thumb, thumb);
    const {step} = frames[at];
    const act = {type: "button", class: "film-frame", "aria-label": `Step ${step}`, onclick: () => steps.go(at)};
    return el("button", act, canvas, el("span", {}, grouped(step)));
  }

  function draw(at) {
    if (!frames[at]) return;
    const {step, look, text} = frames[at];
    facts.replaceChildren(el("p", {class: "film-step"}, `Step ${grouped(step)}`),
      el("p", {class: "film-source"}, film.sentences[sentence].source),
      el("p", {class: "film-text", lang: app.state.target}, text || "(nothing)"));
    if (!weighed()) return;
    holder.replaceChildren(matrix(look, weightsOf(at)));
    const {attention, layer, head} = app.state;
    const values = frames.map((frame) => frame.look.entropy(attention, layer, head));
    entropy.replaceChildren(el("h3", {}, `Entropy of this head: ${number(values[at], 2)} bits`),
      curve({places: frames.map((frame) => frame.step), values, marked: at, low: 0, high: 0.1, unit: "step"}));
    [...strip.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === at)));
  }

  const margin = () => (holder.clientWidth < 480 ? 76 : 110);
  const cellOf = ({rows, columns}) => {
    const room = Math.max(300, holder.clientWidth) - margin() - 30;
    return {wide: Math.max(6, Math.min(22, Math.floor(room / columns))), high: Math.max(6, Math.min(22, tall / rows))};
  };

  // Cells with the tokens beside them.
  function matrix(look, weights) {
    const {queries, keys} = look.tokens(app.state.attention);
    const cell = cellOf(weights);
    const left = margin();
    const [wide, high] = [weights.columns * cell.wide, weights.rows * cell.high];
    const [width, height] = [left + wide + 30, above + high + 4];
    const out = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `Attention of head ${app.state.head + 1}: ${strongestText(weights, queries, keys)}`});
    out.append(svg("image", {x: left, y: above, width: wide, height: high, href: imageOf(weights).toDataURL(),
      preserveAspectRatio: "none", style: {"image-rendering": "pixelated"}}));
    const kind = (size) => (size < 18 ? "label small" : "label");
    const every = (size) => Math.ceil(12 / size);
    queries.forEach((token, i) => {
      if (i % every(cell.high)) return;
      const y = above + (i + 0.5) * cell.high + 4;
      out.append(svg("text", {x: left - 8, y, "text-anchor": "end", class: kind(cell.high)}, token));
    });
    keys.forEach((token, j) => {
      if (j % every(cell.wide)) return;
      const [x, y] = [left + (j + 0.5) * cell.wide + 4, above - 8];
      out.append(svg("text", {x, y, transform: `rotate(-50 ${x} ${y})`, class: kind(cell.wide)}, token));
    });
    out.append(svg("rect", {x: left - 0.5, y: above - 0.5, width: wide + 1, height: high + 1, class: "frame"}));
    return out;
  }

  function strongestText(weights, queries, keys) {
    return queries.slice(0, 12).map((query, i) => {
      let best = 0;
      for (let j = 1; j < weights.columns; ++j) if (weights.at(i, j) > weights.at(i, best)) best = j;
      return `${query} most at ${keys[best]}`;
    }).join(", ");
  }

  return {
    update, destroy: steps.pause,
    svg: () => (frames.length && weighed() ? matrix(frames[steps.at].look, weightsOf(steps.at)) : null),
  };
}
