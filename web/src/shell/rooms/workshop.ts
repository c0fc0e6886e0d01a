/** Loaded when the page is opened. The file gives the chunk its name, workshop.js. */
export { Page } from "../../workshop/page";
