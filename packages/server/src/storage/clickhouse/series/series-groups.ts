import type { SeriesFieldName, SeriesRows } from '@spoor/contract/series-fields'
import type { MetricGroupBy } from '../../../ports/metrics/metric-series.ts'
import type { SeriesGroup } from '../../../ports/traces/explored-series.ts'
import { metadataKeyPart, metadataValueLabel, TERM_TAGS } from '../../../traces/rules/terms.ts'
import { text } from '../engine/literal.ts'
import type { JoinedWithin } from './aggregate-rows.ts'
import { termsBehind } from '../feed/term-conditions.ts'

export interface SqlField {
  /** A text, '' for none; with `many` an array of distinct texts. */
  readonly values: string
  readonly many: boolean
  /** Whether the array has `''` where there is none: it is used as it is then, with the dictionary of its column. */
  readonly neverEmpty?: boolean
  /** The table to join, with columns of names of its own. */
  readonly join: string | null
  readonly toLabel: (stored: string) => string | null
}

interface OwnField extends Pick<SqlField, 'values' | 'many' | 'neverEmpty' | 'toLabel'> {
  /** Of all steps of a trace: an aggregate that lists the distinct values. */
  readonly ofSteps?: string
}

function one(values: string, toLabel = plain): OwnField {
  return { values, many: false, toLabel }
}

function many(values: string, toLabel = plain): OwnField {
  return { values, many: true, toLabel }
}

/** What rows are grouped by. */
export type RowField = SeriesGroup | MetricGroupBy

type FieldName = Exclude<SeriesFieldName, 'cluster'> | 'source'

/** Over the rows that have the field; see SERIES_FIELDS and METRIC_GROUPS. */
const FIELDS: Readonly<Record<SeriesRows | 'events', Partial<Readonly<Record<FieldName, OwnField>>>>> = {
  traces: {
    name: one('name'),
    run_type: one('run_type'),
    model: { ...many('models'), neverEmpty: true },
    status: one('status'),
    error_type: many(termsBehind(TERM_TAGS.error_type)),
    user_id: one('user_id'),
    session_id: one('session_id'),
    tag: many(termsBehind(TERM_TAGS.tag), (json) => (json === '' ? null : (JSON.parse(`"${json}`) as string))),
  },
  steps: {
    model: one('model'),
    status: one('status'),
    error_type: one('error_type'),
    // An answer of a model with a call is no call of the tool.
    tool: { ...one(`if(type = 'tool', tools[1], '')`), ofSteps: 'groupUniqArrayArray(tools)' },
    step_name: one('name'),
    step_type: one('type'),
  },
  events: {
    run_type: one('run_type'),
    model: { ...many('models'), neverEmpty: true },
    source: one('source'),
  },
}

/** Of a table that is joined, behind its groups: the statement that reads it has a limit for its own. */
export const ALL_GROUPS = ' SETTINGS max_rows_to_group_by = 0'

