import type {
  TraceFacetField,
  TraceFacets,
  TraceFacetsQuery,
  TraceFacetStore,
} from '../../../ports/traces/trace-facets.ts'
import { metadataKeyLabel, metadataKeyPart, metadataValueLabel, TERM_TAGS } from '../../../traces/rules/terms.ts'
import { FINAL_SETTINGS } from '../series/aggregate-rows.ts'
import { integer, text } from '../engine/literal.ts'
import { termsBehind } from './term-conditions.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/**
 * Maximum number of distinct values counted: they determine the memory, and a field with more values is of no use as a
 * filter list.
 */
const MOST_VALUES = 50_000

/** Facets over the newest rows of the table `traces`; one query. */
export class ClickHouseTraceFacets implements TraceFacetStore {
  readonly #engine: Pick<TelemetryEngine, 'select'>
  readonly #mostTraces: number

  /** `mostTraces`: number of newest traces to count. */
  constructor(engine: Pick<TelemetryEngine, 'select'>, mostTraces: number) {
    this.#engine = engine
    this.#mostTraces = mostTraces
  }

  async traceFacets(query: TraceFacetsQuery): Promise<TraceFacets> {
    const { valuesOf, toLabel } = toField(query.field)
    const [row] = await this.#engine.select(facetsQuery(query, valuesOf, this.#mostTraces))
    const [areAll, values, counts] = row as [number, readonly string[], readonly number[]]
    return {
      values: values
        .slice(0, query.limit)
        .map((stored, at) => ({ value: toLabel(stored), count: counts[at] as number })),
      complete: areAll === 1 && values.length <= query.limit,
    }
  }
}

/**
 * Finds the id at which to stop, in the order of the key, then reads only the latest versions of newer traces.
 */
function facetsQuery({ projectId, containing, limit }: TraceFacetsQuery, valuesOf: string, mostTraces: number): string {
  const project = `project_id = ${text(projectId)}`
  const oldest = `(SELECT DISTINCT id FROM traces WHERE ${project} ORDER BY id DESC LIMIT 1 OFFSET ${integer(mostTraces)})`
  const values = `SELECT arrayJoin(${valuesOf}) AS stored FROM traces FINAL WHERE ${project} AND id > ifNull(oldest, '') AND deleted = 0`
  const counted = countValues(values, containing, limit)
  return `WITH ${oldest} AS oldest SELECT isNull(oldest), groupArray(value), groupArray(n) FROM (${counted}) ${FACET_SETTINGS}`
}

export const FACET_SETTINGS = `SETTINGS ${FINAL_SETTINGS}, max_rows_to_group_by = ${integer(MOST_VALUES)}, group_by_overflow_mode = 'any'`

/**
 * The most frequent of `values`, a query of one column `stored`, and one more than `limit`. Without hashes of long keys
 * and values, which begin with a NUL: they are no use as a filter.
 */
export function countValues(values: string, containing: string | null, limit: number): string {
  const holds = containing === null ? '' : ` AND (${containsPart(containing)})`
  return (
    `SELECT toString(stored) AS value, count() AS n FROM (${values}) WHERE stored != '' AND NOT startsWith(stored, '\\0')${holds} ` +
    `GROUP BY stored ORDER BY n DESC, value LIMIT ${integer(limit + 1)}`
  )
}

/** That `stored` has a part, as text or as text inside JSON. */
function containsPart(part: string): string {
  const parts = new Set([part, JSON.stringify(part).slice(1, -1)])
  return [...parts].map((each) => `positionCaseInsensitiveUTF8(stored, ${text(each)}) > 0`).join(' OR ')
}

interface Field {
  /** An expression: an array with all values of a row; '' is none. */
  readonly valuesOf: string
  readonly toLabel: (stored: string) => string
}

function toField(field: TraceFacetField): Field {
  switch (field.by) {
    case 'model':
      return { valuesOf: 'models', toLabel: asStored }
    case 'error_type':
      return { valuesOf: termsBehind(TERM_TAGS.error_type), toLabel: asStored }
    case 'metadata_key':
      return { valuesOf: 'mapKeys(meta)', toLabel: metadataKeyLabel }
    case 'metadata':
      return { valuesOf: `[meta[${text(metadataKeyPart(field.key))}]]`, toLabel: metadataValueLabel }
    default:
      return { valuesOf: `[${field.by}]`, toLabel: asStored }
  }
}

function asStored(stored: string): string {
  return stored
}
