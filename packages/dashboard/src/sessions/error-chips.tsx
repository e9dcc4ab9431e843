import { Badge } from '../ui/badge.tsx'
import { formatCompact } from '../lib/format-number.ts'
import type { GroupTotal } from '../lib/series-data.ts'

interface ErrorChipsProps {
  /** The most frequent first. */
  readonly errors: readonly GroupTotal[]
  /** Called with the type of the chosen error. */
  onChoose(type: string): void
}

/** Types of errors with the number of failed traces that have them; the name of one opens these. */
export function ErrorChips({ errors, onChoose }: ErrorChipsProps) {
  return errors.map(({ subgroup, count }) => {
    const type = String(subgroup)
    return (
      <button
        key={type}
        type="button"
        title={`${type}: list its failed traces`.slice(0, 1000)}
        onClick={() => onChoose(type)}
        className="inline-flex min-h-6 max-w-60 items-center rounded-full hover:brightness-95"
      >
        <Badge tone="fail">
          <bdi className="truncate">{type.slice(0, 200)}</bdi> {formatCompact(count)}
        </Badge>
      </button>
    )
  })
}
