// Controls that choose what the views show: attention, layer, head, original or changed, pieces or words.

import {isChanged} from "../core/requests.js";
import {siteOptions} from "../core/sites.js";
import {text} from "../strings/parts.js";
import {checkBox, Segmented} from "./controls.js";
import {el} from "./elements.js";

const numbered = (count) => Array.from({length: count}, (_, value) => ({value, text: String(value + 1)}));

export const attentionPicker = (app) => new Segmented(text.attention, () => siteOptions(app.sites),
  () => app.state.attention, (attention) => app.set({attention}));

export const layerPicker = (app) => new Segmented(text.layer, () => numbered(app.site().layers),
  () => app.state.layer, (layer) => app.set({layer}));

/** One head, for views that show a single one. */
export const headPicker = (app) => new Segmented(text.head, () => numbered(app.site().heads).map(
  (option) => ({...option, title: app.headTitle(app.state.attention, app.state.layer, option.value)})),
  () => app.state.head, (head) => app.set({head}));

const translations = [
  {value: "plain", text: text.original, title: text.originalTitle},
  {value: "changed", text: text.changed, title: text.changedTitle},
];

/** The original or the changed translation. It is hidden if "What if" has changed nothing. */
export function translationPicker(app) {
  const picker = new Segmented(text.translationShown, () => translations,
    () => app.state.show, (show) => app.set({show}));
  return {element: picker.element, update() {
    picker.element.hidden = !isChanged(app.state);
    picker.update();
  }};
}

/** The smallest weight that is drawn as a line. */
export function leastWeightSlider(app) {
  const shown = el("span", {});
  const input = el(
    "input", {type: "range", min: 0, max: 0.9, step: 0.01, oninput: () => app.set({least: Number(input.value)})});
  return {element: el("label", {class: "field range"}, shown, input), update() {
    const {least} = app.state;
    input.value = least;
    shown.textContent = least ? text.hideBelow(least.toFixed(2)) : text.hideWeakest;
  }};
}

/** The button that samples another translation. It is hidden unless the search samples. */
export function sampleAgain(app, kind) {
  const element = el("button", {type: "button", class: kind, title: text.againTitle,
    onclick: () => app.set({seed: app.state.seed + 1, show: "changed"})}, text.again);
  return {element, update() { element.hidden = app.offline || app.state.search !== "sample"; }};
}

export const wordSwitch = (app) => checkBox(text.wholeWords, () => app.state.merged, (merged) => app.set({merged}),
  text.wholeWordsTitle);
