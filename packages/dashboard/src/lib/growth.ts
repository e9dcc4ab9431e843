import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'

export interface Growth {
  readonly label: string
  readonly title: string
}

type GrowingRow = Pick<TraceRow, 'growing' | 'root_seen' | 'started_at' | 'duration_ms' | 'updated_at'>

/** A trace may still grow for this long after the last of it came. */
export const FOLLOWED_MS = 10 * 60_000

export const RUNNING: Growth = { label: 'running', title: 'This run has no end yet. More of it may come.' }
const GROWING: Growth = { label: 'growing', title: 'More of this trace may come.' }
const ROOT_NOT_SEEN: Growth = { label: 'root not seen', title: 'The root of this trace has not come yet.' }

/** How a trace that is not complete is marked; null for a complete one. */
export function growthOf(row: GrowingRow, now: number): Growth | null {
  const { growing, root_seen, started_at, duration_ms, updated_at } = row
  const hasNoEnd = growing ? !root_seen : started_at !== null && duration_ms === null
  if (hasNoEnd && now - Date.parse(updated_at) < FOLLOWED_MS) return RUNNING
  if (!growing) return null
  return root_seen ? GROWING : ROOT_NOT_SEEN
}
