import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { stepFilters } from '@spoor/contract/trace-filters'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type {
  FoundStep,
  PlaceInList,
  StepInList,
  StepListQuery,
  StepListStore,
} from '../../../ports/traces/step-list.ts'
import { filterTerms } from '../../../traces/rules/terms.ts'
import { integer, text } from '../engine/literal.ts'
import { readStepRow, STEP_COLUMNS } from '../rows/step-row.ts'
import { FINAL_SETTINGS } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { withoutDeleted } from '../series/deleted-events.ts'
import { filterConditions, matchingSteps, tracesWithin } from './matching-traces.ts'
import { nextRows, readInHalves, readInWindows } from './row-windows.ts'
import { indexHints } from './term-conditions.ts'

/** Traces searched before a filter of steps is taken for rare: they cost less than the search of everything. */
const FEWEST_TRACES = 6400
/** A page of so many steps is mostly read at once; the sizes of a longer one are read first. */
const SHORT_PAGE = 100
/** The engine's new analyzer takes a fifth of the time of a statement that has nothing to analyze. */
const PLAIN_STATEMENT = `${FINAL_SETTINGS}, enable_analyzer = 0`

/** Lists of steps over the narrow columns of `steps`. */
export class ClickHouseStepList implements StepListStore {
  readonly #dependencies: AggregateDependencies

  constructor(dependencies: AggregateDependencies) {
    this.#dependencies = dependencies
  }

