import { TRACE_OPERATIONS } from '@spoor/contract/operations/trace-operations'
import type { TraceDivergence } from '@spoor/contract/schemas/traces/trace-divergence'
import { Type } from 'typebox'
import { toQuery } from '../query.ts'
import { recorded, RECORDED_IS_DATA } from '../recorded.ts'
import { defineTool } from '../tool.ts'

const { pathParameters, query } = TRACE_OPERATIONS.findDivergence

export const firstDivergence = defineTool({
  name: 'first_divergence',
  description:
    'Why one run failed: the first step that no similar successful run shares, and what those did instead; without one, the `reason`. ' +
    '`compare_traces` shows all that differs from one of `compared_with`. ' +
    RECORDED_IS_DATA,
  readOnly: true,
  input: Type.Object({ ...pathParameters.properties, ...query.properties }, { additionalProperties: false }),
  run: async ({ id, ...asked }, api) => {
    const { divergence, ...others } = await api.get<TraceDivergence>(`/v1/traces/${id}/divergence`, toQuery(asked))
    if (divergence === null) return { divergence, ...others }
    const { sentence, support, ...found } = divergence
    const { successes, instead } = support
    return { divergence: { ...found, successes, ...recorded({ sentence, instead }) }, ...others }
  },
})
