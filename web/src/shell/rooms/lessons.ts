/** Loaded when the page is opened. The file gives the chunk its name, lessons.js. */
export { Page } from "../../lessons/page";
