// Shows the values of the curves at the pointer, or at the step chosen with the arrow keys. The coordinates of the
// points are read from each curve's path; their steps and values are in its data-values attribute, in the same order.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function readCurve(path) {
  const places = path.getAttribute("d").slice(1).split("L").map(pair => pair.split(" ").map(Number));
  const texts = path.dataset.values.split(";").map(pair => pair.split(" "));
  return {
    name: path.dataset.name,
    kind: path.parentNode.getAttribute("class"),
    points: places.map(([x, y], i) => ({x, y, step: texts[i][0], value: texts[i][1]})),
  };
}

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

function addReadout(svg) {
  const curves = [...svg.querySelectorAll(".curve")].map(readCurve);
  const longest = curves.reduce((a, b) => b.points.length > a.points.length ? b : a);
  const marks = element(svg, "g", {});
  const box = svg.parentNode.appendChild(document.createElement("div"));
  box.className = "readout";
  box.hidden = true;
  box.setAttribute("aria-live", "polite");
  let chosen = longest.points.length - 1;

  function hide() {
    marks.replaceChildren();
    box.hidden = true;
  }

  function show(index) {
    chosen = Math.max(0, Math.min(longest.points.length - 1, index));
    const at = longest.points[chosen];
    marks.replaceChildren();
    element(marks, "path", {class: "guide", d: `M${at.x} 10V210`});  // from kTop to kBottom, as in chart.cpp
    const title = document.createElement("b");
    title.textContent = `step ${at.step}`;
    box.replaceChildren(title);
    for (const curve of curves) {
      const point = curve.points[nearest(curve.points, at.x)];
      element(element(marks, "g", {class: curve.kind}), "circle", {class: "marker", cx: point.x, cy: point.y, r: 4});
      const line = box.appendChild(document.createElement("span"));
      line.className = curve.kind;
      line.textContent = `${curve.name}: ${point.value}` + (point.step === at.step ? "" : ` (step ${point.step})`);
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
    show(nearest(longest.points, (event.clientX - frame.left) / frame.width * svg.viewBox.baseVal.width));
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
