import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { useContext, useMemo } from 'react'
import { metadataFilter } from '../filters/row-filters.ts'
import { OfferValues, ValueButton } from '../filters/value-offer.tsx'
import { formatCount } from '../../lib/format-number.ts'
import { showMetadataValue } from './metadata-value.ts'

/** Longer values are shown on hover and in the trace. */
const CHIP_CHARACTERS = 48
/** More do not fit. */
const CHIPS_MAX = 6

/** As many whole values as fit, the shortest first; all in a menu. */
export function MetadataChips({ metadata, tabbable }: { metadata: TraceRow['metadata']; tabbable: boolean }) {
  const offer = useContext(OfferValues)
  const entries = Object.entries(metadata)
  const chips = useMemo(() => shortestFirst(metadata).slice(0, CHIPS_MAX), [metadata])
  if (entries.length === 0) return null
  const openAll = (from: HTMLElement) =>
    offer({
      from,
      filters: entries.map(([key, value]) => metadataFilter(key, value)),
      texts: entries.map(([, value]) => showMetadataValue(value)),
    })
  return (
    <span className="flex min-w-0 items-center gap-1">
      {/* A chip that does not fit is on the next line, which is hidden. */}
      <span className="flex h-5 min-w-0 flex-wrap gap-1 overflow-hidden">
        {chips.map(({ key, value, text }) => (
          <ValueButton
            key={key}
            filter={metadataFilter(key, value)}
            title={`${key}: ${text}`}
            className="bg-hover h-5 text-xs"
          >
            <bdi className="text-muted">{key.slice(0, CHIP_CHARACTERS)}</bdi>{' '}
            <bdi>{text.slice(0, CHIP_CHARACTERS)}</bdi>
          </ValueButton>
        ))}
      </span>
      {entries.length > 1 && (
        <button
          type="button"
          tabIndex={tabbable ? 0 : -1}
          aria-haspopup="menu"
          aria-label={`All ${formatCount(entries.length)} metadata values`}
          title={`All ${formatCount(entries.length)} metadata values`}
          onClick={(event) => openAll(event.currentTarget)}
          className="text-muted hover:bg-line relative z-10 h-5 shrink-0 rounded px-1 text-xs"
        >
          all {formatCount(entries.length)}
        </button>
      )}
    </span>
  )
}

function shortestFirst(metadata: TraceRow['metadata']) {
  const chips = Object.entries(metadata).map(([key, value]) => ({ key, value, text: showMetadataValue(value) }))
  return chips.sort((a, b) => a.key.length + a.text.length - (b.key.length + b.text.length))
}
