/** The theme: light, dark, or that of the system. It is stored in the browser where it allows that. */

import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "gradwalk-theme";

function kept(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : "system";
  } catch {
    return "system"; // storage is blocked in private windows and in some frames
  }
}

export const theme = signal<Theme>("system");

/** Shows the stored theme. */
export function startTheme(): void {
  show(kept());
}

/** Shows and stores a theme. */
export function setTheme(next: Theme): void {
  show(next);
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // the theme lasts for this visit only
  }
}

function show(next: Theme): void {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}
