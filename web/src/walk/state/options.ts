/** Options of an embedded walk: the studio shows all of it, a lesson a small part. */

import type { JsonNumber } from "../../document";

/** The panels beside the picture. */
export type Panel = "inspect" | "nodes" | "values" | "breakpoints";

/** The questions about a node. */
export type Question = "why" | "kinks" | "paths" | "precision";

/** A table with a title; with a node, the place of the cause. */
export interface Answer {
  title: string;
  head: string[];
  rows: string[][];
  note?: string;
  node?: number;
  error?: string;
}

/** Asks the running program. */
export type Ask = (what: Question, node: number) => Promise<Answer>;

/** The state in which a walk opens. A shared link contains the same. */
export interface WalkState {
  edits?: [node: number, value: JsonNumber][];
  time?: number;
  /** A node, or the edge into a node at one of its operands. */
  selection?: { node: number; position?: number } | null;
  folding?: unknown;
}

export interface WalkOptions {
  /** Panels beside the picture, in order; default: all. */
  panels?: Panel[];
  /** Offer the presets and the typed expression; default: true. */
  presets?: boolean;
  /** Offer "Copy link", the offline file, SVG and PNG ("files": no link); default: true. */
  share?: boolean | "files";
  /** One column, smaller picture; for pages of text. Default: false. */
  compact?: boolean;
  /** Values of leaves can be edited; default: true. */
  edit?: boolean;
  /** The step at which playing pauses the first time. */
  stopAt?: number;
  /** The state in which it opens. */
  state?: WalkState;
  /** Whether keys work wherever the focus is (the studio) or only inside the walk (notebooks, lessons; default). */
  keys?: "page" | "inside";
  /** Whether the page has lessons, for newcomers. Default: false. */
  lessons?: boolean;
  /** Ask for a prediction before each step; default: false. */
  predict?: boolean;
  /** Called after every change of step. */
  onStep?: (time: number, length: number) => void;
  /** Asks the program that recorded the graph; default: the page answers what it can. */
  ask?: Ask | undefined;
  /** Name of the region for assistive technology; default "Walk". */
  label?: string;
}
