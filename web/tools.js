// The buttons of the header: the tour, export, and light or dark.
import {el} from "dragoman/draw.js";
import {exportTools} from "dragoman/export.js";
import {tourTools} from "dragoman/tour.js";

export function tools(root, app) {
  tourTools(root, app);
  exportTools(root, app);
  root.append(themeButton(app));
}

function themeButton(app) {
  const theme = () => document.documentElement.dataset.theme;
  const button = el(
    "button", {type: "button", class: "quiet", onclick: () => choose(theme() === "dark" ? "light" : "dark", true)});
  const tell = () => {
    button.textContent = theme() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", theme() === "dark" ? "Light theme" : "Dark theme");
  };
  const choose = (name, keep) => {
    document.documentElement.dataset.theme = name;
    if (keep) {
      try {
        localStorage.setItem("dragoman-theme", name);
      } catch {
        // a page that may store nothing forgets it
      }
    }
    tell();
    app.themed?.();
    app.refresh();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    choose(event.matches ? "dark" : "light", false);
  });
  tell();
  return button;
}
