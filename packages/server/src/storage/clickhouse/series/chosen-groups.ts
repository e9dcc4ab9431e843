import { SERIES_GROUPS_MAX } from '@spoor/contract/limits'
import { type AggregateRows, fromRows, settingsOf } from './aggregate-rows.ts'
import { integer, integers, texts } from '../engine/literal.ts'
import { readGroupsInHalves } from '../feed/row-windows.ts'
import type { RowGroup } from './series-groups.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** The groups that a result shows by name. When there are more, the others are summed as one. */
export interface ChosenGroups {
  readonly group: RowGroup
  /** Their stored values, the largest group first. */
  readonly stored: readonly string[]
  readonly leftOut: number
}

/** The group of a point. `other` contains the rows of all groups that were not chosen. */
export interface PointGroup {
  readonly group: string | null
  readonly other?: true
}

/** The groups with the most rows, then by stored value. */
export async function chooseGroups(
  engine: TelemetryEngine,
  rows: AggregateRows,
  group: RowGroup,
): Promise<ChosenGroups> {
  const from = `(SELECT *, ${group.expression} AS g FROM ${fromRows(rows)})`
  const count = 'count()'
  const ranked = await rankGroups(engine, from, { weight: count, count, limit: SERIES_GROUPS_MAX }, settingsOf(rows))
  const all = [...ranked.groups].sort(([a, { count: n }], [b, { count: m }]) => m - n || (a < b ? -1 : 1))
  const stored = all.slice(0, SERIES_GROUPS_MAX).map(([of]) => of)
  return { group, stored, leftOut: ranked.all - stored.length }
}

export interface Ranking {
  readonly groups: ReadonlyMap<string, { readonly weight: number | null; readonly count: number }>
  /** The number of all groups. */
  readonly all: number
}

/**
 * The groups `g` with the greatest `weight`, then the most rows, then by stored value, in no order; more than `limit`
 * if they had to be read in parts. Weight and count are aggregate expressions over `from`.
 */
export async function rankGroups(
  engine: Pick<TelemetryEngine, 'select'>,
  from: string,
  { weight, count, limit }: { readonly weight: string; readonly count: string; readonly limit: number },
  settings: string,
): Promise<Ranking> {
  let all = 0
  const found = await readGroupsInHalves('g', async (slice) => {
    const rows = await engine.select(
      `SELECT toString(g), ${weight} AS w, ${count} AS n, count() OVER () FROM ${from} ` +
        `WHERE ${['1', ...slice].join(' AND ')} GROUP BY g ORDER BY w DESC, n DESC, g LIMIT ${integer(limit)}${settings}`,
    )
    all += (rows[0]?.[3] as number | undefined) ?? 0
    return rows.map(([g, w, n]) => [g as string, { weight: w as number | null, count: n as number }] as const)
  })
  return { groups: new Map(found), all }
}

/**
 * The chosen group of a row, as its place counted from 1; 0 is any other. A row with several values has several
 * distinct places.
 */
export function placesOfRow({ group, stored }: ChosenGroups): string {
  return group.places((value) => placeOf(stored, value))
}

/** The same for an expression with one value. */
function placeOf(stored: readonly string[], value: string): string {
  return `transform(${value}, [${texts(stored)}], [${integers(stored.map((_, at) => at + 1))}], 0)`
}

/**
 * Which places are returned: 0 only when groups were left out. Rows of a group that appeared after the choice get no
 * point.
 */
export function placeCondition({ leftOut }: ChosenGroups, place: string): string {
  return leftOut > 0 ? '' : ` WHERE ${place} > 0`
}

export function groupAt(groups: ChosenGroups | null, place: number): PointGroup {
  if (groups === null) return { group: null }
  const stored = groups.stored[place - 1]
  return stored === undefined ? { group: null, other: true } : { group: groups.group.toLabel(stored) }
}

/** By their labels, null first and `other` last. */
export function compareGroups(a: PointGroup, b: PointGroup): number {
  if (a.other !== b.other) return a.other === true ? 1 : -1
  if (a.group === b.group) return 0
  if (a.group === null) return -1
  if (b.group === null) return 1
  return a.group < b.group ? -1 : 1
}
