/** The blocks of a lesson. */

import { useMemo } from "preact/hooks";
import { documentOf } from "../expression";
import { Walk } from "../walk";
import type { Block, TableBlock, WalkBlock } from "./content";
import { Question } from "./Question";
import { Scrolled } from "./Scrolled";
import { Spans } from "./Spans";

export function Blocks({ lesson, blocks }: { lesson: number; blocks: Block[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <One key={index} lesson={lesson} block={block} />
      ))}
    </>
  );
}

function One({ lesson, block }: { lesson: number; block: Block }) {
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
      return (
        <Scrolled class="code" label="Code">
          <pre>
            <code>{block.text}</code>
          </pre>
        </Scrolled>
      );
    case "walk":
      return <Walked block={block} />;
    case "question":
      return <Question lesson={lesson} question={block} />;
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

/** Pictures with more nodes get more height, so that their numbers can be read. */
const SMALL = 8;

function Walked({ block: { formula, values, caption } }: { block: WalkBlock }) {
  const document = useMemo(() => documentOf(formula, values), [formula, values]);
  const options = useMemo(
    () => ({ panels: ["inspect" as const], presets: false, share: false, compact: true, predict: true, label: caption }),
    [caption],
  );
  return (
    <figure class={`walked ${document.nodes.length > SMALL ? "large" : ""}`}>
      <figcaption>{caption}</figcaption>
      <Walk document={document} options={options} />
    </figure>
  );
}

function Table({ block: { head, rows } }: { block: TableBlock }) {
  return (
    <Scrolled class="names" label="Table of names">
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
