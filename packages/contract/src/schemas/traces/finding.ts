import { Type, type Static } from 'typebox'
import { closed, count, idString, listOf, textOf } from '../primitives.ts'
import { nullableCost } from '../price.ts'

export const FINDING_KINDS = ['repeated_call', 'cycle', 'no_progress', 'value_from_nowhere'] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

export const FindingKinds = Type.Enum(FINDING_KINDS, {
  description:
    '`repeated_call`: the same call with the same arguments and result, at least three times; `cycle`: two or three such calls that alternate; `no_progress`: a model that was given the same and answered the same at least three times, while its input grew; `value_from_nowhere`: an argument whose value no input and no result before in the run has, although it nearly always comes from there.',
})

export const Finding = closed('Something that a run did again and again, or a value that it made up.', {
  kind: FindingKinds,
  sentence: textOf('What was found, in one English sentence; names of tools between backticks.'),
  tools: listOf(Type.String(), 'The tools that were called; empty for an answer.'),
  times: count('How often: at least 3; of values, how many.'),
  step_ids: listOf(idString('st', 'A step.'), 'The steps that did it, in order of arrival; the first 50.'),
  wasted_tokens: count('Tokens of the calls of models that asked for it again, from the second time on.'),
  wasted_cost_usd: nullableCost('What these tokens cost at current prices; null if no price is known.'),
})
export type Finding = Static<typeof Finding>
