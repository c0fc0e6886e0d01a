// How the search of the site ranks: names, then titles and headings, then whole words, then parts.
var Scorer = {
  // a heading that has the words side by side is above those that have one of them
  score: ([docname, title, anchor, descr, score, filename, kind]) =>
    kind === "title" ? score + 40 : score,
  objNameMatch: 120,
  objPartialMatch: 40,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 30,
  term: 5,
  partialTerm: 1,
};
