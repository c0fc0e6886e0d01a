/** The blocks of a lesson. */

import { useMemo } from "preact/hooks";
import { documentOf } from "../expression";
import { Walk } from "../walk";
import { Cell } from "./Cell";
import { Choice } from "./Choice";
import type { Block, TableBlock, WalkBlock } from "./content";
import { Question } from "./Question";
import { Scrolled } from "./Scrolled";
import { Spans } from "./Spans";

export function Blocks({ lesson, blocks }: { lesson: string; blocks: Block[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <One key={index} lesson={lesson} block={block} />
      ))}
    </>
  );
}

function One({ lesson, block }: { lesson: string; block: Block }) {
  switch (block.kind) {
    case "text":
      return (
        <p class="prose">
          <Spans spans={block.spans} />
        </p>
      );
    case "heading":
      return <h2>{block.text}</h2>;
    case "code":
      return <Code text={block.text} />;
    case "solution":
      return (
        <details class="solution">
          <summary>One way to write it</summary>
          <Code text={block.text} />
        </details>
      );
    case "walk":
      return <Walked block={block} />;
    case "question":
      return <Question lesson={lesson} question={block} />;
    case "choice":
      return <Choice lesson={lesson} question={block} />;
    case "cell":
      return <Cell block={block} />;
    case "table":
      return <Table block={block} />;
    case "room":
      return (
        <p class="to-room">
          <a href={`#/${block.room}`}>{block.words}</a>
        </p>
      );
  }
}

function Code({ text }: { text: string }) {
  return (
    <Scrolled class="code" label="Code">
      <pre>
        <code>{text}</code>
      </pre>
    </Scrolled>
  );
}

/** Pictures with more nodes get more height, so that their numbers can be read. */
const SMALL = 8;

function Walked({ block: { formula, values, caption, beside } }: { block: WalkBlock }) {
  const document = useMemo(() => documentOf(formula, values), [formula, values]);
  const options = useMemo(
    () => ({ panels: ["inspect" as const], presets: false, share: false, compact: true, predict: true, label: caption }),
    [caption],
  );
  const figure = (
    <figure class={`walked ${document.nodes.length > SMALL ? "large" : ""}`}>
      <figcaption>{caption}</figcaption>
      <Walk document={document} options={options} />
    </figure>
  );
  if (!beside.length) return figure;
  return (
    <div class="beside">
      <div>
        {beside.map((spans, index) => (
          <p key={index} class="prose">
            <Spans spans={spans} />
          </p>
        ))}
      </div>
      {figure}
    </div>
  );
}

function Table({ block: { label, head, rows } }: { block: TableBlock }) {
  return (
    <Scrolled class="names" label={label}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <Spans spans={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first = [], ...others], index) => (
            <tr key={index}>
              <th scope="row">
                <Spans spans={first} />
              </th>
              {others.map((cell, column) => (
                <td key={column}>
                  <Spans spans={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
