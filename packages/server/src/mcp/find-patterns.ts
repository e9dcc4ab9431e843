import { type FailurePatterns, PatternsQuery } from '@spoor/contract/schemas/traces/failure-patterns'
import { Type } from 'typebox'
import { METADATA_FILTER, toQuery } from './query.ts'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { defineTool } from './tool.ts'

const { meta_key: _keys, meta_value: _values, limit: _limit, ...filters } = PatternsQuery.properties

const DEFAULT_LIMIT = 10

export const findPatterns = defineTool({
  name: 'find_patterns',
  description:
    'Why runs fail: what failed runs have that others have not (tools, pairs of tools, arguments, types of errors, models, metadata, length), tested statistically. ' +
    'Of the runs of one cluster with `cluster`. `search_traces` takes the `filters` of a pattern and finds its runs. ' +
    RECORDED_IS_DATA,
  readOnly: true,
  input: Type.Object(
    {
      ...filters,
      metadata: METADATA_FILTER,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 50, description: `The most patterns. Default: ${DEFAULT_LIMIT}.` }),
      ),
    },
    { additionalProperties: false },
  ),
  run: async ({ limit = DEFAULT_LIMIT, ...input }, api) => {
    const found = await api.get<FailurePatterns>('/v1/traces/patterns', toQuery({ ...input, limit }))
    const { patterns, ...compared } = found
    const short = patterns.map(({ kind, more_in, failed, succeeded, q_value, name, value, filters: by }) =>
      Object.assign({ kind, more_in, failed, succeeded, q_value }, recorded({ name, value, filters: by })),
    )
    return { patterns: short, ...compared }
  },
})
