/**
 * The cluster profile on one machine: PostgreSQL and ClickHouse with durable writes, S3, one node and three.
 *
 *     node bench/cluster.bench.ts [--quick]
 *
 * Beside each figure stands what the parts do without Spoor, measured in turns: inserts into the same ClickHouse, one
 * commit of PostgreSQL of the same bytes, the queries of a read sent to ClickHouse directly.
 */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { type BenchCluster, type RecordedQuery, recordQueries, startCluster } from './lib/cluster.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import type { ServiceUnderTest } from './lib/service.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import type { RawStoreJob, RawStoreResult } from './lib/workers/raw-store-process.ts'
import type { TailLatencyJob, TailLatencyResult } from './lib/workers/tail-latency-process.ts'
import { startWorker, type WorkerProcess } from './lib/workers/worker-process.ts'

const SHARE_OF_RAW_NEEDED = 0.5
const THREE_OVER_ONE_NEEDED = 0.9
const ACKNOWLEDGED_OVER_COMMIT_ALLOWED = 3
const TAIL_ALLOWED_MS = 60
const READ_OVER_DIRECT_ALLOWED = 2
const READ_EXTRA_ALLOWED_MS = 5

const { quick } = readOptions()
const ROUNDS = quick ? 3 : 5
const ROUND_MS = quick ? 3000 : 8000
const CONNECTIONS = 60
/** As many as settle together. */
const TRACES_PER_INSERT = 256
const SINGLE_COMMITS = quick ? 60 : 200
const READS = quick ? 20 : 60
const SETTLED_TIMEOUT_MS = 60_000

const report = new Report(`A cluster on one machine: medians of ${ROUNDS} rounds of ${ROUND_MS / 1000} s`)
await inTemporaryFolder(async (folder) => {
  const cluster = await startCluster(folder)
  if (typeof cluster === 'string') return report.figure('skipped', cluster)
  const loads = await Promise.all(Array.from({ length: 3 }, () => startWorker<LoadJob, LoadResult>('load-process')))
  const raw = await startWorker<RawStoreJob, RawStoreResult>('raw-store-process')
  const tail = await startWorker<TailLatencyJob, TailLatencyResult>('tail-latency-process')
  const first = await cluster.addNode()
  const one = await measureOne(cluster, first, loads, raw)
  await measureAcknowledgement(cluster, first, loads[0]!)
  const others = [await cluster.addNode(), await cluster.addNode()]
  await measureThree([first, ...others], loads, one)
  const { latenciesMs } = await tail.run({
    port: first.port,
    tailPort: others[0]!.port,
    key: first.key,
    traces: SINGLE_COMMITS,
  })
  report.atMost('acknowledged at one node, on the tail of another: p50', median(latenciesMs), TAIL_ALLOWED_MS, 'ms')
  await measureReads(cluster)
  await Promise.all([...loads, raw, tail].map((worker) => worker.stop()))
  await cluster.stop()
})
report.end()

/** Traces a second through one node, in turns with inserts without Spoor. */
async function measureOne(
  { clickhouse, postgresql }: BenchCluster,
  node: ServiceUnderTest,
  loads: readonly WorkerProcess<LoadJob, LoadResult>[],
  raw: WorkerProcess<RawStoreJob, RawStoreResult>,
): Promise<number> {
  const { url, user, password } = clickhouse
  const rounds: { readonly rate: number; readonly share: number; readonly raw: number }[] = []
  await ingest([node], loads, ROUND_MS)
  const before = { cpu: cpuSeconds(node.pid) ?? NaN, traces: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const { rate, traces } = await ingest([node], loads, ROUND_MS)
    before.traces += traces
    const inserted = await raw.run({
      store: { url, user, password },
      tracesPerInsert: TRACES_PER_INSERT,
      durationMs: ROUND_MS,
    })
    rounds.push({ rate, raw: inserted.tracesPerSecond, share: rate / inserted.tracesPerSecond })
  }
  const rate = median(rounds.map((round) => round.rate))
  const remark = `${amount(rate, '/s')}; inserts alone ${amount(median(rounds.map((round) => round.raw)), '/s')}`
  const share = median(rounds.map((round) => round.share))
  report.atLeast('ingest through one node: share of inserts alone', share, SHARE_OF_RAW_NEEDED, '', remark)
  const cpu = ((cpuSeconds(node.pid) ?? NaN) - before.cpu) / before.traces
  report.figure('CPU of the node for a trace', amount(1e6 * cpu, 'µs'))
  const { rows } = await postgresql.query<{ bytes: number }>(
    'SELECT avg(length(payload))::float8 AS bytes FROM commits',
  )
  report.figure('bytes of a commit in PostgreSQL', amount(rows[0]?.bytes ?? NaN))
  return rate
}

async function measureThree(
  nodes: readonly ServiceUnderTest[],
  loads: readonly WorkerProcess<LoadJob, LoadResult>[],
  one: number,
): Promise<void> {
  await ingest(nodes, loads, ROUND_MS)
  const ratios: number[] = []
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await ingest(nodes.slice(0, 1), loads, ROUND_MS)
    const together = await ingest(nodes, loads, ROUND_MS)
    ratios.push(together.rate / alone.rate)
    rates.push(together.rate)
  }
  const remark = `${amount(median(rates), '/s')}; one alone before ${amount(one, '/s')}`
  report.atLeast('ingest through three nodes over one', median(ratios), THREE_OVER_ONE_NEEDED, '', remark)
}

