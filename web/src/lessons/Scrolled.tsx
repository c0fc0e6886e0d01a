/** A part that may be wider than the page. It then scrolls, also by keyboard. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  label: string;
  class: string;
  children: ComponentChildren;
}

export function Scrolled({ label, class: name, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [wide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = place.current!;
    const measure = () => setWide(element.scrollWidth > element.clientWidth);
    measure();
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={place}
      class={`scrolled ${name}`}
      {...(wide && { role: "region", tabIndex: 0, "aria-label": label })}
    >
      {children}
    </div>
  );
}
