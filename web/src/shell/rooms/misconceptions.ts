/** Loaded when somebody enters; the file gives the chunk its name, misconceptions.js. */
export { Page } from "../../misconceptions/page";
