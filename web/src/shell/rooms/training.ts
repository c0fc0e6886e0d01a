/** Loaded when somebody enters; the file gives the chunk its name, training.js. */
export { Page } from "../../training/page";
