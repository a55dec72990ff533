// The button for the light or dark theme. Until the user chooses one, the page has the theme of the system. The page
// also follows later changes of the system's theme, but does not store them.

import {text} from "../strings/page.js";
import {el} from "./elements.js";

const theme = () => document.documentElement.dataset.theme;

export class ThemeButton {
  #app;

  constructor(app) {
    this.#app = app;
    const toggle = () => this.#choose(theme() === "dark" ? "light" : "dark", true);
    this.element = el("button", {type: "button", class: "quiet", onclick: toggle});
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
      this.#choose(event.matches ? "dark" : "light", false);
    });
    this.#update();
  }

  #choose(name, keep) {
    document.documentElement.dataset.theme = name;
    if (keep) remember(name);
    this.#update();
    this.#app.refresh();
  }

  #update() {
    this.element.textContent = theme() === "dark" ? text.light : text.dark;
    this.element.setAttribute("aria-label", theme() === "dark" ? text.lightTheme : text.darkTheme);
  }
}

function remember(name) {
  try {
    localStorage.setItem("dragoman-theme", name);
  } catch {
    // the browser does not let this page store anything
  }
}
