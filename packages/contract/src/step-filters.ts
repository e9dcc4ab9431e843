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
  step_status: {
    type: 'choice',
    choices: ['ok', 'error'],
    ofStep: true,
    description: 'Steps with this status.',
    label: 'Step status',
    takenBy: TAKERS,
  },
  min_step_duration_ms: boundOf(
    'number',
    'step_duration_ms',
    'min',
    'took at least this, milliseconds',
    'Step duration',
  ),
  max_step_duration_ms: boundOf(
    'number',
    'step_duration_ms',
    'max',
    'took at most this, milliseconds',
    'Step duration',
  ),
  min_step_tokens: boundOf('number', 'step_tokens', 'min', 'used at least this many tokens', 'Step tokens'),
  max_step_tokens: boundOf('number', 'step_tokens', 'max', 'used at most this many tokens', 'Step tokens'),
  min_step_cost_usd: boundOf(
    'value',
    'step_cost_usd',
    'min',
    'cost at least this at current prices, US dollars',
    'Step cost',
  ),
  max_step_cost_usd: boundOf(
    'value',
    'step_cost_usd',
    'max',
    'cost at most this at current prices, US dollars',
    'Step cost',
  ),
} as const

function valuesOf<const Type extends 'text' | 'texts'>(type: Type, description: string, label: string) {
  return { type, many: true, ofStep: true, maxLength: NAME_LENGTH, description, label, takenBy: TAKERS } as const
}

function boundOf<
  const Type extends 'number' | 'value',
  const Measure extends StepMeasure,
  const Side extends 'min' | 'max',
>(type: Type, measure: Measure, side: Side, words: string, label: string) {
  return {
    type,
    ofStep: true,
    bounds: { measure, side },
    description: `Steps that ${words}. A step of which it is unknown does not match.`,
    label: `${label} at ${side === 'min' ? 'least' : 'most'}`,
    takenBy: TAKERS,
  } as const
}
