/** Two training steps in numbers, with and without a reset between them. */

import { useMemo } from "preact/hooks";
import { long, type Run } from "../engine";
import type { Pair } from "./runs";
import { LEARNED, named, RATE } from "./stories";

interface Props {
  first: Run;
  pair: Pair;
}

interface Column {
  name: string;
  weight: number;
  gradient: number;
  moved: number;
  right: Second;
  wrong: Second;
}

const SIDES = ["wrong", "right"] as const;

/** The second step: its gradient, and the weight after it. */
interface Second {
  gradient: number;
  weight: number;
}

export function TwoSteps({ first, pair }: Props) {
  const columns = useMemo(() => columnsOf(first, pair), [first, pair]);
  const heads = columns.flatMap(({ name }) => [name, `${name}.grad`]);
  const row = (words: string, cells: string[], beside?: string[]) => (
    <tr>
      <th scope="row">{words}</th>
      {cells.map((cell, index) => (
        <td key={index} class={beside && cell !== beside[index] ? "differs" : ""}>
          {cell}
        </td>
      ))}
    </tr>
  );
  const cells = (weight: (one: Column) => number, gradient?: (one: Column) => number) =>
    columns.flatMap((one) => [long(weight(one)), gradient ? long(gradient(one)) : ""]);
  const before = cells(
    (x) => x.weight,
    (x) => x.gradient,
  );
  const [wrong, right] = SIDES.map((side) =>
    cells(
      (x) => x.moved,
      (x) => x[side].gradient,
    ),
  );
  const [wrongAfter, rightAfter] = SIDES.map((side) => cells((x) => x[side].weight));
  return (
    <section class="two-steps" aria-label="Two training steps">
      <table>
        <caption>
          Two steps of gradient descent, learning rate {RATE}. The pictures show the second one.
        </caption>
        <thead>
          <tr>
            <td />
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row("Step 1", before)}
          {row("Step 2, without a reset", wrong!, right)}
          {row("Step 2, with a reset", right!)}
          {row("After it, without a reset", wrongAfter!, rightAfter)}
          {row("After it, with a reset", rightAfter!)}
        </tbody>
      </table>
      <p class="note">Loss: {losses(first, pair)}</p>
    </section>
  );
}

function columnsOf(first: Run, { wrong, right }: Pair): Column[] {
  return named(first.graph, LEARNED).map((node) => {
    const moved = right.data[node]!;
    const second = (run: Run): Second => {
      const gradient = run.gradients[node] ?? 0;
      return { gradient, weight: moved - RATE * gradient };
    };
    const { name } = first.graph.nodes[node]!;
    const [weight, gradient] = [first.data[node]!, first.gradients[node] ?? 0];
    return { name, weight, gradient, moved, right: second(right), wrong: second(wrong) };
  });
}

/** Returns the losses before, between and after the two steps. */
function losses(first: Run, pair: Pair): string {
  const { graph } = first;
  const after = (side: "wrong" | "right") => {
    const nodes = named(graph, LEARNED);
    const weights = columnsOf(first, pair).map((one) => one[side].weight);
    const run = graph.evaluate(new Map(nodes.map((node, i) => [node, weights[i]!])));
    return long(run.data[graph.root]!);
  };
  const [before, between] = [first.data, pair.right.data].map((data) => long(data[graph.root]!));
  const then = `${after("wrong")} without a reset and ${after("right")} with one`;
  return `${before}, after step 1 ${between}, after step 2 ${then}.`;
}
