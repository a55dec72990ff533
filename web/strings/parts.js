// Texts of controls and pictures that several views share.

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  // What to show
  attention: {en: "Attention", zh: "注意力"},
  all: {en: "All", zh: "全部"},
  layer: {en: "Layer", zh: "层"},
  head: {en: "Head", zh: "头"},
  heads: {en: "Heads", zh: "注意力头"},
  translationShown: {en: "Translation shown", zh: "显示的译文"},
  original: {en: "Original", zh: "原译文"},
  originalTitle: {en: "What the model does by itself", zh: "模型本来的译文"},
  changed: {en: "With your changes", zh: "改动后"},
  changedTitle: {
    en: "What it does with the changes made under “What if”",
    zh: "按“假如”里的改动得到的译文",
  },
  hideWeakest: {en: "Hide weak lines: only the weakest", zh: "隐藏弱线：只隐藏最弱的"},
  hideBelow: {en: (weight) => `Hide weak lines: below ${weight}`, zh: (weight) => `隐藏弱线：低于 ${weight}`},
  again: {en: "Sample again", zh: "再采样一次"},
  againTitle: {en: "Draws another translation, with the next seed", zh: "用下一个随机种子再采样一个译文"},
  wholeWords: {en: "Whole words", zh: "合并成词"},
  wholeWordsTitle: {
    en: "Merges subwords to words: the rows of a word's pieces are averaged, their columns added.",
    zh: "把子词合并成词：同一个词的各行取平均，各列相加。",
  },

  // The squares and switches of heads
  headsShown: {en: "Heads shown", zh: "显示的注意力头"},
  headsUsed: {en: "Heads that the model uses", zh: "模型使用的注意力头"},
  showOrHide: {en: "show or hide", zh: "显示或隐藏"},
  switchOff: {en: "switch off in the model", zh: "在模型中关闭"},
  headNumber: {en: (head) => `Head ${head}`, zh: (head) => `第 ${head} 头`},
  squareTitle: {
    en: (head) => `Head ${head}: click to show or hide, double-click to show it alone`,
    zh: (head) => `第 ${head} 头：单击显示或隐藏，双击只显示它`,
  },
  takesPart: {
    en: (head, layer) => `Head ${head} of layer ${layer} takes part in the computation`,
    zh: (head, layer) => `第 ${layer} 层第 ${head} 头参与计算`,
  },
  switchedOff: {
    en: (head) => `Head ${head} is switched off in the model; click to switch it on`,
    zh: (head) => `第 ${head} 头在模型中已关闭；单击打开`,
  },
  switchedOn: {
    en: (head) => `Switch head ${head} off in the model (what if)`,
    zh: (head) => `在模型中关闭第 ${head} 头（如果）`,
  },
  ofHead: {en: (head, what) => `${head}: ${what}`, zh: (head, what) => `${head}：${what}`},

  // Matrices and columns of tokens
  cellsLabel: {
    en: (title) => `${title}. Rows are queries, columns are keys; the arrow keys go from cell to cell.`,
    zh: (title) => `${title}。行是查询，列是键；用方向键在单元格之间移动。`,
  },
  masked: {en: "masked", zh: "被掩码"},
  src: {en: "source", zh: "源句"},
  tgt: {en: "translation", zh: "译文"},
  read: {en: "translation read so far", zh: "已读入的译文"},
  queries: {en: (side) => `Queries: ${side}`, zh: (side) => `查询：${side}`},
  keys: {en: (side) => `Keys: ${side}`, zh: (side) => `键：${side}`},
  heatMap: {en: "heat map", zh: "热力图"},
  heatLabel: {en: (name, cell) => `${name}. ${cell}`, zh: (name, cell) => `${name}。${cell}`},
  curve: {
    en: (unit, place, value) => `Curve; at ${unit} ${place}: ${value}`,
    zh: (unit, place, value) => `曲线；${unit} ${place} 处：${value}`,
  },

  // Animations
  play: {en: "Play", zh: "播放"},
  pause: {en: "Pause", zh: "暂停"},
  back: {en: "Back", zh: "后退"},
  next: {en: "Next", zh: "前进"},
  oneBack: {en: "One step back", zh: "后退一步"},
  oneForward: {en: "One step forward", zh: "前进一步"},
  speed: {en: "Speed", zh: "速度"},
  speedOf: {en: (speed) => `Speed ${speed}`, zh: (speed) => `${speed} 倍速`},

  // What a view says while there is no translation; `what` is what it shows
  chooseOfFile: {
    en: (what) => `Choose a sentence of this file above. This view shows ${what}.`,
    zh: (what) => `请在上方选择这个文件里的一个句子。这里显示${what}。`,
  },
  failed: {
    en: (what) => `There is no translation to look into: the request failed. This view shows ${what}.`,
    zh: (what) => `请求失败，没有译文可看。这里显示${what}。`,
  },
  onItsWay: {en: "The translation is on its way.", zh: "译文马上就到。"},
  withoutTrace: {
    en: (what) => `The server sent this translation without what it looked at. This view shows ${what}.`,
    zh: (what) => `服务器只发来了译文，没有发来注意力。这里显示${what}。`,
  },
  enterKey: {
    en: (what) => `Enter the API key above, and then a sentence. This view shows ${what}.`,
    zh: (what) => `请先在上方输入 API 密钥，再输入句子。这里显示${what}。`,
  },
  enterSentence: {
    en: (what) => `Type a sentence above, or choose an example. This view shows ${what}.`,
    zh: (what) => `请在上方输入一个句子，或选一个例句。这里显示${what}。`,
  },
});
