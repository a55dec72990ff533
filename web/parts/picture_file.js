// The picture of a view as a file: an SVG that needs no style sheet, or a PNG of it.

import {text as strings} from "../strings/page.js";
import {colour} from "./colours.js";
import {el, svg} from "./elements.js";

// The properties that are copied from the page's style into each element, unless they have the default value of SVG.
const shapeDefaults = {
  fill: "", stroke: "none", "stroke-width": "", "fill-opacity": "1", "stroke-opacity": "1", "stroke-dasharray": "none",
  opacity: "1", visibility: "visible", display: "inline", "image-rendering": "auto", "mix-blend-mode": "normal",
};
const textDefaults = {
  ...shapeDefaults, "font-family": "", "font-size": "", "font-weight": "400", "font-style": "normal",
  "text-anchor": "start", "dominant-baseline": "auto",
};

/** {text, width, height} of an SVG, with its style written into its elements and a background of its own. */
export function standalone(picture) {
  const holder = el("div", {"aria-hidden": "true", style: {position: "absolute", left: "-99999px", top: "0"}}, picture);
  document.body.append(holder);
  const elements = [picture, ...picture.querySelectorAll("*")];
  elements.forEach(writeStyle);
  for (const element of elements) for (const name of ["class", "tabindex", "role"]) element.removeAttribute(name);
  holder.remove();
  const sides = ["width", "height"].map((side) => picture.getAttribute(side));
  const box = picture.getAttribute("viewBox") ?? `0 0 ${sides.join(" ")}`;
  const [x, y, width, height] = box.split(/[\s,]+/).map(Number);
  picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  picture.setAttribute("width", width);
  picture.setAttribute("height", height);
  picture.prepend(svg("rect", {x, y, width, height, fill: colour("--paper")}));
  return {text: new XMLSerializer().serializeToString(picture), width, height};
}

function writeStyle(element) {
  const computed = getComputedStyle(element);
  const isText = element.tagName === "text" || element.tagName === "tspan";
  for (const [name, initial] of Object.entries(isText ? textDefaults : shapeDefaults)) {
    const value = computed.getPropertyValue(name);
    if (value && value !== initial) element.style.setProperty(name, value);
  }
}

const mostPixels = 16000;  // on a side; any browser can draw that many

/** A PNG of what standalone() gave, with twice the resolution of the screen unless that is too large. */
export async function pixelsOf({text, width, height}) {
  const scale = Math.min(2, mostPixels / Math.max(width, height));
  const canvas = el("canvas", {width: Math.ceil(width * scale), height: Math.ceil(height * scale)});
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  if (!blob) throw new Error(strings.tooLarge);
  return blob;
}
