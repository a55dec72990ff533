// The temperature of the probabilities: softmax(logits / temperature).

import {el} from "../../parts/elements.js";

const [coldest, hottest] = [0.1, 5];

/** `get()` gives the temperature; `set(value)` is called when the user has chosen another one. */
export function temperatureSlider(get, set) {
  const text = el("span", {});
  const input = el("input", {
    type: "range", min: Math.log(coldest), max: Math.log(hottest), step: 0.01,
    oninput: () => { text.textContent = textOf(valueOf(input)); },
    onchange: () => set(valueOf(input)),
  });
  const title = "Divides the logits before the softmax: below 1 the likely words become likelier, above 1 all words " +
    "become more alike. 1 is what the model computes.";
  return {element: el("label", {class: "field range", title}, text, input), update() {
    input.value = Math.log(get());
    text.textContent = textOf(get());
  }};
}

const textOf = (value) => `Temperature: ${value === 1 ? "1, as the model computes" : value.toFixed(2)}`;

// Near 1 the slider snaps to it.
function valueOf(input) {
  const value = Math.exp(Number(input.value));
  return Math.abs(value - 1) < 0.04 ? 1 : Number(value.toFixed(2));
}
