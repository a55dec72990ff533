// The temperature of the probabilities: softmax(logits / temperature).

import {el} from "../../parts/elements.js";
import {text} from "../../strings/words.js";

const [coldest, hottest] = [0.1, 5];

/** `get()` gives the temperature; `set(value)` is called when the user has chosen another one. */
export function temperatureSlider(get, set) {
  const shown = el("span", {});
  const input = el("input", {
    type: "range", min: Math.log(coldest), max: Math.log(hottest), step: "any",
    oninput: () => { shown.textContent = textOf(valueOf(input)); },
    onchange: () => set(valueOf(input)),
  });
  return {element: el("label", {class: "field range", title: text.temperatureNote}, shown, input), update() {
    input.value = Math.log(get());
    shown.textContent = textOf(get());
  }};
}

const textOf = (value) => (value === 1 ? text.temperatureIsOne : text.temperature(value.toFixed(2)));

// Near 1 the slider snaps to it.
function valueOf(input) {
  const value = Math.exp(Number(input.value));
  return Math.abs(value - 1) < 0.04 ? 1 : Number(value.toFixed(2));
}
