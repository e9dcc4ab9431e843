import { NAME_LENGTH } from './limits.ts'

export type StepMeasure = 'step_duration_ms' | 'step_tokens' | 'step_cost_usd'

const TAKERS = ['lists', 'series', 'monitors'] as const

/** Rows of the table of filters that are about one step: a trace must have one step for which all of them hold. */
export const STEP_FILTER_ROWS = {
  step_name: valuesOf('text', 'Steps with exactly this name.', 'Step name'),
  step_type: valuesOf('text', 'Steps of exactly this type.', 'Step type'),
  tool: valuesOf('text', 'Steps that call this tool: calls of it, and answers of a model with such a call.', 'Tool'),
  step_model: valuesOf('text', 'Steps that used exactly this model.', 'Step model'),
  step_error_type: valuesOf('text', 'Steps whose error has exactly this type.', 'Step error type'),
  argument: valuesOf(
    'texts',
    'Steps that call a tool with an argument of this value, as text; by the path of its keys, with dots. Numbers and booleans too; a list has the value of each of its elements.',
    'Argument',
  ),
  step_status: { ...valuesOf('choice', 'Steps with this status.', 'Step status'), choices: ['ok', 'error'] },
  min_step_duration_ms: boundOf('min', 'step_duration_ms', 'Step duration', 'took', 'this, milliseconds'),
  max_step_duration_ms: boundOf('max', 'step_duration_ms', 'Step duration', 'took', 'this, milliseconds'),
  min_step_tokens: boundOf('min', 'step_tokens', 'Step tokens', 'used', 'this many tokens'),
  max_step_tokens: boundOf('max', 'step_tokens', 'Step tokens', 'used', 'this many tokens'),
  min_step_cost_usd: boundOf('min', 'step_cost_usd', 'Step cost', 'cost', 'this at current prices, US dollars'),
  max_step_cost_usd: boundOf('max', 'step_cost_usd', 'Step cost', 'cost', 'this at current prices, US dollars'),
} as const

function valuesOf<const Type extends 'text' | 'texts' | 'choice'>(type: Type, description: string, label: string) {
  return { type, many: true, ofStep: true, maxLength: NAME_LENGTH, description, label, takenBy: TAKERS } as const
}

/** `did` and `amount` stand around "at least" and "at most". A cost is no whole number. */
function boundOf<const Side extends 'min' | 'max', const Measure extends StepMeasure>(
  side: Side,
  measure: Measure,
  label: string,
  did: string,
  amount: string,
) {
  const words = side === 'min' ? 'at least' : 'at most'
  return {
    type: (measure === 'step_cost_usd' ? 'value' : 'number') as Measure extends 'step_cost_usd' ? 'value' : 'number',
    ofStep: true,
    bounds: { measure, side },
    description: `Steps that ${did} ${words} ${amount}. A step of which it is unknown does not match.`,
    label: `${label} ${words}`,
    takenBy: TAKERS,
  } as const
}
