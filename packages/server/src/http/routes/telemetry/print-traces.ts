import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { costOfUsage } from '../../../pricing/trace-cost.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { FeedPage } from '../../../traces/use-cases.ts'
import { toMetricValues } from '../../../wire/metric-to-wire.ts'
import { toSnippet, toTraceRow } from '../../../wire/to-wire.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'

type RowSources = Pick<HttpDependencies, 'media' | 'prices'>
type ListSources = Pick<HttpDependencies, 'media' | 'prices' | 'metrics'>

/**
 * `"traces":[…],"next_cursor":…`: the members of an answer with a page of traces. Rows have the values of the metrics
 * of these names.
 */
export async function printTraces(
  sources: ListSources,
  projectId: ProjectId,
  { traces, snippets, nextCursor }: FeedPage,
  metrics: readonly string[] = [],
): Promise<string> {
  const rows = await printRows(sources, projectId, traces)
  const ids = traces.map(({ id }) => id)
  const values = metrics.length === 0 ? null : await sources.metrics.latestValues(projectId, metrics, ids)
  const listed = rows.map((row, at) => {
    const id = ids[at]!
    const found = withSnippet(row, id, snippets)
    return values === null ? found : withMember(found, 'metric_values', toMetricValues(metrics, values.get(id)))
  })
  return `"traces":[${listed.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}`
}

/** Rows of lists as JSON text, in the order of the traces. */
export async function printRows(
  { media, prices }: RowSources,
  projectId: ProjectId,
  traces: readonly TraceRecord[],
): Promise<readonly string[]> {
  const counts = await media.countByTrace(traces.map(({ id }) => id))
  const price = await prices.pricer(projectId)
  return traces.map((trace) => toTraceRow(trace, counts.get(trace.id) ?? 0, costOfUsage(price, trace.digest.usage)))
}

function withSnippet(row: string, id: TraceId, snippets: FeedPage['snippets']): string {
  return snippets === null ? row : withMember(row, 'snippet', toSnippet(snippets.get(id)))
}

/** Adds the member to a row as JSON text. */
export function withMember(row: string, name: string, value: unknown): string {
  return `${row.slice(0, -1)},"${name}":${JSON.stringify(value)}}`
}
