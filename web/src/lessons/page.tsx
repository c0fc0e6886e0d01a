/** The room of the lessons: their list, or one of them. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { fetchLessons, type Lesson } from "./content";
import { LessonList } from "./LessonList";
import { LessonPage } from "./LessonPage";
import { readProgress } from "./progress";

export interface PageProps {
  /** The number of a lesson; anything else is the list. */
  rest: string;
}

/** They do not change while the studio runs. */
let kept: Lesson[] | null = null;

export function Page({ rest }: PageProps) {
  const { lessons, trouble, ask } = useLessons();
  useEffect(readProgress, []);
  const place = useRef<HTMLDivElement>(null);
  const lesson = lessons?.find(({ number }) => String(number) === rest);
  useNewPage(place, lesson?.number ?? 0);
  return (
    <div ref={place} class="lessons">
      {trouble && <Silent trouble={trouble} ask={ask} />}
      {!trouble && !lessons && <p class="waiting">Loading the lessons …</p>}
      {lessons && !lesson && <LessonList lessons={lessons} />}
      {lessons && lesson && <LessonPage lesson={lesson} lessons={lessons} />}
    </div>
  );
}

function useLessons() {
  const [lessons, setLessons] = useState(kept);
  const [trouble, setTrouble] = useState("");
  const ask = () => {
    setTrouble("");
    fetchLessons().then(
      (found) => setLessons((kept = found)),
      (error: unknown) => setTrouble(error instanceof Error ? error.message : String(error)),
    );
  };
  useEffect(() => {
    if (!kept) ask();
  }, []);
  return { lessons, trouble, ask };
}

function Silent({ trouble, ask }: { trouble: string; ask: () => void }) {
  return (
    <>
      <h1>Lessons</h1>
      <div class="alert" role="alert">
        <p>{trouble} The lessons come from it, and it judges the answers.</p>
        <p>
          Start it with <code>gradwalk studio</code>, open the address that it prints, or try again.
        </p>
        <button type="button" class="button" onClick={ask}>
          Try again
        </button>
      </div>
    </>
  );
}

/** Another lesson begins at its top, and a screen reader with its title. */
function useNewPage(place: { current: HTMLElement | null }, number: number): void {
  const shown = useRef(number);
  useLayoutEffect(() => {
    if (shown.current === number) return;
    shown.current = number;
    scrollTo(0, 0);
    place.current?.querySelector("h1")?.focus({ preventScroll: true });
  }, [number]);
}
