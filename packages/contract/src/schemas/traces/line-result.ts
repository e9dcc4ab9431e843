import { Type, type Static } from 'typebox'
import { ErrorCodeName } from '../problem.ts'
import { idString, nullableString } from '../primitives.ts'

const lineNumber = Type.Integer({
  minimum: 1,
  description: 'The physical line of the request, from 1; blank lines are counted and have no result.',
})

/** A line whose step is in the trace: written now, or earlier under the same idempotency key or id. */
export const AcceptedLine = Type.Object(
  {
    line: lineNumber,
    status: Type.Enum(['created', 'duplicate'], {
      description: '`created`: the step is durable and readable. `duplicate`: it already was, with the same content.',
    }),
    step_id: idString('st', 'The step; of a duplicate the first one.'),
  },
  { additionalProperties: false, description: 'A line whose step is in the trace.' },
)
export type AcceptedLine = Static<typeof AcceptedLine>

export const RefusedLine = Type.Object(
  {
    line: lineNumber,
    status: Type.Literal('error', { description: 'Nothing of this line was written.' }),
    code: ErrorCodeName,
    detail: Type.String({ description: 'What is wrong with the line, for people.' }),
    pointer: nullableString({
      description: 'JSON pointer into the line to what is wrong; null when it is the line itself.',
    }),
  },
  { additionalProperties: false, description: 'A line that was refused; it changes no other line.' },
)
export type RefusedLine = Static<typeof RefusedLine>

export const LineResult = Type.Union([AcceptedLine, RefusedLine], { description: 'The verdict on one line.' })
export type LineResult = Static<typeof LineResult>

export const AppendResponse = Type.Object(
  {
    errors: Type.Boolean({ description: 'Whether any line was refused; the status is 207 then, else 200.' }),
    results: Type.Array(LineResult, { description: 'One verdict per line that was not blank, in line order.' }),
  },
  { additionalProperties: false, description: 'What became of each line of a step append.' },
)
export type AppendResponse = Static<typeof AppendResponse>
