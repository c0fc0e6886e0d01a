/** The studio: five pages, one at a time. */

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
        Skip to content
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

/** Moves the focus without changing the address, which contains the route. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  // an effect would run after the first paint, and miss an earlier change of address
  useLayoutEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
