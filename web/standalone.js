// The picture of a view as a file: an SVG that stands alone, or pixels of it.

import {colour, el, svg} from "dragoman/draw.js";

// What of the page's look is written into each element, unless it is what an SVG has by itself.
const usual = {
  fill: "", stroke: "none", "stroke-width": "", "fill-opacity": "1", "stroke-opacity": "1", "stroke-dasharray": "none",
  opacity: "1", visibility: "visible", display: "inline", "image-rendering": "auto", "mix-blend-mode": "normal",
};
const usualText = {
  "font-family": "", "font-size": "", "font-weight": "400", "font-style": "normal", "text-anchor": "start",
  "dominant-baseline": "auto",
};

/** {text, width, height} of an SVG, with its look written into it, on paper of its own. */
export function standalone(picture) {
  const holder = el("div", {"aria-hidden": "true", style: {position: "absolute", left: "-99999px", top: "0"}}, picture);
  document.body.append(holder);
  const elements = [picture, ...picture.querySelectorAll("*")];
  for (const element of elements) {
    const style = getComputedStyle(element);
    const text = element.tagName === "text" || element.tagName === "tspan";
    for (const [name, value] of Object.entries(text ? {...usual, ...usualText} : usual)) {
      const is = style.getPropertyValue(name);
      if (is && is !== value) element.style.setProperty(name, is);
    }
  }
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

const mostPixels = 16000;  // of a side, in any browser

/** A PNG of what standalone() gave, twice as fine as on the screen where that is not too large. */
export async function pixelsOf({text, width, height}) {
  const scale = Math.min(2, mostPixels / Math.max(width, height));
  const canvas = el("canvas", {width: Math.ceil(width * scale), height: Math.ceil(height * scale)});
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  if (!blob) throw new Error("The picture is too large for this browser.");
  return blob;
}
