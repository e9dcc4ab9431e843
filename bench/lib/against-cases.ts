import { gzipSync } from 'node:zlib'
import type { AppendJob, AppendResult } from './workers/append-process.ts'
import { httpRequest } from './http-request.ts'
import type { LoadJob, LoadResult } from './workers/load-process.ts'
import type { OtlpJob, OtlpResult } from './workers/otlp-process.ts'
import { median } from './percentile.ts'
import type { ReceiversJob, ReceiversResult } from './workers/receivers-process.ts'
import type { ServiceUnderTest } from './service.ts'
import { subscribe, waitUntilDelivered } from './subscribe.ts'
import type { TailLatencyJob, TailLatencyResult } from './workers/tail-latency-process.ts'
import { traceRequests } from './trace-bodies.ts'
import { word } from './vocabulary.ts'
import { startWorker } from './workers/worker-process.ts'

export type Side = ServiceUnderTest

/** Work that runs on one service and then on the other. */
export interface AgainstCase {
  readonly name: string
  /** Unit of `perSecond`. */
  readonly unit: string
  /** Runs once for each side, before its first run. */
  prepare?(side: Side): Promise<void>
  /** `perSecond` is null for work on a schedule: it is measured by processor time only. */
  run(side: Side): Promise<{ readonly operations: number; readonly perSecond: number | null }>
  /** Waits for background work of the run, whose processor time counts too. */
  settled?(side: Side): Promise<void>
}

/** Traces for the reads, besides those of earlier cases. */
const ARCHIVE = 20_000
const MONITORS = 200
const WINDOWS_SECONDS = [300, 900, 3600, 86_400]
const SUBSCRIPTIONS = 4
/** Operations a second on the machines for which the limits were set. They determine the amount of work in a round. */
const STEPS_PER_SECOND = 12_000
const TRACES_PER_SECOND = 300
/** A stream is sent in whole chunks (append-process.ts). */
const STEPS_OF_A_CHUNK = 64
const TAIL_PAUSE_MS = 20
/** Ranks of words (vocabulary.ts): each occurs in one of some hundred steps. */
const MIDDLING_RANK = 1500

/** Spans with much text: 22 MB, of which 40 KB are sent. */
function compressedExport(): Uint8Array<ArrayBuffer> {
  const text = 'sunny '.repeat(150_000)
  const spans = Array.from({ length: 25 }, (_, index) => ({
    traceId: '5b8efff798038103d269b633813fc60c',
    spanId: String(index + 1).padStart(16, '0'),
    name: `call ${index}`,
    startTimeUnixNano: '1772323200000000000',
    endTimeUnixNano: '1772323200005000000',
    attributes: [{ key: 'text', value: { stringValue: text } }],
  }))
  return Uint8Array.from(gzipSync(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })))
}

