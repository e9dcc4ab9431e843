import type { AuditUseCases, NewAuditEntry } from '../../audit/audit-log.ts'

const WINDOW_MS = 60_000
/** Refusals recorded in a window. Whoever has no key must not fill the log. */
const MOST = 60

export interface Refusal {
  /** Method and route. */
  readonly operation: string
  readonly status: number
  readonly address: string | undefined
}

/** Records requests that were refused for their key, scope or origin, of one server. */
export function recordRefusals({ record }: Pick<AuditUseCases, 'record'>, now: () => number) {
  const count = new RefusalCount(now)
  return async (head: Pick<NewAuditEntry, 'projectId' | 'actor' | 'requestId'>, refusal: Refusal): Promise<void> => {
    const { operation, status, address } = refusal
    const left = count.take(JSON.stringify([operation, status, address, head.actor.id ?? undefined]))
    if (left === null) return
    const detail = { status, address, ...(left > 0 && { not_recorded: left }) }
    await record({ ...head, action: 'access.refused', target: { kind: 'operation', id: operation }, detail })
  }
}

/** Which refusals are recorded: the first of each kind in a minute, and no more than 60 in all. */
class RefusalCount {
  readonly #now: () => number
  readonly #seen = new Set<string>()
  #since = -Infinity
  #left = 0

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Null: it is not recorded. Else how many were not recorded since the last one that was. */
  take(kind: string): number | null {
    const now = this.#now()
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now
      this.#seen.clear()
    }
    if (this.#seen.has(kind) || this.#seen.size >= MOST) {
      this.#left++
      return null
    }
    this.#seen.add(kind)
    const left = this.#left
    this.#left = 0
    return left
  }
}
