import type { TraceId } from '@spoor/contract/ids'
import type { MediaUseCases } from '../../../media/use-cases.ts'
import type { FeedPage } from '../../../traces/use-cases.ts'
import { toSnippet, toTraceRow } from '../../../wire/to-wire.ts'

/** `"traces":[…],"next_cursor":…`: the members of an answer with a page of traces. */
export async function printTraces(
  media: Pick<MediaUseCases, 'countByTrace'>,
  { traces, snippets, nextCursor }: FeedPage,
): Promise<string> {
  const counts = await media.countByTrace(traces.map(({ id }) => id))
  const rows = traces
    .map((trace) => withSnippet(toTraceRow(trace, counts.get(trace.id) ?? 0), trace.id, snippets))
    .join(',')
  return `"traces":[${rows}],"next_cursor":${JSON.stringify(nextCursor)}`
}

/** Adds the member to a row as JSON text. */
function withSnippet(row: string, id: TraceId, snippets: FeedPage['snippets']): string {
  if (snippets === null) return row
  return `${row.slice(0, -1)},"snippet":${JSON.stringify(toSnippet(snippets.get(id)))}}`
}
