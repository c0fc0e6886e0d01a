/** The nodes of the diamond, to be put into an order: in the picture, or in a list. */

import { useMemo, useRef, useState } from "preact/hooks";
import { Timeline, type Graph } from "../engine";
import { Picture } from "../picture";
import { firstOrder, nudge } from "./order";

interface Props {
  graph: Graph;
  order: readonly number[];
  onOrder: (order: number[]) => void;
  /** `from`: where it was asked for. */
  onRun: (from: Element) => void;
}

export function OrderEditor({ graph, order, onOrder, onRun }: Props) {
  const stage = useRef<HTMLDivElement>(null);
  const [round, setRound] = useState(0);
  const timeline = useMemo(() => new Timeline(graph.evaluate()), [graph]);
  const again = () => {
    setRound(round + 1);
    onOrder(firstOrder(graph));
  };
  const move = (node: number, step: 1 | -1) => nudge(stage.current!, node, step);
  return (
    <section class="order-editor" aria-label="Your order">
      <div class="order-stage" ref={stage}>
        <Picture
          key={round}
          graph={graph}
          run={timeline.run}
          timeline={timeline}
          time={timeline.seed - 1}
          selected={null}
          onSelect={() => {}}
          draggable
          onOrder={onOrder}
          controls={false}
          search={false}
          minimap={false}
          label="Drag the nodes: the one furthest right has its turn first"
        />
      </div>
      <div class="order-side">
        <h3 id="order-title">Turns, first to last</h3>
        <p class="note">Drag nodes in the picture, from right to left, or move them here.</p>
        <OrderList graph={graph} order={order} move={move} />
        <div class="order-actions">
          <button type="button" class="button primary" onClick={(event) => onRun(event.currentTarget)}>
            Run this order
          </button>
          <button type="button" class="button" onClick={again}>
            Start again
          </button>
        </div>
      </div>
    </section>
  );
}

interface ListProps {
  graph: Graph;
  order: readonly number[];
  move: (node: number, step: 1 | -1) => void;
}

function OrderList({ graph, order, move }: ListProps) {
  return (
    <ol class="order-list" aria-labelledby="order-title">
      {order.map((node, place) => {
        const { name, op } = graph.nodes[node]!;
        return (
          <li key={node}>
            <span class="order-place" aria-hidden="true">
              {place + 1}
            </span>
            <span class="order-name">
              {name} <span class="note">{op}</span>
            </span>
            <button
              type="button"
              class="button quiet"
              aria-label={`${name} earlier`}
              aria-disabled={place === 0}
              onClick={() => move(node, -1)}
            >
              ↑
            </button>
            <button
              type="button"
              class="button quiet"
              aria-label={`${name} later`}
              aria-disabled={place === order.length - 1}
              onClick={() => move(node, 1)}
            >
              ↓
            </button>
          </li>
        );
      })}
    </ol>
  );
}
