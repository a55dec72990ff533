// What a view says while there is no translation to show.

/** `what` continues the sentence "This view shows ...". */
export function noTranslationText({requests: {plain}, settings, api, offline}, what) {
  if (offline) return `Choose a sentence of this file above. This view shows ${what}.`;
  if (plain.failure) return `There is no translation to look into: the request failed. This view shows ${what}.`;
  if (plain.busy) return "The translation is on its way.";
  if (plain.result) return `The server sent this translation without what it looked at. This view shows ${what}.`;
  if (settings.keyRequired && !api.key) return `Enter the API key above, and then a sentence. This view shows ${what}.`;
  return `Type a sentence above, or choose an example. This view shows ${what}.`;
}
