/** The arithmetic of the walk: what other rooms of the page import. */
export type { Row, Formula } from "./row";
