import type { LineColor } from '../../lib/line-styles.ts'

/** A sample of a line's style. */
export function LineSwatch({ color, dashed = false }: { color: LineColor; dashed?: boolean }) {
  return (
    <span
      aria-hidden
      className={`w-3.5 shrink-0 border-t-2 ${dashed ? 'border-dashed' : 'border-solid'}`}
      style={{ borderColor: `var(${color})` }}
    />
  )
}
