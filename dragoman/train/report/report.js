// Two parts: the values at the pointer, and the page of a run that is under way.
//
// Shows the values of the curves at the pointer, or at the step chosen with the arrow keys. The coordinates of the
// points are read from each curve's path; their steps and values are in its data-values attribute, in the same order.
// A drawing whose horizontal axis has no steps names its unit in data-unit, and its top and bottom in data-frame.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function readCurve(path) {
  const places = path.getAttribute("d").slice(1).split("L").map(pair => pair.split(" ").map(Number));
  const texts = path.dataset.values.split(";").map(pair => pair.split(" "));
  return {
    name: path.dataset.name,
    path,
    kind: path.parentNode.getAttribute("class"),
    points: places.map(([x, y], i) => ({x, y, step: texts[i][0], value: texts[i][1]})),
  };
}

// A run that is unticked has no curves.
const isShown = ({path}) => getComputedStyle(path.parentNode).display !== "none";

function nearest(points, x) {
  let low = 0, high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle].x < x) low = middle; else high = middle;
  }
  return Math.abs(points[low].x - x) <= Math.abs(points[high].x - x) ? low : high;
}

function element(parent, name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return parent.appendChild(made);
}

// The points at which the pointer stops: those of the curve with the most, and of other curves beyond its end.
function stopsOf(curves) {
  const longest = curves.reduce((a, b) => b.points.length > a.points.length ? b : a);
  const end = longest.points.at(-1).x;
  const beyond = curves.flatMap(({points}) => points.filter(({x}) => x > end)).sort((a, b) => a.x - b.x);
  return [...longest.points, ...beyond.filter(({x}, i) => i === 0 || x > beyond[i - 1].x)];
}

function addReadout(svg) {
  const curves = [...svg.querySelectorAll(".curve")].map(readCurve);
  const stops = stopsOf(curves);
  const marks = element(svg, "g", {});
  const box = svg.parentNode.appendChild(document.createElement("div"));
  box.className = "readout";
  box.hidden = true;
  box.setAttribute("aria-live", "polite");
  const unit = svg.dataset.unit ?? "step";
  const [top, bottom] = (svg.dataset.frame ?? "10 210").split(" ");  // kTop and kBottom in chart.cpp
  let chosen = stops.length - 1;

  function hide() {
    marks.replaceChildren();
    box.hidden = true;
  }

  function show(index) {
    chosen = Math.max(0, Math.min(stops.length - 1, index));
    const at = stops[chosen];
    marks.replaceChildren();
    element(marks, "path", {class: "guide", d: `M${at.x} ${top}V${bottom}`});
    const title = document.createElement("b");
    title.textContent = `${unit} ${at.step}`;
    box.replaceChildren(title);
    for (const curve of curves.filter(isShown)) {
      const point = curve.points[nearest(curve.points, at.x)];
      element(element(marks, "g", {class: curve.kind}), "circle", {class: "marker", cx: point.x, cy: point.y, r: 4});
      const line = box.appendChild(document.createElement("span"));
      line.className = curve.kind;
      line.textContent = `${curve.name}: ${point.value}` + (point.step === at.step ? "" : ` (${unit} ${point.step})`);
    }
    box.hidden = false;
    const scale = svg.clientWidth / svg.viewBox.baseVal.width;
    const left = svg.getBoundingClientRect().left - svg.parentNode.getBoundingClientRect().left;
    const room = svg.parentNode.clientWidth - box.offsetWidth - 4;
    const beside = at.x * scale + left + 14;
    box.style.left = `${Math.max(4, beside <= room ? beside : Math.min(room, beside - box.offsetWidth - 28))}px`;
    box.style.top = `${svg.getBoundingClientRect().top - svg.parentNode.getBoundingClientRect().top + 8}px`;
  }

  svg.addEventListener("pointermove", event => {
    const frame = svg.getBoundingClientRect();
    show(nearest(stops, (event.clientX - frame.left) / frame.width * svg.viewBox.baseVal.width));
  });
  svg.addEventListener("pointerleave", hide);
  svg.tabIndex = 0;
  svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) show(chosen); });
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", event => {
    const by = {ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -Infinity, End: Infinity}[event.key];
    if (by === undefined) return;
    event.preventDefault();
    show(chosen + by);
  });
}

