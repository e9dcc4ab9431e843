import { Type, type Static } from 'typebox'
import {
  CLUSTER_INTERVAL_HOURS_MAX,
  CLUSTER_RUNS_KEPT,
  CLUSTER_TRACES_MAX,
  CLUSTER_WINDOW_HOURS_MAX,
  CLUSTERS,
  MAP_POINTS,
} from '../limits.ts'
import { count, idString, nullablePrintedTime, nullableString, printedTime } from './primitives.ts'

export const CLUSTER_COLORS = ['fail', 'ok'] as const
const DISCOVERY_STATUSES = ['queued', 'running', 'succeeded', 'failed'] as const
const DISCOVERY_PHASES = ['listing', 'reading', 'embedding', 'clustering', 'saving'] as const

const DEFAULT_WINDOW_HOURS = 24
const DEFAULT_K_MAX = 12

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const cosine = (description: string) => Type.Number({ minimum: -1, maximum: 1, description })

const windowHours = Type.Integer({
  minimum: 1,
  maximum: CLUSTER_WINDOW_HOURS_MAX,
  description: `How far back traces are taken: those created in so many hours before the run. Default: ${DEFAULT_WINDOW_HOURS}.`,
})
const kMin = Type.Integer({
  minimum: CLUSTERS.least,
  maximum: CLUSTERS.most,
  description: `The least number of clusters, if so many of the traces differ. Not above \`k_max\`. Default: ${CLUSTERS.least}.`,
})
const kMax = Type.Integer({
  minimum: CLUSTERS.least,
  maximum: CLUSTERS.most,
  description: `The greatest number of clusters. Default: ${DEFAULT_K_MAX}.`,
})

/** What stands for a parameter that is not given. */
export const DISCOVERY_DEFAULTS = {
  window_hours: DEFAULT_WINDOW_HOURS,
  k_min: CLUSTERS.least,
  k_max: DEFAULT_K_MAX,
} as const

export const DiscoveryBody = Type.Object(
  { window_hours: Type.Optional(windowHours), k_min: Type.Optional(kMin), k_max: Type.Optional(kMax) },
  { additionalProperties: false, description: 'A discovery to run. `{}` for the defaults.' },
)
export type DiscoveryBody = Static<typeof DiscoveryBody>

export const DiscoveryAccepted = Type.Object(
  { job_id: idString('job', 'The job: a new one, or the one that is waiting or running.') },
  { additionalProperties: false, description: 'A discovery that runs by itself.' },
)
export type DiscoveryAccepted = Static<typeof DiscoveryAccepted>

export const Cluster = Type.Object(
  {
    id: idString('clu', 'The cluster. It keeps its id from run to run while it is the same.'),
    label: Type.String({ description: 'A short name.' }),
    description: Type.String({ description: 'What its traces have in common, in a sentence.' }),
    size: count('Traces in it, those that came since the run among them.'),
    color: Type.Enum(CLUSTER_COLORS, {
      description: '`fail` when materially more of its traces fail than of the others in the project.',
    }),
    keywords: Type.Array(Type.String(), { description: 'Words that tell it from the others, the best first.' }),
    error_rate: share('Share of its traces that failed, as of the run.'),
    first_seen_at: printedTime('When a run first found it.'),
  },
  { additionalProperties: false, description: 'A group of similar traces.' },
)
export type Cluster = Static<typeof Cluster>

const computedAt = nullablePrintedTime(
  'When the last run was computed; null before the first discovery of the project: then the list is empty.',
)

export const ClusterList = Type.Object(
  {
    clusters: Type.Array(Cluster, { description: 'The clusters of the last run, the largest first.' }),
    computed_at: computedAt,
  },
  { additionalProperties: false, description: 'All clusters of the project.' },
)
export type ClusterList = Static<typeof ClusterList>

