// How the search of the site ranks: names, then titles and headings, then whole words, then parts.
var Scorer = {
  objNameMatch: 100,
  objPartialMatch: 40,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 30,
  term: 5,
  partialTerm: 1,
};
