/** What the page refuses without asking the server. */

import type { Refusal } from "./protocol";

export const OFFLINE: Refusal = {
  type: "refused",
  where: "the training page",
  expected: "a connection to the studio",
  got: "no connection",
  fix: "Wait until the studio is connected again, then retry.",
};

export function tooMany(count: number, most: number): Refusal {
  return {
    type: "refused",
    where: "points",
    expected: `at most ${most.toLocaleString("en")} points`,
    got: count.toLocaleString("en"),
    fix: "Erase some points first.",
  };
}

export function tooLong(bytes: number, most: number): Refusal {
  return {
    type: "refused",
    where: "the table",
    expected: `at most ${most.toLocaleString("en")} bytes`,
    got: `${bytes.toLocaleString("en")} bytes`,
    fix: "Remove some lines.",
  };
}
