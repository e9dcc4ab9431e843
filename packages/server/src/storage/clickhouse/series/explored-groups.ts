import { invalid } from '../../../lib/validation/validation-failed.ts'
import { bucketOf, bucketStart } from '../../../lib/time/time-buckets.ts'
import type {
  BucketedSpan,
  ExploredGroup,
  ExploredPoint,
  ExploredQuery,
  ExploredSeries,
  ExploredValue,
} from '../../../ports/traces/explored-series.ts'
import type { JoinedWithin } from './aggregate-rows.ts'
import type { ChosenGroups, Ranking } from './chosen-groups.ts'
import type { Scanned } from './scanned.ts'
import { type FieldGroup, groupOf, sqlField } from './series-groups.ts'

/** More groups are not compared with each other. */
export const MOST_COMPARED = 10_000

export interface Chosen extends Omit<ChosenGroups, 'group'> {
  readonly toLabels: FieldGroup['toLabels']
}

/** No rows: for labels. */
const NOWHERE: JoinedWithin = { traces: [], steps: [], events: [] }

export const NONE: Ranking = { groups: new Map(), all: 0 }
const NO_RANK = { weight: null, count: 0 }

/** The groups that are shown. */
export function choose({ rows, groupBy, order, limit }: ExploredQuery, found: Ranking, past: Ranking): Chosen {
  const { toLabels } = groupOf(groupBy.map((group, at) => sqlField(group, rows, NOWHERE, at)))
  if (groupBy.length === 0) return { toLabels, stored: [''], leftOut: 0 }
  if (order === 'change' && Math.max(found.all, past.all) > MOST_COMPARED) {
    const detail = `Only ${MOST_COMPARED} groups can be ordered by change. Add filters, or order them by value.`
    throw invalid({ pointer: '?order', code: 'too_many', detail })
  }
  const all = [...new Set([...found.groups.keys(), ...past.groups.keys()])].map((stored) => {
    const [a, b] = [found.groups.get(stored) ?? NO_RANK, past.groups.get(stored) ?? NO_RANK]
    const change = Math.abs((a.weight ?? 0) - (b.weight ?? 0))
    const weight = order === 'change' ? change : order === 'count' ? a.count : (a.weight ?? -Infinity)
    return { stored, weight, count: a.count }
  })
  all.sort((a, b) => compareNumbers(b.weight, a.weight) || b.count - a.count || (a.stored < b.stored ? -1 : 1))
  const stored = all.slice(0, limit).map((of) => of.stored)
  return { toLabels, stored, leftOut: Math.max(found.all, past.all, all.length) - stored.length }
}

/** Groups by their places, counted from 1; 0 are all that are not shown. */
export interface Found {
  readonly at: BucketedSpan
  readonly points: Map<string, { readonly bucket: number; readonly place: number; readonly value: ExploredValue }>
  readonly totals: Map<number, ExploredValue>
}

/** All groups, by their stored values. */
export interface Scan {
  readonly points: readonly Scanned[]
  readonly totals: ReadonlyMap<string, ExploredValue>
  readonly unpriced: readonly string[]
  readonly ranking: Ranking
}

export function toScan(scanned: Pick<Scan, 'points' | 'totals'> | null): Scan | null {
  if (scanned === null) return null
  const groups = [...scanned.totals].map(([of, { value, count }]) => [of, { weight: value, count }] as const)
  const unpriced = scanned.points.flatMap((point) => point.unpriced ?? [])
  return { ...scanned, unpriced, ranking: { groups: new Map(groups), all: groups.length } }
}

/** `chosen` has all groups. */
export function placed({ points, totals }: Scan, at: BucketedSpan, { stored }: Chosen): Found {
  const places = new Map(stored.map((of, index) => [of, index + 1]))
  const found: Found = { at, points: new Map(), totals: new Map() }
  for (const { at: start, group, value } of points) {
    const [bucket, place] = [bucketOf(at.buckets, start), places.get(group) as number]
    found.points.set(`${bucket} ${place}`, { bucket, place, value })
  }
  for (const [of, value] of totals) found.totals.set(places.get(of) as number, value)
  return found
}

/** What is there in one of the times is a point or group of both. */
export function toSeries(
  { stat }: ExploredQuery,
  chosen: Chosen,
  now: Found,
  before: Found | null,
): Pick<ExploredSeries, 'points' | 'groups'> {
  const none: ExploredValue = { count: 0, value: stat === 'sum' || stat === 'count' ? 0 : null }
  const shown = chosen.stored.map((_, at) => at + 1)
  const places = chosen.leftOut === 0 ? shown : [...shown, 0]
  const groupAt = (place: number, value?: ExploredValue, past?: ExploredValue): ExploredGroup => ({
    values: place === 0 ? [] : chosen.toLabels(chosen.stored[place - 1] as string),
    other: place === 0,
    now: value ?? none,
    previous: before === null ? null : (past ?? none),
  })
  const keys = new Map([...(before?.points ?? []), ...now.points])
  const rank = (place: number) => (place === 0 ? places.length : place)
  const ordered = [...keys].sort(([, a], [, b]) => a.bucket - b.bucket || rank(a.place) - rank(b.place))
  return {
    groups: places.map((place) => groupAt(place, now.totals.get(place), before?.totals.get(place))),
    points: ordered.map(([key, { bucket, place }]): ExploredPoint => {
      const group = groupAt(place, now.points.get(key)?.value, before?.points.get(key)?.value)
      const previousAt = before === null ? null : bucketStart(before.at.buckets, bucket)
      return Object.assign(group, { at: bucketStart(now.at.buckets, bucket), previousAt })
    }),
  }
}

/** `a - b` without the difference of two infinities. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a - b
}
