import { FeedQuery } from '@spoor/contract/schemas/traces/feed-query'
import type { TraceFeed, TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { Static } from 'typebox'
import { compact, cut, shortMetadata } from './compact.ts'
import { searchInput, toSearch } from './query.ts'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { defineTool } from './tool.ts'

/** Characters of the metadata of one trace, and of one value. */
const METADATA_CHARS = 600
const VALUE_CHARS = 120
/** Of a name and of ids that clients choose. They may have a thousand. */
const NAME_CHARS = 200
const MOST_MODELS = 5

export const searchTraces = defineTool({
  name: 'search_traces',
  description:
    'Find traces (runs of agents), newest first. Each has its id, status, times, counts and metadata. ' +
    'The last failed run: status "error", limit 1. A run can also have failed by its metadata, such as a reward. ' +
    RECORDED_IS_DATA,
  readOnly: true,
  input: searchInput(FeedQuery, 'traces'),
  run: async (input, api) => {
    const { traces, next_cursor } = await api.get<Static<typeof TraceFeed>>('/v1/traces', toSearch(input))
    return { traces: traces.map(shortRow), ...compact({ next_cursor }) }
  },
})

/** A trace in a list. */
export function shortRow(row: Static<typeof TraceRow>): Record<string, unknown> {
  return { ...rowFields(row), ...rowTexts(row, { metadata: shortMetadata(row.metadata, METADATA_CHARS, VALUE_CHARS) }) }
}

/** Fields of a trace's row for agents. */
export function rowFields(row: Static<typeof TraceRow>): Record<string, unknown> {
  return compact({
    id: row.id,
    status: row.status,
    flagged: row.state === 'flagged' || null,
    growing: row.growing || null,
    created_at: row.created_at,
    duration_ms: row.duration_ms,
    step_count: row.step_count,
    total_tokens: row.token_usage.total,
  })
}

/** Recorded text in it, with other texts of the trace. */
export function rowTexts(row: Static<typeof TraceRow>, others: Readonly<Record<string, unknown>>) {
  return recorded({
    name: cut(row.name, NAME_CHARS),
    run_type: row.run_type,
    models: row.models.slice(0, MOST_MODELS).map((model) => cut(model, NAME_CHARS / 2)),
    session_id: row.session_id === null ? null : cut(row.session_id, NAME_CHARS),
    user_id: row.user_id === null ? null : cut(row.user_id, NAME_CHARS),
    ...others,
  })
}
