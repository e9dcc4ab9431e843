import { Type, type Static } from 'typebox'
import { ErrorCodeName } from '../problem.ts'
import { closed, flagOf, idString, listOf, nullableText, textOf } from '../primitives.ts'

const lineNumber = Type.Integer({
  minimum: 1,
  description: 'The physical line of the request, from 1; blank lines count but have no result.',
})

/** A line whose step is in the trace: written by this request, or earlier under the same idempotency key or id. */
export const AcceptedLine = closed('A line whose step is in the trace.', {
  line: lineNumber,
  status: Type.Enum(['created', 'duplicate'], {
    description: '`created`: the step is durable and readable. `duplicate`: the same step was already written.',
  }),
  step_id: idString('st', 'The step; for a duplicate the first one.'),
})
export type AcceptedLine = Static<typeof AcceptedLine>

export const RefusedLine = closed('A line that was refused. Other lines are not affected.', {
  line: lineNumber,
  status: Type.Literal('error', { description: 'Nothing of this line was written.' }),
  code: ErrorCodeName,
  detail: textOf('What is wrong with the line, in words.'),
  pointer: nullableText('The place of the error as a JSON pointer into the line; null for the line itself.'),
})
export type RefusedLine = Static<typeof RefusedLine>

export const LineResult = Type.Union([AcceptedLine, RefusedLine], { description: 'The result for one line.' })
export type LineResult = Static<typeof LineResult>

export const AppendResponse = closed('The result for each line of a step append.', {
  errors: flagOf('Whether any line was refused. If so, the status is 207, otherwise 200.'),
  results: listOf(LineResult, 'One result per line that is not blank, in line order.'),
})
export type AppendResponse = Static<typeof AppendResponse>
