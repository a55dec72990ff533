// Starts the page: the application, the buttons of the header, the sentence box, and the tabs.

import {App} from "./core/app.js";
import {grouped} from "./core/format.js";
import {language} from "./core/language.js";
import {toHash} from "./core/state.js";
import {ExportMenu} from "./parts/export_menu.js";
import {FailureNote} from "./parts/failure_note.js";
import {FrontDoor} from "./parts/front_door.js";
import {languageButton} from "./parts/language_button.js";
import {SentenceBox} from "./parts/sentence_box.js";
import {Tabs} from "./parts/tabs.js";
import {ThemeButton} from "./parts/theme_button.js";
import {text} from "./strings/page.js";
import {fallbackView, views} from "./views/list.js";
import {Tour} from "./views/tour/view.js";

const byId = (id) => document.getElementById(id);

function setText(element, content) {
  if (element.textContent !== content) element.textContent = content;
}

// The texts of index.html.
function writeTexts() {
  document.documentElement.lang = language;
  document.title = text.title;
  byId("skip").textContent = text.skip;
  byId("front").ariaLabel = text.about;
  byId("translate").ariaLabel = text.sentenceAndTranslation;
  byId("tabs").ariaLabel = text.views;
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
    writeTexts();
    const embedded = byId("dragoman-data");  // an offline file has its data in this element
    this.#app = new App(embedded ? JSON.parse(embedded.textContent) : null, this);
    this.#tour = new Tour(byId("tour"), this.#app);
    this.#front = new FrontDoor(byId("front"), this.#app, this.#tour);
    this.#failure = new FailureNote(this.#app, byId("failure"));
  }

  async start() {
    const app = this.#app;
    byId("tools").append(this.#tour.button, new ExportMenu(app, () => this.#tabs).element,
      new ThemeButton(app).element, languageButton(app));
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

  announce(sentence) { byId("announcement").textContent = sentence; }

  /** Writes the state into the address, after a while: browsers limit how often the address may change. */
  stateChanged() {
    clearTimeout(this.#hashTimer);
    this.#hashTimer = setTimeout(() => {
      const {state} = this.#app;
      const hash = toHash(state);
      document.title = state.sentence ? text.titleOf(state.sentence.slice(0, 60)) : text.title;
      if (hash !== location.hash) history.replaceState(history.state, "", hash);
    }, 200);
  }

  #showModel() {
    const {model} = this.#app;
    if (!model) return;
    const steps = model.steps ?? model.provenance?.steps;
    const facts = model.summary ? [model.summary] : [];
    if (model.parameters) facts.push(text.parameters(grouped(model.parameters)));
    if (steps) facts.push(text.steps(grouped(steps)));
    setText(byId("model"), facts.join(" · "));
  }
}

new Page().start();
