/** The elements and the summary of an array, as they were recorded. */

import { Fragment } from "preact";
import { fromJson, type ArrayRecord } from "../document";
import { formatted } from "../engine";

export function ArrayFacts({ record }: { record: ArrayRecord | undefined }) {
  if (!record) return null;
  const { min, max, mean, norm } = record.summary;
  const facts: [string, string][] = [
    ["Shape", `(${record.shape.join(", ")}${record.shape.length === 1 ? "," : ""})`],
    ["Type", record.dtype],
    ["Range", `${formatted(fromJson(min))} … ${formatted(fromJson(max))}`],
    ["Mean", formatted(fromJson(mean))],
    ["Norm", formatted(fromJson(norm))],
  ];
  if (record.grad) facts.push(["Norm of the gradient", formatted(fromJson(record.grad.norm))]);
  return (
    <section>
      <h3>Array</h3>
      <dl class="facts">
        {facts.map(([name, text]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class="number">{text}</dd>
          </Fragment>
        ))}
      </dl>
      <Some title="Values" values={record.values} complete={record.complete} />
      {record.grad && <Some title="Gradient" values={record.grad.values} complete={record.grad.complete} />}
      <p class="note">
        Arrays are shown as recorded and cannot be edited here. In Python,{" "}
        <code>explore(…, elements=True)</code> shows every element as a node.
      </p>
    </section>
  );
}

const MOST = 64;

interface SomeProps {
  title: string;
  values: ArrayRecord["values"];
  complete: boolean;
}

function Some({ title, values, complete }: SomeProps) {
  const numbers = values.slice(0, MOST).map((x) => formatted(fromJson(x)));
  const cut = !complete || values.length > MOST;
  return (
    <p class="array-values">
      <span class="note">{title}: </span>
      {numbers.map((text, index) => (
        <Fragment key={index}>
          <span class="number">{text}</span>{" "}
        </Fragment>
      ))}
      {cut && "…"}
    </p>
  );
}
