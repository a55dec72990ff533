// Controls that choose what the views show: attention, layer, head, original or changed, pieces or words.

import {isChanged} from "../core/requests.js";
import {siteOptions} from "../core/sites.js";
import {checkBox, Segmented} from "./controls.js";
import {el} from "./elements.js";

const numbered = (count) => Array.from({length: count}, (_, value) => ({value, text: String(value + 1)}));

export const attentionPicker = (app) => new Segmented("Attention", () => siteOptions(app.sites),
  () => app.state.attention, (attention) => app.set({attention}));

export const layerPicker = (app) => new Segmented("Layer", () => numbered(app.site().layers),
  () => app.state.layer, (layer) => app.set({layer}));

/** One head, for views that show a single one. */
export const headPicker = (app) => new Segmented("Head", () => numbered(app.site().heads).map(
  (option) => ({...option, title: app.headTitle(app.state.attention, app.state.layer, option.value)})),
  () => app.state.head, (head) => app.set({head}));

const translations = [
  {value: "plain", text: "Original", title: "What the model does by itself"},
  {value: "changed", text: "With your changes", title: "What it does with the changes made under “What if”"},
];

/** The original or the changed translation. It is hidden if "What if" has changed nothing. */
export function translationPicker(app) {
  const picker = new Segmented("Translation shown", () => translations,
    () => app.state.show, (show) => app.set({show}));
  return {element: picker.element, update() {
    picker.element.hidden = !isChanged(app.state);
    picker.update();
  }};
}

/** The smallest weight that is drawn as a line. */
export function leastWeightSlider(app) {
  const text = el("span", {});
  const input = el(
    "input", {type: "range", min: 0, max: 0.9, step: 0.01, oninput: () => app.set({least: Number(input.value)})});
  return {element: el("label", {class: "field range"}, text, input), update() {
    const {least} = app.state;
    input.value = least;
    text.textContent = `Hide weak lines: ${least ? `below ${least.toFixed(2)}` : "only the weakest"}`;
  }};
}

/** The button that samples another translation. It is hidden unless the search samples. */
export function sampleAgain(app, kind) {
  const element = el("button", {type: "button", class: kind, title: "Draws another translation, with the next seed",
    onclick: () => app.set({seed: app.state.seed + 1, show: "changed"})}, "Sample again");
  return {element, update() { element.hidden = app.offline || app.state.search !== "sample"; }};
}

export const wordSwitch = (app) => checkBox("Whole words", () => app.state.merged, (merged) => app.set({merged}),
  "Merges subwords to words: the rows of a word's pieces are averaged, their columns added.");
