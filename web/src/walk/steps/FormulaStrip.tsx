/** The graph as a formula, with the part of the present step lit. */

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { written, type Token } from "../../engine";
import type { Walk } from "../state/state";

export function FormulaStrip({ walk }: { walk: Walk }) {
  const graph = walk.graph.value;
  const lines = useMemo(() => written(graph), [graph]);
  const place = useRef<HTMLDivElement>(null);
  const moment = walk.timeline.value.at(walk.time.value);
  useLayoutEffect(() => bringLit(place.current), [walk.time.value, graph]);
  if (!lines.length) return null;
  const lit = new Map<number, string>();
  if (moment.kind === "backward") {
    for (const { operand, amount } of moment.pass.contributions) if (amount !== null) lit.set(operand, "receives");
  }
  if (moment.kind !== "start") lit.set(moment.node, moment.kind === "forward" ? "forward" : "backward");
  return (
    <div ref={place} class="formula-strip" role="group" aria-label="Formula of the graph" tabIndex={0}>
      {lines.map((line, k) => (
        <div key={k} class="formula-line">
          {line.map((token, at) => (
            <Piece key={at} token={token} lit={lit} named={at === 2} />
          ))}
        </div>
      ))}
    </div>
  );
}

interface PieceProps {
  token: Token;
  lit: ReadonlyMap<number, string>;
  /** Whether the name of its node stands before it: then the name alone is lit as a receiver. */
  named?: boolean;
}

function Piece({ token: { text, node, inside }, lit, named = false }: PieceProps) {
  const own = node === undefined ? undefined : lit.get(node);
  const look = named && own === "receives" ? undefined : own;
  return (
    <span class={look && `lit ${look}`}>
      {text}
      {inside?.map((token, k) => <Piece key={k} token={token} lit={lit} />)}
    </span>
  );
}

/** Scrolls the strip, and nothing around it, to the part that is lit. */
function bringLit(strip: HTMLElement | null): void {
  const line = strip?.querySelector<HTMLElement>(".lit.forward, .lit.backward");
  if (!strip || !line) return;
  const [frame, part] = [strip.getBoundingClientRect(), line.getBoundingClientRect()];
  if (part.top < frame.top) strip.scrollTop -= frame.top - part.top;
  else if (part.bottom > frame.bottom) strip.scrollTop += part.bottom - frame.bottom;
}
