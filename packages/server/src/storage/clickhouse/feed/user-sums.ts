import { UNKNOWN_COST } from '../../../ports/prices/price.ts'
import {
  comparePlaces,
  summaryKey,
  type SummaryPageQuery,
  type TraceSummary,
} from '../../../ports/traces/trace-summaries.ts'
import { type Figures, toFigures } from './summary-figures.ts'

/** Sums of each user over the traces of one bucket: 90 bytes a user, and 8 for each of the user's sessions. */
export interface UserSums {
  readonly users: readonly string[]
  /** FIGURES numbers of each user. */
  readonly figures: Float64Array
  /** Hashes of their sessions, those of the first user first. */
  readonly sessions: Float64Array
  /** Where the sessions of each user end. */
  readonly sessionsEnd: Uint32Array
}

/** A row of the engine: the user, the figures, and hashes of the sessions. */
export type UserRow = readonly [user: string, ...figures: Figures, sessions: readonly number[]]

const FIGURES = 11
const [FIRST_AT, LAST_AT, COST] = [3, 4, 10]

export function toUserSums(rows: readonly UserRow[]): UserSums {
  const figures = new Float64Array(rows.length * FIGURES)
  const sessionsEnd = new Uint32Array(rows.length)
  const sessions = new Float64Array(rows.reduce((sum, row) => sum + row[12].length, 0))
  let end = 0
  rows.forEach((row, at) => {
    figures.set(row.slice(1, 12) as readonly number[], at * FIGURES)
    sessions.set(row[12], end)
    end += row[12].length
    sessionsEnd[at] = end
  })
  return { users: rows.map(([user]) => user), figures, sessions, sessionsEnd }
}

/** One page of the users of all buckets; with `among`, of these alone. */
export function pageOfUsers(
  buckets: readonly UserSums[],
  among: ReadonlySet<string> | null,
  { sort, order, after, limit }: Pick<SummaryPageQuery, 'sort' | 'order' | 'after' | 'limit'>,
): readonly TraceSummary[] {
  const found = [...addUp(buckets, among)].map(([value, figures]) => {
    const summary = { value, ...toFigures(figures as unknown as Figures), userIds: [], sessionCount: 0 }
    return Object.assign(summary, { key: summaryKey(summary, sort) })
  })
  const behind = after === null ? found : found.filter((each) => comparePlaces(each, after, order) > 0)
  const page = behind.sort((a, b) => comparePlaces(a, b, order)).slice(0, limit)
  const counts = countSessions(buckets, new Set(page.map(({ value }) => value)))
  return page.map((summary) => Object.assign(summary, { sessionCount: counts.get(summary.value)?.size ?? 0 }))
}

function addUp(buckets: readonly UserSums[], among: ReadonlySet<string> | null): ReadonlyMap<string, number[]> {
  const sums = new Map<string, number[]>()
  for (const { users, figures } of buckets) {
    for (let at = 0; at < users.length; at++) {
      const user = users[at] as string
      if (among?.has(user) === false) continue
      const known = sums.get(user)
      if (known === undefined) sums.set(user, Array.from(figures.subarray(at * FIGURES, (at + 1) * FIGURES)))
      else add(known, figures, at * FIGURES)
    }
  }
  return sums
}

function add(sums: number[], figures: Float64Array, from: number): void {
  for (let at = 0; at < FIGURES; at++) {
    const [sum, more] = [sums[at] as number, figures[from + at] as number]
    if (at === FIRST_AT) sums[at] = Math.min(sum, more)
    else if (at === LAST_AT || (at === COST && (sum === UNKNOWN_COST || more === UNKNOWN_COST)))
      sums[at] = Math.max(sum, more)
    else sums[at] = sum + more
  }
}

function countSessions(buckets: readonly UserSums[], of: ReadonlySet<string>): ReadonlyMap<string, Set<number>> {
  const found = new Map([...of].map((user) => [user, new Set<number>()]))
  for (const { users, sessions, sessionsEnd } of buckets) {
    for (let at = 0; at < users.length; at++) {
      const known = found.get(users[at] as string)
      if (known === undefined) continue
      for (const session of sessions.subarray(sessionsEnd[at - 1] ?? 0, sessionsEnd[at])) known.add(session)
    }
  }
  return found
}
