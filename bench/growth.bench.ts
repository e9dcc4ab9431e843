/**
 * Reads over HTTP at 100 thousand and 1 million traces of 10 steps, all within half an hour, or the million within as
 * many days as told: their cost must depend on the answer, not on the store. Processor time of the service for each
 * read, beside its limit at a million; the requests of both stores in turns. Series are repeated, as a dashboard does:
 * most of their buckets are cached after the first turn. The wall time of the first request at a million stands beside.
 *
 *     node bench/growth.bench.ts [--quick] [--store DIRECTORY] [--days 30]
 *
 * The archives are built once under DIRECTORY (archive-process.ts): 6 GB, about ten minutes and 3 GB of memory.
 */
import { type Archive, openArchive } from './lib/archives/archive.ts'
import { DENSE_MS, needleOf } from './lib/archives/archive-sql.ts'
import { cpuSeconds, rssMb } from './lib/machine-load.ts'
import { readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { seededRandom, word } from './lib/vocabulary.ts'

const { quick, store, days } = readOptions()
const INTERVAL_MS = days === null ? DENSE_MS : (days * 86_400_000) / 1_000_000
const BUCKET = days === null ? '5m' : '1d'
const ROUNDS = quick ? 2 : 8
const REQUESTS_A_ROUND = 4
const STARTS = quick ? 1 : 5

/** Processor milliseconds of one read at a million traces. */
const LIMITS = { list: 40, text: 120, prefix: 150, sums: 60, series: 60, groups: 200, cost: 250, facet: 40 }
const LIST_OVER_SMALL = 1.5
const MEMORY_MB = { started: 350, read: 600, peak: 800 }
const READY_MS = 2000

interface Read {
  readonly name: string
  readonly kind: keyof typeof LIMITS
  readonly path: (side: Side, at: number) => string
}

interface Side {
  readonly archive: Archive
  readonly service: ServiceUnderTest
  readonly random: () => number
}

const anyOf = ({ archive, random }: Side) => Math.floor(random() * archive.traces)
const read = (name: string, kind: Read['kind'], path: (side: Side, at: number) => string): Read => ({
  name,
  kind,
  path,
})
const list = (name: string, query: (side: Side, at: number) => string) =>
  read(name, 'list', (side, at) => `/v1/traces?${query(side, at)}`)
const text = (name: string, query: (side: Side, at: number) => string, kind: Read['kind'] = 'text') =>
  read(`text: ${name}`, kind, (side, at) => `/v1/traces?q=${query(side, at)}`)
const series = (name: string, kind: Read['kind'], query: (side: Side, at: number) => string) =>
  read(`series: ${name}`, kind, (side, at) => `/v1/traces/series?bucket=${BUCKET}&${query(side, at)}`)
const user = (side: Side) => `user-${Math.floor(5000 * side.random() ** 2)}`
const [common, middling, rare] = [3, 1500, 8000].map((rank) => (at: number) => word(rank + (at % 20))) as [
  (at: number) => string,
  (at: number) => string,
  (at: number) => string,
]

const READS: readonly Read[] = [
  list('newest page', () => ''),
  list('status, 3 of 100', () => 'status=error'),
  list('model, common', () => 'model=gpt-4o'),
  list('without a model', () => 'not_model=gpt-4o'),
  list('user', (side) => `user_id=${user(side)}`),
  list('session', (side) => `session_id=sess-${Math.floor(anyOf(side) / 3)}`),
  list('metadata, 1 of 10', () => 'meta_key=env&meta_value=dev'),
  list('metadata, of one trace', (side) => `meta_key=request_id&meta_value=req-${anyOf(side)}`),
  list('metadata, of none', (_, at) => `meta_key=request_id&meta_value=gone-${at}`),
  list('name', (_, at) => `name=agent+flow+${at % 40}`),
  list('type of an error', () => 'error_type=timeout'),
  list('longer than any', () => 'min_duration_ms=100000000'),
  list('four filters', () => 'status=error&model=gpt-4o&meta_key=env&meta_value=dev&run_type=agent'),
  list('sorted by duration', () => 'sort=duration_ms'),
  list('sorted by cost', () => 'sort=cost_usd'),
  list('sorted by tokens', () => 'sort=total_tokens'),
  list('sorted by steps', () => 'sort=step_count'),
  text('common word', (_, at) => common(at)),
  text('middling word', (_, at) => middling(at)),
  text('rare word', (_, at) => rare(at)),
  text('word of one trace', (side) => needleOf(anyOf(side))),
  text('word of none', (_, at) => `absent${at}absent`),
  text('two common words', (_, at) => `${common(at)}+${common(at + 7)}`),
  text('common word, failed', (_, at) => `${common(at)}&status=error`),
  text('rare word, model', (_, at) => `${rare(at)}&model=gpt-4o`),
  text('common prefix', (_, at) => `${middling(at).slice(0, 4)}*`, 'prefix'),
  text('prefix of none', (_, at) => `absent${at}*`, 'prefix'),
  read('sessions', 'sums', () => '/v1/sessions'),
  read('sessions with a failed trace', 'sums', () => '/v1/sessions?status=error'),
  read('users', 'sums', () => '/v1/users'),
  read('one session', 'sums', (side) => `/v1/sessions/sess-${Math.floor(anyOf(side) / 3)}`),
  read('one user', 'sums', (side) => `/v1/users/${user(side)}`),
  series('traces', 'series', () => 'measure=count'),
  series('traces of a user', 'series', (side) => `measure=count&user_id=${user(side)}`),
  series('traces by status', 'groups', () => 'measure=count&group_by=status'),
  series('traces by model', 'groups', () => 'measure=count&group_by=model'),
  series('traces by name', 'groups', () => 'measure=count&group_by=name'),
  series('traces by metadata', 'groups', () => 'measure=count&group_by=metadata.env'),
  series('traces by a unique value', 'groups', () => 'measure=count&group_by=metadata.request_id'),
  series('duration by model', 'groups', () => 'measure=duration_ms&group_by=model'),
  series('cost', 'cost', () => 'measure=cost_usd'),
  series('cost by model', 'cost', () => 'measure=cost_usd&group_by=model'),
  series('error rate of a common word', 'cost', (_, at) => `measure=error_rate&q=${common(at)}`),
  read('facet of models', 'facet', () => '/v1/traces/facets?field=model'),
  read('facet of metadata', 'facet', () => '/v1/traces/facets?field=metadata.task_id'),
]

const report = new Report(
  `Growth: 100 thousand and 1 million traces, ${ROUNDS * REQUESTS_A_ROUND} requests of each read`,
)
const sides: Side[] = []
for (const traces of [100_000, 1_000_000]) {
  const archive = await openArchive(store, traces, INTERVAL_MS)
  sides.push({ archive, service: await startRepeatedly(archive), random: seededRandom(traces) })
}
const [small, large] = sides as [Side, Side]
for (const each of READS) await measure(each)
report.atMost('memory after all reads', large.service.rssMb(), MEMORY_MB.read, 'MB', withoutFiles(large.service))
report.atMost('memory at its peak', rssMb(large.service.pid, 'VmHWM') ?? NaN, MEMORY_MB.peak, 'MB')
await Promise.all(sides.map(({ service }) => service.stop()))
report.end()

/** Keeps the last one running. */
async function startRepeatedly(archive: Archive & { readonly directory: string }): Promise<ServiceUnderTest> {
  const startsMs: number[] = []
  for (;;) {
    const service = await startService({ dataDir: archive.directory, key: archive.key })
    startsMs.push(service.startMs)
    if (startsMs.length === STARTS) {
      const name = `at ${amount(archive.traces)} traces`
      report.atMost(`start ${name}`, median(startsMs), READY_MS, 'ms')
      report.atMost(`memory when ready ${name}`, service.rssMb(), MEMORY_MB.started, 'MB', withoutFiles(service))
      return service
    }
    await service.stop()
  }
}

/** The rest are pages of the engine's library and of node, which the system takes back when it needs them. */
function withoutFiles({ pid }: ServiceUnderTest): string {
  return `${amount(rssMb(pid, 'RssAnon') ?? NaN, 'MB')} of them in no file`
}

async function measure({ name, kind, path }: Read): Promise<void> {
  const spent = new Map(sides.map((side) => [side, { cpuMs: 0, wallMs: [] as number[] }]))
  let firstMs: number | null = null
  // The first turn warms up.
  for (let round = -1; round < ROUNDS; round++) {
    for (const side of sides) {
      const before = cpuSeconds(side.service.pid) ?? NaN
      const wallMs: number[] = []
      for (let at = 0; at < REQUESTS_A_ROUND; at++) {
        const began = performance.now()
        const url = `${side.service.origin}${path(side, (round + 1) * REQUESTS_A_ROUND + at)}`
        const response = await fetch(url, { headers: { 'x-api-key': side.service.key } })
        const body = await response.text()
        if (response.status !== 200) throw new Error(`${name}: ${response.status} ${body.slice(0, 300)}`)
        wallMs.push(performance.now() - began)
      }
      if (side === large) firstMs ??= wallMs[0] as number
      if (round < 0) continue
      const sum = spent.get(side)!
      sum.cpuMs += ((cpuSeconds(side.service.pid) ?? NaN) - before) * 1000
      sum.wallMs.push(...wallMs)
    }
  }
  const [atSmall, atLarge] = [small, large].map((side) => {
    const { cpuMs, wallMs } = spent.get(side)!
    return { cpuMs: cpuMs / (ROUNDS * REQUESTS_A_ROUND), p95: percentile(wallMs, 0.95) }
  }) as [{ cpuMs: number; p95: number }, { cpuMs: number; p95: number }]
  const remark = `p95 ${amount(atLarge.p95)}, the first ${amount(firstMs ?? NaN)}; at 100k ${amount(atSmall.cpuMs)}, p95 ${amount(atSmall.p95)}`
  report.atMost(name, atLarge.cpuMs, LIMITS[kind], 'ms', remark)
  if (kind === 'list') report.atMost(`${name}: over 100k`, atLarge.cpuMs / atSmall.cpuMs, LIST_OVER_SMALL, '×')
}
