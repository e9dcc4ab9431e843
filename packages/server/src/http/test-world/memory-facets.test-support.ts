import { plainLabel } from '../../storage/clickhouse/series/aggregate-reference.test-support.ts'
import type { TraceFacetField, TraceFacetsQuery, TraceFacetStore } from '../../ports/traces/trace-facets.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

/** Keys and values of metadata, and types of errors, are in search terms, unchanged up to this length. */
const LONGEST_BYTES = 124

/** For tests: facets computed directly over the latest versions of traces. */
export class MemoryFacets implements TraceFacetStore {
  readonly traces: TraceRecord[] = []
  readonly #mostTraces: number

  constructor(mostTraces = Infinity) {
    this.#mostTraces = mostTraces
  }

  async traceFacets({ projectId, field, containing, limit }: TraceFacetsQuery) {
    const own = this.traces.filter((trace) => trace.projectId === projectId)
    const newest = own.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, this.#mostTraces)
    const counts = new Map<string, { stored: string; count: number }>()
    for (const trace of newest.filter(({ deleted }) => !deleted)) {
      for (const [value, stored] of valuesOf(trace, field)) {
        if (!stored.toLowerCase().includes((containing ?? '').toLowerCase())) continue
        counts.set(value, { stored, count: (counts.get(value)?.count ?? 0) + 1 })
      }
    }
    const ordered = [...counts].sort(
      ([, a], [, b]) => b.count - a.count || Buffer.compare(Buffer.from(a.stored), Buffer.from(b.stored)),
    )
    return {
      values: ordered.slice(0, limit).map(([value, { count }]) => ({ value, count })),
      complete: newest.length === own.length && ordered.length <= limit,
    }
  }
}

/** Each value as shown and as stored. */
function valuesOf(trace: TraceRecord, field: TraceFacetField): readonly (readonly [string, string])[] {
  const metadata = JSON.parse(trace.metadata.toString()) as Readonly<Record<string, unknown>>
  switch (field.by) {
    case 'run_type':
      return [[trace.runType, trace.runType]]
    case 'model':
      return trace.models.map((model) => [model, model] as const)
    case 'metadata_key':
      return short(Object.keys(metadata).map((key) => [key, JSON.stringify(key).slice(1, -1)]))
    case 'metadata': {
      if (!Object.hasOwn(metadata, field.key)) return []
      const value = metadata[field.key]
      return short([[plainLabel(value), JSON.stringify(value)]])
    }
    case 'error_type':
      return short(trace.digest.errorTypes.map((type) => [type, type] as const))
    case 'name':
      return [[trace.name, trace.name]]
    default: {
      const id = field.by === 'user_id' ? trace.userId : trace.sessionId
      return id === null ? [] : [[id, id]]
    }
  }
}

function short(values: readonly (readonly [string, string])[]) {
  return values.filter(([, stored]) => Buffer.byteLength(stored) <= LONGEST_BYTES && !stored.includes('\0'))
}
