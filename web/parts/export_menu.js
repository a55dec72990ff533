// The export menu: the shown view as SVG or PNG, the data as JSON, everything as one file that works offline, and a
// link to what is shown.

import {toHash} from "../core/state.js";
import {text} from "../strings/page.js";
import {el} from "./elements.js";
import {offlineData, offlinePage, resultsOf} from "./offline_page.js";
import {pixelsOf, standalone} from "./picture_file.js";

export class ExportMenu {
  #app;
  #tabs;
  #status = el("p", {class: "menu-status", role: "status"});
  #link = el("input", {type: "text", readonly: true, hidden: true, "aria-label": text.linkToView});

  /** `tabs()` gives the Tabs whose view is exported, or null while the page starts. */
  constructor(app, tabs) {
    this.#app = app;
    this.#tabs = tabs;
    this.items = this.#items();
    this.panel = el("div", {
      class: "menu-panel", id: "export-panel", hidden: true, role: "group", "aria-label": text.export,
    }, this.items, this.#link, this.#status);
    this.opener = el("button", {type: "button", class: "quiet", id: "export", "aria-expanded": "false",
      "aria-controls": this.panel.id, onclick: () => this.#setOpen(this.panel.hidden)}, text.export);
    this.element = el("div", {class: "menu", onkeydown: (event) => this.#onKey(event)}, this.opener, this.panel);
    document.addEventListener("pointerdown", (event) => {
      if (!this.panel.hidden && !this.element.contains(event.target)) this.#setOpen(false);
    });
  }

  #items() {
    const items = [
      [text.svg, text.svgAbout, () => this.#savePicture("svg")],
      [text.png, text.pngAbout, () => this.#savePicture("png")],
      [text.json, text.jsonAbout, () => this.#saveData()],
      [text.html, text.htmlAbout, () => this.#savePage()],
      [text.link, text.linkAbout, () => this.#copyLink()],
    ];
    return items.map(([title, about, act]) => (
      el("button", {type: "button", class: "menu-item", onclick: () => this.#run(act)},
        el("span", {}, title), el("span", {class: "menu-about"}, about))));
  }

  #setOpen(open) {
    this.panel.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    this.#status.textContent = "";
    this.#link.hidden = true;
    if (open) this.items[0].focus();
  }

  #onKey(event) {
    if (this.panel.hidden) return;
    if (event.key === "Escape") {
      this.#setOpen(false);
      this.opener.focus();
      event.preventDefault();
      return;
    }
    const at = this.items.indexOf(document.activeElement);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.items[(to + this.items.length) % this.items.length].focus();
  }

  // Runs the function of an item, which returns a sentence that says what it has done.
  async #run(act) {
    this.#status.textContent = text.oneMoment;
    try {
      this.#status.textContent = await act();
    } catch (error) {
      this.#status.textContent = error.message;
    }
  }

  async #savePicture(kind) {
    const tabs = this.#tabs();
    const drawing = tabs?.view?.svg?.();
    if (!drawing) throw new Error(text.nothingToDraw);
    const picture = standalone(drawing);
    const name = `dragoman-${tabs.name}.${kind}`;
    if (kind === "png") return save(name, "image/png", await pixelsOf(picture));
    return save(name, "image/svg+xml", `<?xml version="1.0" encoding="UTF-8"?>\n${picture.text}\n`);
  }

  #saveData() {
    const results = resultsOf(this.#app);
    if (!results.length) throw new Error(text.noTranslation);
    const sentences = results.map(({request, answer}) => ({request, answer}));
    return save("dragoman.json", "application/json",
      JSON.stringify({version: 1, model: this.#app.model, sentences}));
  }

  async #savePage() {
    return save("dragoman.html", "text/html", offlinePage(await offlineData(this.#app)));
  }

  async #copyLink() {
    const address = location.href.replace(/#.*/, "") + toHash(this.#app.state);
    try {
      await navigator.clipboard.writeText(address);
      return text.linkCopied;
    } catch {
      this.#link.hidden = false;
      this.#link.value = address;
      this.#link.select();
      return text.linkShown;
    }
  }
}

function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], {type}));
  const link = el("a", {href: address, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  return text.saved(name);
}
