import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CommitMetrics } from '../traces/commit/commit-metrics.ts'

/** Read when the metrics are requested, not before: MUST be available at once. */
export interface MetricSources {
  readonly version: string
  /** From the control store; rejects when that cannot be read. */
  readonly journalHead: () => Promise<number>
  /** Positions of the journal whose events have not become deliveries yet; from the control store, as `journalHead`. */
  readonly webhooksBehind: () => Promise<number>
  readonly pendingDeliveries: () => Promise<number>
  /** Deleted traces that are still on the disk; from the control store, as `journalHead`. */
  readonly pendingPurges: () => Promise<number>
  /** Bytes on disk of all stores at the last reading; NaN if there was none. */
  readonly storeSizeBytes: () => number
  readonly ingestBufferBytes: () => number
  /** Absent where Spoor does not read the files of the engine itself. */
  readonly damage?: DamageFigures | undefined
  /** Further metrics, of several nodes. */
  readonly figures?: readonly Figure[] | undefined
  /** Called with the reason why a metric is missing. */
  readonly onError: (error: unknown) => void
}

/** A counter if its name ends with `_total`, else a gauge. */
export interface Figure {
  readonly name: string
  readonly help: string
  /** The name of the label by which `read` returns values; without it, one value. */
  readonly label?: string
  /** MUST be available at once. */
  read(): number | Promise<number> | ReadonlyMap<string, number>
}

/** Damage found in the engine; the first two over all starts, the last since this one. */
export interface DamageFigures {
  readonly damagedParts: number
  readonly checksumFailures: number
  /** By table. */
  lostRows(): ReadonlyMap<string, number>
}

interface RequestMetrics {
  observeRequest(request: {
    readonly route: string
    readonly method: string
    readonly status: number
    readonly seconds: number
  }): void
  tailOpened(): void
  tailClosed(): void
  /** A request was refused by a limit of its key. */
  limited(keyId: string, limit: string): void
  /** An answer was broken off because its client read too little of it. */
  slowReaderEnded(): void
}

interface WebhookMetrics {
  /** An attempt to deliver that ended. */
  observeAttempt(attempt: { readonly result: 'succeeded' | 'failed'; readonly durationMs: number }): void
}

interface ConnectionMetrics {
  opened(): void
  closed(): void
  refused(): void
}

export interface Metrics {
  readonly connections: ConnectionMetrics
  readonly commits: CommitMetrics
  readonly webhooks: WebhookMetrics
  readonly requests: RequestMetrics
  readonly contentType: string
  /** The Prometheus text format. */
  print(): Promise<string>
}

/** From a hit in memory to the longest time an answer may take; a durable commit takes 5 to 50 ms. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** Each costs a series for every route. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10]
const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
const BYTES = [1e3, 1e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7]

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  registerProcess(registry)
  const { version, ...figures } = sources
  const build = gauge(registry, 'spoor_build_info', 'Always 1; what runs is in the labels', ['version', 'node_version'])
  build.set({ version, node_version: process.version }, 1)
  for (const figure of figuresOf(figures)) registerFigure(registry, figure)
  const readControlStore = controlStoreMetrics(registry, figures)
  return {
    commits: commitMetrics(registry),
    webhooks: webhookMetrics(registry),
    requests: requestMetrics(registry),
    connections: connectionMetrics(registry),
    contentType: registry.contentType,
    print: async () => {
      await readControlStore()
      return registry.metrics()
    },
  }
}

function counter<const Label extends string = never>(
  to: Registry,
  name: string,
  help: string,
  labels: readonly Label[] = [],
) {
  return new Counter({ name, help, labelNames: labels, registers: [to] })
}

function gauge<const Label extends string = never>(
  to: Registry,
  name: string,
  help: string,
  labels: readonly Label[] = [],
) {
  return new Gauge({ name, help, labelNames: labels, registers: [to] })
}

function histogram<const Label extends string = never>(
  to: Registry,
  name: string,
  help: string,
  buckets: number[],
  labels: readonly Label[] = [],
) {
  return new Histogram({ name, help, buckets, labelNames: labels, registers: [to] })
}

/** The longest that a timer waits. */
const NEVER_MS = 2 ** 31 - 1

/**
 * `process_start_time_seconds` gives the start time. Without percentiles of the event loop's lag: the library measures
 * them with a timer of 10 ms, which would be most of what an idle service costs.
 */
function registerProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS })
  for (const statistic of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    registry.removeSingleMetric(`nodejs_eventloop_lag_${statistic}_seconds`)
  let last = performance.eventLoopUtilization()
  const utilization: Gauge = new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the metrics were last read in which the main thread was busy',
    registers: [registry],
    collect: () => {
      const now = performance.eventLoopUtilization()
      utilization.set(performance.eventLoopUtilization(now, last).utilization)
      last = now
    },
  })
}

type FigureSources = Omit<MetricSources, 'version'>

function figuresOf({ storeSizeBytes, ingestBufferBytes, pendingDeliveries, damage, figures }: FigureSources) {
  const all: Figure[] = [
    { name: 'spoor_store_size_bytes', help: 'Bytes on disk of all stores', read: storeSizeBytes },
    { name: 'spoor_ingest_buffer_bytes', help: 'Bytes of request bodies held in memory', read: ingestBufferBytes },
    {
      name: 'spoor_webhook_deliveries_pending',
      help: 'Deliveries not made or given up yet',
      read: pendingDeliveries,
    },
  ]
  if (damage !== undefined) all.push(...damageFigures(damage))
  return [...all, ...(figures ?? [])]
}

