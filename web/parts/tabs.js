// The row of tabs and the panel below it, which shows one view at a time.

import {noAttentionNote} from "../core/sites.js";
import {text} from "../strings/page.js";
import {el, moveFocus} from "./elements.js";

export class Tabs {
  #app;
  #panel;
  #views;
  #fallback;       // the entry of `#views` that is shown in place of one that is not available
  #buttons;
  #gaps = [];      // {element, before}: a line between two groups, and the tabs before it
  #note = el("p", {class: "note", hidden: true}, noAttentionNote);
  #about = el("p", {class: "view-about"});
  #entry = null;   // the entry of `#views` that is shown
  #view = null;    // the View; null while its module is loaded

  /**
   * `views` is the list of views/list.js. If the model lacks what a view shows, the view with the name `fallback` is
   * shown in its place.
   */
  constructor(list, panel, app, {views, fallback}) {
    this.#app = app;
    this.#panel = panel;
    this.#views = views;
    this.#fallback = views.find(({name}) => name === fallback);
    this.#buttons = views.map(({name, title}) => el("button", {
      role: "tab", id: `tab-${name}`, type: "button", "aria-controls": panel.id, "data-tab": name,
      onclick: () => app.set({tab: name}),
    }, title));
    list.append(this.#row());
    panel.before(this.#note, this.#about);
  }

  update() {
    this.#updateTabs();
    const entry = this.#entryOf(this.#app.state.tab);
    this.#panel.classList.toggle("stale", this.#app.isStale && !entry.ofModel);
    if (this.#entry !== entry) this.#open(entry);
    else this.#view?.update();
  }

  get view() { return this.#view; }
  get name() { return this.#entry?.name; }

  #row() {
    const row = el("div", {role: "tablist", "aria-label": text.views, onkeydown: (event) => this.#onKey(event)});
    this.#views.forEach(({group}, i) => {
      if (i > 0 && group !== this.#views[i - 1].group) {
        const gap = el("span", {class: "gap", "aria-hidden": "true"});
        this.#gaps.push({element: gap, before: this.#buttons.slice(0, i)});
        row.append(gap);
      }
      row.append(this.#buttons[i]);
    });
    return row;
  }

  #isAvailable({needs = () => true}) { return needs(this.#app); }

  #aboutOf({about}) { return typeof about === "function" ? about(this.#app) : about; }

  #entryOf(name) {
    const entry = this.#views.find((candidate) => candidate.name === name) ?? this.#views[0];
    return this.#isAvailable(entry) ? entry : this.#fallback;
  }

  #updateTabs() {
    this.#note.hidden = !this.#app.withoutAttention;
    this.#views.forEach((entry, i) => {
      this.#buttons[i].hidden = !this.#isAvailable(entry);
      this.#buttons[i].title = this.#aboutOf(entry);
    });
    if (this.#entry) this.#about.textContent = this.#aboutOf(this.#entry);
    for (const {element, before} of this.#gaps) element.hidden = before.every((button) => button.hidden);
  }

  #onKey(event) {
    const visible = this.#buttons.filter((button) => !button.hidden);
    moveFocus(event, visible, {back: "ArrowLeft", forward: "ArrowRight"})?.click();
  }

  async #open(entry) {
    this.#view?.destroy?.();
    this.#entry = entry;
    this.#view = null;
    this.#panel.replaceChildren();
    this.#panel.style.minHeight = "";
    this.#panel.dataset.view = entry.name;
    this.#about.textContent = this.#aboutOf(entry);
    this.#panel.setAttribute("aria-labelledby", `tab-${entry.name}`);
    this.#select(entry);
    let module;
    try {
      module = await entry.load();
    } catch (error) {
      if (this.#entry === entry) this.#showFailure(entry, error);
      console.error(error);
      return;
    }
    if (this.#entry !== entry || this.#view) return;  // the user has opened another tab
    this.#view = new module.View(this.#panel, this.#app);
    this.#view.update();
    if (this.#app.goal !== null) this.#goToView();
  }

  // Shows the view from its beginning. If the goal is a part of it, the view goes there when it has drawn that part.
  #goToView() {
    if (this.#app.goal === "") this.#app.goal = null;
    const {top} = this.#panel.getBoundingClientRect();
    this.#panel.style.minHeight = "100vh";  // so that the page can scroll so far before the view has its content
    if (top < 0 || top > innerHeight / 2) this.#panel.scrollIntoView({block: "start"});
    this.#panel.focus({preventScroll: true});
  }

  #select(entry) {
    this.#views.forEach((candidate, i) => {
      const chosen = candidate === entry;
      this.#buttons[i].setAttribute("aria-selected", String(chosen));
      this.#buttons[i].tabIndex = chosen ? 0 : -1;
      if (chosen) this.#buttons[i].scrollIntoView({block: "nearest", inline: "nearest"});
    });
  }

  #showFailure({title}, error) {
    this.#panel.append(el("p", {class: "empty"}, text.cannotLoad(title, error.message)));
  }
}
