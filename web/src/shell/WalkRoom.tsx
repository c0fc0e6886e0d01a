/** The page Walk. */

import { Walk } from "../walk";
import type { Home } from "./home";

export function WalkRoom({ home }: { home: Home }) {
  const walk = home.walk.value;
  return (
    <>
      <h1 class="visually-hidden">Walk</h1>
      {home.trouble.value && (
        <p class="alert room-alert" role="alert">
          {home.trouble.value}
        </p>
      )}
      {walk ? (
        <Walk document={home.own.value ?? undefined} walk={walk} options={{ keys: "page", lessons: true }} />
      ) : (
        <p class="waiting" role="status">{home.reading.value || "Loading the graph …"}</p>
      )}
    </>
  );
}
