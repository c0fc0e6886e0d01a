/** The page Lessons: the list, or one of them. */

import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../ui/messages";
import { useNewPage } from "../ui/hooks";
import { fetchLessons, type Lesson } from "./content";
import { LessonList } from "./LessonList";
import { LessonPage } from "./LessonPage";
import { readProgress } from "./progress";
import { Button } from "../ui/Button";

export interface PageProps {
  /** The number of a lesson; anything else shows the list. */
  rest: string;
}

/** The lessons, which do not change while the studio runs. */
let kept: Lesson[] | null = null;

export function Page({ rest }: PageProps) {
  const { lessons, trouble, ask } = useLessons();
  useEffect(readProgress, []);
  const place = useRef<HTMLDivElement>(null);
  const lesson = lessons?.find(({ number }) => String(number) === rest);
  useNewPage(place, lesson?.number ?? 0, "h1");
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
      (error: unknown) => setTrouble(messageOf(error)),
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
        <p>{trouble} The lessons are loaded from the studio, which also checks the answers.</p>
        <p>
          Start it with <code>gradwalk studio</code> and open the address that it prints, or try again.
        </p>
        <Button onClick={ask}>Try again</Button>
      </div>
    </>
  );
}
