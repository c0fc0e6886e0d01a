/** Loaded when the page is opened. The file gives the chunk its name, training.js. */
export { Page } from "../../training/page";
