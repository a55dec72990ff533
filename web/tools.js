// The buttons of the header: the tour, export, and light or dark.
import {el} from "dragoman/draw.js";

export function tools(root, app) {
  root.append(slot("tour.js", "tourTools", app), slot("export.js", "exportTools", app), themeButton(app));
}

// Loaded after the first picture: neither is needed for it.
function slot(file, name, app) {
  const root = el("span", {class: "slot"});
  import(`dragoman/${file}`).then((module) => module[name](root, app)).catch((error) => console.warn(`${file}: ${error.message}`));
  return root;
}

function themeButton(app) {
  const theme = () => document.documentElement.dataset.theme;
  const button = el("button", {type: "button", class: "quiet", onclick: () => choose(theme() === "dark" ? "light" : "dark", true)});
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
