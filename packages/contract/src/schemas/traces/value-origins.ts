import { type Static, Type } from 'typebox'
import { closed, flagOf, idParameter, idString, listOf, nullable, parameters, textOf } from '../primitives.ts'

const ORIGIN_KINDS = ['message', 'output', 'model'] as const
export type OriginKind = (typeof ORIGIN_KINDS)[number]

export const OriginsQuery = parameters({ step_id: idParameter('st', 'The step whose arguments are traced.') })

const Origin = closed('The step that has a value first.', {
  step_id: idString('st', 'The step; it may be the same one, whose messages came before its call.'),
  kind: Type.Enum(ORIGIN_KINDS, {
    description:
      '`message`: a message of a user or the system has the value. `output`: a result of a tool or of another step. `model`: nothing but a model said it before.',
  }),
})

export const ValueOrigins = closed('Where the arguments of a step came from.', {
  step_id: idString('st', 'The step.'),
  arguments: Type.Array(
    closed('A value in the arguments.', {
      tool: textOf('The called tool.'),
      path: textOf('A JSON pointer into its arguments.'),
      value: Type.Union([Type.String(), Type.Number()], { description: 'The value.' }),
      origin: nullable(Origin, 'Null if nothing before the call has the value.'),
    }),
    {
      maxItems: 100,
      description: 'Texts and numbers of at least three characters and at most 12 words.',
    },
  ),
  led_here: listOf(
    idString('st', 'A step.'),
    'The steps that its arguments came from, the steps that theirs came from, and so on; in the order of the run, about 50 at most.',
  ),
  complete: flagOf(
    'False if the run says more than 8 million characters before the step: only the first ones were searched.',
  ),
})
export type ValueOrigins = Static<typeof ValueOrigins>
