/** Questions about a node: why is it NaN, where are kinks, along which paths, how many digits are correct. */

import { useEffect, useState } from "preact/hooks";
import { kinksOf } from "../../debug/kinks";
import { callOf, causeOf, timeOf } from "../../debug/wrong";
import { formatted, type GraphNode, type Run } from "../../engine";
import { Button } from "../../ui/Button";
import { messageOf } from "../../ui/messages";
import { show } from "../state/groups";
import { lineOf } from "../state/lines";
import type { Answer, Question } from "../state/options";
import type { Walk } from "../state/state";

const QUESTIONS: { what: Question; words: string; says: string }[] = [
  { what: "why", words: "Why?", says: "What made it NaN or infinite" },
  { what: "kinks", words: "Kinks", says: "Operations it depends on that are at a kink, where their derivative jumps" },
  { what: "paths", words: "Paths", says: "Its gradient as a sum over paths" },
  { what: "precision", words: "Precision", says: "How many of its digits are correct" },
];

interface Props {
  walk: Walk;
  node: GraphNode;
}

export function Questions({ walk, node }: Props) {
  const [asked, setAsked] = useState<Question | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const run = walk.run.value;
  useEffect(() => {
    if (!asked) return;
    let over = false;
    setAnswer(null);
    answerTo(walk, run, node, asked).then((found) => over || setAnswer(found));
    return () => void (over = true);
  }, [asked, run, node.index]);
  if (node.constant) return null;
  return (
    <section class="questions">
      <div class="group" role="group" aria-label="Questions about this node">
        {QUESTIONS.map(({ what, words, says }) => (
          <Button
            key={what}
            look="small"
            title={says}
            aria-pressed={asked === what}
            onClick={() => setAsked(asked === what ? null : what)}
          >
            {words}
          </Button>
        ))}
      </div>
      {asked && <div aria-live="polite">{answer ? <Shown walk={walk} answer={answer} /> : <p class="note">Computing…</p>}</div>}
    </section>
  );
}

function Shown({ walk, answer: { title, head, rows, note, node } }: { walk: Walk; answer: Answer }) {
  return (
    <div class="answer">
      <p>
        <b>{title}</b>
      </p>
      {rows.length > 0 && (
        <div class="answer-rows" tabIndex={0} role="region" aria-label={title}>
          <table>
            {head.length > 0 && (
              <thead>
                <tr>
                  {head.map((cell) => (
                    <th key={cell} scope="col">
                      {cell}
                    </th>
                  ))}
                </tr>
              </thead>
            )}
            <tbody>
              {rows.map((row, k) => (
                <tr key={k}>
                  {row.map((cell, j) => (j === 0 ? <th key={j} scope="row">{cell}</th> : <td key={j}>{cell}</td>))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {note && <p class="note">{note}</p>}
      {node !== undefined && (
        <Button look="small" onClick={() => show(walk, node)}>
          Show it
        </Button>
      )}
    </div>
  );
}

/** The answer of the running program if the graph is as it was recorded, else what the page can find out. */
async function answerTo(walk: Walk, run: Run, node: GraphNode, what: Question): Promise<Answer> {
  const ask = walk.ask;
  if (!ask || run.edits.size) return ofPage(walk, run, node, what);
  try {
    const found = await ask(what, node.index);
    return found.error ? { ...ofPage(walk, run, node, what), note: found.error } : { ...EMPTY, ...found };
  } catch (error) {
    return { ...ofPage(walk, run, node, what), note: messageOf(error) };
  }
}

const EMPTY: Answer = { title: "", head: [], rows: [] };

function ofPage(walk: Walk, run: Run, node: GraphNode, what: Question): Answer {
  if (what === "why") return why(walk, run, node);
  if (what === "kinks") return kinks(run, node);
  if (what === "paths") return { ...EMPTY, title: "The paths are listed below, and light up in the picture." };
  const code = `gradwalk.check.precision(loss, [${node.label || "x"}])`;
  const note = "This needs the running program: call explore in a notebook, or write the line in Python.";
  return { ...EMPTY, title: code, note };
}

function why(walk: Walk, run: Run, node: GraphNode): Answer {
  const wrong = causeOf(run, node.index);
  if (!wrong) {
    const first = walk.wrong.value;
    if (!first) return { ...EMPTY, title: "All numbers of this run are finite." };
    return { ...EMPTY, title: `${node.name} is finite. The first number that is not:`, rows: [["cause", callOf(run, first)]], node: first.node };
  }
  const line = lineOf(run.graph.document, wrong.node);
  const rows: string[][] = [
    ["cause", callOf(run, wrong)],
    ["node", run.graph.nodes[wrong.node]!.name],
    ["step", String(timeOf(walk.timeline.value, wrong))],
  ];
  if (line) rows.push(["line", `${line[0]}  ${line[1]}`]);
  const title = wrong.kind === "backward" ? `${node.name}.grad is ${formatted(run.gradients[node.index]!)}` : `${node.name} is ${formatted(run.data[node.index]!)}`;
  return { ...EMPTY, title, rows, node: wrong.node };
}

function kinks(run: Run, node: GraphNode): Answer {
  const found = kinksOf(run, node.index);
  const [first] = found;
  if (!first) return { ...EMPTY, title: `${node.name} does not depend on an operation at a kink.` };
  const rows = found.map(({ node: at, operand, left, right, convention }) => [
    run.graph.nodes[at]!.name, formatted(operand), formatted(left), formatted(right), convention,
  ]);
  const head = ["at", "operand", "slope left", "slope right", "convention"];
  return { title: `${found.length} ${found.length === 1 ? "kink" : "kinks"}`, head, rows, node: first.node };
}
