import { Type } from 'typebox'
import { ERROR_CODES } from '../errors.ts'
import { ProblemType, ProblemTypeList } from '../schemas/problem.ts'
import type { Operation } from './operation.ts'
import { parameters } from '../schemas/primitives.ts'

const page = Type.String({ description: 'The same as a page, if `Accept` names `text/html`, as browsers do.' })

export const PROBLEM_OPERATIONS = {
  listProblems: {
    method: 'GET',
    path: '/problems',
    summary: 'The error catalogue',
    description: 'Every code with its status, its meaning and what to do.',
    scopes: null,
    responses: {
      200: { description: 'The catalogue.', content: { 'application/json': ProblemTypeList, 'text/html': page } },
    },
  },
  getProblem: {
    method: 'GET',
    path: '/problems/:code',
    summary: 'Explain an error',
    description: 'The page that `type` of a problem document leads to.',
    scopes: null,
    pathParameters: parameters({ code: Type.Enum(ERROR_CODES, { description: 'A code of the catalogue.' }) }),
    responses: {
      200: { description: 'The kind of problem.', content: { 'application/json': ProblemType, 'text/html': page } },
    },
  },
} as const satisfies Record<string, Operation>
