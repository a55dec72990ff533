// The changes that an offline file holds, and how to make others.

import {offlineNote} from "../../core/api.js";
import {isChanged, stateOf} from "../../core/requests.js";
import {changesInWords} from "../../parts/changes_text.js";
import {el} from "../../parts/elements.js";
import {text as strings} from "../../strings/whatif.js";

export class RecordedChanges {
  #app;
  #list = el("div", {class: "bar", role: "group", "aria-label": strings.recorded});

  constructor(app) {
    this.#app = app;
    this.element = el("section", {},
      el("p", {class: "empty"}, ...strings.toTry(offlineNote, el("code", {}, "dragoman serve --model DIR"))),
      this.#list);
  }

  update() {
    const {api, state} = this.#app;
    const recorded = api.changesOf(state.sentence.trim());
    const choose = (text, act) => el("button", {type: "button", onclick: act}, text);
    this.#list.hidden = !recorded.length;
    this.#list.replaceChildren(
      choose(strings.original, () => this.#app.reset()),
      ...recorded.map((changes) => choose(strings.withChanges(changesInWords(changes)),
        () => this.#app.reset({...stateOf(changes), show: "changed"}))));
    if (!isChanged(state)) this.#list.firstChild.setAttribute("aria-current", "true");
  }
}
