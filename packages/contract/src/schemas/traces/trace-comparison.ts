import { type Static, Type } from 'typebox'
import { nullableCost } from '../price.ts'
import * as schema from '../primitives.ts'
import { TokenTotals } from './token-usage.ts'
import { TraceRow } from './trace-row.ts'

export const PAIR_KINDS = ['same', 'changed', 'only_left', 'only_right'] as const

export const ComparisonQuery = schema.parameters({
  left: schema.traceParameter('One trace.'),
  right: schema.traceParameter('The trace to compare it with.'),
})

export const StepDifference = schema.closed('A place where two steps differ.', {
  path: schema.textOf(
    'A JSON pointer into the step, such as `/messages/2/content/0/text`. It also leads into text that is JSON. If an element of a list is at different positions, the one of the left step.',
  ),
  left: Type.Optional(
    Type.Unknown({
      description:
        'The value in the left step; absent if it has none. Of a text of more than 4,000 characters, the part from shortly before the first difference, with `…` where something is missing; other long values are JSON text, cut in the same way.',
    }),
  ),
  right: Type.Optional(Type.Unknown({ description: 'The value in the right step, in the same way.' })),
})
export type StepDifference = Static<typeof StepDifference>

const left_step_id = schema.nullableIdString('st', 'The step of the left trace; null if only the right one has it.')
const right_step_id = schema.nullableIdString('st', 'The step of the right trace; null if only the left one has it.')
const position = (side: string) =>
  schema.nullableInteger({
    minimum: 0,
    description: `The position of the ${side} step in its trace; null without one.`,
  })
const kind = Type.Enum(PAIR_KINDS, {
  description:
    '`same`: the steps did the same, although their tokens, cost, ids and times may differ. `changed`: they are versions of each other. `only_left`, `only_right`: the other trace has no such step.',
})

export const StepPair = schema.closed('Two steps that belong together, or one without a counterpart.', {
  kind,
  name: schema.textOf('The name of the step; of the left one, if both have it.'),
  left_step_id,
  right_step_id,
  left_position: position('left'),
  right_position: position('right'),
  differences: schema.listOf(
    StepDifference,
    'At most 50: of name, type, status, error, model, metadata and messages if the pair is `changed`, and of `token_usage` and `cost_usd`. Ids and times do not count, except in arguments and results of calls.',
  ),
  more_differences: schema.count(
    'Differences that are not listed, because there are too many or the texts of the comparison are too long.',
  ),
  repeated_differences: schema.count(
    'Messages that differ as they do in an earlier pair, and are not listed again: agents send the conversation with each step.',
  ),
})
export type StepPair = Static<typeof StepPair>

const Divergence = schema.closed('Where two traces diverge.', {
  pair: schema.count('The position in `pairs`.'),
  kind,
  left_step_id,
  right_step_id,
})

const { duration_ms, step_count } = TraceRow.properties
const SideTotals = schema.closed('Sums of one trace.', {
  duration_ms,
  step_count,
  error_count: schema.count('Steps that failed.'),
  token_usage: TokenTotals,
  cost_usd: nullableCost('The total cost; null if no step has a cost.'),
})

export const TraceComparison = schema.closed('Two traces, step by step.', {
  left: TraceRow,
  right: TraceRow,
  pairs: schema.listOf(
    StepPair,
    'Every step of both traces once, in the order of the runs: by their tree, and by start within it.',
  ),
  first_divergence: schema.nullable(Divergence, 'The first pair that is not `same`; null if all are.'),
  totals: schema.closed('How many pairs are of each kind, and the sums of both traces.', {
    same: schema.count('Pairs of this kind.'),
    changed: schema.count('Pairs of this kind.'),
    only_left: schema.count('Pairs of this kind.'),
    only_right: schema.count('Pairs of this kind.'),
    left: SideTotals,
    right: SideTotals,
  }),
})
export type TraceComparison = Static<typeof TraceComparison>
