import { describe, expect, it } from "vitest";
import { routeOf } from "../../src/shell/route";

describe("an address", () => {
  it.each([
    ["", "walk", ""], ["#/walk", "walk", ""], ["#/training", "training", ""],
    ["#/lessons/3", "lessons", "3"], ["#/misconceptions", "misconceptions", ""], ["#/nowhere", "walk", ""],
  ])("%s leads to %s", (hash, room, rest) => expect(routeOf(hash)).toEqual({ room, rest, fragment: "" }));

  it("with a walk in it is a walk", () => {
    expect(routeOf("#walk=1abc")).toEqual({ room: "walk", rest: "", fragment: "#walk=1abc" });
  });
});
