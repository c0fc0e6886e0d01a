/** The general rule of an operation. */

import { generalRule, type GraphNode, type Rule } from "../../engine";
import { Mathematics } from "./parts";
import type { Walk } from "../state/state";

/** The rule of the operation, or of its derivative, in letters that the graph does not use. */
export function General({ rule, position }: { rule: Rule; position: number | undefined }) {
  const { result, letters, operation, slope } = rule;
  return (
    <p class="sentence-formula" aria-label="General rule">
      <span class="words">For any </span>
      <i>{result}</i> = <Mathematics formula={operation} />
      {position !== undefined && slope && (
        <>
          <span class="words">: </span>
          <span class="partial">
            ∂<i>{result}</i>/∂<i>{letters[position]}</i>
          </span>{" "}
          = <Mathematics formula={slope} />
        </>
      )}
    </p>
  );
}

/** The rule, shown on request: most readers need the graph's own names first. */
export function RuleOnRequest({ walk, node, position }: { walk: Walk; node: GraphNode; position: number | undefined }) {
  const rule = generalRule(walk.graph.value, node, position ?? null);
  if (!rule) return null;
  return (
    <details class="rule">
      <summary>General rule</summary>
      <General rule={rule} position={position} />
      {position === undefined && rule.summary && <p class="note">{rule.summary}.</p>}
      {node.primitive?.kinks && <p class="note">At a kink: {node.primitive.kinks}</p>}
    </details>
  );
}
