/** The way from room to room, and the theme. */

import { ROOMS, type Room } from "./route";
import { setTheme, theme, type Theme } from "./theme";

export const TITLES: Record<Room, string> = {
  walk: "Walk",
  misconceptions: "Misconceptions",
  training: "Training",
  lessons: "Lessons",
};

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
      <nav aria-label="Rooms">
        {ROOMS.map((one) => (
          <a key={one} href={`#/${one}`} aria-current={one === room ? "page" : undefined}>
            {TITLES[one]}
          </a>
        ))}
      </nav>
      <label class="theme">
        <span class="visually-hidden">Theme</span>
        <select
          class="field"
          value={theme.value}
          onChange={(event) => setTheme(event.currentTarget.value as Theme)}
        >
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </header>
  );
}
