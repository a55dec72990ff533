// The changes that are made in "What if", as text.

import {siteName} from "../core/sites.js";
import {settingNames, settingValues, text} from "../strings/sentence.js";

/** `changes` are fields of a request (see changesOf in core/requests.js). */
export function changesInWords({heads_off: off, ...search}) {
  const words = [];
  if (off) {
    const list = off.map(({attention, layer, head}) => `${siteName(attention)} ${layer}.${head}`);
    words.push(text.switchedOff(list.length > 6 ? text.headCount(list.length) : text.listed(list)));
  }
  for (const [name, value] of Object.entries(search)) {
    const shown = name === "prefix" ? `“${value}”` : settingValues[value] ?? value;
    words.push(`${settingNames[name] ?? name} ${shown}`);
  }
  return text.joined(words);
}
