// Adds the role of a head to the title of an element that stands for the head.

import {mixed} from "../core/survey.js";
import {roleName} from "../strings/roles.js";

const plainTitles = new WeakMap();

export function showRole(element, role) {
  if (!plainTitles.has(element)) plainTitles.set(element, element.title);
  element.title = [role && role !== mixed ? roleName(role) : "", plainTitles.get(element)].filter(Boolean).join(" · ");
}
