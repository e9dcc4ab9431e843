import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { stepFilters } from '@spoor/contract/trace-filters'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { FoundStep, StepInList, StepListQuery, StepListStore } from '../../../ports/traces/step-list.ts'
import { integer, text } from '../engine/literal.ts'
import { readStepRow, STEP_COLUMNS } from '../rows/step-row.ts'
import { FINAL_SETTINGS } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { withoutDeleted } from '../series/deleted-events.ts'
import { matchingSteps } from './matching-traces.ts'
import { nextRows, readInWindows } from './row-windows.ts'

/** Rows that are searched before a filter of steps is taken for rare: they cost less than the search of everything. */
const FEWEST_ROWS = 64_000

type Place = StepInList & { readonly bodyBytes: number }

/** Lists of steps over the narrow columns of `steps`. */
export class ClickHouseStepList implements StepListStore {
  readonly #dependencies: AggregateDependencies

  constructor(dependencies: AggregateDependencies) {
    this.#dependencies = dependencies
  }

  /** By creation, steps lie in the order of the list: the first windows of the key mostly have a page. */
  async findPlaces(query: StepListQuery): Promise<readonly Place[]> {
    const { engine, settled } = this.#dependencies
    const { projectId, sort, order, after, limit, throughId } = query
    await settled()
    const deleted = await withoutDeleted(this.#dependencies, projectId, 'steps')
    const lowest = idAtTime('tr', query.startTime ?? 0)
    if (sort !== 'created_at') return this.#places(query, lowest, throughId, deleted, false)
    const newestFirst = order === 'desc'
    const range = {
      projectId,
      table: 'steps' as const,
      lowest: newestFirst ? lowest : (after?.traceId ?? lowest),
      highest: newestFirst ? (after?.traceId ?? throughId) : throughId,
      newestFirst,
    }
    // Indexes find rare traces.
    const isOfSteps = stepFilters(query.filters) !== null
    const found: Place[] = []
    let searched = 0
    await readInWindows(engine, range, async ({ rows, lowest: from, highest: to }) => {
      const part = { ...query, limit: limit - found.length }
      found.push(...(await this.#places(part, from, to, deleted, isOfSteps && rows === Infinity)))
      searched += rows
      return found.length === limit ? null : nextRows(searched, found.length, limit, isOfSteps ? FEWEST_ROWS : 0)
    })
    return found
  }

  /**
   * If few steps pass (`isRare`), their keys are found first: FINAL reads the wide key and all columns of the filters
   * of every row. Without it, the key is read only of versions that pass.
   */
  async #places(
    query: StepListQuery,
    lowest: TraceId,
    throughId: TraceId,
    deleted: string | null,
    isRare: boolean,
  ): Promise<Place[]> {
    const { sort, order, after, limit } = query
    const { conditions, cost } = await matchingSteps(this.#dependencies, { ...query, throughId }, lowest, deleted)
    const key = sort === 'created_at' ? '0' : sort === 'cost_usd' ? cost : sort
    if (key === null) throw new TypeError('a list by cost needs rates')
    const among = `(trace_id, position) IN (SELECT trace_id, position FROM steps WHERE ${conditions.join(' AND ')})`
    const narrowed = [...conditions, ...(after === null ? [] : [isBeyond(after, order)]), ...(isRare ? [among] : [])]
    const rows = await this.#dependencies.engine.select(
      `SELECT trace_id, position, ${key} AS sort_key, body_bytes FROM steps FINAL WHERE ${narrowed.join(' AND ')} ` +
        `ORDER BY ${['sort_key', 'trace_id', 'position'].map((column) => `${column} ${order}`).join(', ')} ` +
        `LIMIT ${integer(limit)} SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map((row) => {
      const [traceId, position, sortKey, bodyBytes] = row as [TraceId, number, number, number]
      return { traceId, position, key: sortKey, bodyBytes }
    })
  }

  async readSteps(projectId: ProjectId, places: readonly StepInList[]): Promise<readonly FoundStep[]> {
    if (places.length === 0) return []
    const named = places.map(({ traceId, position }) => `(${text(traceId)}, ${integer(position)})`).join(', ')
    const rows = await this.#dependencies.engine.select(
      `SELECT trace_id, tools, ${STEP_COLUMNS} FROM steps FINAL WHERE project_id = ${text(projectId)} ` +
        `AND (trace_id, position) IN (${named}) SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map(([traceId, tools, ...step]) => ({
      traceId: traceId as TraceId,
      tools: tools as readonly string[],
      step: readStepRow(step),
    }))
  }
}

function isBeyond({ traceId, position, key }: StepInList, order: 'asc' | 'desc'): string {
  const than = order === 'asc' ? '>' : '<'
  return `(sort_key, trace_id, position) ${than} (${integer(key)}, ${text(traceId)}, ${integer(position)})`
}
