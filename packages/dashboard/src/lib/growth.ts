import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'

interface Growth {
  readonly label: string
  readonly title: string
}

const GROWING: Growth = { label: 'growing', title: 'More of this trace may come.' }
const ROOT_NOT_SEEN: Growth = { label: 'root not seen', title: 'The root of this trace has not come yet.' }

/** How a trace that is not complete is marked; null for a complete one. */
export function growthOf({ growing, root_seen }: Pick<TraceRow, 'growing' | 'root_seen'>): Growth | null {
  if (!growing) return null
  return root_seen ? GROWING : ROOT_NOT_SEEN
}
