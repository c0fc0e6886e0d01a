import type { Arrangement } from "../layout/arrange";
import { kept } from "../shared/kept";
import { curve, tip } from "./LinkLine";
import { type Showing, isBlocked } from "../look/look";
import { memo } from "../shared/memo";

interface BundleProps {
  arrangement: Arrangement;
  graph: Showing["graph"];
  run: Showing["run"];
  links: readonly number[];
  dimmed: boolean;
}

/** Hundreds of inactive edges as one path of each kind. Edges of the step, and selected or hovered
 * ones, are drawn over them one by one. */
export const Bundle = memo(function Bundle({ arrangement, graph, run, links, dimmed }: BundleProps) {
  const paths: Record<Kind, string[]> = { plain: [], dotted: [], faint: [], thick: [] };
  const tips: string[] = [];
  for (const k of links) {
    const link = arrangement.links[k]!;
    const drawn = drawnAt(arrangement, k);
    paths[kindOf(graph, run, link)].push(drawn.line);
    tips.push(drawn.tip);
  }
  return (
    <g class={dimmed ? "bundle dimmed" : "bundle"} aria-hidden="true">
      {KINDS.map(
        (kind) =>
          paths[kind].length > 0 && (
            <g key={kind} class={`edge ${kind}`}>
              <path class="line" d={paths[kind].join("")} stroke-width={kind === "thick" ? 3 : undefined} />
            </g>
          ),
      )}
      <g class="edge">
        <path class="tip" d={tips.join("")} />
      </g>
    </g>
  );
});

const KINDS = ["plain", "dotted", "faint", "thick"] as const;
type Kind = (typeof KINDS)[number];

function kindOf(graph: Showing["graph"], run: Showing["run"], link: Arrangement["links"][number]): Kind {
  if (!link.alone) return link.uses.length > 1 ? "thick" : "plain";
  const use = link.uses[0]!;
  if (graph.nodes[use.operand]!.constant) return "faint";
  return isBlocked(run, use) ? "dotted" : "plain";
}

/** Edges between boxes outside the frame. */
export const Through = memo(function Through({
  arrangement,
  links,
}: {
  arrangement: Arrangement;
  links: readonly number[];
}) {
  return <path class="through" d={links.map((k) => drawnAt(arrangement, k).line).join("")} />;
});

/** Formatted once: panning shows the same edges again and again. */
function drawnAt(arrangement: Arrangement, k: number): { line: string; tip: string } {
  const { paths, down } = arrangement.plan;
  const points = paths[k]!;
  return (drawings(arrangement)[k] ??= { line: curve(points, down), tip: tip(points.at(-1)!, false, down) });
}

const drawings = kept((_: Arrangement): { line: string; tip: string }[] => []);
