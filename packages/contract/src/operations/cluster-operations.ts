import { Type } from 'typebox'
import { CLUSTER_RUNS_KEPT, CLUSTERS } from '../limits.ts'
import {
  ClusterDetail,
  ClusterList,
  ClusterMap,
  ClusterMapQuery,
  ClusterRunList,
  ClusterSchedule,
  ClusterScheduleBody,
  DiscoveryAccepted,
  DiscoveryBody,
  DiscoveryJob,
  DiscoveryJobList,
} from '../schemas/cluster.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { idParameter } from '../schemas/primitives.ts'
import { JSON_BODY_ERRORS, LIST_ERRORS, type Operation } from './operation.ts'

const ClusterPath = Type.Object({ id: idParameter('clu', 'The cluster.') }, { additionalProperties: false })
const JobPath = Type.Object({ job_id: idParameter('job', 'The job.') }, { additionalProperties: false })

export const CLUSTER_OPERATIONS = {
  listClusters: {
    method: 'GET',
    path: '/v1/clusters',
    tag: 'clusters',
    summary: 'List clusters',
    description: `The groups of similar traces that the last discovery found. All of them: there are never more than ${CLUSTERS.most}.`,
    scopes: ['read'],
    responses: { 200: { description: 'The clusters.', content: { 'application/json': ClusterList } } },
    errors: [],
  },
  readCluster: {
    method: 'GET',
    path: '/v1/clusters/:id',
    tag: 'clusters',
    summary: 'Read a cluster',
    description:
      'With traces that stand for it, and its centroid. A cluster that the last discovery did not find again is gone.',
    scopes: ['read'],
    pathParameters: ClusterPath,
    responses: { 200: { description: 'The cluster.', content: { 'application/json': ClusterDetail } } },
    errors: ['not_found'],
  },
  discoverClusters: {
    method: 'POST',
    path: '/v1/clusters/discover',
    tag: 'clusters',
    summary: 'Discover clusters',
    description:
      'Groups the traces of the window anew, in the background. One job of a project waits or runs at a time: while there is one, it is the answer. A cluster that is new emits `cluster.created`, one that changed materially `cluster.shifted`, each once.',
    scopes: ['manage'],
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: DiscoveryBody,
      description: 'Which traces, and how many clusters.',
      examples: {
        day: { summary: 'The last day, 2 to 12 clusters', value: {} },
        week: { summary: 'A week, more clusters', value: { window_hours: 168, k_min: 5, k_max: 30 } },
      },
    },
    responses: {
      202: {
        description: 'A job does it.',
        content: { 'application/json': DiscoveryAccepted },
        headers: { Location: { description: 'Where the job is read.', schema: Type.String() } },
      },
    },
    errors: [...JSON_BODY_ERRORS, 'disk_full'],
  },
  listDiscoveries: {
    method: 'GET',
    path: '/v1/clusters/discover',
    tag: 'clusters',
    summary: 'List jobs',
    description: `Discoveries asked for by anyone or by the schedule, newest first: the one that waits or runs, if there is one, and the newest ${CLUSTER_RUNS_KEPT} that have ended, those that failed or found too few traces among them.`,
    scopes: ['read'],
    query: ListQuery,
    responses: { 200: { description: 'One page of jobs.', content: { 'application/json': DiscoveryJobList } } },
    errors: LIST_ERRORS,
  },
  readDiscovery: {
    method: 'GET',
    path: '/v1/clusters/discover/:job_id',
    tag: 'clusters',
    summary: 'Read a discovery',
    description: 'How far the job is, and what it came to.',
    scopes: ['read'],
    pathParameters: JobPath,
    responses: { 200: { description: 'The job.', content: { 'application/json': DiscoveryJob } } },
    errors: ['not_found'],
  },
  readClusterMap: {
    method: 'GET',
    path: '/v1/clusters/map',
    tag: 'clusters',
    summary: 'Read the map',
    description:
      'Traces of the last discovery on a plane, where similar ones lie together. Places stay from run to run.',
    scopes: ['read'],
    query: ClusterMapQuery,
    responses: { 200: { description: 'The map.', content: { 'application/json': ClusterMap } } },
    errors: ['validation_failed'],
  },
  listClusterRuns: {
    method: 'GET',
    path: '/v1/clusters/runs',
    tag: 'clusters',
    summary: 'List discoveries',
    description: `Those that made clusters, newest first, with their parameters, sizes and quality: the newest ${CLUSTER_RUNS_KEPT}.`,
    scopes: ['read'],
    query: ListQuery,
    responses: { 200: { description: 'One page of runs.', content: { 'application/json': ClusterRunList } } },
    errors: LIST_ERRORS,
  },
  readClusterSchedule: {
    method: 'GET',
    path: '/v1/clusters/schedule',
    tag: 'clusters',
    summary: 'Read the schedule',
    description: 'When discoveries run by themselves. Off until it is set.',
    scopes: ['read'],
    responses: { 200: { description: 'The schedule.', content: { 'application/json': ClusterSchedule } } },
    errors: [],
  },
  setClusterSchedule: {
    method: 'PUT',
    path: '/v1/clusters/schedule',
    tag: 'clusters',
    summary: 'Set the schedule',
    description:
      'One that is switched on begins with the next interval from now. What was missed while the service was down is made up for once.',
    scopes: ['manage'],
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: ClusterScheduleBody,
      description: 'The schedule; it replaces the one before.',
      examples: { daily: { summary: 'Once a day', value: { enabled: true, every_hours: 24 } } },
    },
    responses: { 200: { description: 'The schedule.', content: { 'application/json': ClusterSchedule } } },
    errors: [...JSON_BODY_ERRORS, 'disk_full'],
  },
} as const satisfies Record<string, Operation>
