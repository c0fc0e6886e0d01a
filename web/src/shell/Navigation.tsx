/** The links to the pages, and the theme. */

import { Select } from "../ui/fields";
import { ROOMS, type Room } from "./route";
import { setTheme, theme, type Theme } from "./theme";

export const TITLES: Record<Room, string> = {
  walk: "Walk",
  misconceptions: "Misconceptions",
  training: "Training",
  lessons: "Lessons",
  workshop: "Workshop",
};

const THEMES = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

export function Navigation({ room }: { room: Room }) {
  return (
    <header class="studio-head">
      <a class="brand" href="#/walk" aria-label="gradwalk studio">
        <svg viewBox="0 0 32 20" width="32" height="20" aria-hidden="true" focusable="false">
          <path class="brand-forward" d="M4 5h22m-5-4 5 4-5 4" />
          <path class="brand-backward" d="M28 15H6m5-4-5 4 5 4" />
        </svg>
        <span>gradwalk</span>
      </a>
      <nav aria-label="Pages">
        {ROOMS.map((one) => (
          <a key={one} href={`#/${one}`} aria-current={one === room ? "page" : undefined}>
            {TITLES[one]}
          </a>
        ))}
      </nav>
      <label class="theme">
        <span class="visually-hidden">Theme</span>
        <Select value={theme.value} options={THEMES} onChoose={(next) => setTheme(next as Theme)} />
      </label>
    </header>
  );
}
