/** Loaded when the page is opened. The file gives the chunk its name, misconceptions.js. */
export { Page } from "../../misconceptions/page";
