// Texts of the view "What if".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  // The translations
  shows: {en: "what changes do to a translation", zh: "改动对译文的影响"},
  original: {en: "Original", zh: "原译文"},
  changed: {en: "With your changes", zh: "改动后"},
  nothingInFile: {en: "Nothing is changed in what is shown.", zh: "当前显示的内容没有改动。"},
  invitation: {
    en: "Nothing is changed yet. You can switch a head off, force a beginning, or choose another search.",
    zh: "还没有改动。你可以关闭一个注意力头、指定译文的开头，或换一种搜索。",
  },
  invitationWithoutHeads: {
    en: "Nothing is changed yet. You can force a beginning, or choose another search.",
    zh: "还没有改动。你可以指定译文的开头，或换一种搜索。",
  },
  score: {en: (score) => `score ${score}`, zh: (score) => `得分 ${score}`},
  changeOf: {en: (change) => `(change ${change})`, zh: (change) => `（变化 ${change}）`},

  // The search
  changeSearch: {en: "Change the search", zh: "改变搜索"},
  search: {en: "Search", zh: "搜索"},
  beam: {en: "Beam", zh: "束搜索"},
  greedy: {en: "Greedy", zh: "贪心"},
  sample: {en: "Sample", zh: "采样"},
  beamWidth: {en: "Beam width", zh: "束宽"},
  alpha: {en: "Exponent α", zh: "指数 α"},
  temperature: {en: "Temperature", zh: "温度"},
  topK: {en: "Top k (0 for all)", zh: "Top k（0 表示全部）"},
  topP: {en: "Top p", zh: "Top p"},
  seed: {en: "Seed", zh: "随机种子"},
  gnmt: {en: "((5 + n) / 6)^α, as in the paper", zh: "((5 + n) / 6)^α，与论文相同"},
  pow: {en: "n^α", zh: "n^α"},
  none: {en: "none: 1", zh: "不归一化：1"},
  dividedBy: {en: "The score is log p divided by", zh: "得分 = log p 除以"},
  beginsWith: {en: "The translation begins with", zh: "译文的开头"},
  undoAll: {en: "Undo all changes", zh: "撤销所有改动"},
  takeEffect: {
    en: "Changes take effect as you make them, here and in all other views.",
    zh: "改动立即生效，对这里和其他所有视图都有效。",
  },
  wholeNumber: {
    en: (least, most) => `This must be a whole number from ${least} to ${most}.`,
    zh: (least, most) => `必须是 ${least} 到 ${most} 之间的整数。`,
  },
  number: {
    en: (least, most) => `This must be a number from ${least} to ${most}.`,
    zh: (least, most) => `必须是 ${least} 到 ${most} 之间的数。`,
  },

  // The heads
  switchHeads: {en: "Switch heads off", zh: "关闭注意力头"},
  board: {
    en: "Each number is a head, each row a layer. Click a head to switch it off. “Measure each head” switches off " +
      "each of them alone and shows the effect.",
    zh: "每个数字是一个头，每行是一层。单击一个头把它关闭。“逐头测量”会单独关闭每个头，显示影响。",
  },
  measured: {
    en: "The numbers are the change of the best translation's log-probability if this head alone is off. A thick " +
      "frame means that the text changes. Click a head to switch it off.",
    zh: "数字是单独关闭这个头时，最佳译文对数概率的变化。粗框表示文本变了。单击一个头把它关闭。",
  },
  measure: {en: "Measure each head", zh: "逐头测量"},
  allOn: {en: "All on", zh: "全部打开"},
  progress: {en: (done, all) => `${done} of ${all}`, zh: (done, all) => `${done} / ${all}`},
  off: {en: "off", zh: "关"},
  isOff: {en: "switched off", zh: "已关闭"},
  isOn: {en: "on", zh: "打开"},
  clickOn: {en: "Click to switch on", zh: "单击打开"},
  clickOff: {en: "Click to switch off", zh: "单击关闭"},
  sameText: {en: "the same text", zh: "文本相同"},
  effectSame: {
    en: (state, change) => `${state}; if it alone is off, log p changes by ${change}, same text`,
    zh: (state, change) => `${state}；单独关闭它时，log p 变化 ${change}，文本相同`,
  },
  effectOther: {
    en: (state, change) => `${state}; if it alone is off, log p changes by ${change}, another text`,
    zh: (state, change) => `${state}；单独关闭它时，log p 变化 ${change}，文本不同`,
  },

  // The attention
  attentionChanges: {en: "How attention changes", zh: "注意力的变化"},
  difference: {en: "Difference", zh: "差"},
  differenceOf: {en: (head) => `Difference, ${head}`, zh: (head) => `差，${head}`},
  movedNote: {
    en: "The numbers are the per cent of each head's attention that moved to other tokens. Choose a head to see " +
      "where it went.",
    zh: "数字是每个头的注意力中转移到其他词元的百分比。选择一个头，看它转移到了哪里。",
  },
  moved: {en: (share) => `${share} per cent of its attention moved`, zh: (share) => `${share} % 的注意力发生了转移`},
  movedTitle: {
    en: (share, layer, head) => `${share} % of the attention of layer ${layer}, head ${head} moved`,
    zh: (share, layer, head) => `第 ${layer} 层第 ${head} 头有 ${share} % 的注意力发生了转移`,
  },
  colours: {
    en: (full) => "Difference: blue is more attention than in the original translation, orange is less; the " +
      `strongest colour is ${full}.`,
    zh: (full) => `差：蓝色表示比原译文多，橙色表示比原译文少；最深的颜色是 ${full}。`,
  },
  nothingInCommon: {
    en: "The changed translation has no token in common with the original one, so there is no difference to show.",
    zh: "改动后的译文与原译文没有共同的词元，所以没有差可以显示。",
  },
  oneBlank: {
    en: "One row is blank: the original translation does not have its token.",
    zh: "有 1 行空白：原译文里没有它的词元。",
  },
  blank: {
    en: (count) => `${count} rows are blank: the original translation does not have their tokens.`,
    zh: (count) => `有 ${count} 行空白：原译文里没有它们的词元。`,
  },

  // An offline file
  recorded: {en: "Changes in this file", zh: "这个文件里的改动"},
  toTry: {
    en: (note, command) => [
      `${note} To try changes, run `, command, " with this model and open the address that it prints.",
    ],
    zh: (note, command) => [`${note}要尝试改动，请用这个模型运行 `, command, "，再打开它给出的地址。"],
  },
  withChanges: {en: (changes) => `With ${changes}`, zh: (changes) => `改动：${changes}`},
});
