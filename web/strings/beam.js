// Texts of the view "Beam".

import {inLanguage} from "../core/language.js";

const counted = (count, one, more) => `${count} ${count === 1 ? one : more}`;

export const text = inLanguage({
  shows: {en: "how the search found the translation", zh: "搜索怎样找到译文"},
  noTree: {
    en: "There is no tree: a greedy search and sampling follow a single hypothesis, word by word.",
    zh: "没有搜索树：贪心搜索和采样只沿着一个候选逐词写下去。",
  },
  showBeam: {en: "Show a beam search", zh: "显示束搜索"},
  tree: {
    en: "Search tree; arrow keys move from hypothesis to hypothesis",
    zh: "搜索树；用方向键在候选之间移动",
  },
  dropped: {en: "Dropped candidates", zh: "被淘汰的候选"},
  droppedTitle: {
    en: "Also shows the candidates that did not get into the beam, because better ones filled it",
    zh: "也显示没能进入束的候选，因为束已被更好的占满",
  },
  size: {en: "Size", zh: "大小"},
  boxes: {
    en: "A box has a token and the score of the hypothesis so far: the sum of its log probabilities, divided by the " +
      "length norm. Choose a box to see how its score comes about, and what became of it.",
    zh: "每个方框是一个词元和到此为止的得分：对数概率之和除以长度归一化。选择一个方框，看它的得分怎样得来、结果如何。",
  },
  start: {en: "start", zh: "开始"},
  step: {en: (step) => `step ${step}`, zh: (step) => `第 ${step} 步`},
  startLabel: {en: "Start of the search", zh: "搜索的起点"},
  ended: {en: (words) => `${words}, end`, zh: (words) => `${words}，结束`},
  nodeLabel: {
    en: (step, words, score, fate) => `Step ${step}: ${words}; score ${score}. ${fate}`,
    zh: (step, words, score, fate) => `第 ${step} 步：${words}；得分 ${score}。${fate}`,
  },
  nothing: {en: "nothing", zh: "空"},

  // The details of a candidate
  startToken: {
    en: "The search begins with the start token alone.",
    zh: "搜索开始时只有起始词元。",
  },
  nothingYet: {en: "(nothing yet)", zh: "（还没有词）"},
  given: {
    en: (token) => `log P(“${token}”) given the tokens before it`,
    zh: (token) => `前文已知时的 log P(“${token}”)`,
  },
  sum: {
    en: (count) => `sum over ${counted(count, "token", "tokens")}`,
    zh: (count) => `${count} 个词元之和`,
  },
  norm: {en: (formula) => `length norm ${formula}`, zh: (formula) => `长度归一化 ${formula}`},
  scoreIs: {en: "score = sum / norm", zh: "得分 = 和 / 归一化"},

  // The table of results
  translation: {en: "Translation", zh: "译文"},
  tokens: {en: "tokens", zh: "词元数"},
  normColumn: {en: "norm", zh: "归一化"},
  score: {en: "score", zh: "得分"},
  results: {
    en: (count, norm) => `The best ${count} hypotheses that ended; length norm ${norm}`,
    zh: (count, norm) => `已结束的候选中最好的 ${count} 个；长度归一化 ${norm}`,
  },
  empty: {en: "(empty)", zh: "（空）"},

  // What became of a candidate
  forced: {en: "Forced: the translation must begin like this.", zh: "指定：译文必须这样开头。"},
  beaten: {
    en: (places) => `Beaten: it ended the sentence, but ${places} hypotheses that had ended before it score better.`,
    zh: (places) => `落败：它结束了句子，但之前已结束的 ${places} 个候选得分更高。`,
  },
  won: {en: "Lives on: it became the translation.", zh: "保留：它成了译文。"},
  crowdedOut: {en: "Crowded out: better ones filled the beam.", zh: "被挤出：更好的候选占满了束。"},
  crowdedOutBy: {
    en: (places, last, lastScore, score) => `Crowded out: ${places} better continuations filled the beam. The last ` +
      `of them, “${last}”, scored ${lastScore}; this one scored ${score}.`,
    zh: (places, last, lastScore, score) => `被挤出：${places} 个更好的续写占满了束。其中最后一个“${last}”得分 ` +
      `${lastScore}，它得分 ${score}。`,
  },
  finishedFirst: {
    en: "Ended the sentence. No other hypothesis that ended scores better, so it is the translation.",
    zh: "结束了句子。已结束的候选中没有得分更高的，所以它就是译文。",
  },
  finishedLater: {
    en: (place, best, score) => `Ended the sentence, in place ${place} of those that did. The winner scored ${best}, ` +
      `this one ${score}.`,
    zh: (place, best, score) => `结束了句子，在已结束的候选中排第 ${place}。第一名得分 ${best}，它得分 ${score}。`,
  },
  displaced: {
    en: (step, places) => `Ended the sentence, but by step ${step} better ones had taken all ${places} places.`,
    zh: (step, places) => `结束了句子，但到第 ${step} 步时，更好的候选已占满全部 ${places} 个位置。`,
  },
  descendantEnded: {
    en: "Lives on: a hypothesis that goes through it ended, but did not win.",
    zh: "保留：经过它的一个候选结束了，但没有胜出。",
  },
  livedToTheEnd: {
    en: "Lives on to the last step of the search, but did not win.",
    zh: "保留到搜索的最后一步，但没有胜出。",
  },
  livedUntil: {
    en: (step) => `Lives on until step ${step}; then none of its continuations was among the best.`,
    zh: (step) => `保留到第 ${step} 步；之后它的续写都没能进入前列。`,
  },
  noNextWord: {
    en: "The search ended here: the settings allowed no next word.",
    zh: "搜索到此结束：设置不允许再有下一个词。",
  },
  diedAgainst: {
    en: (own, ownScore, last, lastScore) => `Died at the next step: its best continuation, “${own}”, scored ` +
      `${ownScore}, and the last place of the beam went to “${last}” with ${lastScore}.`,
    zh: (own, ownScore, last, lastScore) => `下一步被淘汰：它最好的续写“${own}”得分 ${ownScore}，束的最后一个位置给了得分 ` +
      `${lastScore} 的“${last}”。`,
  },
  died: {
    en: (count, score) => `Died at the next step: none of its continuations was among the best ${count}, the last of ` +
      `which scored ${score}.`,
    zh: (count, score) => `下一步被淘汰：它的续写都没能进入前 ${count} 名，第 ${count} 名得分 ${score}。`,
  },
  limitReached: {
    en: "The length limit was reached before the sentence ended. This was the best hypothesis.",
    zh: "句子还没结束就到了长度上限。这是最好的候选。",
  },
  alive: {en: "Alive when the search stopped.", zh: "搜索停止时仍在束中。"},
  hopeless: {
    en: (logp, divisor, most, tokens, rival, score) => "Alive when the search stopped. Log-probabilities only fall, " +
      `so its score could become at most ${logp} / ${divisor} = ${most} (at ${tokens} tokens, the longest allowed), ` +
      `but ${rival} has ${score}.`,
    zh: (logp, divisor, most, tokens, rival, score) => "搜索停止时仍在束中。对数概率只会下降，所以它的得分最高只能到 " +
      `${logp} / ${divisor} = ${most}（长度为上限 ${tokens} 个词元时），而${rival}得分 ${score}。`,
  },
  winner: {en: "the winner", zh: "第一名"},
  place: {en: (place) => `place ${place}`, zh: (place) => `第 ${place} 名`},

  // Why the search ended
  allEnded: {
    en: (steps) => `The search ended after ${counted(steps, "step", "steps")}: every hypothesis had ended.`,
    zh: (steps) => `搜索在 ${steps} 步后结束：所有候选都已结束。`,
  },
  beamEnded: {
    en: (steps, places) => `The search ended after ${counted(steps, "step", "steps")}: ${places} hypotheses had ` +
      "ended, as many as the beam is wide.",
    zh: (steps, places) => `搜索在 ${steps} 步后结束：已有 ${places} 个候选结束，与束宽相同。`,
  },
  byRules: {
    en: (steps, rules) => `The search ended after ${counted(steps, "step", "steps")}, by the rules of ${rules}.`,
    zh: (steps, rules) => `搜索按 ${rules} 的规则在 ${steps} 步后结束。`,
  },
  atLimit: {
    en: (steps) => `The search ended after ${counted(steps, "step", "steps")}, at the length limit.`,
    zh: (steps) => `搜索在 ${steps} 步后结束：到了长度上限。`,
  },
  noneCanWin: {
    en: (steps, most, rival, score) => `The search ended after ${counted(steps, "step", "steps")}, because no living ` +
      `hypothesis could win any more: the best of them could score at most ${most}, and ${rival} has ${score}.`,
    zh: (steps, most, rival, score) => `搜索在 ${steps} 步后结束，因为束中的候选都不可能再胜出：其中最好的最高只能得 ${most}，` +
      `而${rival}得分 ${score}。`,
  },
  bestEnded: {en: "the best that had ended", zh: "已结束的最好候选"},
  placeOfEnded: {
    en: (place) => `place ${place} of those that had ended`,
    zh: (place) => `已结束的第 ${place} 名`,
  },
});
