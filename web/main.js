// Starts the page: the application, the buttons of the header, the sentence box, and the tabs.

import {App} from "./core/app.js";
import {grouped} from "./core/format.js";
import {toHash} from "./core/state.js";
import {ExportMenu} from "./parts/export_menu.js";
import {FailureNote} from "./parts/failure_note.js";
import {FrontDoor} from "./parts/front_door.js";
import {SentenceBox} from "./parts/sentence_box.js";
import {Tabs} from "./parts/tabs.js";
import {ThemeButton} from "./parts/theme_button.js";
import {fallbackView, views} from "./views/list.js";
import {Tour} from "./views/tour/view.js";

const byId = (id) => document.getElementById(id);

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

class Page {
  #app;
  #tour;
  #front;
  #failure;
  #box = null;
  #tabs = null;
  #frame = 0;
  #hashTimer = 0;

  constructor() {
    const embedded = byId("dragoman-data");  // an offline file has its data in this element
    this.#app = new App(embedded ? JSON.parse(embedded.textContent) : null, this);
    this.#tour = new Tour(byId("tour"), this.#app);
    this.#front = new FrontDoor(byId("front"), this.#app, this.#tour);
    this.#failure = new FailureNote(this.#app, byId("failure"));
  }

  async start() {
    const app = this.#app;
    byId("tools").append(this.#tour.button, new ExportMenu(app, () => this.#tabs).element,
      new ThemeButton(app).element);
    byId("skip").addEventListener("click", () => byId("view").focus());
    await app.start(location.hash);
    this.#box = new SentenceBox(byId("translate"), app);
    this.#tabs = new Tabs(byId("tabs"), byId("view"), app, {views, fallback: fallbackView});
    app.set({});
    addEventListener("hashchange", () => app.restore(location.hash));
  }

  /** Draws everything in the next frame. */
  redraw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#showModel();
      this.#front.update();
      this.#failure.show(this.#app.failure);
      this.#box?.update();
      this.#tabs?.update();
      this.#tour.update();
    });
  }

  announce(text) { byId("announcement").textContent = text; }

  /** Writes the state into the address, after a while: browsers limit how often the address may change. */
  stateChanged() {
    clearTimeout(this.#hashTimer);
    this.#hashTimer = setTimeout(() => {
      const {state} = this.#app;
      const hash = toHash(state);
      document.title = state.sentence ? `${state.sentence.slice(0, 60)} · dragoman` : "dragoman: look inside";
      if (hash !== location.hash) history.replaceState(null, "", hash);
    }, 200);
  }

  #showModel() {
    const {model} = this.#app;
    if (!model) return;
    const steps = model.steps ?? model.provenance?.steps;
    const facts = model.summary ? [model.summary] : [];
    if (model.parameters) facts.push(`${grouped(model.parameters)} parameters`);
    if (steps) facts.push(`${grouped(steps)} steps of training`);
    setText(byId("model"), facts.join(" · "));
  }
}

new Page().start();
