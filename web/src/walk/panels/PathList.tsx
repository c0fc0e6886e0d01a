/** The paths that a gradient came along, and the sum of their contributions. */

import { useMemo } from "preact/hooks";
import { paths, type GraphNode, type Paths } from "../../engine";
import { lines, type Line } from "./listed";
import { Figure } from "./parts";
import type { Walk } from "../state/state";

const MOST = 200;

export function PathList({ walk, node }: { walk: Walk; node: GraphNode }) {
  const run = walk.run.value;
  const found = useMemo(() => paths(run, node.index, MOST), [run, node.index]); // steps change nothing here
  if (node.constant || found.total === null) return null;
  const listed = useMemo(() => lines(run, found), [run, found]);
  const more = found.unlisted;
  return (
    <section class="paths">
      <h3>Where its gradient comes from</h3>
      <p class="note">
        {node.index === walk.graph.value.root
          ? "This is the result. The backward pass starts here with 1."
          : heading(found)}
      </p>
      <ol class="path-list">
        {listed.map((line) => (
          <li key={`${line.words}/${line.path.contribution}`}>
            <One walk={walk} line={line} />
          </li>
        ))}
      </ol>
      {more > 0n && (
        <p class="path-rest">
          {more.toLocaleString("en-US")} more {more === 1n ? "path" : "paths"}{" "}
          <Figure x={found.rest} kind="gradient" />
        </p>
      )}
      <p class="path-total">
        <span>{found.paths.length > 1 || more > 0n ? "Sum" : "Total"}</span>
        <Figure x={found.total} kind="gradient" />
      </p>
    </section>
  );
}

function heading({ count, words }: Paths): string {
  if (count === 0n) return words;
  const many = count === 1n ? "One path leads" : `${count.toLocaleString("en-US")} paths lead`;
  const each = count === 1n ? "It" : "Each";
  return `${many} from the result to it. ${each} contributes the product of its local derivatives.`;
}

function One({ walk, line: { words, path, count } }: { walk: Walk; line: Line }) {
  const { nodes, slopes, contribution } = path;
  const show = () => void (walk.path.value = nodes);
  const hide = () => void (walk.path.value = null);
  return (
    <button
      type="button"
      class="path"
      onMouseEnter={show}
      onMouseLeave={hide}
      onFocus={show}
      onBlur={hide}
      onClick={show}
    >
      <span class="path-names">
        <span class="visually-hidden">Path </span>
        {words}
      </span>
      <span class="path-product">
        {count > 1 && <span class="note">{count} such paths, each </span>}
        {slopes.length > 1 && slopes.length <= 4 && <Product factors={slopes} />}
        <Figure x={contribution} kind="gradient" />
      </span>
    </button>
  );
}

function Product({ factors }: { factors: number[] }) {
  return (
    <span class="note">
      {factors.map((factor, at) => (
        <span key={at}>
          {at > 0 && " × "}
          <Figure x={factor} kind="plain" />
        </span>
      ))}
      {" = "}
    </span>
  );
}
