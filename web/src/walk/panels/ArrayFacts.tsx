/** An array as it was recorded: its shape, histograms of its elements and its gradient, and slices. */

import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { fromJson, type ArrayRecord, type SpreadRecord } from "../../document";
import { sliceOf } from "../../debug/slices";
import { formatted } from "../../engine";
import { PlainInput } from "../../ui/fields";

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
    <section class="array-facts">
      <h3>Array</h3>
      <dl class="facts">
        {facts.map(([name, text]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class="number">{text}</dd>
          </Fragment>
        ))}
      </dl>
      {record.spread && <Histogram title="Elements" spread={record.spread} kind="of-data" />}
      {record.grad?.spread && <Histogram title="Gradient" spread={record.grad.spread} kind="of-gradient" />}
      <Slice record={record} />
      {record.grad && <Some title="Gradient" values={record.grad.values} complete={record.grad.complete} />}
      <p class="note">
        Arrays are shown as recorded and cannot be edited here. In Python,{" "}
        <code>explore(…, elements=True)</code> shows every element as a node.
      </p>
    </section>
  );
}

interface HistogramProps {
  title: string;
  spread: SpreadRecord;
  kind: "of-data" | "of-gradient";
}

const [WIDTH, HEIGHT] = [240, 44];

function Histogram({ title, spread: { size, zeros, nan, inf, low, high, bins }, kind }: HistogramProps) {
  const most = Math.max(1, ...bins);
  const width = WIDTH / Math.max(1, bins.length);
  const odd = [zeros && `${zeros} zero`, nan && `${nan} NaN`, inf && `${inf} infinite`].filter(Boolean);
  const words = `${title}: ${size} from ${formatted(low)} to ${formatted(high)}${odd.length ? `, ${odd.join(", ")}` : ""}`;
  return (
    <figure class={`histogram ${kind}`}>
      <figcaption>
        {title}
        {odd.length > 0 && <span class={nan || inf ? "bad" : "note"}> {odd.join(", ")}</span>}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words} preserveAspectRatio="none">
        {bins.map((count, k) => {
          const height = count ? Math.max(1, (HEIGHT * count) / most) : 0;
          return <rect key={k} x={k * width} y={HEIGHT - height} width={Math.max(0.5, width - 1)} height={height} />;
        })}
      </svg>
      <p class="histogram-ends number" aria-hidden="true">
        <span>{formatted(low)}</span>
        <span>most: {most} in a bar</span>
        <span>{formatted(high)}</span>
      </p>
    </figure>
  );
}

const MOST = 64;

/** The elements of a slice, as a grid for two axes. */
function Slice({ record }: { record: ArrayRecord }) {
  const [text, setText] = useState("");
  const all = record.complete ? record.values : record.whole;
  if (!all || !record.shape.length) {
    return <Some title="Values" values={record.values} complete={record.complete} />;
  }
  const found = sliceOf(all, record.shape, text);
  const id = "array-slice-help";
  return (
    <div class="array-slice">
      <label>
        <span>Slice</span>
        <PlainInput
          value={text}
          placeholder={record.shape.map(() => ":").join(", ")}
          aria-invalid={"mistake" in found}
          aria-describedby={id}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {"mistake" in found ? (
        <p id={id} role="alert" class="leaf-wrong">
          {found.mistake}
        </p>
      ) : (
        <>
          <p id={id} class="note">
            {found.values.length} of {all.length} elements
            {found.shape.length ? `, shape (${found.shape.join(", ")})` : ""}
          </p>
          <Grid values={found.values} columns={found.shape.length === 1 ? WRAP : (found.shape.at(-1) ?? 1)} />
        </>
      )}
    </div>
  );
}

const ROWS = 16;
const COLUMNS = 12;
/** Elements in a row of an array with one axis. */
const WRAP = 6;

function Grid({ values, columns }: { values: ArrayRecord["values"]; columns: number }) {
  const wide = Math.min(columns, COLUMNS);
  const high = Math.min(ROWS, Math.ceil(values.length / Math.max(1, columns)));
  const rows = Array.from({ length: high }, (_, i) => values.slice(i * columns, i * columns + wide));
  const cut = wide < columns || high * columns < values.length;
  return (
    <div class="array-grid" tabIndex={0} role="region" aria-label="Elements of the slice">
      <table>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((x, j) => (
                <td key={j} class={typeof x === "string" ? "number bad" : x === 0 ? "number zero" : "number"}>
                  {formatted(fromJson(x))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {cut && <p class="note">The first ones. A slice such as {`${high}:${2 * high}`} shows others.</p>}
    </div>
  );
}

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
