// What can be taken away: the shown view as SVG or PNG, the data as JSON, everything as one file that works offline,
// and a link to what is seen.

import {el} from "dragoman/draw.js";
import {offlineData, offlinePage, resultsOf} from "dragoman/offline.js";
import {pixelsOf, standalone} from "dragoman/standalone.js";
import {toHash} from "dragoman/state.js";

export function exportTools(root, app) {
  const said = el("p", {class: "menu-said", role: "status"});
  const link = el("input", {type: "text", readonly: true, hidden: true, "aria-label": "Link to this view"});
  const items = [
    ["Picture, SVG", "The view as it is, sharp at any size", () => savePicture(app, "svg")],
    ["Picture, PNG", "The view in pixels, twice as fine as on the screen", () => savePicture(app, "png")],
    ["Data, JSON", "What was asked and answered: weights as base64 of float32", () => saveData(app)],
    ["Offline page, HTML", "One file with this page and these sentences; needs no server and no network",
      () => savePage(app)],
    ["Copy link", "Restores sentence, settings and view", () => copyLink(app, link)],
  ];
  const buttons = items.map(([text, about, act]) => (
    el("button", {type: "button", class: "menu-item", onclick: () => run(act)},
      el("span", {}, text), el("span", {class: "menu-about"}, about))));
  const panel = el("div", {
    class: "menu-panel", id: "export-panel", hidden: true, role: "group", "aria-label": "Export",
  }, buttons, link, said);
  const opener = el("button", {type: "button", class: "quiet", id: "export", "aria-expanded": "false",
    "aria-controls": panel.id, onclick: () => open(panel.hidden)}, "Export");
  const menu = el("div", {class: "menu", onkeydown: keys}, opener, panel);
  root.append(menu);
  document.addEventListener("pointerdown", (event) => {
    if (!panel.hidden && !menu.contains(event.target)) open(false);
  });

  function open(is) {
    panel.hidden = !is;
    opener.setAttribute("aria-expanded", String(is));
    said.textContent = "";
    link.hidden = true;
    if (is) buttons[0].focus();
  }

  function keys(event) {
    if (panel.hidden) return;
    if (event.key === "Escape") {
      open(false);
      opener.focus();
      event.preventDefault();
      return;
    }
    const at = buttons.indexOf(document.activeElement);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    buttons[(to + buttons.length) % buttons.length].focus();
  }

  async function run(act) {
    said.textContent = "One moment …";
    try {
      said.textContent = await act();
    } catch (error) {
      said.textContent = error.message;
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
  return `Saved as ${name}.`;
}

async function savePicture(app, kind) {
  const drawing = app.views?.view?.svg?.();
  if (!drawing) throw new Error("There is nothing to draw in this view yet.");
  const picture = standalone(drawing);
  const name = `dragoman-${app.views.name}.${kind}`;
  if (kind === "png") return save(name, "image/png", await pixelsOf(picture));
  return save(name, "image/svg+xml", `<?xml version="1.0" encoding="UTF-8"?>\n${picture.text}\n`);
}

function saveData(app) {
  const results = resultsOf(app);
  if (!results.length) throw new Error("There is no translation yet.");
  const sentences = results.map(({request, answer}) => ({request, answer}));
  return save("dragoman.json", "application/json", JSON.stringify({version: 1, model: app.model, sentences}));
}

async function savePage(app) {
  return save("dragoman.html", "text/html", offlinePage(await offlineData(app)));
}

async function copyLink(app, field) {
  const address = location.href.replace(/#.*/, "") + toHash(app.state);
  try {
    await navigator.clipboard.writeText(address);
    return "The link is copied.";
  } catch {
    field.hidden = false;
    field.value = address;
    field.select();
    return "Copy the link from here.";
  }
}
