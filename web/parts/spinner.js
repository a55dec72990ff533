// The sign that a request is in progress, for requests that take noticeably long.

import {text} from "../strings/sentence.js";
import {el} from "./elements.js";

export const spinner = (what = text.translating) => el("span", {class: "waiting"},
  el("span", {class: "spinner", "aria-hidden": "true"}), what);
