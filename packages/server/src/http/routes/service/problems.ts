import { ERROR_EXPLANATIONS } from '@spoor/contract/error-explanations'
import { ERROR_CODES, type ErrorCode, ERRORS } from '@spoor/contract/errors'
import { OPERATIONS } from '@spoor/contract/operations'
import { type ProblemType, problemType } from '@spoor/contract/schemas/problem'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { prefers } from '../../bodies/media-types.ts'
import { printProblemList, printProblemPage, PROBLEM_PAGE_POLICY } from '../../kernel/problem-page.ts'
import { serve } from '../../kernel/route.ts'

/** The pages that `type` of a problem leads to: HTML for browsers, JSON for programs. */
export function registerProblemRoutes(app: FastifyInstance): void {
  const problems = ERROR_CODES.map(explain)

  serve(app, OPERATIONS.listProblems, ({ request, reply }) =>
    answer(request, reply, { problems }, () => printProblemList(problems)),
  )

  serve(app, OPERATIONS.getProblem, ({ params, request, reply }) => {
    const problem = explain(params.code)
    return answer(request, reply, problem, () => printProblemPage(problem))
  })
}

function explain(code: ErrorCode): ProblemType {
  return { type: problemType(code), code, ...ERRORS[code], ...ERROR_EXPLANATIONS[code] }
}

function answer(request: FastifyRequest, reply: FastifyReply, body: object, page: () => string): FastifyReply {
  reply.header('vary', 'accept')
  if (!prefers(request.headers.accept, 'text/html')) return reply.send(body)
  return reply.type('text/html; charset=utf-8').header('content-security-policy', PROBLEM_PAGE_POLICY).send(page())
}
