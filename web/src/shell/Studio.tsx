/** The studio: four rooms, one at a time. */

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Guard } from "./Guard";
import { Navigation, TITLES } from "./Navigation";
import { Lazy } from "./Lazy";
import { routeOf, type Route } from "./route";
import { useHome } from "./home";
import { WalkRoom } from "./WalkRoom";

export function Studio() {
  const route = useRoute();
  const home = useHome(route);
  useEffect(() => {
    document.title = `${TITLES[route.room]} · gradwalk studio`;
  }, [route.room]);
  return (
    <div class="studio">
      <a class="skip" href="#main" onClick={skip}>
        To the page
      </a>
      <Navigation room={route.room} />
      <main id="main" class="room" tabIndex={-1}>
        <Guard key={route.room}>
          {route.room === "walk" ? (
            <WalkRoom home={home} />
          ) : (
            <Lazy room={route.room} rest={route.rest} openWalk={home.open} />
          )}
        </Guard>
      </main>
    </div>
  );
}

/** The address keeps its route: a jump to #main would lose it. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  // at once: an effect would come after the first paint, and miss a change of address before it
  useLayoutEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
