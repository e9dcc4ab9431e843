import { Type } from 'typebox'
import { CLUSTER_RUNS_KEPT, CLUSTER_SELECTIONS_MAX, CLUSTERS } from '../limits.ts'
import {
  ClusterDetail,
  ClusterKindQuery,
  ClusterList,
  ClusterListQuery,
  ClusterMap,
  ClusterMapQuery,
  ClusterPageQuery,
  ClusterPatch,
  ClusterRunList,
  ClusterSchedule,
  ClusterScheduleBody,
  ClusterSelectionList,
  DiscoveryAccepted,
  DiscoveryBody,
  DiscoveryJob,
  DiscoveryJobList,
} from '../schemas/cluster.ts'
import { ClusterPatternsQuery, FailurePatterns, PATTERN_STATISTICS } from '../schemas/traces/failure-patterns.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import { JSON_BODY_ERRORS, jsonBody, LIST_ERRORS, type Operation } from './operation.ts'

const ClusterPath = parameters({ id: idParameter('clu', 'The cluster.') })
const SelectionPath = parameters({ id: idParameter('sel', 'The selection.') })
const JobPath = parameters({ job_id: idParameter('job', 'The job.') })

export const CLUSTER_OPERATIONS = {
  listClusters: {
    method: 'GET',
    path: '/v1/clusters',
    summary: 'List clusters',
    description: `All groups of similar traces that the latest discovery found, at most ${CLUSTERS.most}. With \`trace_id\`, the one that the trace is in.`,
    scopes: ['read'],
    query: ClusterListQuery,
    responses: { 200: { description: 'The clusters.', content: { 'application/json': ClusterList } } },
    errors: ['not_found', 'validation_failed'],
  },
  readCluster: {
    method: 'GET',
    path: '/v1/clusters/:id',
    summary: 'Read a cluster',
    description:
      'The cluster with representative traces and its centroid. A cluster that the latest discovery did not find again no longer exists.',
    scopes: ['read'],
    pathParameters: ClusterPath,
    responses: { 200: { description: 'The cluster.', content: { 'application/json': ClusterDetail } } },
    errors: ['not_found'],
  },
  findClusterPatterns: {
    method: 'GET',
    path: '/v1/clusters/:id/patterns',
    summary: 'Find what failed runs of a cluster have that others have not',
    description: `As \`/v1/patterns\`, of the traces of one cluster. All traces of a cluster of failures failed: they are compared with those that did not fail, from the beginning of the window of its discovery on, and of its selection. ${PATTERN_STATISTICS}`,
    scopes: ['read'],
    pathParameters: ClusterPath,
    query: ClusterPatternsQuery,
    responses: { 200: { description: 'The patterns.', content: { 'application/json': FailurePatterns } } },
    errors: ['not_found', 'validation_failed'],
  },
  renameCluster: {
    method: 'PATCH',
    path: '/v1/clusters/:id',
    summary: 'Rename a cluster',
    description:
      'The label stays through later discoveries, as long as they find the cluster again. With `null` the cluster has its automatic label again. Of two concurrent changes the last one wins.',
    scopes: ['manage'],
    pathParameters: ClusterPath,
    request: jsonBody(ClusterPatch, 'The label.', {
      rename: { summary: 'Another label', value: { label: 'Refunds of damaged parcels' } },
      reset: { summary: 'The automatic label', value: { label: null } },
    }),
    responses: { 200: { description: 'The cluster.', content: { 'application/json': ClusterDetail } } },
    errors: [...JSON_BODY_ERRORS, 'not_found', 'disk_full'],
  },
  discoverClusters: {
    method: 'POST',
    path: '/v1/clusters/discover',
    summary: 'Discover clusters',
    description:
      'Starts a background job that groups the traces of the window again. A project has at most one queued or running job of each kind: if there is one, the answer names it. Each new cluster emits `cluster.created` once, each materially changed cluster `cluster.shifted` once. With `filters`, the traces that match are a selection with clusters and jobs of its own, which emits no events. Traces that arrive later are not assigned to its clusters. A discovery with the same filters replaces them.',
    scopes: ['manage'],
    request: jsonBody(DiscoveryBody, 'The window and the number of clusters.', {
      day: { summary: 'The last day, 2 to 12 clusters', value: {} },
      week: { summary: 'A week, more clusters', value: { window_hours: 168, k_min: 5, k_max: 30 } },
      failures: { summary: 'What went wrong in failed traces', value: { kind: 'failures', window_hours: 168 } },
      selection: { summary: 'Runs of one model', value: { filters: { model: 'gpt-4o' } } },
      split: {
        summary: 'A cluster, in smaller ones',
        value: { filters: { cluster: 'clu_01h2xcejqtf2nbrexx3vqjhp41' }, k_max: 8 },
      },
      reward: { summary: 'Failed are those without a reward', value: { failure_by: 'metadata:reward=0' } },
    }),
    responses: {
      202: {
        description: 'The job was accepted.',
        content: { 'application/json': DiscoveryAccepted },
        headers: { Location: { description: 'The path of the job.', schema: Type.String() } },
      },
    },
    errors: [...JSON_BODY_ERRORS, 'disk_full', 'full_text_disabled'],
  },
  listClusterSelections: {
    method: 'GET',
    path: '/v1/clusters/selections',
    summary: 'List selections',
    description: `The filters with clusters of their own, at most ${CLUSTER_SELECTIONS_MAX}.`,
    scopes: ['read'],
    responses: { 200: { description: 'The selections.', content: { 'application/json': ClusterSelectionList } } },
    errors: [],
  },
  deleteClusterSelection: {
    method: 'DELETE',
    path: '/v1/clusters/selections/:id',
    summary: 'Delete a selection',
    description: 'Its clusters and jobs no longer exist; the traces stay.',
    scopes: ['manage'],
    pathParameters: SelectionPath,
    responses: { 204: { description: 'The selection was deleted.', content: {} } },
    errors: ['not_found', 'disk_full'],
  },
  listDiscoveries: {
    method: 'GET',
    path: '/v1/clusters/discover',
    summary: 'List jobs',
    description: `Discoveries that a request or the schedule started, newest first: the queued or running one, and the newest ${CLUSTER_RUNS_KEPT} finished ones, including those that failed or found too few traces.`,
    scopes: ['read'],
    query: ClusterPageQuery,
    responses: { 200: { description: 'One page of jobs.', content: { 'application/json': DiscoveryJobList } } },
    errors: [...LIST_ERRORS, 'not_found'],
  },
  readDiscovery: {
    method: 'GET',
    path: '/v1/clusters/discover/:job_id',
    summary: 'Read a discovery',
    description: 'The progress and the result of the job.',
    scopes: ['read'],
    pathParameters: JobPath,
    responses: { 200: { description: 'The job.', content: { 'application/json': DiscoveryJob } } },
    errors: ['not_found'],
  },
  readClusterMap: {
    method: 'GET',
    path: '/v1/clusters/map',
    summary: 'Read the map',
    description:
      'Traces of the latest discovery on a plane, where similar traces lie close together. The layout is stable from run to run.',
    scopes: ['read'],
    query: ClusterMapQuery,
    responses: { 200: { description: 'The map.', content: { 'application/json': ClusterMap } } },
    errors: ['not_found', 'validation_failed'],
  },
  listClusterRuns: {
    method: 'GET',
    path: '/v1/clusters/runs',
    summary: 'List discoveries',
    description: `The newest ${CLUSTER_RUNS_KEPT} discoveries that produced clusters, newest first, with their parameters, sizes and quality.`,
    scopes: ['read'],
    query: ClusterPageQuery,
    responses: { 200: { description: 'One page of runs.', content: { 'application/json': ClusterRunList } } },
    errors: [...LIST_ERRORS, 'not_found'],
  },
  readClusterSchedule: {
    method: 'GET',
    path: '/v1/clusters/schedule',
    summary: 'Read the schedule',
    description: 'When discoveries run automatically. Disabled until it is set.',
    scopes: ['read'],
    query: ClusterKindQuery,
    responses: { 200: { description: 'The schedule.', content: { 'application/json': ClusterSchedule } } },
    errors: ['validation_failed'],
  },
  setClusterSchedule: {
    method: 'PUT',
    path: '/v1/clusters/schedule',
    summary: 'Set the schedule',
    description:
      'An enabled schedule first runs one interval from now. If runs were missed while the service was down, one run makes up for them.',
    scopes: ['manage'],
    request: jsonBody(ClusterScheduleBody, 'The schedule; it replaces the previous one.', {
      daily: { summary: 'Once a day', value: { enabled: true, every_hours: 24 } },
    }),
    responses: { 200: { description: 'The schedule.', content: { 'application/json': ClusterSchedule } } },
    errors: [...JSON_BODY_ERRORS, 'disk_full'],
  },
} as const satisfies Record<string, Operation>
