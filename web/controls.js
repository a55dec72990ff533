// Controls that several views share: pickers of attention, layer and head, the coloured squares, merging of subwords.
import {el, headColour} from "dragoman/draw.js";
import {isChanged} from "dragoman/flow.js";
import {siteOptions} from "dragoman/sites.js";

let names = 0;

/**
 * A row of radio buttons that looks like one bar. `options()` gives [{value, text, title?, disabled?}]; `get()` the
 * value that is chosen. Returns {element, update()}.
 */
export function segmented(title, options, get, set) {
  const name = `choice-${++names}`;
  const row = el("div", {class: "segments"});
  const element = el("fieldset", {class: "choice"}, el("legend", {}, title), row);
  let known = "";
  return {
    element,
    update() {
      const list = options();
      const text = JSON.stringify(list);
      if (text !== known) {
        known = text;
        row.replaceChildren(
          ...list.map(({value, text: says, title: hint, disabled}) => el("label", {title: hint},
                        el("input", {type: "radio", name, disabled, "data-value": value, onchange: () => set(value)}),
                        el("span", {}, says))));
      }
      for (const input of row.querySelectorAll("input")) input.checked = input.dataset.value === String(get());
    },
  };
}

export const attentionPicker = (app) => segmented("Attention", () => siteOptions(app.sites),
  () => app.state.attention, (attention) => app.set({attention}));

export const layerPicker = (app) => segmented("Layer",
  () => Array.from({length: app.site().layers}, (_, value) => ({value, text: String(value + 1)})),
  () => app.state.layer, (layer) => app.set({layer}));

/** One head, for views of a single one; "mean" is the average of the shown heads where `mean` is wanted. */
export const headPicker = (app) => segmented("Head",
  () => Array.from({length: app.site().heads}, (_, value) => ({value, text: String(value + 1)})),
  () => app.state.head, (head) => app.set({head}));

/** Which translation the views show while "what if" has changed something; hidden otherwise. */
export function showPicker(app) {
  const picker = segmented("Shown", () => [{value: "plain", text: "Plain"}, {value: "changed", text: "Changed"}],
    () => app.state.show, (show) => app.set({show}));
  return {element: picker.element, update() {
    picker.element.hidden = !isChanged(app.state);
    picker.update();
  }};
}

/** A check box with words beside it. */
export function check(text, get, set, title) {
  const input = el("input", {type: "checkbox", onchange: () => set(input.checked)});
  return {
    element: el("label", {class: "check", title}, input, el("span", {}, text)),
    update() { input.checked = get(); }
  };
}

/** The smallest weight that is drawn as a line. */
export function leastWeight(app) {
  const said = el("span", {});
  const input = el(
    "input", {type: "range", min: 0, max: 0.9, step: 0.01, oninput: () => app.set({least: Number(input.value)})});
  return {element: el("label", {class: "field range"}, said, input), update() {
    input.value = app.state.least;
    said.textContent = `Lines from weight ${app.state.least ? app.state.least.toFixed(2) : "(automatic)"}`;
  }};
}

export const mergedSwitch = (app) => check("Whole words", () => app.state.merged, (merged) => app.set({merged}),
  "Subwords are merged to words: the rows of a word are averaged, its columns added.");

export const isOff = (state, attention, layer, head) => state.off.some((entry) => (
  entry.attention === attention && entry.layer === layer && entry.head === head));

/** Switches a head off in the model, or on again. */
export function toggleOff(app, attention, layer, head) {
  const rest = app.state.off.filter((entry) => (
    !(entry.attention === attention && entry.layer === layer && entry.head === head)));
  const off = rest.length < app.state.off.length ? rest : [...rest, {attention, layer, head}];
  app.set({off, show: "changed"});
  app.say(`${app.site(attention).title}, layer ${layer + 1}, head ${head + 1} is ${off === rest ? "on" : "off"}.`);
}

/** The coloured squares: a click shows or hides a head, a double click shows it alone, or all again. Below them, unless
 * `switchable` is false, switches that take a head out of the model. */
export function headSquares(app, switchable = true) {
  const row = el("div", {class: "squares", role: "group", "aria-label": "Heads shown", onkeydown: move});
  const switches = el(
    "div", {class: "squares switches", role: "group", "aria-label": "Heads switched off in the model"});
  const element = el("fieldset", {class: "choice heads"}, el("legend", {}, "Heads"), row,
    el("div", {class: "switch-row"}, switches, el("span", {class: "note"}, "in the model")));

  const alone = (head) => {
    const {heads, allHeads} = app.state;
    const is = heads.size === 1 && heads.has(head);
    app.set({heads: new Set(is ? Array.from({length: allHeads}, (_, i) => i) : [head])});
  };
  const toggle = (head) => {
    const heads = new Set(app.state.heads);
    if (!heads.delete(head)) heads.add(head);
    app.set({heads: new Set([...heads].sort((a, b) => a - b))});  // in one order, whatever the clicks
  };

  function move(event) {
    const buttons = [...row.children];
    const at = buttons.indexOf(document.activeElement);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1}[event.key];
    if (event.key === "Enter" && event.shiftKey && at >= 0) {
      event.preventDefault();
      alone(at);
    }
    if (to === undefined || at < 0) return;
    event.preventDefault();
    buttons[(to + buttons.length) % buttons.length].focus();
  }

  const build = (count) => {
    row.replaceChildren(...Array.from({length: count}, (_, head) => el("button", {
      type: "button", class: "square", title: `Head ${head + 1}: click to show or hide, double-click to show it alone`,
      "aria-label": `Head ${head + 1}`,
      onclick: (event) => (event.shiftKey ? alone(head) : toggle(head)), ondblclick: () => alone(head),
    }, String(head + 1))));
    switches.replaceChildren(...Array.from({length: count}, (_, head) => el("button", {
      type: "button",
      class: "switch",
      role: "switch",
      onclick: () => toggleOff(app, app.state.attention, app.state.layer, head),
    })));
  };

  return {element, update() {
    const {heads, allHeads, attention, layer} = app.state;
    if (row.children.length !== allHeads) build(allHeads);
    switches.parentElement.hidden = !switchable || app.offline || app.model?.heads_can_be_switched === false;
    for (let head = 0; head < allHeads; ++head) {
      const off = isOff(app.state, attention, layer, head);
      const [square, lever] = [row.children[head], switches.children[head]];
      square.style.setProperty("--head", headColour(head));
      square.setAttribute("aria-pressed", String(heads.has(head)));
      square.classList.toggle("off", off);
      lever.setAttribute("aria-checked", String(!off));
      lever.setAttribute("aria-label", `Head ${head + 1} of layer ${layer + 1} takes part in the computation`);
      lever.title = off ? `Head ${head + 1} is switched off in the model; click to switch it on`
        : `Switch head ${head + 1} off in the model (what if)`;
    }
  }};
}

/** Several controls in a row; update() updates all. */
export function bar(...controls) {
  const element = el("div", {class: "bar"}, ...controls.map((control) => control.element));
  return {element, update() { for (const control of controls) control.update(); }};
}
