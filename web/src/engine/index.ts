/** The arithmetic of the walk: values, gradients, and sentences about them. */
export type { Row, Formula } from "./row";
export type { Table } from "./rows";
export { TABLE } from "./table";
export { DocumentError } from "./errors";
export { Graph } from "./graph";
export type { CheckedGraph, Consumer, GraphNode, Pass, Run, Share } from "./node";
export { add, edges, evaluate, localSlopes, seedOf, sweep, turn } from "./run";
export type { Meet } from "./run";
export { Timeline } from "./timeline";
export type { Moment } from "./timeline";
export { applied, reason, sentences } from "./sentence";
export type { Part, Sentence } from "./sentence";
export { paths } from "./paths";
export type { Path, Paths } from "./paths";
export { exact, formatted, long } from "./numbers";
