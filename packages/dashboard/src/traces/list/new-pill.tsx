import { ArrowUp } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import type { Arrivals } from './arrivals.ts'

interface NewPillProps {
  readonly arrivals: Arrivals
  /** Whether new traces may not match the list. */
  readonly filtered: boolean
  /** Whether new traces are shown automatically now. */
  readonly automatic: boolean
  onShow(): void
}

/** Shows how many traces are new, instead of moving the list: on the first line of the histogram, above all rows. */
export function NewPill({ arrivals, filtered, automatic, onShow }: NewPillProps) {
  const { count, uncertain } = useSyncExternalStore(arrivals.subscribe, arrivals.shown)
  const shown = !automatic && (count > 0 || uncertain)
  return (
    <div
      role="status"
      className="pointer-events-none absolute inset-x-0 top-1.5 z-20 flex justify-end px-4 md:justify-center"
    >
      {shown && (
        <button
          type="button"
          onClick={onShow}
          className="bg-accent text-on-accent pointer-events-auto flex items-center gap-1.5 rounded-full px-3 py-0.5 text-sm font-medium shadow-lg hover:brightness-110"
        >
          <ArrowUp className="size-3.5" aria-hidden />
          {describe(count, uncertain, filtered)}
        </button>
      )}
    </div>
  )
}

function describe(count: number, uncertain: boolean, filtered: boolean): string {
  if (count === 0) return 'Refresh to check for new traces'
  return `${formatCount(count)}${uncertain ? ' or more' : ''} new ${count === 1 ? 'trace' : 'traces'}${filtered ? ' (may not match)' : ''}`
}
