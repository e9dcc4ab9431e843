import type { ProjectId } from '@spoor/contract/ids'
import { MAP_POINTS } from '@spoor/contract/limits'
import { OPERATIONS } from '@spoor/contract/operations'
import {
  type ClusterKind,
  DEFAULT_EVERY_HOURS,
  DISCOVERY_DEFAULTS,
  type DiscoveryBody,
} from '@spoor/contract/schemas/cluster'
import type { FastifyInstance } from 'fastify'
import { clusterSetOf } from '../../ports/clusters/cluster-set.ts'
import type { DiscoveryParameters } from '../../ports/clusters/discovery-job.ts'
import {
  toClusterDetailBody,
  toClusterRunBody,
  toClusterScheduleBody,
  toDiscoveryJobBody,
  toListedClusterBody,
  toMapPointBody,
} from '../../wire/cluster-to-wire.ts'
import { toWireTimeOrNull } from '../../wire/to-wire.ts'
import { sendHeldJson } from '../connections/held-answer.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { serve } from '../kernel/route.ts'

export function registerClusterRoutes(app: FastifyInstance, { clusters, answers }: HttpDependencies): void {
  serve(app, OPERATIONS.listClusters, async ({ projectId, query, reply }) => {
    const { clusters: found, computedAt, failureBy, unassigned } = await clusters.list(setOf(projectId, query))
    return reply.send({
      clusters: found.map(toListedClusterBody),
      computed_at: toWireTimeOrNull(computedAt),
      failure_by: failureBy,
      unassigned,
    })
  })

  serve(app, OPERATIONS.readCluster, async ({ projectId, params, reply }) =>
    reply.send(toClusterDetailBody(await clusters.read(projectId, params.id))),
  )

  serve(app, OPERATIONS.renameCluster, async ({ projectId, params, body, reply }) =>
    reply.send(toClusterDetailBody(await clusters.rename(projectId, params.id, body.label))),
  )

  serve(app, OPERATIONS.discoverClusters, async ({ projectId, body, reply }) => {
    const { id } = await clusters.discover(setOf(projectId, body), toParameters(body))
    return reply.code(202).header('location', `/v1/clusters/discover/${id}`).send({ job_id: id })
  })

  serve(app, OPERATIONS.listDiscoveries, async ({ projectId, query, page, reply }) => {
    const { items, nextCursor } = await clusters.jobs(setOf(projectId, query), page)
    return reply.send({ jobs: items.map(toDiscoveryJobBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readDiscovery, async ({ projectId, params, reply }) =>
    reply.send(toDiscoveryJobBody(await clusters.job(projectId, params.job_id))),
  )

  serve(app, OPERATIONS.readClusterMap, async ({ projectId, query, reply }) => {
    const limit = Math.min(query.limit ?? MAP_POINTS.default, MAP_POINTS.most)
    return sendHeldJson(reply, answers, async () => {
      const map = await clusters.map(setOf(projectId, query), limit)
      return JSON.stringify({ points: map.points.map(toMapPointBody), computed_at: toWireTimeOrNull(map.computedAt) })
    })
  })

  serve(app, OPERATIONS.listClusterRuns, async ({ projectId, query, page, reply }) => {
    const { items, nextCursor } = await clusters.runs(setOf(projectId, query), page)
    return reply.send({ runs: items.map(toClusterRunBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readClusterSchedule, async ({ projectId, query, reply }) =>
    reply.send(toClusterScheduleBody(await clusters.schedule(setOf(projectId, query)))),
  )

  serve(app, OPERATIONS.setClusterSchedule, async ({ projectId, body, reply }) => {
    const { enabled, every_hours: everyHours = DEFAULT_EVERY_HOURS } = body
    const schedule = { enabled, everyHours, parameters: toParameters(body) }
    return reply.send(toClusterScheduleBody(await clusters.setSchedule(setOf(projectId, body), schedule)))
  })
}

/** The clusters that a request is about. */
function setOf(projectId: ProjectId, { kind = 'requests' }: { readonly kind?: ClusterKind }) {
  return clusterSetOf(projectId, kind)
}

function toParameters(body: DiscoveryBody): DiscoveryParameters {
  const given = { ...DISCOVERY_DEFAULTS, ...body }
  const { window_hours: windowHours, k_min: kMin, k_max: kMax, only_complete: onlyComplete } = given
  return { windowHours, kMin, kMax, onlyComplete, failureBy: given.failure_by }
}
