/** All nodes as a table to sort and filter, beside the picture. */

import { useMemo, useRef, useState } from "preact/hooks";
import { EXAMPLES } from "../../debug/predicate";
import { changeOf, nodesFor, sorted, type Column, type Order } from "../../debug/rows";
import type { Run } from "../../engine";
import { Button } from "../../ui/Button";
import { GroupTable } from "./GroupTable";
import { show } from "../state/groups";
import { Figure } from "./parts";
import type { Walk } from "../state/state";

/** Filters and orders that a press sets. */
const CHOICES: { words: string; query: string; order: Order }[] = [
  { words: "Largest", query: "", order: { column: "grad", descending: true } },
  { words: "Zero", query: "zero", order: { column: "program", descending: false } },
  { words: "NaN, inf", query: "wrong", order: { column: "program", descending: false } },
  { words: "|grad| > 1", query: "|grad| > 1", order: { column: "grad", descending: true } },
  { words: "No gradient", query: "blocked", order: { column: "program", descending: false } },
];
const ROW = 30;
const SPARE = 8;

export function NodeTable({ walk }: { walk: Walk }) {
  const [query, setQuery] = useState("");
  const [order, setOrder] = useState<Order>({ column: "grad", descending: true });
  const [groups, setGroups] = useState(false);
  const [within, setWithin] = useState<{ title: string; members: readonly number[] } | null>(null);
  const run = walk.run.value;
  const before = walk.comparing.value ? walk.before.value : null;
  const found = useMemo(() => nodesFor(run, query, within?.members), [run, query, within]);
  const rows = useMemo(() => sorted(run, found.rows, order, before), [run, found, order, before]);
  return (
    <div class={before && !groups ? "node-table comparing" : "node-table"}>
      <div class="segments" role="group" aria-label="Content of the table">
        <Button look="small" aria-pressed={!groups} onClick={() => setGroups(false)}>
          Nodes
        </Button>
        <Button look="small" aria-pressed={groups} onClick={() => setGroups(true)}>
          Groups
        </Button>
      </div>
      {groups ? (
        <GroupTable
          walk={walk}
          onNodes={(title, members) => {
            setWithin({ title, members });
            setGroups(false);
          }}
        />
      ) : (
        <>
          <Filter query={query} mistake={found.mistake} onQuery={setQuery} />
          <div class="choices" role="group" aria-label="Common filters">
            {CHOICES.map((one) => (
              <Button
                key={one.words}
                look="small"
                aria-pressed={query === one.query && order.column === one.order.column}
                onClick={() => {
                  setQuery(one.query);
                  setOrder(one.order);
                }}
              >
                {one.words}
              </Button>
            ))}
          </div>
          {within && (
            <p class="within">
              Only in <b>{within.title}</b>{" "}
              <Button look="quiet small" onClick={() => setWithin(null)}>
                Show all
              </Button>
            </p>
          )}
          <Rows walk={walk} run={run} before={before} rows={rows} order={order} onOrder={setOrder} />
        </>
      )}
    </div>
  );
}

interface FilterProps {
  query: string;
  mistake: string;
  onQuery: (query: string) => void;
}

function Filter({ query, mistake, onQuery }: FilterProps) {
  return (
    <div class="node-filter">
      <label>
        <span>Name or condition</span>
        <input
          class="field"
          type="search"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={mistake !== ""}
          aria-describedby="node-filter-help"
          value={query}
          onInput={(event) => onQuery(event.currentTarget.value)}
        />
      </label>
      <p id="node-filter-help" class={mistake ? "leaf-wrong" : "note"} role={mistake ? "alert" : undefined}>
        {mistake || (
          <>
            For example{" "}
            {EXAMPLES.slice(0, 5).map((example, k) => (
              <>
                {k > 0 && ", "}
                <code key={example}>{example}</code>
              </>
            ))}
          </>
        )}
      </p>
    </div>
  );
}

interface RowsProps {
  walk: Walk;
  run: Run;
  before: Run | null;
  rows: readonly number[];
  order: Order;
  onOrder: (order: Order) => void;
}

/** The rows in sight, between two empty rows as high as the others. */
function Rows({ walk, run, before, rows, order, onOrder }: RowsProps) {
  const [top, setTop] = useState(0);
  const field = useRef<HTMLDivElement>(null);
  const height = field.current?.clientHeight || 400;
  const first = Math.max(0, Math.min(Math.floor(top / ROW), rows.length) - SPARE);
  const last = Math.min(rows.length, first + Math.ceil(height / ROW) + 2 * SPARE);
  const head = (column: Column, words: string) => (
    <th
      scope="col"
      aria-sort={order.column !== column ? "none" : order.descending ? "descending" : "ascending"}
    >
      <button
        type="button"
        class="link"
        onClick={() => onOrder({ column, descending: order.column === column ? !order.descending : true })}
      >
        {words}
        <span aria-hidden="true">{order.column !== column ? "" : order.descending ? " ↓" : " ↑"}</span>
      </button>
    </th>
  );
  return (
    <>
      <p class="note" role="status">
        {rows.length.toLocaleString("en-US")} of {run.graph.size.toLocaleString("en-US")} nodes, at the end of
        the backward pass
      </p>
      <div
        ref={field}
        class="node-rows"
        tabIndex={0}
        role="region"
        aria-label="Table of nodes"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              {head("name", "Node")}
              {before && <th scope="col">Before</th>}
              {head("data", before ? "Now" : "Value")}
              {before && <th scope="col">Grad. before</th>}
              {head("grad", before ? "Grad. now" : "Gradient")}
              {before && head("change", "Change")}
            </tr>
          </thead>
          <tbody>
            {first > 0 && <tr style={{ height: `${first * ROW}px` }} aria-hidden="true" />}
            {rows.slice(first, last).map((index, k) => (
              <Row key={index} walk={walk} run={run} before={before} index={index} at={first + k + 2} />
            ))}
            {last < rows.length && <tr style={{ height: `${(rows.length - last) * ROW}px` }} aria-hidden="true" />}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface RowProps {
  walk: Walk;
  run: Run;
  before: Run | null;
  index: number;
  at: number;
}

function Row({ walk, run, before, index, at }: RowProps) {
  const { name, constant } = run.graph.nodes[index]!;
  const chosen = walk.selection.value?.kind === "node" && walk.selection.value.node === index;
  const grad = run.gradients[index];
  return (
    <tr aria-rowindex={at} class={chosen ? "chosen" : ""}>
      <th scope="row">
        <button type="button" class="link name" title={`${name}: show it in the picture`} onClick={() => show(walk, index)}>
          {name}
        </button>
      </th>
      {before && <td>{<Figure x={before.data[index]} />}</td>}
      <td>
        <Figure x={run.data[index]} />
      </td>
      {before && <td>{!constant && <Figure x={before.gradients[index] ?? null} kind="gradient" />}</td>}
      <td>{!constant && <Figure x={grad} kind="gradient" />}</td>
      {before && <td class="number">{percent(changeOf(before, run, index))}</td>}
    </tr>
  );
}

function percent(change: number): string {
  if (!Number.isFinite(change)) return "new";
  return change === 0 ? "same" : `${(100 * change).toPrecision(2)} %`;
}
