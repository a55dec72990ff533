// A labelled select for views that pick tokens, frames and the like, and which answer the shown look is of.

import {el} from "dragoman/draw.js";

/** A select with a visible label; `choose` gets the chosen value as text. */
export function picker(name, choose) {
  const select = el("select", {onchange: () => choose(select.value)});
  const element = el("label", {class: "pick"}, el("span", {}, name), select);
  let known = "";
  return {
    element,
    select,
    /** `options` is a list of [value, text]. */
    show(options, value) {
      const now = JSON.stringify(options);
      if (now !== known) select.replaceChildren(...options.map(([of, text]) => el("option", {value: of}, text)));
      known = now;
      select.value = value;
    },
  };
}

/** The result that the shown look is of: {request, answer, sentences}. */
export function shownResult(app) {
  const {plain, changed} = app.flow;
  return app.look && app.look === app.changed ? changed.result : plain.result;
}
