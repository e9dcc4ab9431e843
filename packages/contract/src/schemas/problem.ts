import { Type, type Static } from 'typebox'
import { ERROR_CODES, REQUEST_ERROR_CODES } from '../errors.ts'

/** Any code of the catalogue: of one field of a request, of one line of a batch. */
export const ErrorCodeName = Type.Enum(ERROR_CODES, { description: 'A stable code of the error catalogue.' })
export type ErrorCodeName = Static<typeof ErrorCodeName>

export const FieldProblem = Type.Object(
  {
    pointer: Type.String({
      description:
        'Where it is: a JSON pointer into the body (`` is the whole body), or `?name` for a query parameter.',
    }),
    code: ErrorCodeName,
    detail: Type.String({ description: 'What is wrong, for people.' }),
  },
  { additionalProperties: false, description: 'One thing wrong with a request.' },
)
export type FieldProblem = Static<typeof FieldProblem>

/** The body of every answer that is an error, `application/problem+json` (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Names the kind of problem: `urn:spoor:problem:` and the code.' }),
    title: Type.String({ description: 'The kind of problem in words; the same for every occurrence.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status of this answer.' }),
    code: Type.Enum(REQUEST_ERROR_CODES, { description: 'The stable code of the kind of problem: decide by this.' }),
    detail: Type.String({ description: 'What happened this time, for people.' }),
    request_id: Type.String({ description: 'Names this request in the logs of the service.' }),
    errors: Type.Optional(
      Type.Array(FieldProblem, { description: 'Everything wrong with the request, when its content was refused.' }),
    ),
  },
  { additionalProperties: false, description: 'An error (RFC 9457).' },
)
export type Problem = Static<typeof Problem>