/** The connections are divided among the nodes. */
async function ingest(
  nodes: readonly ServiceUnderTest[],
  loads: readonly WorkerProcess<LoadJob, LoadResult>[],
  durationMs: number,
): Promise<{ readonly rate: number; readonly traces: number }> {
  const connections = CONNECTIONS / nodes.length
  const results = await Promise.all(
    nodes.map(({ port, key }, index) =>
      loads[index]!.run({ port, connections, requests: traceRequests(key), durationMs }),
    ),
  )
  const refused = results.find(({ failed }) => failed > 0)
  if (refused !== undefined) throw new Error(`${refused.failed} refused: ${refused.firstFailure}`)
  const sum = (of: (result: LoadResult) => number) => results.reduce((total, result) => total + of(result), 0)
  return { rate: sum(({ perSecond }) => perSecond), traces: sum(({ completed }) => completed) }
}

/** One request after the other, in turns with one insert of as many random bytes. */
async function measureAcknowledgement(
  { postgresql }: BenchCluster,
  { port, key }: ServiceUnderTest,
  load: WorkerProcess<LoadJob, LoadResult>,
): Promise<void> {
  await postgresql.query('CREATE TABLE bench_commits (id BIGSERIAL PRIMARY KEY, payload BYTEA NOT NULL)')
  const answered: number[] = []
  const committed: number[] = []
  const turns = 4
  for (let turn = 0; turn < turns; turn++) {
    const job = { port, connections: 1, requests: traceRequests(key), total: SINGLE_COMMITS / turns, thinkMs: 5 }
    answered.push(...(await load.run(job)).latenciesMs)
    const sizes = 'SELECT length(payload) AS bytes FROM commits ORDER BY version DESC LIMIT 1'
    const payload = randomBytes((await postgresql.query<{ bytes: number }>(sizes)).rows[0]?.bytes ?? 0)
    for (let count = 0; count < SINGLE_COMMITS / turns; count++) {
      const began = performance.now()
      await postgresql.query('INSERT INTO bench_commits (payload) VALUES ($1)', [payload])
      committed.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const remark = `${amount(median(answered))} ms, one commit of PostgreSQL ${amount(median(committed))} ms`
  const ratio = median(answered) / median(committed)
  report.atMost('acknowledgement over one commit: p50', ratio, ACKNOWLEDGED_OVER_COMMIT_ALLOWED, 'times', remark)
}

/** Reads of what has settled, on a node that has just started and so holds none of it. */
async function measureReads(cluster: BenchCluster): Promise<void> {
  await untilSettled(cluster)
  const { clickhouse } = cluster
  const recorder = await recordQueries(clickhouse.url)
  const recorded = await cluster.addNode({ clickhouseUrl: recorder.url })
  const reader = await cluster.addNode()
  const page = await read(recorded, '/v1/traces?status=error')
  const { traces } = JSON.parse(page) as { readonly traces: readonly { readonly id: string }[] }
  const cases = { 'a filtered page': '/v1/traces?status=error', 'one trace': `/v1/traces/${traces.at(-1)?.id ?? ''}` }
  for (const [name, path] of Object.entries(cases)) {
    await read(recorded, path)
    recorder.take()
    await read(recorded, path)
    const queries = recorder.take()
    const through: number[] = []
    const direct: number[] = []
    for (let count = 0; count < READS; count++) {
      through.push(await timed(() => read(reader, path)))
      direct.push(await timed(() => sendAll(clickhouse.url, queries)))
    }
    const limit = READ_OVER_DIRECT_ALLOWED * median(direct) + READ_EXTRA_ALLOWED_MS
    const remark = `${queries.length} queries sent directly ${amount(median(direct))} ms`
    report.atMost(`${name} through a node: p50`, median(through), limit, 'ms', remark)
  }
  recorder.close()
}

async function untilSettled({ postgresql }: BenchCluster): Promise<void> {
  const deadline = performance.now() + SETTLED_TIMEOUT_MS
  for (;;) {
    const { rows } = await postgresql.query<{ waiting: string }>(
      'SELECT (SELECT max(version) FROM journal_state) - (SELECT settled_through FROM settling) AS waiting',
    )
    if (Number(rows[0]?.waiting) === 0) return
    if (performance.now() > deadline) throw new Error(`${rows[0]?.waiting} commits have not settled`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function read({ origin, key }: ServiceUnderTest, path: string): Promise<string> {
  const response = await fetch(origin + path, { headers: { 'x-api-key': key } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return text
}

async function sendAll(url: string, queries: readonly RecordedQuery[]): Promise<void> {
  for (const { path, headers, body } of queries) {
    await new Promise<void>((resolve, reject) => {
      const sent = request(new URL(path, url), { method: 'POST', headers }, (answer) => {
        answer.on('end', resolve).resume()
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
