/** Where a gradient came from: each path to the output, and the sum of what they bring. */

import { useMemo } from "preact/hooks";
import { paths, type GraphNode, type Paths } from "../engine";
import { Figure } from "./parts";
import type { Walk } from "./state";

const MOST = 200;

export function PathList({ walk, node }: { walk: Walk; node: GraphNode }) {
  const run = walk.run.value;
  const found = useMemo(() => paths(run, node.index, MOST), [run, node.index]); // a step changes nothing here
  if (node.constant || found.total === null) return null;
  const more = found.unlisted;
  return (
    <section class="paths">
      <h3>Where its gradient comes from</h3>
      <p class="note">
        {node.index === walk.graph.value.root
          ? "It is the output: the sweep starts here with 1."
          : heading(found)}
      </p>
      <ol class="path-list">
        {found.paths.map((path) => (
          <li key={path.nodes.join()}>
            <Path walk={walk} nodes={path.nodes} contribution={path.contribution} slopes={path.slopes} />
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
        <span>{found.paths.length > 1 || more > 0n ? "Together" : "In all"}</span>
        <Figure x={found.total} kind="gradient" />
      </p>
    </section>
  );
}

function heading({ count, words }: Paths): string {
  if (count === 0n) return words;
  const many = count === 1n ? "One path leads" : `${count.toLocaleString("en-US")} paths lead`;
  const each = count === 1n ? "It" : "Each";
  return `${many} from the output to it. ${each} brings the product of its local derivatives.`;
}

interface PathProps {
  walk: Walk;
  nodes: number[];
  slopes: number[];
  contribution: number;
}

function Path({ walk, nodes, slopes, contribution }: PathProps) {
  const show = () => void (walk.path.value = nodes);
  const hide = () => void (walk.path.value = null);
  const names = nodes.map((node) => walk.graph.value.nodes[node]?.name ?? "");
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
        {shortened(names).join(" → ")}
      </span>
      <span class="path-product">
        {slopes.length > 0 && slopes.length <= 4 && (
          <span class="note">
            {slopes.map((slope, at) => (
              <span key={at}>
                {at > 0 && " × "}
                <Figure x={slope} kind="plain" />
              </span>
            ))}
            {" = "}
          </span>
        )}
        <Figure x={contribution} kind="gradient" />
      </span>
    </button>
  );
}

/** A long path by its two ends. */
export function shortened(names: string[]): string[] {
  return names.length <= 6 ? names : [...names.slice(0, 3), `… ${names.length - 5} …`, ...names.slice(-2)];
}
