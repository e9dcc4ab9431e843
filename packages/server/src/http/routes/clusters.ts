import type { ProjectId, SelectionId } from '@spoor/contract/ids'
import { CLUSTER_WINDOW_HOURS_MAX, MAP_POINTS } from '@spoor/contract/limits'
import { OPERATIONS } from '@spoor/contract/operations'
import {
  type ClusterKind,
  DEFAULT_EVERY_HOURS,
  DISCOVERY_DEFAULTS,
  type DiscoveryBody,
  type SelectionFilters as SelectionFiltersBody,
} from '@spoor/contract/schemas/cluster'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { FastifyInstance } from 'fastify'
import type { SelectionFilters } from '../../clusters/use-cases.ts'
import { selectionOfSet } from '../../ports/clusters/cluster-set.ts'
import type { DiscoveryParameters } from '../../ports/clusters/discovery-job.ts'
import {
  toClusterDetailBody,
  toClusterRunBody,
  toClusterScheduleBody,
  toClusterSelectionBody,
  toDiscoveryJobBody,
  toListedClusterBody,
  toMapPointBody,
} from '../../wire/cluster-to-wire.ts'
import { toWireTimeOrNull } from '../../wire/to-wire.ts'
import { sendHeldJson } from '../connections/held-answer.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { bodyTime } from '../kernel/request-times.ts'
import { serve } from '../kernel/route.ts'

export function registerClusterRoutes(app: FastifyInstance, { clusters, traces, answers }: HttpDependencies): void {
  /** The clusters that a request is about. */
  const setOf = (
    projectId: ProjectId,
    {
      kind = 'requests',
      selection_id = null,
    }: { readonly kind?: ClusterKind; readonly selection_id?: SelectionId | null },
  ) => clusters.setOf(projectId, kind, selection_id)

  serve(app, OPERATIONS.listClusters, async ({ projectId, query, reply }) => {
    const { trace_id: traceId } = query
    if (traceId !== undefined) await traces.read(projectId, traceId, false)
    const listing = await clusters.list(await setOf(projectId, query), traceId)
    const { clusters: found, computedAt, failureBy, unassigned } = listing
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
    const { kind = 'requests', filters } = body
    const selected = filters === undefined ? null : toSelectionFilters(filters)
    const { id, setId } = await clusters.discover(projectId, kind, toParameters(body), selected)
    const accepted = { job_id: id, selection_id: selectionOfSet(setId) }
    return reply.code(202).header('location', `/v1/clusters/discover/${id}`).send(accepted)
  })

  serve(app, OPERATIONS.listClusterSelections, async ({ projectId, reply }) =>
    reply.send({ selections: (await clusters.selections(projectId)).map(toClusterSelectionBody) }),
  )

  serve(app, OPERATIONS.deleteClusterSelection, async ({ projectId, params, reply }) => {
    await clusters.dropSelection(projectId, params.id)
    return reply.code(204).send()
  })

  serve(app, OPERATIONS.listDiscoveries, async ({ projectId, query, page, reply }) => {
    const { items, nextCursor } = await clusters.jobs(await setOf(projectId, query), page)
    return reply.send({ jobs: items.map(toDiscoveryJobBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readDiscovery, async ({ projectId, params, reply }) =>
    reply.send(toDiscoveryJobBody(await clusters.job(projectId, params.job_id))),
  )

  serve(app, OPERATIONS.readClusterMap, async ({ projectId, query, reply }) => {
    const limit = Math.min(query.limit ?? MAP_POINTS.default, MAP_POINTS.most)
    const setId = await setOf(projectId, query)
    return sendHeldJson(reply, answers, async () => {
      const map = await clusters.map(setId, limit)
      return JSON.stringify({ points: map.points.map(toMapPointBody), computed_at: toWireTimeOrNull(map.computedAt) })
    })
  })

  serve(app, OPERATIONS.listClusterRuns, async ({ projectId, query, page, reply }) => {
    const { items, nextCursor } = await clusters.runs(await setOf(projectId, query), page)
    return reply.send({ runs: items.map(toClusterRunBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readClusterSchedule, async ({ projectId, query, reply }) =>
    reply.send(toClusterScheduleBody(await clusters.schedule(await setOf(projectId, query)))),
  )

  serve(app, OPERATIONS.setClusterSchedule, async ({ projectId, body, reply }) => {
    const { enabled, every_hours: everyHours = DEFAULT_EVERY_HOURS } = body
    const schedule = { enabled, everyHours, parameters: toParameters(body) }
    return reply.send(toClusterScheduleBody(await clusters.setSchedule(await setOf(projectId, body), schedule)))
  })
}

function toSelectionFilters({
  metadata = {},
  start_time,
  end_time,
  q,
  ...given
}: SelectionFiltersBody): SelectionFilters {
  return {
    ...toTraceFilters('lists', {
      ...given,
      event_start_time: bodyTime('/filters/event_start_time', given.event_start_time ?? null),
      event_end_time: bodyTime('/filters/event_end_time', given.event_end_time ?? null),
    }),
    metadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    startTime: bodyTime('/filters/start_time', start_time ?? null),
    endTime: bodyTime('/filters/end_time', end_time ?? null),
    text: q ?? null,
  }
}

function toParameters(body: DiscoveryBody): DiscoveryParameters {
  const selected = body.filters === undefined ? {} : { window_hours: CLUSTER_WINDOW_HOURS_MAX }
  const given = { ...DISCOVERY_DEFAULTS, ...selected, ...body }
  const { window_hours: windowHours, k_min: kMin, k_max: kMax, only_complete: onlyComplete } = given
  return { windowHours, kMin, kMax, onlyComplete, failureBy: given.failure_by }
}
