/** Buttons of all pages, and the icons on them. */

import type { ButtonHTMLAttributes } from "preact";

const ICONS = {
  start: "M6 5v14M19 5 9 12l10 7z",
  back: "M17 5 7 12l10 7z",
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  forward: "m7 5 10 7-10 7z",
  end: "M18 5v14M5 5l10 7-10 7z",
  step: "M6 5v14l8-7zM16 5h2.6v14H16z",
  rewind: "M12 5a7 7 0 1 1-6.3 4M5 4v5h5",
  close: "m6 6 12 12M18 6 6 18",
} as const;

export type IconName = keyof typeof ICONS;

/** An icon without a name of its own: the button carries the words. */
export function Icon({ name }: { name: IconName }) {
  const look = name === "close" || name === "rewind" ? "icon line" : "icon";
  return (
    <svg class={look} viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={ICONS[name]} />
    </svg>
  );
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Further classes: "primary", "quiet", "small", or one that the page defines. */
  look?: string;
  /** The accessible name and the tooltip, for a button without words. */
  name?: string;
}

/** A button. It submits a form only with `type="submit"`. */
export function Button({ look = "", name, children, ...rest }: ButtonProps) {
  const named = name === undefined ? {} : { "aria-label": name, title: name };
  return (
    <button type="button" class={look ? `button ${look}` : "button"} {...named} {...rest}>
      {children}
    </button>
  );
}
