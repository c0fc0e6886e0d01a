/** The gradients of both runs at the present step, side by side. */

import { formatted } from "../engine";
import type { Stepper } from "./stepper";
import type { Story } from "./stories";

/** The most rows that are listed. */
const MOST = 12;
/** Shown before the first contribution. */
const WAITING = "…";

export function Gradients({ stepper, story }: { stepper: Stepper; story: Story }) {
  const rows = rowsOf(stepper);
  const left = rows.length - MOST;
  return (
    <section class="gradients" aria-label="Gradients of both runs">
      <table>
        <caption>Gradients at this step</caption>
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">{story.wrong.called}</th>
            <th scope="col">{story.right.called}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST).map(({ name, wrong, right, node, differs }) => (
            <tr key={node} class={differs ? "differs" : ""}>
              <th scope="row">{name}</th>
              <td>{wrong}</td>
              <td>{right}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p class="note">and {left} more nodes</p>}
    </section>
  );
}

interface Row {
  node: number;
  name: string;
  wrong: string;
  right: string;
  /** Whether the runs differ for good: another order makes them differ for a while. */
  differs: boolean;
}

/** Returns the rows, the result first. In large graphs, rows that differ come before the others. */
function rowsOf({ wrong, right, step, parted }: Stepper): Row[] {
  const [bad, good] = [wrong.value, right.value];
  const time = bad.seed + step.value;
  const rows = bad.graph.nodes
    .filter((node) => !node.constant)
    .map(({ index: node, name }) => {
      const [a, b] = [worded(bad.gradient(node, time)), worded(good.gradient(node, time))];
      return {
        node,
        name,
        wrong: a,
        right: b,
        differs: parted.value && a !== b && a !== WAITING && b !== WAITING,
      };
    })
    .reverse();
  if (rows.length <= MOST) return rows;
  return rows.sort((a, b) => Number(b.differs) - Number(a.differs));
}

function worded(gradient: number | null | undefined): string {
  return gradient === undefined ? WAITING : gradient === null ? "none" : formatted(gradient);
}