  /** By creation, steps lie in the order of the list: the steps of the newest traces mostly have a page. */
  async findPlaces(query: StepListQuery): Promise<readonly PlaceInList[]> {
    const { engine, settled } = this.#dependencies
    const { projectId, sort, order, after, limit, throughId } = query
    await settled()
    const lowest = idAtTime('tr', query.startTime ?? 0)
    if (sort !== 'created_at') {
      const places = await readInHalves(engine, { projectId, lowest, highest: throughId }, (from, to) =>
        this.#places({ ...query, throughId: to }, from, false),
      )
      return places.toSorted((a, b) => compareSteps(a, b, order)).slice(0, limit)
    }
    const newestFirst = order === 'desc'
    const range = {
      projectId,
      lowest: newestFirst ? lowest : (after?.traceId ?? lowest),
      highest: newestFirst ? (after?.traceId ?? throughId) : throughId,
      newestFirst,
      endsWithNewest: newestFirst && after === null,
    }
    const isOfSteps = stepFilters(query.filters) !== null
    const found: PlaceInList[] = []
    let searched = 0
    await readInWindows(engine, range, async ({ rows, lowest: from, highest: to }) => {
      const part = { ...query, throughId: to, limit: limit - found.length }
      // Indexes find rare traces.
      const isRare = rows === Infinity
      found.push(...(await (isOfSteps ? this.#places(part, from, isRare) : this.#ofTraces(part, from, isRare))))
      searched += rows
      return found.length === limit ? null : nextRows(searched, found.length, limit, isOfSteps ? FEWEST_TRACES : 0)
    })
    return found
  }

  /** All steps of the matching traces, which have as many as they count. */
  async #ofTraces(query: StepListQuery, lowest: TraceId, isRare: boolean): Promise<PlaceInList[]> {
    const { engine, idLeadMs } = this.#dependencies
    const { order, after, limit, filters } = query
    const others = await filterConditions(this.#dependencies, query, lowest)
    const conditions = [
      ...tracesWithin(query, 'id', lowest, idLeadMs()),
      'deleted = 0',
      'step_count > 0',
      ...(isRare ? indexHints(filterTerms(filters).groups) : []),
      ...others,
    ]
    // Of the trace that the last page ended in, nothing may be left.
    const traces = (await engine.select(
      `SELECT id, step_count, name FROM traces FINAL WHERE ${conditions.join(' AND ')} ` +
        `ORDER BY id ${order} LIMIT ${integer(limit + 1)} SETTINGS ${others.length === 0 ? PLAIN_STATEMENT : FINAL_SETTINGS}`,
    )) as readonly (readonly [TraceId, number, string])[]
    const found: PlaceInList[] = []
    for (const [traceId, count, traceName] of traces) {
      const ended = after?.traceId === traceId ? after.position : null
      const [first, end] = order === 'asc' ? [(ended ?? -1) + 1, count] : [0, ended ?? count]
      const most = Math.min(end - first, limit - found.length)
      for (let at = 0; at < most; at++)
        found.push({ traceId, position: order === 'asc' ? first + at : end - 1 - at, key: 0, traceName })
    }
    return found
  }

  /**
   * If few steps pass (`isRare`), their keys are found first: FINAL reads the wide key and all columns of the filters
   * of every row. Without it, the key is read only of versions that pass.
   */
  async #places(query: StepListQuery, lowest: TraceId, isRare: boolean): Promise<PlaceInList[]> {
    const { projectId, sort, order, after, limit } = query
    const deleted = await withoutDeleted(this.#dependencies, projectId, 'steps')
    const { conditions, cost } = await matchingSteps(this.#dependencies, query, lowest, deleted)
    const key = sort === 'created_at' ? '0' : sort === 'cost_usd' ? cost : sort
    if (key === null) throw new TypeError('a list by cost needs rates')
    const among = `(trace_id, position) IN (SELECT trace_id, position FROM steps WHERE ${conditions.join(' AND ')})`
    const narrowed = [...conditions, ...(after === null ? [] : [isBeyond(after, order)]), ...(isRare ? [among] : [])]
    const rows = await this.#dependencies.engine.select(
      `SELECT trace_id, position, ${key} AS sort_key FROM steps FINAL WHERE ${narrowed.join(' AND ')} ` +
        `ORDER BY ${['sort_key', 'trace_id', 'position'].map((column) => `${column} ${order}`).join(', ')} ` +
        `LIMIT ${integer(limit)} SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map((row) => {
      const [traceId, position, sortKey] = row as [TraceId, number, number]
      return { traceId, position, key: sortKey, traceName: null }
    })
  }

  async readSteps(projectId: ProjectId, places: readonly StepInList[], mostBytes: number) {
    if (places.length === 0) return { steps: [], placeCount: 0 }
    if (places.length <= SHORT_PAGE) {
      const short = `body_bytes <= ${integer(Math.floor(mostBytes / places.length))}`
      const steps = await this.#readSteps(projectId, places, short)
      if (steps.length === places.length) return { steps, placeCount: places.length }
    }
    const rows = await this.#select('body_bytes', projectId, places)
    const sizes = new Map(rows.map(([traceId, position, bytes]) => [`${traceId} ${position}`, bytes as number]))
    let bytes = 0
    const sizeOf = ({ traceId, position }: StepInList) => sizes.get(`${traceId} ${position}`) ?? 0
    const end = places.findIndex((place, at) => (bytes += sizeOf(place)) > mostBytes && at > 0)
    const fitting = end === -1 ? places : places.slice(0, end)
    return { steps: await this.#readSteps(projectId, fitting), placeCount: fitting.length }
  }

  async #readSteps(projectId: ProjectId, places: readonly StepInList[], condition?: string): Promise<FoundStep[]> {
    const rows = await this.#select(`tools, ${STEP_COLUMNS}`, projectId, places, condition)
    return rows.map(([traceId, , tools, ...step]) => ({
      traceId: traceId as TraceId,
      tools: tools as readonly string[],
      step: readStepRow(step),
    }))
  }

  /** The id of the trace, the position, then the columns. */
  #select(columns: string, projectId: ProjectId, places: readonly StepInList[], condition = '1') {
    const named = places.map(({ traceId, position }) => `(${text(traceId)}, ${integer(position)})`).join(', ')
    return this.#dependencies.engine.select(
      `SELECT trace_id, position, ${columns} FROM steps FINAL WHERE project_id = ${text(projectId)} ` +
        `AND (trace_id, position) IN (${named}) AND ${condition} SETTINGS ${PLAIN_STATEMENT}`,
    )
  }
}

function compareSteps(a: StepInList, b: StepInList, order: 'asc' | 'desc'): number {
  const byTrace = a.traceId < b.traceId ? -1 : a.traceId > b.traceId ? 1 : 0
  const ascending = a.key - b.key || byTrace || a.position - b.position
  return order === 'asc' ? ascending : -ascending
}

function isBeyond({ traceId, position, key }: StepInList, order: 'asc' | 'desc'): string {
  const than = order === 'asc' ? '>' : '<'
  return `(sort_key, trace_id, position) ${than} (${integer(key)}, ${text(traceId)}, ${integer(position)})`
}
