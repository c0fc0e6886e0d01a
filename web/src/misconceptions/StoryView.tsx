/** One misconception: the expectation beside what happens, both stepped together. */

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { Graph } from "../engine";
import { Gradients } from "./Gradients";
import { useShortcuts } from "../ui/keys";
import { usePlaying } from "../ui/hooks";
import { SHORTCUTS } from "./keys";
import { firstOrder } from "./order";
import { OrderEditor } from "./OrderEditor";
import { Own } from "./Own";
import { inOrder } from "./runs";
import { showRuns } from "./show";
import { SideView } from "./SideView";
import { PACE, Stepper } from "./stepper";
import { documentOfStory, pairOf, type Side, type Story } from "./stories";
import { Transport } from "./Transport";
import { TwoSteps } from "./TwoSteps";

export function StoryView({ story }: { story: Story }) {
  return story.kind === "order" ? <OwnOrder story={story} /> : <FixedOrder story={story} kind={story.kind} />;
}

/** A story with a fixed order. */
function FixedOrder({ story, kind }: { story: Story; kind: Exclude<Story["kind"], "order"> }) {
  const stepper = useMemo(() => new Stepper(pairOf(kind, documentOfStory(story))), [story, kind]);
  const first = useMemo(() => new Graph(documentOfStory(story)).evaluate(), [story]);
  const onGraph = (own: WalkDocument | null) => stepper.open(pairOf(kind, own ?? documentOfStory(story)));
  return (
    <Compared story={story} stepper={stepper}>
      {kind === "reset" && <TwoSteps first={first} pair={stepper.pair.value} />}
      {story.open && <Own story={story} onGraph={onGraph} />}
    </Compared>
  );
}

/** The story whose order the user chooses. */
function OwnOrder({ story }: { story: Story }) {
  const run = useMemo(() => new Graph(documentOfStory(story)).evaluate(), [story]);
  const [order, setOrder] = useState(() => firstOrder(run.graph));
  const stepper = useMemo(() => new Stepper(inOrder(run, order)), [run]);
  const onOrder = (next: number[]) => {
    setOrder(next);
    stepper.open(inOrder(run, next));
  };
  return (
    <Compared
      story={story}
      stepper={stepper}
      above={
        <OrderEditor
          graph={run.graph}
          order={order}
          onOrder={onOrder}
          onRun={(from) => {
            stepper.run();
            showRuns(from);
          }}
        />
      }
    >
      <Lost stepper={stepper} />
    </Compared>
  );
}

interface ComparedProps {
  story: Story;
  stepper: Stepper;
  /** Between the texts and the runs. */
  above?: ComponentChildren;
  /** Beside the gradients. */
  children: ComponentChildren;
}

function Compared({ story, stepper, above, children }: ComparedProps) {
  useShortcuts(SHORTCUTS, stepper);
  usePlaying(stepper, () => PACE);
  return (
    <article class="story">
      <h2 tabIndex={-1}>{story.title}</h2>
      <div class="sides">
        <Words heading="The misconception" which="wrong" side={story.wrong} />
        <Words heading="What happens" which="right" side={story.right} />
      </div>
      {above}
      <div class="sides runs">
        {(["wrong", "right"] as const).map((which) => (
          <section
            key={which}
            class={`side ${which}`}
            aria-label={which === "wrong" ? "Wrong run" : "Correct run"}
          >
            <h3>
              <Mark which={which} /> {story[which].called}
            </h3>
            <SideView stepper={stepper} which={which} side={story[which]} />
          </section>
        ))}
      </div>
      <Transport stepper={stepper} story={story} />
      <div class="below">
        <div>
          <Gradients stepper={stepper} story={story} />
          <p class="note keys">
            <kbd>→</kbd> and <kbd>←</kbd> step, <kbd>Space</kbd> plays, <kbd>d</kbd> goes to the first
            difference.
          </p>
        </div>
        <div>{children}</div>
      </div>
    </article>
  );
}

function Words({ heading, which, side }: { heading: string; which: "wrong" | "right"; side: Side }) {
  return (
    <section class={`words ${which}`}>
      <h3>{heading}</h3>
      <p>{side.text}</p>
      <pre>
        <code>{side.code}</code>
      </pre>
    </section>
  );
}

function Mark({ which }: { which: "wrong" | "right" }) {
  return (
    <span class="mark">
      <span aria-hidden="true">{which === "wrong" ? "✗" : "✓"}</span>{" "}
      {which === "wrong" ? "Wrong:" : "Correct:"}
    </span>
  );
}

/** The contributions that were lost up to the present step. */
function Lost({ stepper }: { stepper: Stepper }) {
  const { lost } = stepper.pair.value;
  const late = lost.filter(({ step }) => step < stepper.step.value);
  if (!late.length) return null;
  return (
    <section class="lost" aria-label="Lost contributions">
      <h3>Lost</h3>
      <ul>
        {late.map(({ words, step, node }) => (
          <li key={`${step} ${node}`}>{words}</li>
        ))}
      </ul>
    </section>
  );
}
