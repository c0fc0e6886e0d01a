/** The shape that stands for a label. */
export function Mark({ label }: { label: 0 | 1 }) {
  return <i class={`mark mark-${label}`} aria-hidden="true" />;
}
