// Matrix: the exact weights of one head.
import {cells} from "dragoman/cells.js";
import {attentionPicker, bar, headPicker, layerPicker, mergedSwitch, showPicker} from "dragoman/controls.js";
import {el, number} from "dragoman/draw.js";
import {mergedSentence} from "dragoman/look.js";

const later = {target: "words that were not written yet", source: "words that come later"};

export function matrixView(root, app) {
  let zoom = 0;
  const range = el("input", {type: "range", min: 3, max: 46, value: 24, oninput: () => {
    zoom = Number(range.value);
    update();
  }});
  const size = {element: el("label", {class: "field range"}, el("span", {}, "Size of a cell"), range), update() {
    if (!zoom && panel.size) range.value = panel.size;
  }};
  const controls = bar(
    attentionPicker(app), layerPicker(app), headPicker(app), size, mergedSwitch(app), showPicker(app));
  const place = el("div", {class: "matrix-place"});
  const chosen = el("p", {class: "chosen-cell"});
  const why = el(
    "button", {type: "button", class: "quiet small", onclick: () => app.set({tab: "why"})}, "Why this weight?");
  const note = el("p", {class: "note"});
  const empty = el("p", {class: "empty"}, "The weights of a head are shown here as soon as a sentence is translated.");
  root.append(controls.element, empty, chosen, place, note);

  const ready = () => app.look?.has(app.state.attention, app.state.layer);
  const panel = cells(place, {
    get: () => {
      if (!ready()) return null;
      const {attention, layer, head, query, key} = app.state;
      return {
        matrix: app.look.weights(attention, layer, head),
        ...app.look.tokens(attention),
        head,
        query,
        key,
        title: title(),
        masked: (i, j) => app.look.masked(attention, i, j)
      };
    },
    select: (query, key) => app.set({query, key}),
    zoom: () => zoom,
  });
  const title = () => `${app.site().title}, layer ${app.state.layer + 1}, head ${
    app.state.head + 1}`;

  function update() {
    controls.update();
    empty.hidden = Boolean(app.look);
    place.hidden = note.hidden = chosen.hidden = !ready();
    if (!ready()) return;
    panel.update();
    size.update();
    const {attention, layer, head, query, key} = app.state;
    const {entropy, distance, peak} = app.look.statistics(attention, layer, head);
    note.textContent = [
      `Rows are queries and add up to 1; columns are keys. Mean entropy ${number(entropy, 2)} bits,`,
      `mean distance ${number(distance, 1)} tokens, mean largest weight ${number(peak, 2)}.`,
      app.site().causal ? `Grey: masked, ${later[app.site().keys]}.` : "",
      app.state.merged ? mergedSentence : "",
    ].join(" ");
    why.hidden = !app.site().d_k;
    const {rows, columns} = app.look.weights(attention, layer, head);
    const is = query !== null && key !== null && query < rows && key < columns;
    if (is) chosen.replaceChildren(el("span", {}, panel.tell(query, key)), why);
    else chosen.replaceChildren("Point at a cell for its weight; click or use the arrow keys to choose one.");
  }

  return {update, destroy: () => panel.destroy(), svg: () => panel.svg()};
}
