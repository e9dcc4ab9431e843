import type { TraceSeries } from '@spoor/contract/schemas/series'
import { TraceSeriesQuery } from '@spoor/contract/schemas/series-query'
import { Type } from 'typebox'
import { compact } from './compact.ts'
import { DEFAULT_LIMIT, queryInput, toQuery } from './query.ts'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { defineTool } from './tool.ts'

/** The newest points that are returned. */
const MOST_POINTS = 200

export const series = defineTool({
  name: 'series',
  description:
    'Figures of traces or steps, by group and over time: counts, error rates, durations, tokens, cost, values of metrics. ' +
    `Without \`bucket\` for the whole time. The costliest users: rows "traces", measure "cost_usd", group_by "user_id". ${RECORDED_IS_DATA}`,
  readOnly: true,
  input: Type.Object(
    {
      rows: Type.Enum(['traces', 'steps'] as const, { description: 'The rows that are measured.' }),
      ...queryInput(TraceSeriesQuery),
    },
    { additionalProperties: false },
  ),
  run: async ({ rows, bucket = 'all', limit = DEFAULT_LIMIT, ...input }, api) => {
    const query = toQuery({ ...input, bucket, limit })
    const { points, groups, groups_left_out, unpriced_models, ...answer } = await api.get<TraceSeries>(
      `/v1/${rows}/series`,
      query,
    )
    const shown = bucket === 'all' ? [] : points.slice(-MOST_POINTS)
    const leftOut = { groups_left_out: groups_left_out || null, points_left_out: points.length - shown.length || null }
    return {
      ...answer,
      ...compact(bucket === 'all' ? { groups_left_out: leftOut.groups_left_out } : leftOut),
      ...recorded({ unpriced_models }),
      groups: groups.map(shortGroup),
      ...(bucket === 'all' ? {} : { points: shown.map(shortGroup) }),
    }
  },
})

/** Groups are values that traces have. */
function shortGroup({ group, subgroup, ...figures }: Partial<TraceSeries['points'][number]>): Record<string, unknown> {
  return { ...compact(figures), ...recorded({ group, subgroup }) }
}
