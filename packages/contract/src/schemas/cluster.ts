import { Type, type Static } from 'typebox'
import {
  CLUSTER_INTERVAL_HOURS_MAX,
  CLUSTER_RUNS_KEPT,
  CLUSTER_SELECTIONS_MAX,
  CLUSTER_TRACES_MAX,
  CLUSTER_WINDOW_HOURS_MAX,
  CLUSTERS,
  CONTROL_NAME_LENGTH,
  MAP_POINTS,
} from '../limits.ts'
import { DEFAULT_FAILURE_BY, FAILURE_BY_LENGTH } from '../failure-measure.ts'
import { PREVIEW_LENGTH } from '../said-text.ts'
import { ListQuery } from './list-query.ts'
import { BODY_FILTERS } from './view.ts'
import * as schema from './primitives.ts'

export const CLUSTER_KINDS = ['requests', 'failures'] as const
export type ClusterKind = (typeof CLUSTER_KINDS)[number]
const kind = Type.Enum(CLUSTER_KINDS, {
  description:
    '`requests`: traces by what their user asked for. `failures`: failed traces by what went wrong, which their errors say, or else their last answer.',
})
const ofKind = { kind: Type.Optional(kind) }
const ofSet = {
  ...ofKind,
  selection_id: Type.Optional(
    schema.idParameter('sel', 'The clusters of this selection. Default: of all traces of the project.'),
  ),
}
/** Which schedule a read is about. Default: of `requests`. */
export const ClusterKindQuery = schema.parameters(ofKind)
/** Which clusters a read is about. Default: `requests` of all traces. */
export const ClusterListQuery = schema.parameters({
  ...ofSet,
  trace_id: Type.Optional(schema.idParameter('tr', 'Only the cluster of this trace; none if it is in no cluster.')),
})
export const ClusterPageQuery = schema.parameters({ ...ListQuery.properties, ...ofSet })

const ofSelection = schema.nullableIdString('sel', 'The selection; null for all traces of the project.')

const SelectionFilters = Type.Object(BODY_FILTERS, {
  additionalProperties: false,
  minProperties: 1,
  description: 'The filters of a selection: those of `GET /v1/traces`, at least one.',
})
export type SelectionFilters = Static<typeof SelectionFilters>

export const ClusterSelection = schema.closed('Traces with clusters of their own: those that match filters.', {
  id: schema.idString('sel', 'The selection. The same filters have the same id.'),
  filters: SelectionFilters,
  created_at: schema.printedTime('When a discovery was first requested for it.'),
})
export type ClusterSelection = Static<typeof ClusterSelection>

export const ClusterSelectionList = schema.closed('All selections of the project.', {
  selections: schema.listOf(ClusterSelection, `The selections, oldest first; at most ${CLUSTER_SELECTIONS_MAX}.`),
})
export type ClusterSelectionList = Static<typeof ClusterSelectionList>

export const CLUSTER_COLORS = ['fail', 'ok'] as const
const DISCOVERY_STATUSES = ['queued', 'running', 'succeeded', 'failed'] as const
const DISCOVERY_PHASES = ['listing', 'reading', 'embedding', 'clustering', 'saving'] as const

const DEFAULT_WINDOW_HOURS = 24
const DEFAULT_K_MAX = 12

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const cosine = (description: string) => Type.Number({ minimum: -1, maximum: 1, description })

const FAILURE_BY =
  '`status`: traces with the status `error`. `metric:NAME`: traces whose latest event of the boolean metric, on the trace or a step of it, did not pass; traces without an event are in no error rate. `metadata:KEY=VALUE`: traces whose metadata has the value, as `meta_value` of lists finds it; the first `=` ends the key.'

