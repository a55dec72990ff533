// Texts around the sentence and the views: header, first lines, tabs, export menu.

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  // Header and landmarks
  title: {en: "dragoman: look inside", zh: "dragoman：看看模型内部"},
  titleOf: {en: (sentence) => `${sentence} · dragoman`, zh: (sentence) => `${sentence} · dragoman`},
  skip: {en: "Skip to the view", zh: "跳到视图"},
  about: {en: "About this page", zh: "关于本页"},
  sentenceAndTranslation: {en: "Sentence and translation", zh: "句子和译文"},
  views: {en: "Views", zh: "视图"},
  parameters: {en: (count) => `${count} parameters`, zh: (count) => `${count} 个参数`},
  steps: {en: (count) => `${count} steps of training`, zh: (count) => `训练 ${count} 步`},
  light: {en: "Light", zh: "浅色"},
  dark: {en: "Dark", zh: "深色"},
  lightTheme: {en: "Light theme", zh: "浅色主题"},
  darkTheme: {en: "Dark theme", zh: "深色主题"},
  changeLanguage: {en: "The page in this language", zh: "用这种语言显示本页"},

  // The first lines
  aTransformer: {en: "a Transformer", zh: " Transformer "},
  aNetwork: {en: "a neural network", zh: "神经网络"},
  howFound: {en: "how it found each word", zh: "它怎样找到每个词"},
  lookedAt: {en: "what it looked at for each word", zh: "它写每个词时关注了什么"},
  invite: {
    en: (kind, seen) => `See how ${kind} translates: type a sentence or choose an example, then open the tabs to see ` +
      `${seen}.`,
    zh: (kind, seen) => `看${kind}怎样翻译：输入一个句子或选一个例句，再打开各个标签页，看${seen}。`,
  },
  inviteOffline: {
    en: (kind, seen) => `See how ${kind} translated these sentences: open the tabs to see ${seen}.`,
    zh: (kind, seen) => `看${kind}怎样翻译了这些句子：打开各个标签页，看${seen}。`,
  },
  newHere: {en: "New here?", zh: "第一次来？"},
  tourAbout: {
    en: "A tour of a few minutes follows your sentence to its translation.",
    zh: "花几分钟跟着导览，看你的句子怎样变成译文。",
  },
  takeTour: {en: "Take the tour", zh: "开始导览"},
  notNow: {en: "Not now", zh: "以后再说"},

  // Tabs
  cannotLoad: {
    en: (title, reason) => `The view “${title}” could not be loaded: ${reason}`,
    zh: (title, reason) => `视图“${title}”无法加载：${reason}`,
  },

  // Export
  export: {en: "Export", zh: "导出"},
  linkToView: {en: "Link to this view", zh: "当前视图的链接"},
  svg: {en: "Picture, SVG", zh: "图片，SVG"},
  svgAbout: {en: "The view as it is, sharp at any size", zh: "当前视图的矢量图，任意放大都清晰"},
  png: {en: "Picture, PNG", zh: "图片，PNG"},
  pngAbout: {
    en: "The view in pixels, at twice the resolution of the screen",
    zh: "当前视图的位图，分辨率是屏幕的两倍",
  },
  json: {en: "Data, JSON", zh: "数据，JSON"},
  jsonAbout: {
    en: "Requests and answers, with weights as base64 of float32",
    zh: "请求和回答；权重是 base64 编码的 float32",
  },
  html: {en: "Offline page, HTML", zh: "离线页面，HTML"},
  htmlAbout: {
    en: "One file with this page and these sentences; needs no server and no network",
    zh: "一个文件，包含本页和这些句子；不需要服务器，也不需要网络",
  },
  link: {en: "Copy link", zh: "复制链接"},
  linkAbout: {
    en: "Opens this page with the same sentence, settings and view",
    zh: "打开后是同样的句子、设置和视图",
  },
  oneMoment: {en: "One moment …", zh: "请稍候……"},
  nothingToDraw: {en: "There is nothing to draw in this view yet.", zh: "这个视图还没有可画的内容。"},
  noTranslation: {en: "There is no translation yet.", zh: "还没有译文。"},
  tooLarge: {en: "The picture is too large for this browser.", zh: "图片太大，浏览器无法生成。"},
  linkCopied: {en: "The link is copied.", zh: "链接已复制。"},
  linkShown: {en: "Copy the link from here.", zh: "请从这里复制链接。"},
  saved: {en: (file) => `Saved as ${file}.`, zh: (file) => `已保存为 ${file}。`},
});
