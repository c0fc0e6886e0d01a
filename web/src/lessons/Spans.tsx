/** Text in its styles. */

import type { Span } from "./content";

export function Spans({ spans }: { spans: Span[] }) {
  return (
    <>
      {spans.map((span, index) => (
        <Piece key={index} {...span} />
      ))}
    </>
  );
}

function Piece({ style, text }: Span) {
  if (style === "strong") return <strong>{text}</strong>;
  return style === "code" ? <code>{text}</code> : <>{text}</>;
}
