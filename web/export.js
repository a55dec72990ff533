// What can be taken away: the shown view as SVG or PNG, the data as JSON, everything as one file that works offline, and a
// link to what is seen.

import {colour, el, svg} from "dragoman/draw.js";
import {toHash} from "dragoman/state.js";

// The page as it came, before anything was put into it: what an offline file is made of.
const pristine = document.documentElement.cloneNode(true);
pristine.querySelector("#dragoman-data")?.remove();

const mostProjections = 8 << 20;  // bytes of queries and keys that an offline file carries

export function exportTools(root, app) {
  const said = el("p", {class: "menu-said", role: "status"});
  const link = el("input", {type: "text", readonly: true, hidden: true, "aria-label": "Link to this view"});
  const buttons = [
    ["Picture, SVG", "The view as it is, sharp at any size", () => savePicture(app, "svg")],
    ["Picture, PNG", "The view in pixels, twice as fine as on the screen", () => savePicture(app, "png")],
    ["Data, JSON", "What was asked and answered: weights as base64 of float32", () => saveData(app)],
    ["Offline page, HTML", "One file with this page and these sentences; needs no server and no network", () => savePage(app)],
    ["Copy link", "Restores sentence, settings and view", () => copyLink(app, link)],
  ].map(([text, about, act]) => el("button", {type: "button", class: "menu-item", onclick: () => run(act)},
    el("span", {}, text), el("span", {class: "menu-about"}, about)));
  const panel = el("div", {class: "menu-panel", id: "export-panel", hidden: true, role: "group", "aria-label": "Export"}, buttons, link, said);
  const opener = el("button", {type: "button", class: "quiet", id: "export", "aria-expanded": "false", "aria-controls": "export-panel",
    onclick: () => open(panel.hidden)}, "Export");
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
    if (event.key === "Escape" && !panel.hidden) {
      open(false);
      opener.focus();
      event.stopPropagation();
      return;
    }
    const at = buttons.indexOf(document.activeElement);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1}[event.key];
    if (to === undefined || panel.hidden) return;
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

const copied = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-family", "font-size",
  "font-weight", "font-style", "text-anchor", "dominant-baseline", "image-rendering", "visibility", "display", "mix-blend-mode"];
const usual = {"fill-opacity": "1", "stroke-opacity": "1", "stroke-dasharray": "none", opacity: "1", "font-style": "normal", "text-anchor": "start",
  "dominant-baseline": "auto", "image-rendering": "auto", visibility: "visible", display: "inline", stroke: "none", "mix-blend-mode": "normal"};

/** The picture of a view with the page's look written into it, on paper of its own. */
export function standalone(picture) {
  const holder = el("div", {"aria-hidden": "true", style: {position: "absolute", left: "-99999px", top: "0"}}, picture);
  document.body.append(holder);
  const elements = [picture, ...picture.querySelectorAll("*")];
  for (const element of elements) {
    const style = getComputedStyle(element);
    const text = ["text", "tspan"].includes(element.tagName);
    for (const name of copied) {
      if (name.startsWith("font") && !text) continue;
      const value = style.getPropertyValue(name);
      if (value && value !== usual[name]) element.style.setProperty(name, value);
    }
  }
  for (const element of elements) for (const name of ["class", "tabindex", "role"]) element.removeAttribute(name);
  holder.remove();
  const [x, y, width, height] = (picture.getAttribute("viewBox") ?? `0 0 ${picture.getAttribute("width")} ${picture.getAttribute("height")}`)
    .split(/[\s,]+/).map(Number);
  picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  picture.setAttribute("width", width);
  picture.setAttribute("height", height);
  picture.prepend(svg("rect", {x, y, width, height, fill: colour("--paper")}));
  return {text: new XMLSerializer().serializeToString(picture), width, height};
}

function pictureOf(app) {
  const picture = app.views?.view?.svg?.();
  if (!picture) throw new Error("There is nothing to draw in this view yet.");
  return standalone(picture);
}

async function savePicture(app, kind) {
  const {text, width, height} = pictureOf(app);
  const name = `dragoman-${app.views.name}`;
  if (kind === "svg") return save(`${name}.svg`, "image/svg+xml", `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`);
  const scale = Math.min(2, 16000 / Math.max(width, height));
  const canvas = el("canvas", {width: Math.ceil(width * scale), height: Math.ceil(height * scale)});
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  if (!blob) throw new Error("The picture is too large for this browser.");
  return save(`${name}.png`, "image/png", blob);
}

// The answers that are there: the plain translation, the changed one, the second sentence.
const resultsOf = (app) => [app.flow.plain, app.flow.changed, app.flow.other].map(({result}) => result).filter((result) => result?.answer);

function saveData(app) {
  const results = resultsOf(app);
  if (!results.length) throw new Error("There is no translation yet.");
  const sentences = results.map(({request, answer}) => ({request, answer}));
  return save("dragoman.json", "application/json", JSON.stringify({version: 1, model: app.model, sentences}));
}

// Queries and keys of all heads, where they are not too many.
function small(app, result) {
  const {config} = app.model;
  const tokens = result.sentences.reduce((sum, {trace}) => sum + (trace?.src?.length ?? 0) + (trace?.tgt?.length ?? 0), 0);
  const width = config["d-k"] ?? config["d-model"] / config.heads;
  return !result.layers && tokens * 1.5 * config.heads * (config["encoder-layers"] + config["decoder-layers"]) * width * 4 < mostProjections;
}

async function complete(app, result) {
  const {request, answer} = result;
  if (app.offline || !small(app, result)) return {request, answer};
  const whole = {...request, projections: "all"};
  try {
    return {request, answer: await app.api.translate(whole)};
  } catch {
    return {request, answer};  // without queries and keys, then
  }
}

/** What an offline file carries. */
export async function offlineData(app) {
  const {state} = app;
  const plain = {...state, heads: [...(state.heads ?? [])]};
  if (app.offline) return {...app.data, state: plain};
  const results = resultsOf(app);
  if (!results.length) throw new Error("There is no translation yet.");
  const longest = Math.max(64, ...results.flatMap(({sentences}) => sentences.map(({trace}) => Math.max(trace?.src?.length ?? 0, trace?.tgt?.length ?? 0))));
  const [positions, film, ...sentences] = await Promise.all([
    app.model.config.positions === "none" ? null : app.positions(Math.min(512, longest)),
    app.model.film ? app.film() : null,
    ...results.map((result) => complete(app, result)),
  ]);
  return {version: 1, model: app.model, positions, sentences, film, state: plain};
}

/** The page as it came, with data in it, as the text of a file. */
export function offlinePage(data) {
  const page = pristine.cloneNode(true);
  const script = document.createElement("script");
  script.type = "application/json";
  script.id = "dragoman-data";
  script.textContent = JSON.stringify(data).replaceAll("<", "\\u003c");
  page.querySelector("body").append(script);
  return `<!doctype html>\n${page.outerHTML}\n`;
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
