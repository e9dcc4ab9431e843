import { type Static, Type } from 'typebox'
import { closed, count, idString, listOf, nullable, optional, parameters, shortText, textOf } from '../primitives.ts'
import { TRACE_STATUSES } from '../../trace-filters.ts'
import { failureBy } from './failure-patterns.ts'
import { META_KEY_LENGTH } from './feed-query.ts'
import { TraceRow } from './trace-row.ts'

/** What a run did where it diverges. */
const DIVERGENCE_KINDS = ['added', 'missing', 'changed'] as const
export type DivergenceKind = (typeof DIVERGENCE_KINDS)[number]
/** Why there is no divergence. */
const NO_DIVERGENCE = ['succeeded', 'no_success', 'too_different', 'same_as_success', 'no_clear_step'] as const
export type NoDivergence = (typeof NO_DIVERGENCE)[number]

export const DivergenceQuery = parameters({
  ...optional({
    task_key: shortText(
      META_KEY_LENGTH,
      'The metadata key whose value names the task of a run. By default the `task_key` of the project.',
    ),
    only_failed: Type.Boolean({
      default: false,
      description: 'Whether only a run that failed is compared: by `failure_by`, or else by its status.',
    }),
  }),
  failure_by: failureBy,
})

const similarity = Type.Number({ minimum: 0, maximum: 1, description: 'From 0 to 1.' })

const Divergence = closed('The first step that no compared success shares.', {
  step_id: idString('st', 'The step; of a missing one, the step before which it is missing, or the last one.'),
  kind: Type.Enum(DIVERGENCE_KINDS, {
    description:
      '`added`: the run did something that no success did. `missing`: it did not do what successes did. `changed`: it did something else in its place.',
  }),
  sentence: textOf('The divergence in one sentence.'),
  support: closed('What successes did.', {
    successes: count('The number of successes that the run was compared with.'),
    instead: listOf(
      closed('What some of them did there.', {
        name: textOf('The tool; with its arguments, cut, if the run called it with other arguments.'),
        count: count('How many successes.'),
      }),
      'What successes did there that the run did not, the most frequent first.',
    ),
  }),
})

/** The most rows of an answer. */
const SIMILAR_MAX = 50
export const SIMILAR_DEFAULT = 10

export const SimilarQuery = parameters({
  status: Type.Optional(Type.Enum(TRACE_STATUSES, { description: 'Traces with this status.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: SIMILAR_MAX, default: SIMILAR_DEFAULT, description: 'The most traces.' }),
  ),
})

export const SimilarTraces = closed('Traces like another.', {
  traces: listOf(
    closed('A trace and its similarity.', { ...TraceRow.properties, similarity }),
    'The most similar first.',
  ),
})
export type SimilarTraces = Static<typeof SimilarTraces>

export const TraceDivergence = closed('Where a run first leaves what successful runs do.', {
  divergence: nullable(Divergence, 'Null if the evidence is weak: see `reason`.'),
  reason: nullable(
    Type.Enum(NO_DIVERGENCE),
    'Why there is none. `succeeded`: with `only_failed`, the run did not fail. `no_success`: there is no success to compare with. `too_different`: no success is near enough. `same_as_success`: a success did the same. `no_clear_step`: no difference tells enough. Null with a divergence.',
  ),
  compared_with: Type.Array(closed('A success.', { id: idString('tr', 'The trace.'), similarity }), {
    maxItems: 10,
    description: 'The nearest successes, the nearest first.',
  }),
})
export type TraceDivergence = Static<typeof TraceDivergence>
