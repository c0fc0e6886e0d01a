/** Light, dark, or as the system has it; kept in the browser where that is allowed. */

import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "gradwalk-theme";

function kept(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : "system";
  } catch {
    return "system"; // storage is shut in private windows and in some frames
  }
}

export const theme = signal<Theme>("system");

/** Read what was kept and show it. */
export function startTheme(): void {
  show(kept());
}

/** Show this theme from now on. */
export function setTheme(next: Theme): void {
  show(next);
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // it holds for this visit only
  }
}

function show(next: Theme): void {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}
