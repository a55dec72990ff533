// Makes elements of HTML and SVG, and prepares canvases.

import {colour} from "./colours.js";

/** el("button", {class: "x", onclick: f, "aria-label": "..."}, "text", node): an HTML element. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setAttribute(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on") && typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (name === "style" && typeof value === "object") setStyle(element, value);
  else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

function setStyle(element, style) {
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
}

/** An SVG picture with a background, for export. */
export function svgSheet(width, height, ...parts) {
  return svg("svg", {
    xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`,
    "font-family": "system-ui, sans-serif",
  }, svg("rect", {width, height, fill: colour("--paper")}), ...parts);
}

/**
 * Sets the size of a canvas in CSS pixels and returns its cleared context, whose coordinates are CSS pixels, too. On a
 * screen with smaller pixels the canvas has up to twice as many in each direction.
 */
export function preparedCanvas(canvas, width, height) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.reset();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Moves the focus among buttons by arrow keys, Home and End. Returns the button that got the focus, or null. */
export function moveFocus(event, buttons, {back, forward}) {
  const at = buttons.indexOf(document.activeElement);
  const to = {[forward]: at + 1, [back]: at - 1, Home: 0, End: buttons.length - 1}[event.key];
  if (to === undefined || at < 0) return null;
  event.preventDefault();
  const button = buttons[(to + buttons.length) % buttons.length];
  button.focus();
  return button;
}

/** The same for buttons in rows of `columns`, where each arrow key goes to a neighbour. */
export function moveFocusInGrid(event, buttons, columns) {
  const at = buttons.indexOf(document.activeElement);
  const to = {ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + columns, ArrowUp: at - columns}[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  buttons[to]?.focus();
}
