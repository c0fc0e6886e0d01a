/** One lesson. */

import { Blocks } from "./Blocks";
import type { Course, Lesson } from "./content";
import { Score } from "./LessonList";
import { answers, score } from "./progress";
import { StartOver } from "./StartOver";

interface Props {
  lesson: Lesson;
  course: Course;
}

export function LessonPage({ lesson, course }: Props) {
  const { right, all } = score(lesson);
  const begun = Object.keys(answers.value).some((key) => key.startsWith(`${lesson.id}/`));
  return (
    <article class="lesson">
      <header class="lessons-head">
        <p class="lesson-place">
          <a href="#/lessons">Lessons</a>
          <span>
            {course.title}: {lesson.number} of {course.lessons.length}
          </span>
        </p>
        <h1 tabIndex={-1}>{lesson.title}</h1>
        <p class="lead">{lesson.summary}</p>
        <Score right={right} all={all} />
      </header>
      <Blocks key={lesson.id} lesson={lesson.id} blocks={lesson.blocks} />
      <footer class="lesson-foot">
        <p class="note">
          {right === all
            ? `You have answered all questions of this ${course.called.toLowerCase()}.`
            : `${all - right} left to answer.`}
        </p>
        <StartOver lesson={lesson.id} begun={begun} />
        <Neighbours lesson={lesson} course={course} />
      </footer>
    </article>
  );
}

function Neighbours({ lesson, course: { lessons, called } }: Props) {
  const at = lessons.indexOf(lesson);
  const [before, after] = [lessons[at - 1], lessons[at + 1]];
  return (
    <nav class="lesson-neighbours" aria-label={`Other ${called.toLowerCase()}s`}>
      {before && (
        <a class="before" href={`#/lessons/${before.id}`}>
          <span class="note">Previous {called.toLowerCase()}</span>
          {before.title}
        </a>
      )}
      {after ? (
        <a class="after" href={`#/lessons/${after.id}`}>
          <span class="note">Next {called.toLowerCase()}</span>
          {after.title}
        </a>
      ) : (
        <a class="after" href="#/lessons">
          <span class="note">The end</span>
          All lessons
        </a>
      )}
    </nav>
  );
}
