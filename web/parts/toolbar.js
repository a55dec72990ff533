// The buttons of the header: the tour, the export menu, and the light or dark theme.

import {Tour} from "../views/tour/view.js";
import {el} from "./elements.js";
import {ExportMenu} from "./export_menu.js";

/** `tabs()` gives the Tabs, or null while the page starts. */
export function fillToolbar(root, app, tabs) {
  root.append(new Tour(document.getElementById("tour"), app).button, new ExportMenu(app, tabs).element,
    new ThemeButton(app).element);
}

const theme = () => document.documentElement.dataset.theme;

class ThemeButton {
  constructor(app) {
    this.app = app;
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
    this.app.refresh();
  }

  #update() {
    this.element.textContent = theme() === "dark" ? "Light" : "Dark";
    this.element.setAttribute("aria-label", theme() === "dark" ? "Light theme" : "Dark theme");
  }
}

function remember(name) {
  try {
    localStorage.setItem("dragoman-theme", name);
  } catch {
    // the browser does not let this page store anything
  }
}
