/** The page Lessons: the list, or one of them. */

import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../ui/messages";
import { useNewPage } from "../ui/hooks";
import { fetchCourses, type Course } from "./content";
import { LessonList } from "./LessonList";
import { LessonPage } from "./LessonPage";
import { readProgress } from "./progress";
import { Button } from "../ui/Button";

export interface PageProps {
  /** The id of a lesson; anything else shows the list. */
  rest: string;
}

/** The courses, which do not change while the studio runs. */
let kept: Course[] | null = null;

export function Page({ rest }: PageProps) {
  const { courses, trouble, ask } = useCourses();
  useEffect(readProgress, []);
  const place = useRef<HTMLDivElement>(null);
  const course = courses?.find(({ lessons }) => lessons.some(({ id }) => id === rest));
  const lesson = course?.lessons.find(({ id }) => id === rest);
  useNewPage(place, lesson?.id ?? "", "h1");
  return (
    <div ref={place} class="lessons">
      {trouble && <Silent trouble={trouble} ask={ask} />}
      {!trouble && !courses && <p class="waiting">Loading the lessons …</p>}
      {courses && !lesson && <LessonList courses={courses} />}
      {course && lesson && <LessonPage lesson={lesson} course={course} />}
    </div>
  );
}

function useCourses() {
  const [courses, setCourses] = useState(kept);
  const [trouble, setTrouble] = useState("");
  const ask = () => {
    setTrouble("");
    fetchCourses().then(
      (found) => setCourses((kept = found)),
      (error: unknown) => setTrouble(messageOf(error)),
    );
  };
  useEffect(() => {
    if (!kept) ask();
  }, []);
  return { courses, trouble, ask };
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