function damageFigures(damage: DamageFigures): readonly Figure[] {
  return [
    {
      name: 'spoor_damaged_parts_total',
      help: 'Parts of the engine that were found damaged and set aside',
      read: () => damage.damagedParts,
    },
    {
      name: 'spoor_lost_rows_total',
      help: 'Rows lost with damaged parts',
      label: 'table',
      read: () => damage.lostRows(),
    },
    {
      name: 'spoor_checksum_failures_total',
      help: 'Reads that met damage in the files of the engine',
      read: () => damage.checksumFailures,
    },
  ]
}

function registerFigure(registry: Registry, { name, help, label, read }: Figure): void {
  const labelNames = label === undefined ? [] : [label]
  const metric: Counter | Gauge = new (name.endsWith('_total') ? Counter : Gauge)({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const found = await read()
      metric.reset()
      if (typeof found === 'number') metric.inc({}, found)
      else for (const [value, amount] of found) metric.inc({ [label as string]: value }, amount)
    },
  })
}

/**
 * Metrics from the control store, which may be broken: the other metrics are reported anyway. Returns a function that
 * updates them.
 */
function controlStoreMetrics(registry: Registry, sources: FigureSources): () => Promise<void> {
  const { journalHead, webhooksBehind, pendingPurges, onError } = sources
  const readable = gauge(
    registry,
    'spoor_control_store_readable',
    '1 when the control store could be read for these metrics, 0 when not: then those from it are NaN',
  )
  const head = gauge(registry, 'spoor_journal_head_position', 'Position of the newest event of the journal')
  const notDelivered = 'Positions of the journal that have not become deliveries yet'
  const behind = gauge(registry, 'spoor_webhook_journal_behind', notDelivered)
  const purges = gauge(registry, 'spoor_deleted_traces_pending', 'Deleted traces whose bytes are still on the disk')
  return async () => {
    try {
      head.set(await journalHead())
      behind.set(await webhooksBehind())
      purges.set(await pendingPurges())
      readable.set(1)
    } catch (error) {
      onError(error)
      head.set(NaN)
      behind.set(NaN)
      purges.set(NaN)
      readable.set(0)
    }
  }
}

function commitMetrics(registry: Registry): CommitMetrics {
  const duration = histogram(registry, 'spoor_commit_duration_seconds', 'Time of one group commit', SECONDS)
  const traces = histogram(registry, 'spoor_commit_traces', 'Traces written by one group commit', COUNTS)
  const steps = histogram(registry, 'spoor_commit_steps', 'Steps written by one group commit', COUNTS)
  const bytes = histogram(registry, 'spoor_commit_bytes', 'Bytes written by one group commit', BYTES)
  const failed = counter(registry, 'spoor_commits_failed_total', 'Group commits that failed')
  const notStored = 'Spans that were not stored, because their project takes spans about agents only'
  const filtered = counter(registry, 'spoor_spans_filtered_total', notStored)
  const operations = gauge(registry, 'spoor_queue_operations', 'Writes waiting for a group commit')
  const queued = gauge(registry, 'spoor_queue_bytes', 'Bytes waiting for a group commit')
  return {
    observeCommit(commit) {
      duration.observe(commit.durationMs / 1000)
      traces.observe(commit.traces)
      steps.observe(commit.steps)
      bytes.observe(commit.bytes)
    },
    commitFailed: () => failed.inc(),
    spansFiltered: (count) => filtered.inc(count),
    setQueue(queue) {
      operations.set(queue.operations)
      queued.set(queue.bytes)
    },
  }
}

function webhookMetrics(registry: Registry): WebhookMetrics {
  const help = 'Time of one attempt to deliver, from its start to the end of the answer'
  const duration = histogram(registry, 'spoor_webhook_attempt_duration_seconds', help, SECONDS, ['result'])
  return { observeAttempt: ({ result, durationMs }) => duration.observe({ result }, durationMs / 1000) }
}

function connectionMetrics(registry: Registry): ConnectionMetrics {
  const open = gauge(registry, 'spoor_open_connections', 'Connections of clients, tails included')
  const help = 'Connections that were refused because too many were open'
  const refused = counter(registry, 'spoor_connections_refused_total', help)
  return { opened: () => open.inc(), closed: () => open.dec(), refused: () => refused.inc() }
}

/**
 * Bounded by the routes: `route` is a pattern of the service, or `unmatched`; `method` is one that routes accept, or
 * `other`. A histogram costs many series, so only the counter has the status.
 */
function requestMetrics(registry: Registry): RequestMetrics {
  const labels = ['route', 'method'] as const
  const took = 'Time from the request head to the end of the answer; tails are not counted'
  const duration = histogram(registry, 'spoor_http_request_duration_seconds', took, REQUEST_SECONDS, labels)
  const answered = 'Requests that were answered; tails are not counted'
  const requests = counter(registry, 'spoor_http_requests_total', answered, [...labels, 'status'])
  const tails = gauge(registry, 'spoor_open_tails', 'Readers of the live stream')
  const ended = 'Answers broken off because their client took too little of them'
  const slowReaders = counter(registry, 'spoor_slow_readers_ended_total', ended)
  const beyond = 'Requests refused by a limit of their key, by its id and the limit: requests or bytes'
  const limited = counter(registry, 'spoor_requests_limited_total', beyond, ['key', 'limit'])
  return {
    limited: (key, limit) => limited.inc({ key, limit }),
    observeRequest({ route, method: sent, status, seconds }) {
      const method = METHODS.has(sent) ? sent : 'other'
      duration.observe({ route, method }, seconds)
      requests.inc({ route, method, status })
    },
    tailOpened: () => tails.inc(),
    tailClosed: () => tails.dec(),
    slowReaderEnded: () => slowReaders.inc(),
  }
}