/** A field of `rows`, or else of their traces; `at` makes the names of joined columns unique. */
export function sqlField(group: RowField, rows: SeriesRows | 'events', within: JoinedWithin, at: number): SqlField {
  const join = (keyOfRow: string, table: string) =>
    `LEFT ANY JOIN (${table}) AS joined_${at} ON ${keyOfRow} = key_${at}`
  const value = `value_${at}`
  const ofTrace = rows === 'traces' ? 'id' : 'trace_id'
  if (group.by === 'cluster') return { ...one(value), join: join(ofTrace, membersOf(group.members, at)) }
  if (group.by === 'metric') {
    const label = group.kind === 'boolean' ? `if(value = 1, 'true', 'false')` : 'toString(option)'
    const key = rows === 'steps' ? 'step_id' : 'trace_id'
    const events = [`metric_id = ${text(group.metricId)}`, ...within.events].join(' AND ')
    const table = `SELECT ${key} AS key_${at}, groupUniqArray(${label}) AS ${value} FROM metric_points WHERE ${events} GROUP BY ${key}${ALL_GROUPS}`
    return { ...many(value), join: join(rows === 'events' ? 'trace_id' : 'id', table) }
  }
  const metadata =
    group.by === 'metadata'
      ? one(`meta[${text(metadataKeyPart(group.key))}]`, (stored) =>
          stored === '' ? null : metadataValueLabel(stored),
        )
      : undefined
  const field = (of: SeriesRows | 'events') =>
    group.by === 'metadata' ? (of === 'steps' ? undefined : metadata) : FIELDS[of][group.by]
  const own = field(rows)
  if (own !== undefined) return { ...own, join: null }
  if (rows !== 'traces') {
    const of = field('traces') as OwnField
    const table = `SELECT id AS key_${at}, ${of.values} AS ${value} FROM traces FINAL WHERE ${within.traces.join(' AND ')}`
    return { ...of, values: value, join: join(ofTrace, table) }
  }
  const of = field('steps') as OwnField
  const table = `SELECT trace_id AS key_${at}, ${of.ofSteps ?? `groupUniqArray(${of.values})`} AS ${value} FROM steps FINAL WHERE ${within.steps.join(' AND ')} GROUP BY trace_id${ALL_GROUPS}`
  // Steps without a value beside others that have one do not count.
  const named = `arrayFilter(each -> each != '', ${value})`
  return { ...many(named, of.toLabel), join: join(ofTrace, table) }
}

export interface RowGroup {
  /** A string, `''` for none; may make several rows from one. */
  readonly expression: string
  /** The same with each value replaced by its place, so that a row has no place twice. */
  readonly places: (placeOf: (value: string) => string) => string
  /** The displayed group. Different values have different labels. */
  readonly toLabel: (stored: string) => string | null
}

export interface FieldGroup extends RowGroup {
  /** Of each field. */
  readonly toLabels: (stored: string) => readonly (string | null)[]
}

/** The fields as what rows are grouped by: a JSON list of texts if there are two. */
export function groupOf(fields: readonly SqlField[]): FieldGroup {
  const [first, second] = fields
  const toLabels = (stored: string) => labelsOf(fields, stored)
  if (first === undefined) {
    return { expression: `''`, places: (placeOf) => placeOf(`''`), toLabel: () => null, toLabels }
  }
  if (second === undefined && !first.many) {
    return { expression: first.values, places: (placeOf) => placeOf(first.values), toLabel: first.toLabel, toLabels }
  }
  const own = first.neverEmpty === true ? first.values : listOf(first)
  const values = second === undefined ? own : pairs(listOf(first), listOf(second))
  return {
    expression: `arrayJoin(${values})`,
    places: (placeOf) => `arrayJoin(arrayDistinct(arrayMap(each -> ${placeOf('each')}, ${values})))`,
    toLabel: first.toLabel,
    toLabels,
  }
}

function labelsOf(fields: readonly SqlField[], stored: string): readonly (string | null)[] {
  const values = fields.length === 2 ? (JSON.parse(stored) as string[]) : [stored]
  return fields.map(({ toLabel }, at) => toLabel(values[at] as string))
}

/** At least one value, '' for none. */
function listOf({ values, many: hasMany }: SqlField): string {
  return hasMany ? `if(empty(${values}), [''], arrayMap(each -> toString(each), ${values}))` : `[toString(${values})]`
}

function pairs(first: string, second: string): string {
  return `arrayFlatten(arrayMap(one -> arrayMap(other -> toJSONString([one, other]), ${second}), ${first}))`
}

/** A line for each member. */
function membersOf(clusters: Extract<SeriesGroup, { by: 'cluster' }>['members'], at: number): string {
  const lines = clusters.flatMap(([cluster, traceIds]) => traceIds.map((id) => `${id}\t${cluster}`)).join('\n')
  if (lines === '') return `SELECT '' AS key_${at}, '' AS value_${at}`
  return `SELECT key_${at}, value_${at} FROM format(TSV, 'key_${at} String, value_${at} String', ${text(lines)})`
}

function plain(stored: string): string | null {
  return stored === '' ? null : stored
}
