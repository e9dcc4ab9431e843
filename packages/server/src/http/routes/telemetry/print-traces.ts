import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { costOfUsage } from '../../../pricing/trace-cost.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { FeedPage } from '../../../traces/use-cases.ts'
import { toSnippet, toTraceRow } from '../../../wire/to-wire.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'

type RowSources = Pick<HttpDependencies, 'media' | 'prices'>

/** `"traces":[…],"next_cursor":…`: the members of an answer with a page of traces. */
export async function printTraces(
  sources: RowSources,
  projectId: ProjectId,
  { traces, snippets, nextCursor }: FeedPage,
): Promise<string> {
  const rows = await printRows(sources, projectId, traces)
  const listed = rows.map((row, at) => withSnippet(row, traces[at]!.id, snippets))
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
  return traces.map((trace) =>
    toTraceRow(trace, counts.get(trace.id) ?? 0, costOfUsage(price, trace.digest?.usage ?? null)),
  )
}

/** Adds the member to a row as JSON text. */
function withSnippet(row: string, id: TraceId, snippets: FeedPage['snippets']): string {
  if (snippets === null) return row
  return `${row.slice(0, -1)},"snippet":${JSON.stringify(toSnippet(snippets.get(id)))}}`
}
