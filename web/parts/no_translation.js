// What a view says while there is no translation to show.

import {text} from "../strings/parts.js";

/** `what` continues the sentence "This view shows ...". */
export function noTranslationText({requests: {plain}, settings, api, offline}, what) {
  if (offline) return text.chooseOfFile(what);
  if (plain.failure) return text.failed(what);
  if (plain.busy) return text.onItsWay;
  if (plain.result) return text.withoutTrace(what);
  if (settings.keyRequired && !api.key) return text.enterKey(what);
  return text.enterSentence(what);
}
