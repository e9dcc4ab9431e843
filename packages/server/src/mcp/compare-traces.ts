import { TRACE_OPERATIONS } from '@spoor/contract/operations/trace-operations'
import type { StepDifference, StepPair, TraceComparison } from '@spoor/contract/schemas/traces/trace-comparison'
import { Type } from 'typebox'
import { compact, cut, firstFitting } from './compact.ts'
import { DEFAULT_CHARS, maxChars } from './query.ts'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { rowFields, rowTexts } from './search-traces.ts'
import { defineTool } from './tool.ts'

/** Of one value of a difference. */
const VALUE_CHARS = 600
const MOST_DIFFERENCES = 12
const NAME_CHARS = 100

export const compareTraces = defineTool({
  name: 'compare_traces',
  description:
    'Compare two runs, such as a failed one with a successful one, step by step: where they first diverge, which steps changed, and which only one of them has. ' +
    'Steps are named by their position for `get_trace`. Steps that did the same are only counted, and so are those that do not fit into `max_chars`. ' +
    RECORDED_IS_DATA,
  readOnly: true,
  input: Type.Object(
    {
      ...TRACE_OPERATIONS.compareTraces.query.properties,
      max_chars: maxChars('the pairs in the answer'),
    },
    { additionalProperties: false },
  ),
  run: async ({ left, right, max_chars: chars = DEFAULT_CHARS }, api) => {
    const query = new URLSearchParams({ left, right })
    const found = await api.get<TraceComparison>('/v1/traces/compare', query)
    const differing = found.pairs.filter(({ kind }) => kind !== 'same')
    const { shown, leftOut } = firstFitting(differing.map(shortPair), chars)
    return {
      left: { ...rowFields(found.left), ...rowTexts(found.left, {}) },
      right: { ...rowFields(found.right), ...rowTexts(found.right, {}) },
      totals: found.totals,
      first_divergence: found.first_divergence === null ? 'none: all steps did the same' : 'the first of `pairs`',
      pairs: shown,
      ...(leftOut === 0 ? {} : { more_pairs: leftOut }),
    }
  },
})

function shortPair(pair: StepPair) {
  const listed = pair.differences.slice(0, MOST_DIFFERENCES)
  const more = pair.differences.length - listed.length + pair.more_differences
  return {
    ...compact({
      kind: pair.kind,
      left_step: pair.left_position,
      right_step: pair.right_position,
      more_differences: more === 0 ? null : more,
      differs_as_before: pair.repeated_differences === 0 ? null : pair.repeated_differences,
    }),
    ...recorded({
      name: cut(pair.name, NAME_CHARS),
      differences: listed.map(shortDifference),
    }),
  }
}

function shortDifference({ path, ...values }: StepDifference) {
  const entries = Object.entries(values).map(([side, value]) => {
    const text = JSON.stringify(value)
    return [side, text.length <= VALUE_CHARS ? value : cut(typeof value === 'string' ? value : text, VALUE_CHARS)]
  })
  return { path: cut(path, 2 * NAME_CHARS), ...(Object.fromEntries(entries) as Record<string, unknown>) }
}
