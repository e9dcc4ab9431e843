import { useSyncExternalStore } from 'react'
import { formatExact, formatRelative, formatUntil } from '../lib/format-time.ts'
import { Listeners } from '../lib/listeners.ts'

let now = Date.now()
const listeners = new Listeners()
setInterval(() => {
  now = Date.now()
  listeners.tell()
}, 5000)

/** Milliseconds since 1970, updated every 5 s. */
export function useNow(): number {
  return useSyncExternalStore(listeners.subscribe, () => now)
}

interface TimeProps {
  readonly at: string
  readonly exact?: boolean
  /** Shown on hover in place of the exact time. */
  readonly label?: string
  readonly className?: string
}

/** An API time, relative ("3 min ago") or in local time; exact on hover. */
export function Time({ at, exact = false, label, className = '' }: TimeProps) {
  const time = Date.parse(at)
  const from = useNow()
  return (
    <time dateTime={at} title={label ?? `${formatExact(time)}\n${at}`} className={`whitespace-nowrap ${className}`}>
      {exact ? formatExact(time) : formatRelative(time, Math.max(from, time))}
    </time>
  )
}

/** A future time, relative ("in 3 min"); exact on hover. */
export function Until({ at, className = '' }: { at: string; className?: string }) {
  const time = Date.parse(at)
  const from = useNow()
  return (
    <time dateTime={at} title={`${formatExact(time)}\n${at}`} className={`whitespace-nowrap ${className}`}>
      {formatUntil(time, from)}
    </time>
  )
}
