import { OPERATIONS } from '@spoor/contract/operations'
import {
  ClusterMapQuery,
  ClusterScheduleBody,
  DEFAULT_EVERY_HOURS,
  DISCOVERY_DEFAULTS,
  DiscoveryBody,
  MAP_POINTS,
} from '@spoor/contract/schemas/cluster'
import { ListQuery } from '@spoor/contract/schemas/list-query'
import type { FastifyInstance } from 'fastify'
import type { DiscoveryParameters } from '../../ports/clusters/discovery-job.ts'
import { principalOf } from '../access/authentication.ts'
import { controlBodyRules } from '../bodies/body-rules.ts'
import {
  toClusterBody,
  toClusterDetailBody,
  toClusterRunBody,
  toClusterScheduleBody,
  toDiscoveryJobBody,
  toMapPointBody,
} from '../../wire/cluster-to-wire.ts'
import { readControlBody } from '../bodies/control-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { sendHeldJson } from '../connections/held-answer.ts'
import { pathId } from '../kernel/path-id.ts'
import { compileQuery } from '../kernel/query.ts'
import { pageLimit } from '../kernel/query-values.ts'
import { serve } from '../kernel/route.ts'
import { toWireTimeOrNull } from '../../wire/to-wire.ts'
import { compileValidator } from '../kernel/validate.ts'

export function registerClusterRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { clusters, limits, answers } = dependencies
  const rules = controlBodyRules(dependencies)
  const validateDiscovery = compileValidator(DiscoveryBody)
  const validateSchedule = compileValidator(ClusterScheduleBody)
  const readListQuery = compileQuery(ListQuery)
  const readMapQuery = compileQuery(ClusterMapQuery)

  serve(app, OPERATIONS.listClusters, async (request, reply) => {
    const { clusters: found, computedAt } = await clusters.list(principalOf(request).projectId)
    return reply.send({ clusters: found.map(toClusterBody), computed_at: toWireTimeOrNull(computedAt) })
  })

  serve(app, OPERATIONS.readCluster, async (request, reply) => {
    const id = pathId(request, 'id', 'clu')
    return reply.send(toClusterDetailBody(await clusters.read(principalOf(request).projectId, id)))
  })

  serve(app, OPERATIONS.discoverClusters, async (request, reply) => {
    const body = await readControlBody(request, rules, validateDiscovery)
    const { id } = await clusters.discover(principalOf(request).projectId, toParameters(body))
    return reply.code(202).header('location', `/v1/clusters/discover/${id}`).send({ job_id: id })
  })

  serve(app, OPERATIONS.listDiscoveries, async (request, reply) => {
    const { limit, cursor } = readListQuery(request.url)
    const page = { limit: pageLimit(limit, limits), cursor: cursor ?? null }
    const { items, nextCursor } = await clusters.jobs(principalOf(request).projectId, page)
    return reply.send({ jobs: items.map(toDiscoveryJobBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readDiscovery, async (request, reply) => {
    const id = pathId(request, 'job_id', 'job')
    return reply.send(toDiscoveryJobBody(await clusters.job(principalOf(request).projectId, id)))
  })

  serve(app, OPERATIONS.readClusterMap, async (request, reply) => {
    const { limit = MAP_POINTS.default } = readMapQuery(request.url)
    return sendHeldJson(reply, answers, async () => {
      const map = await clusters.map(principalOf(request).projectId, Math.min(limit, MAP_POINTS.most))
      return JSON.stringify({ points: map.points.map(toMapPointBody), computed_at: toWireTimeOrNull(map.computedAt) })
    })
  })

  serve(app, OPERATIONS.listClusterRuns, async (request, reply) => {
    const { limit, cursor } = readListQuery(request.url)
    const page = { limit: pageLimit(limit, limits), cursor: cursor ?? null }
    const { items, nextCursor } = await clusters.runs(principalOf(request).projectId, page)
    return reply.send({ runs: items.map(toClusterRunBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readClusterSchedule, async (request, reply) =>
    reply.send(toClusterScheduleBody(await clusters.schedule(principalOf(request).projectId))),
  )

  serve(app, OPERATIONS.setClusterSchedule, async (request, reply) => {
    const body = await readControlBody(request, rules, validateSchedule)
    const { enabled, every_hours: everyHours = DEFAULT_EVERY_HOURS } = body
    const schedule = { enabled, everyHours, parameters: toParameters(body) }
    return reply.send(toClusterScheduleBody(await clusters.setSchedule(principalOf(request).projectId, schedule)))
  })
}

function toParameters(body: DiscoveryBody): DiscoveryParameters {
  const { window_hours: windowHours, k_min: kMin, k_max: kMax } = { ...DISCOVERY_DEFAULTS, ...body }
  return { windowHours, kMin, kMax }
}
