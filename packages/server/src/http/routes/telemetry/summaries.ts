import type { ProjectId } from '@spoor/contract/ids'
import { OPERATIONS } from '@spoor/contract/operations'
import { SESSION_TRACES_ORDER, USER_TRACES_ORDER } from '@spoor/contract/schemas/traces/trace-summary'
import type { SummariesQuery } from '@spoor/contract/schemas/traces/trace-summary'
import type { FastifyInstance } from 'fastify'
import type { PageRequest } from '../../../lib/list-page.ts'
import type { SummaryField } from '../../../ports/traces/trace-summaries.ts'
import type { FeedQuery } from '../../../traces/use-cases.ts'
import { toTraceSession, toTraceUser } from '../../../wire/summary-to-wire.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { queryPairs } from '../../kernel/query.ts'
import type { WithTimes } from '../../kernel/request-times.ts'
import { serve } from '../../kernel/route.ts'
import { toFeedFilters } from './feed-filters.ts'
import { printTraces } from './print-traces.ts'

/** Sessions and users: sums over their traces. */
export function registerSummaryRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { summaries, traces, answers } = dependencies

  serve(app, OPERATIONS.listSessions, async ({ projectId, query, page, request, reply }) => {
    const asked = toListRequest(query, queryPairs(request.url))
    return sendHeldJson(reply, answers, async () => {
      const found = await summaries.list({ projectId, by: 'session_id', ...asked, ...page })
      return JSON.stringify({ sessions: found.summaries.map(toTraceSession), next_cursor: found.nextCursor })
    })
  })

  serve(app, OPERATIONS.listUsers, async ({ projectId, query, page, request, reply }) => {
    const asked = toListRequest(query, queryPairs(request.url))
    return sendHeldJson(reply, answers, async () => {
      const found = await summaries.list({ projectId, by: 'user_id', ...asked, ...page })
      return JSON.stringify({ users: found.summaries.map(toTraceUser), next_cursor: found.nextCursor })
    })
  })

  serve(app, OPERATIONS.getTraceSession, async ({ projectId, params, query, page, reply }) => {
    const { session_id: sessionId } = params
    const order = query.order ?? SESSION_TRACES_ORDER
    return sendHeldJson(reply, answers, async () => {
      const session = toTraceSession(await summaries.read(projectId, 'session_id', sessionId))
      return `{"session":${JSON.stringify(session)},${await tracesOf(projectId, 'session_id', sessionId, order, page)}}`
    })
  })

  serve(app, OPERATIONS.getTraceUser, async ({ projectId, params, query, page, reply }) => {
    const { user_id: userId } = params
    const order = query.order ?? USER_TRACES_ORDER
    return sendHeldJson(reply, answers, async () => {
      const user = toTraceUser(await summaries.read(projectId, 'user_id', userId))
      return `{"user":${JSON.stringify(user)},${await tracesOf(projectId, 'user_id', userId, order, page)}}`
    })
  })

  /** Members of an answer, as JSON text. */
  async function tracesOf(
    projectId: ProjectId,
    by: SummaryField,
    value: string,
    order: FeedQuery['order'],
    page: PageRequest,
  ): Promise<string> {
    const filters = toFeedFilters({ [by]: value }, new URLSearchParams())
    return printTraces(
      dependencies,
      projectId,
      await traces.list({ projectId, ...filters, sort: 'created_at', order, ...page }),
    )
  }
}

function toListRequest(query: WithTimes<typeof SummariesQuery>, pairs: URLSearchParams) {
  const { sort = 'last_at', order = 'desc' } = query
  return { ...toFeedFilters(query, pairs), sort, order }
}
