import { UNKNOWN_COST } from '../../../ports/prices/price.ts'
import {
  comparePlaces,
  summaryKey,
  type SummaryPageQuery,
  type TraceSummary,
} from '../../../ports/traces/trace-summaries.ts'
import { type Figures, toFigures } from './summary-figures.ts'

/** The place of each user in sums that are added up. Users are never removed. */
export class UserPlaces {
  readonly users: string[] = []
  readonly #places = new Map<string, number>()

  of(user: string): number {
    const known = this.#places.get(user)
    if (known !== undefined) return known
    const place = this.users.push(user) - 1
    this.#places.set(user, place)
    return place
  }

  find(user: string): number | undefined {
    return this.#places.get(user)
  }
}

/** Sums of each user over the traces of one bucket: 106 bytes a user, and 8 for each of the user's sessions. */
export interface UserSums {
  readonly users: readonly string[]
  readonly places: Uint32Array
  /** FIGURES numbers of each user. */
  readonly figures: Float64Array
  /** Hashes of their sessions, those of the first user first. */
  readonly sessions: Float64Array
  /** Where the sessions of each user end. */
  readonly sessionsEnd: Uint32Array
}

/** A row of the engine: the user, the figures, and hashes of the sessions. */
export type UserRow = readonly [user: string, ...figures: Figures, sessions: readonly number[]]

const FIGURES = 13
/** The figures before these are sums. The cost may be unknown. */
const [FIRST_AT, LAST_AT, COST] = [10, 11, 12]

export function toUserSums(rows: readonly UserRow[], all: UserPlaces): UserSums {
  const places = Uint32Array.from(rows, ([user]) => all.of(user))
  const figures = new Float64Array(rows.length * FIGURES)
  const sessionsEnd = new Uint32Array(rows.length)
  const sessions = new Float64Array(rows.reduce((sum, row) => sum + row[14].length, 0))
  let end = 0
  rows.forEach((row, at) => {
    figures.set(row.slice(1, 14) as readonly number[], at * FIGURES)
    sessions.set(row[14], end)
    end += row[14].length
    sessionsEnd[at] = end
  })
  // The texts of `all`, so that each is held once.
  const users = Array.from(places, (place) => all.users[place] as string)
  return { users, places, figures, sessions, sessionsEnd }
}

/** One page of the users of all buckets; with `among`, of these alone. */
export function pageOfUsers(
  buckets: readonly UserSums[],
  all: UserPlaces,
  among: readonly string[] | null,
  { sort, order, after, limit }: Pick<SummaryPageQuery, 'sort' | 'order' | 'after' | 'limit'>,
): readonly TraceSummary[] {
  const wanted = among === null ? null : new Set(among.flatMap((user) => all.find(user) ?? []))
  const figures = addUp(buckets, all.users.length, wanted)
  const found: (TraceSummary & { readonly place: number })[] = []
  for (const place of wanted ?? all.users.keys()) {
    if (figures[place * FIGURES] === 0) continue
    const sums = toFigures(figures, place * FIGURES)
    const summary = { value: all.users[place] as string, ...sums, userIds: [], sessionCount: 0, key: 0, place }
    summary.key = summaryKey(summary, sort)
    if (after === null || comparePlaces(summary, after, order) > 0) found.push(summary)
  }
  const page = found.sort((a, b) => comparePlaces(a, b, order)).slice(0, limit)
  const counts = sessionCounts(buckets, page)
  return page.map(({ place, ...summary }) => Object.assign(summary, { sessionCount: counts.get(place) ?? 0 }))
}

/** FIGURES numbers for each place; no traces for one without, or not among these. */
function addUp(buckets: readonly UserSums[], size: number, among: ReadonlySet<number> | null): Float64Array {
  const sums = new Float64Array(size * FIGURES)
  for (const { places, figures } of buckets) {
    for (let at = 0; at < places.length; at++) {
      const place = places[at] as number
      if (among === null || among.has(place)) add(sums, place * FIGURES, figures, at * FIGURES)
    }
  }
  return sums
}

function add(sums: Float64Array, to: number, figures: Float64Array, from: number): void {
  const isFirst = sums[to] === 0
  const [firstAt, cost, more] = [sums[to + FIRST_AT]!, sums[to + COST]!, figures[from + COST]!]
  for (let at = 0; at < FIRST_AT; at++) sums[to + at]! += figures[from + at]!
  sums[to + FIRST_AT] = isFirst ? figures[from + FIRST_AT]! : Math.min(firstAt, figures[from + FIRST_AT]!)
  sums[to + LAST_AT] = Math.max(sums[to + LAST_AT]!, figures[from + LAST_AT]!)
  const isSum = !isFirst && cost !== UNKNOWN_COST && more !== UNKNOWN_COST
  sums[to + COST] = isFirst ? more : isSum ? cost + more : Math.max(cost, more)
}

/** The number of sessions of each user of a page. A set of all would take three times as long. */
function sessionCounts(buckets: readonly UserSums[], page: readonly { readonly place: number }[]) {
  const found = new Map(page.map(({ place }) => [place, [] as Float64Array[]]))
  const isFound = new Uint8Array(1 + Math.max(...found.keys(), 0))
  for (const place of found.keys()) isFound[place] = 1
  for (const { places, sessions, sessionsEnd } of buckets) {
    for (let at = 0; at < places.length; at++) {
      const place = places[at] as number
      if (isFound[place] === 1) found.get(place)?.push(sessions.subarray(sessionsEnd[at - 1] ?? 0, sessionsEnd[at]))
    }
  }
  return new Map([...found].map(([place, parts]) => [place, countDistinct(parts)]))
}

function countDistinct(parts: readonly Float64Array[]): number {
  const all = new Float64Array(parts.reduce((size, { length }) => size + length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  all.sort()
  return all.reduce((count, each, at) => (at > 0 && each === all[at - 1] ? count : count + 1), 0)
}