/** In the order in which they run: those with background work come last. */
export async function againstCases(
  roundMs: number,
): Promise<{ readonly list: readonly AgainstCase[]; stop(): Promise<void> }> {
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const appender = await startWorker<AppendJob, AppendResult>('append-process')
  const otlp = await startWorker<OtlpJob, OtlpResult>('otlp-process')
  const tail = await startWorker<TailLatencyJob, TailLatencyResult>('tail-latency-process')
  const receivers = await startWorker<ReceiversJob, ReceiversResult>('receivers-process')
  const send = async (job: LoadJob) => {
    const result = await load.run(job)
    if (result.failed > 0) throw new Error(`${result.failed} requests were refused, first: ${result.firstFailure}`)
    return result
  }
  const ingest = (connections: number): AgainstCase => ({
    name: `ingest at ${connections}`,
    unit: 'traces/s',
    async run({ port, key }) {
      const result = await send({ port, connections, requests: traceRequests(key), durationMs: roundMs })
      return { operations: result.completed, perSecond: result.perSecond }
    },
  })
  const append = (name: string, keyed: boolean): AgainstCase => ({
    name,
    unit: 'steps/s',
    async run({ port, key }) {
      const { id } = (await call({ port, key }, '/v1/traces', { name: 'one long stream' })) as { id: string }
      const steps = STEPS_OF_A_CHUNK * Math.ceil((STEPS_PER_SECOND * roundMs) / 1000 / STEPS_OF_A_CHUNK)
      const result = await appender.run({ port, key, traceId: id, steps, keyed })
      if (result.created !== steps) throw new Error(`${steps - result.created} of ${steps} steps were not created`)
      return { operations: steps, perSecond: steps / result.seconds }
    },
  })
  const read = (name: string, connections: number, paths: (side: Side) => Promise<readonly string[]>): AgainstCase => {
    const requests = new Map<Side, readonly Buffer[]>()
    return {
      name,
      unit: 'reads/s',
      async prepare(side) {
        const all = await paths(side)
        requests.set(
          side,
          all.map((path) => httpRequest('GET', path, side.key)),
        )
      },
      async run(side) {
        const result = await send({
          port: side.port,
          connections,
          requests: requests.get(side) ?? [],
          durationMs: roundMs,
        })
        return { operations: result.completed, perSecond: result.perSecond }
      },
    }
  }
  const list: AgainstCase[] = [
    {
      ...ingest(64),
      async prepare({ port, key }) {
        await send({ port, connections: 16, requests: traceRequests(key), total: ARCHIVE })
      },
    },
    ingest(16),
    ingest(1),
    append('append without keys', false),
    append('append with keys', true),
    {
      name: 'spans',
      unit: 'spans/s',
      async run({ port, key }) {
        const result = await otlp.run({ port, key, form: 'spans', connections: 4, durationMs: roundMs })
        return { operations: result.steps, perSecond: result.perSecond }
      },
    },
    {
      name: 'compressed exports',
      unit: 'exports/s',
      // The store stays small: it is the same export again.
      async run({ origin, key }) {
        const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': 'gzip' }
        const [began, body] = [performance.now(), compressedExport()]
        let exports = 0
        for (; performance.now() - began < roundMs; exports++) {
          const answer = await fetch(`${origin}/otlp/v1/traces`, { method: 'POST', headers, body })
          if (answer.status !== 200) throw new Error(`an export was answered with ${answer.status}`)
          await answer.text()
        }
        return { operations: exports, perSecond: (exports * 1000) / (performance.now() - began) }
      },
    },
    {
      name: 'tail',
      unit: 'events/s, one after another',
      async run({ port, key }) {
        const traces = Math.ceil(roundMs / TAIL_PAUSE_MS)
        const { latenciesMs } = await tail.run({ port, key, traces })
        return { operations: traces, perSecond: 1000 / median(latenciesMs) }
      },
    },
    read('list of 50', 1, () => Promise.resolve(['/v1/traces'])),
    read('list of 50 at 16', 16, () => Promise.resolve(['/v1/traces'])),
    read('list by metadata', 1, () =>
      Promise.resolve(Array.from({ length: 100 }, (_, n) => `/v1/traces?meta_key=task_id&meta_value=task-${n}`)),
    ),
    read('list by text', 1, () =>
      Promise.resolve(Array.from({ length: 100 }, (_, n) => `/v1/traces?q=${word(MIDDLING_RANK + n)}`)),
    ),
    read('trace', 1, tracePaths),
    read('trace at 16', 16, tracePaths),
    {
      name: 'monitors',
      unit: '',
      prepare: addMonitors,
      async run() {
        await new Promise((resolve) => setTimeout(resolve, 2 * roundMs))
        return { operations: MONITORS, perSecond: null }
      },
    },
    {
      name: 'webhooks',
      unit: 'deliveries/s',
      async prepare(side) {
        const { ports } = await receivers.run({ open: SUBSCRIPTIONS })
        await subscribe(side, ports)
      },
      async run({ port, key }) {
        const count = Math.ceil((TRACES_PER_SECOND * roundMs) / 1000)
        const among = Array.from({ length: SUBSCRIPTIONS }, (_, index) => index)
        const [{ requests, seconds }] = await Promise.all([
          receivers.run({ count, among, withinMs: 20 * roundMs }),
          send({ port, connections: 16, requests: traceRequests(key), total: count }),
        ])
        const arrived = requests.reduce((sum, n) => sum + n, 0)
        if (arrived < count * SUBSCRIPTIONS) throw new Error(`${arrived} deliveries arrived`)
        return { operations: arrived, perSecond: arrived / seconds }
      },
      settled: waitUntilDelivered,
    },
  ]
  return {
    list,
    async stop() {
      await Promise.all([load, appender, otlp, tail, receivers].map((worker) => worker.stop()))
    },
  }
}

async function tracePaths(side: Side): Promise<readonly string[]> {
  const page = (await call(side, '/v1/traces?limit=200')) as { readonly traces: readonly { readonly id: string }[] }
  return page.traces.map(({ id }) => `/v1/traces/${id}`)
}

/** Windows from five minutes to a day, over four measures of traces. */
async function addMonitors(side: Side): Promise<void> {
  const sources = [
    { measure: 'error_rate', aggregation: 'avg' },
    { measure: 'duration_ms', aggregation: 'p95' },
    { measure: 'total_tokens', aggregation: 'sum' },
    { measure: 'count', aggregation: 'count' },
  ]
  for (let n = 0; n < MONITORS; n++) {
    const { measure, aggregation } = sources[n % sources.length]!
    await call(side, '/v1/monitors', {
      name: `monitor ${n}`,
      source: { kind: 'traces', measure },
      aggregation,
      window_seconds: WINDOWS_SECONDS[(n >> 2) % WINDOWS_SECONDS.length],
      comparison: 'gt',
      // None fires.
      threshold: measure === 'error_rate' ? 0.99 : 1e15,
    })
  }
}

async function call({ port, key }: Pick<Side, 'port' | 'key'>, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
