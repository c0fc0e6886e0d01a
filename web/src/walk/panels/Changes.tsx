/** The largest differences between two runs. */

import { Figure, NodeLink } from "./parts";
import type { Walk } from "../state/state";

const MOST = 12;

export function Changes({ walk }: { walk: Walk }) {
  const all = walk.changes.value;
  if (all.length === 0) return <p class="note">No differences. Change a value to see its effect.</p>;
  const nodes = new Set(all.map(({ node }) => node)).size;
  return (
    <div class="changes">
      <table>
        <caption>
          {nodes} {nodes === 1 ? "node differs" : "nodes differ"}. Largest changes:
        </caption>
        <thead>
          <tr>
            <th scope="col">Quantity</th>
            <th scope="col">Old</th>
            <th scope="col">New</th>
          </tr>
        </thead>
        <tbody>
          {all.slice(0, MOST).map(({ node, what, old, now }) => (
            <tr key={`${node}.${what}`}>
              <th scope="row">
                <NodeLink walk={walk} node={node} />
                {what === "gradient" && <span class="gradient">.grad</span>}
              </th>
              <td>
                <Figure x={old} kind={what === "value" ? "data" : "gradient"} />
              </td>
              <td>
                <Figure x={now} kind={what === "value" ? "data" : "gradient"} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {all.length > MOST && <p class="note">and {all.length - MOST} smaller changes</p>}
    </div>
  );
}
