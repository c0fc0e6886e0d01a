/** Ordering the nodes of the diamond, in the picture or in a list. */

import { useMemo, useRef, useState } from "preact/hooks";
import { Timeline, type Graph } from "../engine";
import { Picture } from "../picture";
import { firstOrder, nudge } from "./order";
import { Button } from "../ui/Button";

interface Props {
  graph: Graph;
  order: readonly number[];
  onOrder: (order: number[]) => void;
  /** `from` is the pressed button. */
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
          label="Drag the nodes: the rightmost one is processed first"
        />
      </div>
      <div class="order-side">
        <h3 id="order-title">Order, first to last</h3>
        <p class="note">Drag the nodes in the picture, from right to left, or move them here.</p>
        <OrderList graph={graph} order={order} move={move} />
        <div class="order-actions">
          <Button look="primary" onClick={(event) => onRun(event.currentTarget)}>
            Run this order
          </Button>
          <Button onClick={again}>Reset the order</Button>
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
            <Button
              look="quiet"
              aria-label={`Move ${name} earlier`}
              aria-disabled={place === 0}
              onClick={() => move(node, -1)}
            >
              ↑
            </Button>
            <Button
              look="quiet"
              aria-label={`Move ${name} later`}
              aria-disabled={place === order.length - 1}
              onClick={() => move(node, 1)}
            >
              ↓
            </Button>
          </li>
        );
      })}
    </ol>
  );
}