/** Of a discovery, and of each one of a schedule. */
const chosen = schema.optional({
  window_hours: Type.Integer({
    minimum: 1,
    maximum: CLUSTER_WINDOW_HOURS_MAX,
    description: `The window in hours: traces created in this time before the run. Default: ${DEFAULT_WINDOW_HOURS}, with \`filters\` ${CLUSTER_WINDOW_HOURS_MAX}.`,
  }),
  k_min: Type.Integer({
    minimum: CLUSTERS.least,
    maximum: CLUSTERS.most,
    description: `The minimum number of clusters, if enough traces differ. Not above \`k_max\`. Default: ${CLUSTERS.least}.`,
  }),
  k_max: Type.Integer({
    minimum: CLUSTERS.least,
    maximum: CLUSTERS.most,
    description: `The maximum number of clusters. Default: ${DEFAULT_K_MAX}.`,
  }),
  only_complete: schema.flagOf(
    'Whether only complete traces count, so that a trace that is still growing waits for a later discovery. Default: false.',
  ),
  failure_by: Type.String({
    minLength: 1,
    maxLength: FAILURE_BY_LENGTH,
    description: `Which traces count as failed in error rates and colors. ${FAILURE_BY} Default: \`${DEFAULT_FAILURE_BY}\`.`,
  }),
  kind,
})

/** The defaults of parameters that are not given. */
export const DISCOVERY_DEFAULTS = {
  window_hours: DEFAULT_WINDOW_HOURS,
  k_min: CLUSTERS.least,
  k_max: DEFAULT_K_MAX,
  only_complete: false,
  failure_by: DEFAULT_FAILURE_BY as string,
} as const

export const DiscoveryBody = schema.closed('A discovery to run; `{}` uses the defaults.', {
  ...chosen,
  filters: Type.Optional(SelectionFilters),
})
export type DiscoveryBody = Static<typeof DiscoveryBody>

export const DiscoveryAccepted = schema.closed('A discovery that runs in the background.', {
  job_id: schema.idString('job', 'The job: a new one, or the one that is already queued or running.'),
  selection_id: ofSelection,
})
export type DiscoveryAccepted = Static<typeof DiscoveryAccepted>

const clusterFields = {
  id: schema.idString('clu', 'The cluster. A cluster that a later run finds again keeps its id.'),
  kind,
  label: schema.textOf('A short name.'),
  description: schema.textOf('What its traces have in common, in one sentence.'),
  size: schema.count('Traces in it, including those assigned since the run.'),
  color: Type.Enum(CLUSTER_COLORS, { description: '`fail` if it fails materially more often than other traces do.' }),
  keywords: schema.listOf(Type.String(), 'Words that distinguish it from other clusters, the best first.'),
  error_rate: share('Share of its traces that had failed at the time of the run, by its `failure_by`.'),
  first_seen_at: schema.printedTime('When a run first found it.'),
}

export const Cluster = schema.closed('A group of similar traces.', clusterFields)
export type Cluster = Static<typeof Cluster>

export const ListedCluster = schema.closed('A cluster with examples.', {
  ...clusterFields,
  judged: schema.count('Traces that `error_rate` is a share of: with a metric, those with an event.'),
  parent: schema.nullableText(
    'The name of the topic that holds it and other clusters of the run; null for a cluster without one, and if the run found few clusters.',
  ),
  selection_id: ofSelection,
  automatic_label: schema.nullableText('The label that the discovery gave it, if it was renamed; null otherwise.'),
  typical_request: schema.nullableString({
    maxLength: PREVIEW_LENGTH,
    description:
      'What the user of a typical trace asked first, its beginning; null if no user speaks in its typical traces. For failures: the error of a typical trace, or else its last answer.',
  }),
  other_request: schema.nullableString({
    maxLength: PREVIEW_LENGTH,
    description:
      'The same of another typical trace, chosen to differ from the first; null if its typical traces ask for the same.',
  }),
  tightness: share(
    'How alike its traces were at the time of the run: the mean cosine similarity of their embeddings and the centroid.',
  ),
  mixed: schema.flagOf(
    'Whether the run found two groups in it that are clearly apart, so that a higher `k_max` may split it. The label is that of the larger group, and the two requests are from both.',
  ),
})
export type ListedCluster = Static<typeof ListedCluster>

const computedAt = schema.nullablePrintedTime(
  'When the latest run was computed; null before the first discovery of the project, when the list is empty.',
)

export const ClusterList = schema.closed('All clusters of the project.', {
  clusters: schema.listOf(ListedCluster, 'The clusters of the latest run, the largest first.'),
  computed_at: computedAt,
  failure_by: schema.nullableText('Which traces the latest run took as failed; null before the first.'),
  unassigned: schema.count(
    'Traces that arrived since the latest run and fit no cluster; the filter `cluster=none` finds them.',
  ),
})
export type ClusterList = Static<typeof ClusterList>

