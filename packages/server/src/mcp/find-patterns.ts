import { type FailurePatterns, PatternsQuery } from '@spoor/contract/schemas/traces/failure-patterns'
import { searchInput, toSearch } from './query.ts'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { defineTool } from './tool.ts'

export const findPatterns = defineTool({
  name: 'find_patterns',
  description:
    'Why runs fail: what failed runs have that others have not (tools, pairs of tools, arguments, types of errors, findings such as loops, models, metadata, length), tested statistically. ' +
    'Of the runs of one cluster with `cluster`. `search_traces` takes the `filters` of a pattern and finds its runs. ' +
    RECORDED_IS_DATA,
  readOnly: true,
  input: searchInput(PatternsQuery, 'patterns'),
  run: async (input, api) => {
    const found = await api.get<FailurePatterns>('/v1/patterns', toSearch(input))
    const { patterns, ...compared } = found
    const short = patterns.map(({ name, value, filters: by, what: _what, ...counted }) =>
      Object.assign(counted, recorded({ name, value, filters: by })),
    )
    return { patterns: short, ...compared }
  },
})
