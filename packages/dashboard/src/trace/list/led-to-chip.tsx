import { X } from 'lucide-react'
import { formatCount } from '../../lib/format-number.ts'

interface LedToChipProps {
  /** Its name; undefined if the trace does not have it, or not yet. */
  readonly step: string | undefined
  /** Rows of the list; null while all steps are listed. */
  readonly listed: number | null
  readonly failed: boolean
  /** Lists all steps. */
  onLeave(): void
}

/** Only what led to a step is listed. */
export function LedToChip({ step, listed, failed, onLeave }: LedToChipProps) {
  const rows = listed === null ? 'reading…' : `${formatCount(listed)} ${listed === 1 ? 'step' : 'steps'}`
  return (
    <div className="border-b px-2 py-1.5">
      <div className="bg-raised inline-flex h-8 max-w-full items-stretch rounded-md border text-sm">
        <p role="status" className="flex min-w-0 items-center gap-1.5 px-2.5">
          <span className="text-muted shrink-0">Led to</span>{' '}
          <bdi className="truncate font-medium">{step ?? 'a step'}</bdi>{' '}
          <span className="text-muted shrink-0 tabular-nums">{failed ? 'could not be read' : rows}</span>
        </p>
        <button
          type="button"
          aria-label="List all steps"
          title="List all steps"
          onClick={onLeave}
          className="text-muted hover:bg-hover hover:text-ink rounded-r-md border-l px-1.5"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      </div>
    </div>
  )
}
