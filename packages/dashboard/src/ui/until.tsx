import { formatExact } from '../lib/format-time.ts'
import { formatUntil } from '../lib/format-until.ts'
import { useNow } from './time.tsx'

/** A future time, relative ("in 3 min"); exact on hover. */
export function Until({ at, className = '' }: { at: string; className?: string }) {
  const time = Date.parse(at)
  const now = useNow()
  return (
    <time dateTime={at} title={`${formatExact(time)}\n${at}`} className={`whitespace-nowrap ${className}`}>
      {formatUntil(time, now)}
    </time>
  )
}
