import { DEFAULT_FAILURE_BY } from '@spoor/contract/failure-measure'
import type { ProjectId } from '@spoor/contract/ids'
import type { ClusterFilter } from '@spoor/contract/trace-filters'
import { OPERATIONS } from '@spoor/contract/operations'
import { PATTERNS_DEFAULT } from '@spoor/contract/schemas/traces/failure-patterns'
import { PROJECT_DEFAULTS } from '@spoor/contract/schemas/project'
import { SIMILAR_DEFAULT } from '@spoor/contract/schemas/traces/trace-divergence'
import { VERSIONS_DEFAULT } from '@spoor/contract/schemas/versions'
import type { FastifyInstance } from 'fastify'
import { ByteGate } from '../../../lib/flow/byte-gate.ts'
import { findDivergence, READ_BYTES } from '../../../traces/insight/find-divergence.ts'
import { findOrigins } from '../../../traces/insight/find-origins.ts'
import { toFailurePatterns } from '../../../wire/patterns-to-wire.ts'
import { listNewest } from '../../../traces/insight/list-newest.ts'
import { KnownRuns } from '../../../traces/insight/known-runs.ts'
import { toVersionList } from '../../../wire/versions-to-wire.ts'
import { toDivergence } from '../../../wire/divergence-to-wire.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'
import { toFeedFilters } from './feed-filters.ts'
import { queryPairs } from '../../kernel/query.ts'
import { printRows, withMember } from './print-traces.ts'

/** The newest traces that another is compared with. */
const CANDIDATES = 500
/** Requests at once: each may read as much. */
const AT_ONCE = 2

export function registerInsightRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, work, clusters, answers, findPatterns, compareVersions, projects } = dependencies
  const failureOf = async (projectId: ProjectId, given: string | undefined, cluster: ClusterFilter | null = null) =>
    given ?? (await clusters.discoveryOf(projectId, cluster))?.failureBy ?? DEFAULT_FAILURE_BY
  const runs = new KnownRuns(dependencies)
  const room = new ByteGate(AT_ONCE * READ_BYTES)

  serve(app, OPERATIONS.findSimilarTraces, async ({ projectId, params, query, reply }) => {
    const { status, limit = SIMILAR_DEFAULT } = query
    const { trace } = await traces.read(projectId, params.id, false)
    const cluster = await clusters.clusterOf(projectId, trace.id)
    const filters = { status, ...(cluster === null ? { name: trace.name } : { cluster }) }
    const among = (await listNewest(traces, projectId, filters, CANDIDATES)).filter(({ id }) => id !== trace.id)
    const byId = new Map(among.map((one) => [one.id, one]))
    const similar = (await clusters.similar(projectId, trace, among)).slice(0, limit)
    return sendHeldJson(reply, answers, async () => {
      const rows = await printRows(
        dependencies,
        projectId,
        similar.map(({ traceId }) => byId.get(traceId)!),
      )
      const printed = rows.map((row, at) => withMember(row, 'similarity', similar[at]!.similarity))
      return `{"traces":[${printed.join(',')}]}`
    })
  })

  serve(app, OPERATIONS.findOrigins, async ({ projectId, params, query, reply }) => {
    const stepId = query.step_id
    const held = await room.acquire(READ_BYTES)
    try {
      const found = await findOrigins({ traces, work }, { projectId, traceId: params.id, stepId })
      const { arguments: values, ledHere, complete } = found
      const wire = values.map(({ tool, path, value, origin }) => ({
        tool,
        path,
        value,
        origin: origin === null ? null : { step_id: origin.stepId, kind: origin.kind },
      }))
      return reply.send({ step_id: stepId, arguments: wire, led_here: [...ledHere], complete })
    } finally {
      held.release()
    }
  })

  serve(app, OPERATIONS.findPatterns, async ({ projectId, query, request, reply }) => {
    const { failure_by, limit = PATTERNS_DEFAULT, ...filters } = query
    const asked = { projectId, ...toFeedFilters(filters, queryPairs(request.url)) }
    const failureBy = await failureOf(projectId, failure_by, asked.cluster)
    return reply.send(toFailurePatterns(await findPatterns({ ...asked, failureBy }), failureBy, limit))
  })

  serve(app, OPERATIONS.findClusterPatterns, async ({ projectId, params, query, reply }) => {
    const { failure_by, limit = PATTERNS_DEFAULT } = query
    const found = await clusters.read(projectId, params.id)
    const ofCluster = { projectId, ...toFeedFilters({ cluster: params.id }, new URLSearchParams()) }
    const failureBy = failure_by ?? found.failureBy
    return reply.send(toFailurePatterns(await findPatterns({ ...ofCluster, failureBy }), failureBy, limit))
  })

  serve(app, OPERATIONS.listVersions, async ({ projectId, query, request, reply }) => {
    const { failure_by, limit = VERSIONS_DEFAULT, ...filters } = query
    const asked = { projectId, ...toFeedFilters(filters, queryPairs(request.url)) }
    const failureBy = await failureOf(projectId, failure_by)
    return reply.send(toVersionList(await compareVersions({ ...asked, failureBy, limit }), failureBy))
  })

  serve(app, OPERATIONS.findDivergence, async ({ projectId, params, query, reply }) => {
    const held = await room.acquire(READ_BYTES)
    try {
      const found = await findDivergence(
        { traces, runs, work },
        {
          projectId,
          traceId: params.id,
          taskKey: query.task_key ?? (await projects.find(projectId))?.taskKey ?? PROJECT_DEFAULTS.task_key,
          failureBy: await failureOf(projectId, query.failure_by),
          onlyFailed: query.only_failed ?? false,
          clusterOf: () => clusters.clusterOf(projectId, params.id),
        },
      )
      return reply.send(toDivergence(found))
    } finally {
      held.release()
    }
  })
}
