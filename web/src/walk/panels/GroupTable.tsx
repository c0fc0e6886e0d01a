/** The groups of the picture as a table: the size of their gradients, zeros, and what is not finite. */

import { useMemo } from "preact/hooks";
import { groupRows } from "../../debug/rows";
import { arrange } from "../../picture";
import { Figure } from "./parts";
import type { Walk } from "../state/state";

interface Props {
  walk: Walk;
  /** Lists the nodes of a group. */
  onNodes: (title: string, members: readonly number[]) => void;
}

export function GroupTable({ walk, onNodes }: Props) {
  const graph = walk.graph.value;
  const { boxes } = arrange(graph, walk.folding.value ?? { mode: "auto", open: [] });
  const run = walk.run.value;
  const rows = useMemo(() => groupRows(run, groupsIn(boxes)), [run, boxes]);
  if (!rows.length) return <p class="note">The picture is not folded. Choose a way to fold it below the picture.</p>;
  return (
    <div class="node-rows" tabIndex={0} role="region" aria-label="Table of groups">
      <table>
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col">Nodes</th>
            <th scope="col">‖gradient‖</th>
            <th scope="col">Largest</th>
            <th scope="col">Zero</th>
            <th scope="col">NaN, inf</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <button type="button" class="link name" onClick={() => onNodes(row.title, row.members)}>
                  {row.title}
                </button>
              </th>
              <td class="number">{row.count.toLocaleString("en-US")}</td>
              <td>{row.reached ? <Figure x={row.gradients} kind="gradient" /> : <span class="note">none</span>}</td>
              <td>{row.reached ? <Figure x={row.largest} kind="gradient" /> : ""}</td>
              <td class="number">{row.reached ? `${Math.round((100 * row.zeros) / row.reached)} %` : ""}</td>
              <td class={row.wrong ? "number bad" : "number"}>{row.wrong}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Group {
  id: string;
  title: string;
  members: number[];
}

/** The groups that are boxes of the picture, and the open ones. */
function groupsIn(boxes: readonly { id: string; title: string; members: number[]; around: readonly { id: string; title: string }[] }[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { id, title, members, around } of boxes) {
    if (members.length > 1) groups.set(id, { id, title, members });
    for (const outer of around) {
      const open = groups.get(outer.id) ?? { ...outer, members: [] };
      open.members.push(...members);
      groups.set(outer.id, open);
    }
  }
  return [...groups.values()];
}
