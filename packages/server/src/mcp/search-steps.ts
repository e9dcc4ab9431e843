import { type StepList, type StepRow, StepsQuery } from '@spoor/contract/schemas/traces/step-row'
import { compact, cut } from './compact.ts'
import { searchInput, toSearch } from './query.ts'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { defineTool } from './tool.ts'

/** Of a name. It may have a thousand. */
const NAME_CHARS = 200

export const searchSteps = defineTool({
  name: 'search_steps',
  description:
    'Find steps of all traces (calls of models and tools), newest first, by name, type, tool, arguments of calls, status, type of error, duration, tokens or cost. ' +
    'The slowest calls of a tool: tool, sort "duration_ms". ' +
    RECORDED_IS_DATA,
  readOnly: true,
  input: searchInput(StepsQuery, 'steps'),
  run: async (input, api) => {
    const { steps, next_cursor } = await api.get<StepList>('/v1/steps', toSearch(input))
    return { steps: steps.map(shortStep), ...compact({ next_cursor }) }
  },
})

function shortStep(step: StepRow): Record<string, unknown> {
  const { id, trace_id, status, started_at, duration_ms, cost_usd } = step
  const names = [step.name, step.trace_name, step.tool, step.model].map((name) => name && cut(name, NAME_CHARS))
  const [name, trace_name, tool, model] = names
  const { type, input, output, error } = step
  return {
    ...compact({ id, trace_id, status, started_at, duration_ms, total_tokens: step.token_usage.total, cost_usd }),
    ...recorded({ name, type, trace_name, tool, model, input, output, error: error && compact(error) }),
  }
}
