/** Small parts that several panels of the walk use. */

import type { ComponentChildren } from "preact";
import { formatted, type Formula } from "../engine";
import type { Walk } from "./state";

const ICONS = {
  start: "M6 5v14M19 5 9 12l10 7z",
  back: "M17 5 7 12l10 7z",
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  forward: "m7 5 10 7-10 7z",
  end: "M18 5v14M5 5l10 7-10 7z",
  close: "m6 6 12 12M18 6 6 18",
} as const;

export type IconName = keyof typeof ICONS;

/** A picture on a button; the button carries the words. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={ICONS[name]} />
    </svg>
  );
}

/** A formula as MathML. It comes from the printed table, never from a document or a user. */
export function Mathematics({ formula }: { formula: Formula | null }) {
  if (!formula) return null;
  if (!formula.mathml) return <span class="math">{formula.text}</span>;
  return <span class="math" dangerouslySetInnerHTML={{ __html: formula.mathml }} />;
}

interface FigureProps {
  x: number | null | undefined;
  kind?: "data" | "gradient" | "plain";
}

/** A number: short, with all of its digits on hover. */
export function Figure({ x, kind = "data" }: FigureProps) {
  if (x === null || x === undefined) return <span class="number absent">none</span>;
  return (
    <span class={`number ${kind}`} title={String(x)}>
      {formatted(x)}
    </span>
  );
}

interface NodeLinkProps {
  walk: Walk;
  node: number;
  children?: ComponentChildren;
  title?: string | undefined;
}

/** The name of a node, which selects it. */
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
