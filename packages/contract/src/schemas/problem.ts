import { Type, type Static } from 'typebox'
import { closed, listOf, textOf } from './primitives.ts'
import { ERROR_EXPLANATIONS } from '../error-explanations.ts'
import { ERROR_CODES, type ErrorCode, ERRORS, REQUEST_ERROR_CODES } from '../errors.ts'

/** The page of the service that explains a code, relative to the URL of the service. */
export function problemType(code: ErrorCode): string {
  return `/problems/${code}`
}

const LINE_CODES = ERROR_CODES.filter((code) => ERRORS[code].status === null)

/** Any code of the catalogue, for one field of a request or one line of a batch. */
export const ErrorCodeName = Type.Enum(ERROR_CODES, {
  description:
    'A stable code of the error catalogue; `GET /problems/{code}` says what it means and what to do. A line can fail with any code. These codes are only for fields and lines:\n\n' +
    LINE_CODES.map((code) => `- \`${code}\`: ${ERROR_EXPLANATIONS[code].meaning}`).join('\n'),
})
export type ErrorCodeName = Static<typeof ErrorCodeName>

export const FieldProblem = closed('One error in a request.', {
  pointer: textOf(
    'The place of the error: a JSON pointer into the body (empty for the whole body), `?name` for a query parameter, or the name of a header.',
  ),
  code: ErrorCodeName,
  detail: textOf('What is wrong, in words.'),
})
export type FieldProblem = Static<typeof FieldProblem>

/** The body of every answer that is an error, `application/problem+json` (RFC 9457). */
export const Problem = closed('An error (RFC 9457).', {
  type: Type.String({
    format: 'uri-reference',
    description: 'The kind of problem: `/problems/` and the code, a page of this service that explains it.',
  }),
  title: textOf('The kind of problem in words, the same for every occurrence.'),
  status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status of this answer.' }),
  code: Type.Enum(REQUEST_ERROR_CODES, {
    description: 'The stable code of the kind of problem. Programs should use this.',
  }),
  detail: textOf('What happened in this case, in words.'),
  request_id: textOf('The id of this request in the logs of the service.'),
  errors: Type.Optional(listOf(FieldProblem, 'The errors in the request, if its content was refused; at most 20.')),
})
export type Problem = Static<typeof Problem>

/** The content of the page of a code. */
export const ProblemType = closed('A kind of problem.', {
  type: Type.String({ format: 'uri-reference', description: 'The `type` of such a problem, which is this page.' }),
  code: Type.Enum(ERROR_CODES, { description: 'The code.' }),
  title: textOf('The kind of problem in words.'),
  status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 400,
    maximum: 599,
    description:
      'The HTTP status of a request that fails with this code; null if the code is only for one field of a request or one line of a batch.',
  }),
  meaning: textOf('What the code means.'),
  remedy: textOf('What to do.'),
})
export type ProblemType = Static<typeof ProblemType>

export const ProblemTypeList = closed('The error catalogue.', {
  problems: listOf(ProblemType, 'Every code of the catalogue.'),
})
export type ProblemTypeList = Static<typeof ProblemTypeList>