export const RepresentativeTrace = Type.Object(
  {
    id: idString('tr', 'The trace.'),
    name: Type.String({ description: 'Its name.' }),
    similarity: cosine('Cosine of its embedding to the centroid.'),
  },
  { additionalProperties: false, description: 'A trace to read in place of all.' },
)
export type RepresentativeTrace = Static<typeof RepresentativeTrace>

export const ClusterDetail = Type.Object(
  {
    cluster: Cluster,
    representative_traces: Type.Array(RepresentativeTrace, {
      description: 'At most 10: near the centroid, and unlike one another.',
    }),
    centroid: Type.Array(Type.Number(), {
      description: 'The direction of its traces: a unit vector in the embedding of the project.',
    }),
    computed_at: printedTime('When the last run was computed.'),
  },
  { additionalProperties: false, description: 'A cluster, traces that stand for it, and where it lies.' },
)
export type ClusterDetail = Static<typeof ClusterDetail>

export const ClusterMapQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: MAP_POINTS.default,
        description: `Points at most, a sample that stays the same from run to run. More than ${MAP_POINTS.most} is lowered to ${MAP_POINTS.most}.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ClusterMapQuery = Static<typeof ClusterMapQuery>

export const ClusterMapPoint = Type.Object(
  {
    trace_id: idString('tr', 'The trace.'),
    x: cosine('From left to right.'),
    y: cosine('From bottom to top.'),
    cluster_id: idString('clu', 'Its cluster.'),
  },
  { additionalProperties: false, description: 'A trace on the map.' },
)
export type ClusterMapPoint = Static<typeof ClusterMapPoint>

export const ClusterMap = Type.Object(
  {
    points: Type.Array(ClusterMapPoint, { description: 'Traces of the last run.' }),
    computed_at: computedAt,
  },
  { additionalProperties: false, description: 'Traces laid out on a plane: similar ones lie together.' },
)
export type ClusterMap = Static<typeof ClusterMap>

const quality = Type.Object(
  {
    cohesion: cosine('Mean cosine of the traces to the centroid of their cluster.'),
    silhouette: cosine(
      'Mean silhouette by cosine distance: how much nearer the own cluster is than the next one, from -1 to 1.',
    ),
  },
  { additionalProperties: false, description: 'How well the clusters fit.' },
)

const runFigures = {
  traces: count(
    `Traces that were looked at: at most ${CLUSTER_TRACES_MAX.toLocaleString('en')}, the newest of the window.`,
  ),
  clusters: count('Clusters found.'),
  created: count('Clusters that are new.'),
  shifted: count('Clusters that kept their id and changed materially.'),
  ended: count('Clusters of the run before that are there no more.'),
  embedder_version: Type.String({ description: 'What made the embeddings; those of another one cannot be compared.' }),
}

export const DiscoveryResult = Type.Object(
  {
    reason: Type.Unsafe<'insufficient_data' | 'too_few_distinct_traces' | null>({
      type: ['string', 'null'],
      enum: ['insufficient_data', 'too_few_distinct_traces', null],
      description:
        '`insufficient_data`: fewer than 20 traces, nothing was discovered and earlier clusters stay as they are. `too_few_distinct_traces`: there are fewer clusters than `k_min`, because too few traces differ.',
    }),
    traces: runFigures.traces,
    clusters: runFigures.clusters,
    created: runFigures.created,
    shifted: runFigures.shifted,
    ended: runFigures.ended,
    quality: Type.Unsafe<Static<typeof quality> | null>({
      anyOf: [quality, { type: 'null' }],
      description: 'How well the clusters fit; null when nothing was discovered.',
    }),
  },
  { additionalProperties: false, description: 'What a discovery came to.' },
)
export type DiscoveryResult = Static<typeof DiscoveryResult>

const progress = Type.Object(
  {
    phase: Type.Enum(DISCOVERY_PHASES, {
      description: 'What it is doing: the phases come in this order, `reading` only for traces not seen before.',
    }),
    share: share('How much of the phase is done.'),
  },
  { additionalProperties: false, description: 'How far a running job is.' },
)

const parameters = {
  window_hours: Type.Integer({ minimum: 1, description: 'How far back it looked.' }),
  k_min: Type.Integer({ minimum: CLUSTERS.least, description: 'The least number of clusters.' }),
  k_max: Type.Integer({ minimum: CLUSTERS.least, description: 'The greatest number of clusters.' }),
}

export const DiscoveryJob = Type.Object(
  {
    id: idString('job', 'The job.'),
    status: Type.Enum(DISCOVERY_STATUSES, {
      description: 'A job that the service was stopped in the middle of starts again.',
    }),
    progress: Type.Unsafe<Static<typeof progress> | null>({
      anyOf: [progress, { type: 'null' }],
      description: 'How far it is; null unless it is running.',
    }),
    error: nullableString({ description: 'Why it failed; null unless it did.' }),
    result: Type.Unsafe<DiscoveryResult | null>({
      anyOf: [DiscoveryResult, { type: 'null' }],
      description: 'What it came to; null unless it succeeded.',
    }),
    ...parameters,
    created_at: printedTime('When it was asked for.'),
    started_at: nullablePrintedTime('When it last started; null while it has not.'),
    finished_at: nullablePrintedTime('When it ended; null while it has not.'),
  },
  {
    additionalProperties: false,
    description: `A discovery. Finished ones are kept until ${CLUSTER_RUNS_KEPT} newer ones are.`,
  },
)
export type DiscoveryJob = Static<typeof DiscoveryJob>

export const DiscoveryJobList = Type.Object(
  {
    jobs: Type.Array(DiscoveryJob, { description: 'One page of jobs, newest first.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of discoveries.' },
)
export type DiscoveryJobList = Static<typeof DiscoveryJobList>

export const ClusterRun = Type.Object(
  {
    id: idString('job', 'The job that made it.'),
    computed_at: printedTime('When it was computed.'),
    ...parameters,
    ...runFigures,
    clusters: Type.Array(
      Type.Object(
        {
          id: idString('clu', 'The cluster.'),
          label: Type.String({ description: 'What it was called then.' }),
          size: count('Traces that were in it.'),
        },
        { additionalProperties: false, description: 'A cluster as the run found it.' },
      ),
      { description: 'What it found, the largest first.' },
    ),
    quality,
    duration_ms: count('From its last start to its end, milliseconds.'),
  },
  { additionalProperties: false, description: 'A discovery that made clusters.' },
)
export type ClusterRun = Static<typeof ClusterRun>

export const ClusterRunList = Type.Object(
  {
    runs: Type.Array(ClusterRun, { description: 'One page of runs, newest first.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of runs.' },
)
export type ClusterRunList = Static<typeof ClusterRunList>

const DEFAULT_INTERVAL_HOURS = 24

export const ClusterScheduleBody = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether discoveries run by themselves.' }),
    every_hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: CLUSTER_INTERVAL_HOURS_MAX,
        description: `From one to the next. Default: ${DEFAULT_INTERVAL_HOURS}.`,
      }),
    ),
    window_hours: Type.Optional(windowHours),
    k_min: Type.Optional(kMin),
    k_max: Type.Optional(kMax),
  },
  { additionalProperties: false, description: 'When discoveries are to run; what is not given is the default.' },
)
export type ClusterScheduleBody = Static<typeof ClusterScheduleBody>
export const DEFAULT_EVERY_HOURS = DEFAULT_INTERVAL_HOURS

export const ClusterSchedule = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether discoveries run by themselves. Off until it is set.' }),
    every_hours: Type.Integer({ minimum: 1, description: 'From one to the next.' }),
    ...parameters,
    next_run_at: nullablePrintedTime('When the next one is due; null while it is off.'),
  },
  { additionalProperties: false, description: 'When discoveries run by themselves.' },
)
export type ClusterSchedule = Static<typeof ClusterSchedule>