export const RepresentativeTrace = schema.closed('A representative trace of a cluster.', {
  id: schema.idString('tr', 'The trace.'),
  name: schema.textOf('Its name.'),
  request: schema.nullableString({
    maxLength: PREVIEW_LENGTH,
    description:
      'What its user asked first, its beginning; null if no user speaks in it. For failures: its error, or else its last answer.',
  }),
  similarity: cosine('Cosine similarity of its embedding and the centroid.'),
})
export type RepresentativeTrace = Static<typeof RepresentativeTrace>

export const ClusterDetail = schema.closed('A cluster with representative traces and its centroid.', {
  cluster: ListedCluster,
  representative_traces: schema.listOf(
    RepresentativeTrace,
    'At most 10 traces that differ from one another: the most typical one, the typical one most unlike it, then others. Those of a mixed cluster are from both of its parts.',
  ),
  centroid: schema.listOf(Type.Number(), 'The centroid of its embeddings, as a unit vector.'),
  computed_at: schema.printedTime('When the latest run was computed.'),
  failure_by: schema.textOf('Which traces the latest run took as failed.'),
})
export type ClusterDetail = Static<typeof ClusterDetail>

export const ClusterPatch = schema.closed('A change of a cluster.', {
  label: schema.nullableString({
    minLength: 1,
    maxLength: CONTROL_NAME_LENGTH,
    description: 'The label: at least one visible character, no control characters; null for the automatic one.',
  }),
})
export type ClusterPatch = Static<typeof ClusterPatch>

export const ClusterMapQuery = schema.parameters({
  ...ofSet,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: MAP_POINTS.default,
      description: `The maximum number of points. The sample is stable from run to run. A value above ${MAP_POINTS.most} is lowered to ${MAP_POINTS.most}.`,
    }),
  ),
})
export type ClusterMapQuery = Static<typeof ClusterMapQuery>

export const ClusterMapPoint = schema.closed('A trace on the map.', {
  trace_id: schema.idString('tr', 'The trace.'),
  x: cosine('Horizontal position, from left to right.'),
  y: cosine('Vertical position, from bottom to top.'),
  cluster_id: schema.idString('clu', 'The cluster of the trace.'),
})
export type ClusterMapPoint = Static<typeof ClusterMapPoint>

export const ClusterMap = schema.closed('Traces on a plane, where similar traces lie close together.', {
  points: schema.listOf(ClusterMapPoint, 'Traces of the latest run.'),
  computed_at: computedAt,
})
export type ClusterMap = Static<typeof ClusterMap>

const quality = schema.closed('How well the clusters fit.', {
  cohesion: cosine('Mean cosine similarity of the traces and the centroid of their cluster.'),
  silhouette: cosine(
    'Mean silhouette by cosine distance, from -1 to 1: how much closer traces are to their own cluster than to the next one.',
  ),
})

const found = {
  traces: schema.count(
    `Traces in the run: the newest of the window, at most ${CLUSTER_TRACES_MAX.toLocaleString('en')}.`,
  ),
  clusters: schema.count('Clusters found.'),
  created: schema.count('New clusters.'),
  shifted: schema.count('Clusters that kept their id but changed materially.'),
  ended: schema.count('Clusters of the previous run that no longer exist.'),
}

export const DiscoveryResult = schema.closed('The result of a discovery.', {
  reason: Type.Unsafe<'insufficient_data' | 'too_few_distinct_traces' | null>({
    type: ['string', 'null'],
    enum: ['insufficient_data', 'too_few_distinct_traces', null],
    description:
      '`insufficient_data`: there were fewer than 20 traces, so nothing was discovered and the existing clusters stay unchanged. `too_few_distinct_traces`: there are fewer clusters than `k_min`, because too few traces differ.',
  }),
  ...found,
  quality: Type.Unsafe<Static<typeof quality> | null>({
    anyOf: [quality, { type: 'null' }],
    description: 'How well the clusters fit; null if nothing was discovered.',
  }),
})
export type DiscoveryResult = Static<typeof DiscoveryResult>

