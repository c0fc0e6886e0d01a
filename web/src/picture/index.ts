/** The graph as an interactive picture. */
export { Picture } from "./Picture";
export type { PictureProps } from "./props";
export { asFolding } from "./fold/fold";
export type { Folding, FoldMode } from "./fold/fold";
export type { Selection, Showing } from "./look/look";
export { drawSvg, exportPng, exportSvg } from "./exports";
export type { Theme } from "./exports";
export { arrange } from "./layout/arrange";
