import { type Static, Type } from 'typebox'
import { FAILURE_BY_LENGTH } from '../../failure-measure.ts'
import { closed, count, flagOf, idString, listOf, nullable, parameters, textOf } from '../primitives.ts'
import { filterFields } from './feed-query.ts'

/** The newest traces that are compared. */
export const PATTERN_TRACES = 10_000
/** The false discovery rate of an answer. */
export const PATTERN_RATE = 0.05
export const PATTERN_STATISTICS =
  'Each is tested exactly, and of those shown at most one in twenty is false. Of features of exactly the same runs, one is shown.'
/** Traces of one pattern. */
export const PATTERN_EXAMPLES = 3
const PATTERNS_MAX = 100
export const PATTERNS_DEFAULT = 20

export const PATTERN_KINDS = [
  'error_type',
  'failed_tool',
  'tool',
  'tool_pair',
  'argument',
  'finding',
  'model',
  'metadata',
  'steps',
] as const
export type PatternKind = (typeof PATTERN_KINDS)[number]

/** Which runs failed, as in a query. */
export const failureBy = Type.Optional(
  Type.String({
    maxLength: FAILURE_BY_LENGTH,
    description:
      'Which runs failed: `status`, `metric:NAME` or `metadata:KEY=VALUE`. By default as in the latest discovery of clusters, and `status` before the first.',
  }),
)

const patternQuery = {
  failure_by: failureBy,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PATTERNS_MAX, default: PATTERNS_DEFAULT, description: 'The most patterns.' }),
  ),
}

export const PatternsQuery = parameters({ ...filterFields, ...patternQuery })
export const ClusterPatternsQuery = parameters(patternQuery)

/** How many of some runs have something. */
export const countOf = (who: string) =>
  closed(who, { count: count('How many of them have it.'), of: count('How many there are.') })

const side = (who: string) =>
  closed(who, { with: count('How many of them have it.'), of: count('How many there are.') })

export const FailurePattern = closed('Something that failed runs have more often than others, or less often.', {
  kind: Type.Enum(PATTERN_KINDS, {
    description:
      '`error_type`, `tool`, `model`: the run has it. `failed_tool`: a step with a call of the tool failed. `tool_pair`: two tools that were called one after the other. `argument`: a call had it. `finding`: the run has a finding of this kind. `metadata`: the trace has it. `steps`: it has at least so many steps.',
  }),
  name: textOf('The type, tool, or model; the path of the argument; the key of the metadata.'),
  value: nullable(
    Type.String(),
    'Of an argument or metadata its value, of `tool_pair` the second tool, of `steps` the number.',
  ),
  what: textOf('The pattern in one sentence.'),
  failed: side('Failed runs.'),
  ok: side('The others.'),
  effect: Type.Number({
    minimum: -1,
    maximum: 1,
    description:
      'The share of failed runs that have it, less that of the others; below 0 if the others have it more often.',
  }),
  q_value: Type.Number({
    minimum: 0,
    maximum: 1,
    description: `The share of false ones among patterns as clear as this one: Fisher's exact test, corrected by Benjamini and Hochberg.`,
  }),
  example_trace_ids: listOf(
    idString('tr', 'A trace.'),
    `Up to ${PATTERN_EXAMPLES} runs that have it: failed ones if they have it more often, else others.`,
  ),
  filters: nullable(
    Type.Record(Type.String(), Type.String()),
    'Parameters of the list of traces that find the runs with it. Null if there are none.',
  ),
})
export type FailurePattern = Static<typeof FailurePattern>

export const FailurePatterns = closed('What tells failed runs from the others.', {
  patterns: listOf(FailurePattern, `The clearest first, each with a \`q_value\` up to ${PATTERN_RATE}.`),
  failure_by: textOf('Which runs counted as failed.'),
  failed: count('Failed runs that were compared.'),
  ok: count('Others that were compared.'),
  complete: flagOf(
    'False if older traces, those outside the sample, or features that few of many runs have, were left out.',
  ),
})
export type FailurePatterns = Static<typeof FailurePatterns>