const progress = schema.closed('The progress of a running job.', {
  phase: Type.Enum(DISCOVERY_PHASES, {
    description:
      'The current phase. Phases run in this order; `reading` only reads traces that no earlier run has read.',
  }),
  share: share('The completed share of the phase.'),
})

const parameters = {
  window_hours: Type.Integer({ minimum: 1, description: 'The window in hours.' }),
  k_min: Type.Integer({ minimum: CLUSTERS.least, description: 'The minimum number of clusters.' }),
  k_max: Type.Integer({ minimum: CLUSTERS.least, description: 'The maximum number of clusters.' }),
  only_complete: schema.flagOf('Whether only complete traces count.'),
  failure_by: schema.textOf(`Which traces count as failed. ${FAILURE_BY}`),
}

export const DiscoveryJob = schema.closed(
  `A discovery. The newest ${CLUSTER_RUNS_KEPT} finished discoveries are retained.`,
  {
    id: schema.idString('job', 'The job.'),
    kind,
    selection_id: ofSelection,
    status: Type.Enum(DISCOVERY_STATUSES, {
      description: 'The status of the job. A job that was running when the service stopped starts again.',
    }),
    progress: Type.Unsafe<Static<typeof progress> | null>({
      anyOf: [progress, { type: 'null' }],
      description: 'The progress; null unless the job is running.',
    }),
    error: schema.nullableText('Why it failed; null unless it failed.'),
    result: Type.Unsafe<DiscoveryResult | null>({
      anyOf: [DiscoveryResult, { type: 'null' }],
      description: 'The result; null unless the job succeeded.',
    }),
    ...parameters,
    created_at: schema.printedTime('When it was requested.'),
    started_at: schema.nullablePrintedTime('When it last started; null before.'),
    finished_at: schema.nullablePrintedTime('When it ended; null before.'),
  },
)
export type DiscoveryJob = Static<typeof DiscoveryJob>

export const DiscoveryJobList = schema.pageOf('jobs', DiscoveryJob, 'newest first')
export type DiscoveryJobList = Static<typeof DiscoveryJobList>

export const ClusterRun = schema.closed('A discovery that produced clusters.', {
  id: schema.idString('job', 'The job that computed it.'),
  computed_at: schema.printedTime('When it was computed.'),
  ...parameters,
  ...found,
  embedder_version: schema.textOf('The version of the embedder. Embeddings of different versions cannot be compared.'),
  clusters: schema.listOf(
    schema.closed('A cluster as the run found it.', {
      id: schema.idString('clu', 'The cluster.'),
      label: schema.textOf('The automatic label at that time.'),
      size: schema.count('Traces in it at that time.'),
    }),
    'The clusters it found, the largest first.',
  ),
  quality,
  duration_ms: schema.count('Milliseconds from the last start to the end.'),
})
export type ClusterRun = Static<typeof ClusterRun>

export const ClusterRunList = schema.pageOf('runs', ClusterRun, 'newest first')
export type ClusterRunList = Static<typeof ClusterRunList>

const DEFAULT_INTERVAL_HOURS = 24

export const ClusterScheduleBody = schema.closed('A schedule to set; omitted fields get their defaults.', {
  enabled: schema.flagOf('Whether discoveries run automatically.'),
  every_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: CLUSTER_INTERVAL_HOURS_MAX,
      description: `Hours from one discovery to the next. Default: ${DEFAULT_INTERVAL_HOURS}.`,
    }),
  ),
  ...chosen,
})
export type ClusterScheduleBody = Static<typeof ClusterScheduleBody>
export const DEFAULT_EVERY_HOURS = DEFAULT_INTERVAL_HOURS

export const ClusterSchedule = schema.closed('When discoveries run automatically.', {
  enabled: schema.flagOf('Whether discoveries run automatically; false until it is set.'),
  every_hours: Type.Integer({ minimum: 1, description: 'Hours from one discovery to the next.' }),
  ...parameters,
  next_run_at: schema.nullablePrintedTime('When the next discovery is due; null while the schedule is disabled.'),
})
export type ClusterSchedule = Static<typeof ClusterSchedule>
