// The heads that the view shows, each with its numbers: {attention, layer, head, role, distance, entropy, peak, own,
// previous, next, first, last, agreement, does}. A number that a head does not have is null.

import {siteName} from "../../core/sites.js";
import {characterOf, headStatistics} from "./statistics.js";

/** What the heads do with the sentence of a trace. */
export function sentenceEntries(app, trace) {
  return app.sites.flatMap((site) => {
    const attention = site.name;
    const {heads: count, recorded: layers} = trace.shape(attention);
    return layers.flatMap((layer) => Array.from({length: count}, (_, head) => {
      const stats = headStatistics(trace.weights(attention, layer, head), site);
      const role = app.roleOf(attention, layer, head);
      return {attention, layer, head, role, ...stats, agreement: null, does: characterOf(stats)};
    }));
  });
}

/** What they do over many sentences. */
export const surveyEntries = (app) => app.survey.heads
  .filter(({attention, layer, head}) => layer < app.site(attention).layers && head < app.site(attention).heads)
  .map(({end, ...entry}) => ({...entry, last: end, does: ""}));

export const shortName = ({attention, layer, head}) => `${siteName(attention)} ${layer + 1}.${head + 1}`;
