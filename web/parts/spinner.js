// The sign that a request is in progress, for requests that take noticeably long.

import {el} from "./elements.js";

export const spinner = (text = "Translating …") => el("span", {class: "waiting"},
  el("span", {class: "spinner", "aria-hidden": "true"}), text);