document.querySelectorAll(".chart svg").forEach(addReadout);

// The page of a run that is under way loads itself again when the run has probably written a new one. What the reader
// has chosen stays: the place, the tables that are open, and the boxes. A page of a file cannot ask whether there is
// something new, so it loads itself; it waits while the reader points at a curve or has selected text. If nothing new
// comes, it says since when, and looks less and less often.

const secondsBetweenLooks = {least: 1, most: 60};
const patience = {least: 60, looks: 4};  // seconds, and times between two pages, without news
const longestSilence = 24 * 3600;        // then the page stops to look
const longestLoad = 5000;                // milliseconds that a page may take to load

function remember(more) {
  const open = [...document.querySelectorAll("details")].map(table => table.open);
  const boxes = [...document.querySelectorAll("input[type=checkbox]")].map(box => box.checked);
  history.replaceState({...history.state, ...more, open, boxes, place: [scrollX, scrollY]}, "");
}

function restore({open = [], boxes = [], place} = {}) {
  [...document.querySelectorAll("details")].forEach((table, i) => { if (i in open) table.open = open[i]; });
  [...document.querySelectorAll("input[type=checkbox]")].forEach((box, i) => { if (i in boxes) box.checked = boxes[i]; });
  if (place) scrollTo(...place);
}

function ago(seconds) {
  const count = (number, unit) => `${number} ${unit}${number === 1 ? "" : "s"} ago`;
  if (seconds < 90) return count(Math.round(seconds), "second");
  return seconds < 5400 ? count(Math.round(seconds / 60), "minute") : count(Math.round(seconds / 3600), "hour");
}

const isInUse = () => document.hidden || document.querySelector(".readout:not([hidden])") !== null ||
  !document.getSelection().isCollapsed;

// When the last news came, in milliseconds. It is what the page says, except if the page has just found news: then it is
// now by the reader's own clock, because that of the machine that trains may be wrong.
function timeOfNews(written) {
  const before = history.state ?? {};
  if (before.written === written) return before.heard;
  const hasJustLooked = Date.now() - (before.looked ?? 0) < longestLoad;
  return hasJustLooked ? Date.now() : Math.min(Date.now(), 1000 * written);
}

function follow(status) {
  const written = Number(status.dataset.written), usual = Number(status.dataset.seconds);
  const heard = timeOfNews(written), loaded = Date.now();
  const news = document.getElementById("news");
  const label = status.appendChild(document.createElement("label"));
  const box = label.appendChild(document.createElement("input"));
  box.type = "checkbox";
  box.checked = true;
  label.append("follow the run");
  restore(history.state ?? {});
  remember({written, heard});

  function look() {
    const silence = (Date.now() - heard) / 1000;
    const isSilent = silence > Math.max(patience.least, patience.looks * usual);
    const wait = Math.max(
      Math.min(Math.max(usual, secondsBetweenLooks.least), secondsBetweenLooks.most), isSilent ? silence / 10 : 0);
    const hasGivenUp = silence > longestSilence;
    status.classList.toggle("silent", isSilent);
    const since = new Date(heard).toLocaleString();
    const text = hasGivenUp ? `Nothing new since ${since}. This page no longer looks for news; load it again to see them.`
      : isSilent ? `Nothing new since ${since} (${ago(silence)}): the run may have been killed, or it validates. ` +
        `This page looks again every ${ago(wait).replace(" ago", "")}.`
        : `Written ${ago(silence)}.`;
    if (news.textContent !== text) news.textContent = text;
    if (hasGivenUp) return;
    if (box.checked && !isInUse() && Date.now() - loaded > 1000 * wait) {
      remember({written, heard, looked: Date.now()});
      location.reload();
    } else {
      setTimeout(look, 500);
    }
  }
  look();
}

const runStatus = document.getElementById("status");
if (runStatus?.dataset.written) follow(runStatus);
else if (history.state?.written) restore(history.state);  // the run has ended meanwhile
