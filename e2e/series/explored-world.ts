import assert from 'node:assert/strict'
import type { StepSeries } from '@spoor/contract/schemas/series'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { createIdGenerator } from '../../packages/server/src/lib/ids/ids.ts'
import { discover, listClusters } from '../clusters/discoveries.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import type { Client } from '../lib/client.ts'
import { walkFeed } from '../lib/feed.ts'
import type { Random } from '../lib/random.ts'
import { checkAnswer, entriesOf, iso, type Order, type Row } from './explored-truth.ts'
import { BUCKETS, type Buckets, plainBuckets, spanBefore, timeOf } from './plain-buckets.ts'

type ReadStep = Trace['steps'][number]
type ReadEvent = Trace['metric_events'][number]
type Rows = 'traces' | 'steps'

const MODELS = ['gpt-4o', 'claude-sonnet-4-5', 'unknown model'] as const
const TOOLS = ['search', "it's"] as const
const OF_BOTH = [
  'name',
  'run_type',
  'user_id',
  'session_id',
  'tag',
  'cluster',
  'model',
  'status',
  'error_type',
  'tool',
  'step_name',
  'step_type',
  'metadata.env',
  'metric.verdict',
  'metric.solved',
] as const
const COMMON = [
  'count',
  'error_rate',
  'duration_ms',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cost_usd',
  'metric.score',
  'metric.solved',
] as const
const MEASURES = { traces: COMMON, steps: [...COMMON, 'time_to_first_token_ms'] } as const
const NUMBER_STATS = ['sum', 'mean', 'min', 'max', 'p50', 'p90', 'p95', 'p99'] as const
const STATS: Readonly<Record<string, readonly string[]>> = {
  count: ['count'],
  error_rate: ['rate'],
  'metric.solved': ['rate', 'sum'],
}
const ORDERS: readonly Order[] = ['value', 'count', 'change']
const FILTERS = ['', '&step_type=tool', '&user_id=ann', '&not_step_status=error'] as const
const ZONES = [null, 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Kathmandu'] as const
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START = Date.UTC(2026, 0, 1)
/** Clocks of Berlin are set back on the fifth of these days, those of Los Angeles on the twelfth. */
const EARLIER = { from: Date.UTC(2025, 9, 22), days: 17 } as const

/** Traces at random, read again one by one, and series of them by plain code. */
export class ExploredWorld {
  readonly #random: Random
  readonly #client: Client
  readonly #ids: string[] = []
  readonly #clusters = new Map<string, string>()

  constructor(random: Random, client: Client) {
    this.#random = random
    this.#client = client
  }

  async defineMetrics(): Promise<void> {
    for (const metric of [
      { name: 'verdict', kind: 'enum', options: [{ value: 'good' }, { value: 'bad' }] },
      { name: 'score', kind: 'numeric' },
      { name: 'solved', kind: 'boolean' },
    ]) {
      await this.#send('POST', '/v1/metrics', metric, 201)
    }
  }

  async write(): Promise<void> {
    const { id } = await this.#send<{ id: string }>('POST', '/v1/traces', this.#trace(), 202)
    await this.#score(id)
  }

  /** A trace of days in which clocks are set back. */
  async writeEarlier(): Promise<void> {
    const time = EARLIER.from + this.#random.below(EARLIER.days * DAY_MS)
    const bytes = (size: number) => Uint8Array.from({ length: size }, () => this.#random.below(256))
    const id = createIdGenerator({ now: () => time }, bytes).newId('tr')
    const part = { id, from: 0, flagged: false, flag_reason: null, trace: this.#trace() }
    await this.#send('PUT', `/v1/traces/${id}`, part, 202)
    await this.#score(id)
  }

  #trace(): object {
    const random = this.#random
    const tags = ['red', 'blue', 'a "b"'].filter(() => random.chance(0.4))
    const { steps: asked } = topicTrace(random.below(3), random) as { steps: readonly object[] }
    return {
      name: random.pick(['plan', 'flow']),
      ...(random.chance(0.6) ? { run_type: random.pick(['chat', 'eval']) } : {}),
      ...(random.chance(0.7) ? { user_id: random.pick(['ann', 'bob', 'cid']) } : {}),
      ...(random.chance(0.6) ? { session_id: random.pick(['s 1', 's 2']) } : {}),
      metadata: { tags, ...(random.chance(0.7) ? { env: random.pick(['prod', '1']) } : {}) },
      started_at: iso(START),
      ...(random.chance(0.8) ? { ended_at: iso(START + random.below(5000)) } : {}),
      steps: [...asked, ...Array.from({ length: 1 + random.below(3) }, () => this.#step())],
    }
  }

  #step(): object {
    const random = this.#random
    const isTool = random.chance(0.4)
    const start = START + random.below(1000)
    const input = 1000 * random.below(9)
    return {
      name: isTool ? random.pick(TOOLS) : random.pick(['think', 'write']),
      type: isTool ? 'tool' : 'llm',
      ...(isTool ? { messages: [{ role: 'assistant', content: [{ type: 'data', data: { city: 'Lisbon' } }] }] } : {}),
      ...(random.chance(0.6)
        ? {
            model: random.pick(MODELS),
            token_usage: { input, output: 10 * random.below(5), cache_read: random.pick([0, input / 2]) },
          }
        : {}),
      ...(random.chance(0.5) ? { metadata: { time_to_first_token_ms: random.below(900) } } : {}),
      ...(random.chance(0.3)
        ? { status: 'error', error: { type: random.pick(['Timeout', 'Full']), message: 'no' } }
        : {}),
      ...(random.chance(0.8) ? { started_at: iso(start), ended_at: iso(start + random.below(4000)) } : {}),
    }
  }

  /** Events of the trace and of its steps. */
  async #score(id: string): Promise<void> {
    const random = this.#random
    this.#ids.push(id)
    const { steps } = (await this.#client.get(`/v1/traces/${id}`)).json<Trace>()
    const events = [{}, ...steps.map((step) => ({ step_id: step.id }))].flatMap((scored) =>
      [
        ...['good', 'bad'].map((value) => ({ name: 'verdict', value })),
        ...[3, 1, 2].map((value) => ({ name: 'score', value })),
        ...[true, false].map((passed) => ({ name: 'solved', passed })),
      ]
        .filter(() => random.chance(0.3))
        .map((event) => Object.assign(event, scored, { trace_id: id })),
    )
    const { errors } = await this.#send<{ errors: boolean }>('POST', '/v1/metrics/events', events, 200)
    assert.equal(errors, false)
  }

  async #send<T>(method: string, path: string, body: object, status: number): Promise<T> {
    const headers = { 'content-type': 'application/json' }
    const answer = await this.#client.call({ method, path, headers, body: JSON.stringify(body) })
    assert.equal(answer.status, status, answer.text)
    return answer.json<T>()
  }

  async discoverClusters(): Promise<void> {
    await discover(this.#client, { k_max: 3 })
    for (const { id } of await listClusters(this.#client))
      for (const trace of await walkFeed(this.#client, { cluster: id })) this.#clusters.set(trace.id, id)
    assert.ok(new Set(this.#clusters.values()).size > 1)
  }

  read(): Promise<Trace[]> {
    return Promise.all(this.#ids.map(async (id) => (await this.#client.get(`/v1/traces/${id}`)).json<Trace>()))
  }

  /** Series at random of the traces since `from` and of earlier days, compared with those of the time before. */
  async check(rounds: number, from: number): Promise<void> {
    const traces = await this.read()
    const random = this.#random
    for (let round = 0; round < rounds; round++) {
      const rows = random.pick<Rows>(['traces', 'steps'])
      const fields = OF_BOTH.filter(() => random.chance(0.15)).slice(0, 2)
      const measure = random.pick<string>(MEASURES[rows])
      const stat = random.pick(STATS[measure] ?? NUMBER_STATS)
      const order = random.pick(ORDERS)
      const limit = 1 + random.below(5)
      const filter = random.pick(FILTERS)
      const { query: time, buckets } = round % 2 === 0 ? hourSince(from) : this.#days()
      const query =
        `measure=${measure}&stat=${stat}&order=${order}&limit=${limit}&compare=previous${filter}${time}` +
        fields.map((field) => `&group_by=${field}`).join('')
      const answer = await this.#client.get(`/v1/${rows}/series?${query}`)
      assert.equal(answer.status, 200, `${query} ${answer.text}`)
      const [now, past] = [buckets, spanBefore(buckets)].map(({ start, end }) => {
        const inTime = traces.filter(({ created_at: at }) => Date.parse(at) >= start && Date.parse(at) < end)
        const passing = inTime.flatMap((trace) => this.rowsOf(trace, rows, filter))
        return entriesOf(passing, fields, measure, stat)
      })
      const expected = { now: now!, past: past!, fields, measure, stat, order, limit, buckets }
      checkAnswer(answer.json<StepSeries>(), expected, `${rows} ${query}`)
    }
  }

  /** Some of the earlier days, from a midnight or noon of a zone, in buckets. */
  #days(): Asked {
    const random = this.#random
    const zone = random.pick(ZONES)
    const text = random.pick(BUCKETS)
    const half = () => random.pick([0, DAY_MS / 2])
    const start = timeOf(zone, EARLIER.from + (7 + random.below(4)) * DAY_MS + half())
    const end = timeOf(zone, EARLIER.from + (12 + random.below(4)) * DAY_MS + half())
    const query = `&start_time=${iso(start)}&end_time=${iso(end)}&bucket=${text}${zone === null ? '' : `&tz=${zone}`}`
    return { query, buckets: plainBuckets(text, zone, start, end) }
  }

  /** What is measured of a trace, or of each of its steps, where they match. */
  rowsOf(trace: Trace, rows: Rows, filter: (typeof FILTERS)[number]): Row[] {
    if (filter === '&user_id=ann' && trace.user_id !== 'ann') return []
    const steps = trace.steps.filter(({ type, status }) =>
      filter === '&step_type=tool' ? type === 'tool' : filter !== '&not_step_status=error' || status !== 'error',
    )
    if (steps.length === 0) return []
    const { tags = [], env } = trace.metadata as { tags?: string[]; env?: string }
    const time = Date.parse(trace.created_at)
    const ofTrace = {
      name: [trace.name],
      run_type: [trace.run_type],
      user_id: list(trace.user_id),
      session_id: list(trace.session_id),
      tag: tags,
      cluster: list(this.#clusters.get(trace.id)),
      // A text that would read as other JSON has quotes.
      'metadata.env': list(env === '1' ? '"1"' : env),
    }
    const rowOf = (step: ReadStep): Row => {
      const events = trace.metric_events.filter(({ step_id: id }) => id === step.id)
      const values = { ...ofTrace, ...valuesOf(step), ...metricValues(events) }
      return { id: step.id, time, values, numbers: numbersOf(step, events), costs: costsOf([step]) }
    }
    if (rows === 'steps') return steps.map(rowOf)
    const all = trace.steps.map(valuesOf)
    const matching = steps.map(valuesOf)
    const distinct = (of: readonly Values[], field: string) => [...new Set(of.flatMap((values) => values[field] ?? []))]
    return [
      {
        id: trace.id,
        time,
        values: {
          ...ofTrace,
          model: distinct(all, 'model'),
          status: [trace.status],
          error_type: distinct(all, 'error_type'),
          tool: distinct(matching, 'tool'),
          step_name: distinct(matching, 'step_name'),
          step_type: distinct(matching, 'step_type'),
          ...metricValues(trace.metric_events),
        },
        numbers: {
          count: 1,
          error_rate: trace.status === 'error' ? 1 : 0,
          duration_ms: trace.duration_ms,
          ...tokensOf(trace.steps),
          ...metricNumbers(trace.metric_events),
        },
        costs: costsOf(trace.steps),
      },
    ]
  }
}

interface Asked {
  readonly query: string
  readonly buckets: Buckets
}

function hourSince(from: number): Asked {
  const query = `&bucket=all&start_time=${iso(from)}&end_time=${iso(from + HOUR_MS)}`
  return { query, buckets: plainBuckets('all', null, from, from + HOUR_MS) }
}

type Values = Readonly<Record<string, readonly string[]>>
type Numbers = Readonly<Record<string, number | null>>

function valuesOf(step: ReadStep): Values {
  return {
    step_name: [step.name],
    step_type: [step.type],
    tool: step.type === 'tool' ? [step.name] : [],
    model: list(step.model),
    status: [step.status],
    error_type: list(step.error?.type),
  }
}

function numbersOf(step: ReadStep, events: readonly ReadEvent[]): Numbers {
  const { started_at: start, ended_at: end, metadata } = step
  return {
    count: 1,
    error_rate: step.status === 'error' ? 1 : 0,
    duration_ms: start === null || end === null ? null : Date.parse(end) - Date.parse(start),
    time_to_first_token_ms:
      (metadata as { time_to_first_token_ms?: number } | undefined)?.time_to_first_token_ms ?? null,
    ...tokensOf([step]),
    ...metricNumbers(events),
  }
}

function tokensOf(steps: readonly ReadStep[]): Numbers {
  const sum = (kind: 'input' | 'output' | 'cache_read') =>
    steps.reduce((total, { token_usage: usage }) => total + (usage?.[kind] ?? 0), 0)
  const [input, output] = [sum('input'), sum('output')]
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: sum('cache_read'),
    total_tokens: input + output,
  }
}

/** Each value that an event has. */
function metricValues(events: readonly ReadEvent[]): Values {
  const of = (name: string) => events.filter((event) => event.name === name)
  return {
    'metric.verdict': [...new Set(of('verdict').map(({ value }) => String(value)))],
    'metric.solved': [...new Set(of('solved').map(({ passed }) => String(passed)))],
  }
}

/** The value of the newest event. */
function metricNumbers(events: readonly ReadEvent[]): Numbers {
  const newest = (name: string) =>
    events
      .filter((event) => event.name === name)
      .sort((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1))
      .at(-1)
  const [score, solved] = [newest('score'), newest('solved')]
  return {
    'metric.score': score === undefined ? null : Number(score.value),
    'metric.solved': solved === undefined ? null : Number(solved.passed),
  }
}

function costsOf(steps: readonly ReadStep[]): ReadonlyMap<string, number | null> {
  const costs = new Map<string, number | null>()
  for (const { model, cost_usd: cost } of steps) {
    const known = costs.get(model ?? '') ?? null
    costs.set(model ?? '', cost === null ? known : (known ?? 0) + cost)
  }
  return costs
}

function list(value: string | null | undefined): readonly string[] {
  return value === null || value === undefined ? [] : [value]
}
