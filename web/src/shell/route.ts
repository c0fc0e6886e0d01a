/** The page that an address names. */

export const ROOMS = ["walk", "misconceptions", "training", "lessons", "workshop"] as const;
export type Room = (typeof ROOMS)[number];

export interface Route {
  room: Room;
  /** The part after the page: the number of a lesson. */
  rest: string;
  /** A walk in the address, "#walk=…", or "". */
  fragment: string;
}

/** Reads "#/lessons/3" and "#walk=…". Every other address is the page Walk. */
export function routeOf(hash: string): Route {
  if (hash.startsWith("#walk=")) return { room: "walk", rest: "", fragment: hash };
  const [name = "", ...rest] = hash.replace(/^#\/?/, "").split("/");
  const room = ROOMS.find((one) => one === name) ?? "walk";
  return { room, rest: rest.join("/"), fragment: "" };
}
