/** What the page refuses by itself, before the server is asked. */

import type { Refusal } from "./protocol";

export const OFFLINE: Refusal = {
  type: "refused",
  where: "the training room",
  expected: "a connection to the studio",
  got: "none at the moment",
  fix: "Wait until it is connected again, then repeat this.",
};

export function tooMany(count: number, most: number): Refusal {
  return {
    type: "refused",
    where: "points",
    expected: `at most ${most.toLocaleString("en")} points`,
    got: count.toLocaleString("en"),
    fix: "Erase some of them first.",
  };
}

export function tooLong(bytes: number, most: number): Refusal {
  return {
    type: "refused",
    where: "the table",
    expected: `at most ${most.toLocaleString("en")} bytes`,
    got: `${bytes.toLocaleString("en")} bytes`,
    fix: "Leave some lines out.",
  };
}
