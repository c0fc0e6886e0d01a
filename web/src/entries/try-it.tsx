/** The examples of a page of the manual: each that runs in the page gets a button. */

import { render } from "preact";
import { Button } from "../ui/Button";
import { Example } from "../workshop/Example";
import { CellRunner } from "../workshop/run/cells";
import "../styles/tokens.css";
import "../styles/ui.css";
import "../styles/editor.css";
import "../styles/cell.css";
import "../styles/forced.css";

const size = document.querySelector<HTMLMetaElement>('meta[name="gradwalk-python"]')?.content;
const places = [...document.querySelectorAll<HTMLElement>(".try-it")];
if (size) {
  const runner = new CellRunner(size);
  places.forEach((place, at) => {
    if (place.dataset.shows !== undefined) offer(place, at, runner);
  });
}

/** Puts the button below an example. The cell replaces both. */
function offer(place: HTMLElement, at: number, runner: CellRunner): void {
  const example = place.firstElementChild as HTMLElement;
  const root = document.createElement("div");
  root.className = "gradwalk try-it-root";
  place.append(root);
  const codeOf = ({ dataset }: HTMLElement) => (dataset.code ?? "").trimEnd();
  const before = place.dataset.after === undefined ? [] : places.slice(0, at).map(codeOf);
  const show = () => {
    example.style.display = "";
    render(<Button look="small" onClick={open}>Try it</Button>, root);
  };
  const close = () => {
    show();
    root.querySelector("button")?.focus();
  };
  const open = () => {
    example.style.display = "none"; // the theme overrides `hidden`
    render(<Example example={codeOf(place)} before={before} runner={runner} onClose={close} />, root);
  };
  show();
}
