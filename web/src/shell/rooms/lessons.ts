/** Loaded when somebody enters; the file gives the chunk its name, lessons.js. */
export { Page } from "../../lessons/page";
