import type { TraceId } from '@spoor/contract/ids'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { StepFacetField, StepFacetsQuery, StepFacetStore } from '../../../ports/traces/step-facets.ts'
import { part } from '../../../traces/rules/terms.ts'
import { integer, text } from '../engine/literal.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { withoutDeleted } from '../series/deleted-events.ts'
import { countValues, FACET_SETTINGS } from './clickhouse-trace-facets.ts'
import { matchingSteps } from './matching-traces.ts'

/** Facets over narrow columns of the table `steps`. */
export class ClickHouseStepFacets implements StepFacetStore {
  readonly #dependencies: AggregateDependencies
  readonly #mostTraces: number

  /** `mostTraces`: number of newest traces whose steps are counted. */
  constructor(dependencies: AggregateDependencies, mostTraces: number) {
    this.#dependencies = dependencies
    this.#mostTraces = mostTraces
  }

  async stepFacets(query: StepFacetsQuery) {
    const { engine, settled } = this.#dependencies
    const { projectId, containing, limit, field, startTime } = query
    await settled()
    const [last] = await engine.select(
      `SELECT DISTINCT id FROM traces WHERE project_id = ${text(projectId)} ORDER BY id DESC LIMIT 1 OFFSET ${integer(this.#mostTraces)}`,
    )
    const start = idAtTime('tr', startTime ?? 0)
    const oldest = (last?.[0] as TraceId | undefined) ?? start
    const deleted = await withoutDeleted(this.#dependencies, projectId, 'steps')
    const { conditions } = await matchingSteps(this.#dependencies, query, oldest > start ? oldest : start, deleted)
    const values = `SELECT arrayJoin(${valuesOf(field)}) AS stored FROM steps FINAL WHERE ${conditions.join(' AND ')}`
    const found = await engine.select(`${countValues(values, containing, limit)} ${FACET_SETTINGS}`)
    return {
      values: found.slice(0, limit).map(([value, count]) => ({ value: value as string, count: count as number })),
      complete: found.length <= limit && oldest <= start,
    }
  }
}

const COLUMNS = {
  step_name: '[name]',
  step_type: '[type]',
  tool: 'tools',
  step_model: '[model]',
  step_status: '[status]',
  step_error_type: '[error_type]',
  // A hash of a long path begins with a NUL, so its first part is empty.
  argument: `arrayDistinct(arrayMap(term -> splitByChar('\\0', term)[1], arguments))`,
} as const

/** An array with the distinct values of a step; '' is none. */
function valuesOf(field: StepFacetField): string {
  if (field.by !== 'path') return COLUMNS[field.by]
  const prefix = `${part(field.path)}\0`
  const length = integer(Buffer.byteLength(prefix) + 1)
  return `arrayMap(term -> substring(term, ${length}), arrayFilter(term -> startsWith(term, ${text(prefix)}), arguments))`
}
