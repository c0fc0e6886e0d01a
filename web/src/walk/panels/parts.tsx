/** Small parts that several panels of the walk use. */

import type { ComponentChildren } from "preact";
import { exact, formatted, type Formula } from "../../engine";
import type { Walk } from "../state/state";

/** A formula as MathML. It comes from the generated table of operations, never from a document or a user. */
export function Mathematics({ formula }: { formula: Formula | null }) {
  if (!formula) return null;
  if (!formula.mathml) return <span class="math">{formula.text}</span>;
  return <span class="math" dangerouslySetInnerHTML={{ __html: formula.mathml }} />;
}

interface FigureProps {
  x: number | null | undefined;
  kind?: "data" | "gradient" | "plain";
  /** All digits that are needed to read the number back. */
  exactly?: boolean;
}

/** A number, shortened, with all its digits on hover. */
export function Figure({ x, kind = "data", exactly = false }: FigureProps) {
  if (x === null || x === undefined) return <span class="number absent">none</span>;
  return (
    <span class={`number ${kind}`} title={String(x)}>
      {exactly ? exact(x) : formatted(x)}
    </span>
  );
}

interface NodeLinkProps {
  walk: Walk;
  node: number;
  children?: ComponentChildren;
  title?: string | undefined;
}

/** The name of a node. A press selects the node. */
export function NodeLink({ walk, node, children, title }: NodeLinkProps) {
  const name = walk.graph.value.nodes[node]?.name ?? `node ${node}`;
  const select = () => {
    walk.selection.value = { kind: "node", node };
  };
  return (
    <button type="button" class="link name" title={title} onClick={select}>
      {children ?? name}
    </button>
  );
}
