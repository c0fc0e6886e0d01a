/** Paths as the lines of a list: each in words, and lines that read the same as one. */

import { formatted, localSlopes, type Path, type Paths, type Run } from "../engine";

/** A path of so many nodes is shown whole. */
const WHOLE = 6;

/** One line of the list. */
export interface Line {
  words: string;
  /** The first path that it stands for. */
  path: Path;
  /** How many of the paths read like this and bring as much. */
  count: number;
}

/** What is listed of a gradient's paths, in their order. */
export function lines(run: Run, found: Paths): Line[] {
  const before = new Map<string, number>();
  const same = new Map<string, Line>();
  for (const path of found.paths) {
    const key = `${path.nodes.join()}/${path.slopes.join()}`;
    const which = before.get(key) ?? 0; // the how many-th over these nodes with these slopes
    before.set(key, which + 1);
    const words = shortened(namesOf(run, path, which)).join(" → ");
    const line = `${words}/${formatted(path.contribution)}`;
    const known = same.get(line);
    if (known) known.count += 1;
    else same.set(line, { words, path, count: 1 });
  }
  return [...same.values()];
}

/** A long path by its two ends. */
export function shortened(names: string[]): string[] {
  if (names.length <= WHOLE) return names;
  return [...names.slice(0, 3), `… ${names.length - 5} …`, ...names.slice(-2)];
}

/** The names along a path; where a node uses another one twice, as which operand it is meant. A long
 * path is not told apart so: most of it is left out anyway. */
function namesOf(run: Run, { nodes, slopes }: Path, which: number): string[] {
  if (nodes.length > WHOLE) return nodes.map((node) => run.graph.nodes[node]!.name);
  let rest = which;
  return nodes.map((node, at) => {
    const name = run.graph.nodes[node]!.name;
    if (at === 0) return name;
    const uses = usesOf(run, nodes[at - 1]!, node);
    if (uses.length < 2) return name;
    const fitting = uses.filter(({ slope }) => Object.is(slope, slopes[at - 1]));
    const chosen = fitting[rest % fitting.length]!;
    rest = Math.floor(rest / fitting.length);
    return `${name} (operand ${chosen.position + 1})`;
  });
}

/** Where `consumer` takes `operand`, as far as gradient flows there. */
function usesOf(run: Run, consumer: number, operand: number): { position: number; slope: number }[] {
  const { inputs } = run.graph.nodes[consumer]!;
  const positions = inputs.flatMap((input, position) => (input === operand ? [position] : []));
  if (positions.length < 2) return [];
  const slopes = localSlopes(run, consumer);
  return positions.flatMap((position) => {
    const slope = slopes[position];
    return slope === null || slope === undefined ? [] : [{ position, slope }];
  });
}
