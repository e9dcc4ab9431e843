import assert from 'node:assert/strict'
import type { StepSeries } from '@spoor/contract/schemas/series'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { Client } from '../lib/client.ts'
import type { Random } from '../lib/random.ts'

type ReadStep = Trace['steps'][number]

/** A row, with what it is grouped by and what is measured of it. */
interface Row {
  readonly id: string
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly numbers: Readonly<Record<string, number | null>>
  /** US dollars by model. */
  readonly costs: ReadonlyMap<string, number | null>
  readonly toolCalled: boolean
}

/** A row in one group. */
interface Entry {
  readonly row: Row
  readonly key: string
  readonly number: number | null
}

const MODELS = ['gpt-4o', 'claude-sonnet-4-5', 'unknown model'] as const
const TOOLS = ['search', "it's"] as const
const FIELDS = {
  traces: [
    'name',
    'user_id',
    'tag',
    'model',
    'status',
    'error_type',
    'tool',
    'step_name',
    'metadata.env',
    'metric.verdict',
  ],
  steps: ['step_name', 'step_type', 'tool', 'model', 'status', 'error_type', 'name', 'user_id', 'tag', 'metadata.env'],
} as const
const COMMON = ['count', 'error_rate', 'duration_ms', 'input_tokens', 'cost_usd'] as const
const MEASURES = { traces: [...COMMON, 'metric.score'], steps: [...COMMON, 'time_to_first_token_ms'] } as const
const STATS = ['sum', 'mean', 'min', 'max', 'p50', 'p90', 'p95'] as const
const ORDERS = ['value', 'count', 'change'] as const
const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 0, 1)

/** Traces at random, read again one by one, and series of them by plain code. */
export class ExploredWorld {
  readonly #random: Random
  readonly #client: Client
  readonly #truth = new Map<string, { readonly verdicts: readonly string[]; readonly score: number | null }>()

  constructor(random: Random, client: Client) {
    this.#random = random
    this.#client = client
  }

  async defineMetrics(): Promise<void> {
    for (const metric of [
      { name: 'verdict', kind: 'enum', options: [{ value: 'good' }, { value: 'bad' }] },
      { name: 'score', kind: 'numeric' },
    ]) {
      await this.#post('/v1/metrics', metric, 201)
    }
  }

  async write(): Promise<void> {
    const random = this.#random
    const tags = ['red', 'blue', 'a "b"'].filter(() => random.chance(0.4))
    const trace = {
      name: random.pick(['plan', 'flow']),
      ...(random.chance(0.7) ? { user_id: random.pick(['ann', 'bob', 'cid']) } : {}),
      metadata: { tags, ...(random.chance(0.7) ? { env: random.pick(['prod', '1']) } : {}) },
      started_at: new Date(START).toISOString(),
      ...(random.chance(0.8) ? { ended_at: new Date(START + random.below(5000)).toISOString() } : {}),
      steps: Array.from({ length: 1 + random.below(4) }, () => this.#step()),
    }
    const { id } = await this.#post<{ id: string }>('/v1/traces', trace, 202)
    const verdicts = ['good', 'bad'].filter(() => random.chance(0.3))
    for (const value of verdicts) await this.#post('/v1/metrics/events', { trace_id: id, name: 'verdict', value }, 201)
    const scores = [3, 1, 2].filter(() => random.chance(0.3))
    for (const value of scores) await this.#post('/v1/metrics/events', { trace_id: id, name: 'score', value }, 201)
    this.#truth.set(id, { verdicts, score: scores.at(-1) ?? null })
  }

  #step(): object {
    const random = this.#random
    const isTool = random.chance(0.4)
    const start = START + random.below(1000)
    return {
      name: isTool ? random.pick(TOOLS) : random.pick(['think', 'write']),
      type: isTool ? 'tool' : 'llm',
      ...(isTool ? { messages: [{ role: 'assistant', content: [{ type: 'data', data: { city: 'Lisbon' } }] }] } : {}),
      ...(random.chance(0.6)
        ? { model: random.pick(MODELS), token_usage: { input: 1000 * random.below(9), output: 10 } }
        : {}),
      ...(random.chance(0.5) ? { metadata: { time_to_first_token_ms: random.below(900) } } : {}),
      ...(random.chance(0.3)
        ? { status: 'error', error: { type: random.pick(['Timeout', 'Full']), message: 'no' } }
        : {}),
      ...(random.chance(0.8)
        ? { started_at: new Date(start).toISOString(), ended_at: new Date(start + random.below(4000)).toISOString() }
        : {}),
    }
  }

  async #post<T>(path: string, body: object, status: number): Promise<T> {
    const headers = { 'content-type': 'application/json' }
    const answer = await this.#client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
    assert.equal(answer.status, status, answer.text)
    return answer.json<T>()
  }

  /** Series at random of the traces since `from`, compared with those of the hour before. */
  async check(rounds: number, from: number): Promise<void> {
    const traces = await Promise.all(
      [...this.#truth.keys()].map(async (id) => (await this.#client.get(`/v1/traces/${id}`)).json<Trace>()),
    )
    const random = this.#random
    for (let round = 0; round < rounds; round++) {
      const rows = random.pick(['traces', 'steps'] as const)
      const fields = FIELDS[rows].filter(() => random.chance(0.2)).slice(0, 2)
      const measure = random.pick<string>(MEASURES[rows])
      const stat = measure === 'count' ? 'count' : measure === 'error_rate' ? 'rate' : random.pick(STATS)
      const order = random.pick(ORDERS)
      const limit = 1 + random.below(5)
      const filter = random.pick(['', '&step_type=tool', '&user_id=ann'])
      const query =
        `measure=${measure}&stat=${stat}&order=${order}&limit=${limit}&compare=previous&bucket=all${filter}` +
        `&start_time=${iso(from)}&end_time=${iso(from + HOUR_MS)}${fields.map((field) => `&group_by=${field}`).join('')}`
      const answer = await this.#client.get(`/v1/${rows}/series?${query}`)
      assert.equal(answer.status, 200, `${query} ${answer.text}`)
      const [now, past] = [true, false].map((isNow) => {
        const inTime = traces.filter((trace) => Date.parse(trace.created_at) >= from === isNow)
        const passing = inTime.flatMap((trace) => this.#rowsOf(trace, rows, filter))
        return entriesOf(passing, fields, measure, stat)
      }) as [Entry[], Entry[]]
      checkAnswer(answer.json<StepSeries>(), { now, past, fields, measure, stat, order, limit }, `${rows} ${query}`)
    }
  }

  #rowsOf(trace: Trace, rows: 'traces' | 'steps', filter: string): Row[] {
    const { verdicts, score } = this.#truth.get(trace.id)!
    const { tags, env } = trace.metadata as { tags: string[]; env?: string }
    if (filter === '&user_id=ann' && trace.user_id !== 'ann') return []
    const steps = filter === '&step_type=tool' ? trace.steps.filter(({ type }) => type === 'tool') : trace.steps
    if (steps.length === 0) return []
    // A text that would read as other JSON has quotes.
    const envs = list(env === '1' ? '"1"' : env)
    const ofTrace = { name: [trace.name], user_id: list(trace.user_id), tag: tags, 'metadata.env': envs }
    if (rows === 'steps')
      return steps.map((step) => ({ ...rowOf(step), values: { ...ofTrace, ...rowOf(step).values } }))
    const all = trace.steps.map(rowOf)
    const matching = steps.map(rowOf)
    const costs = new Map<string, number | null>()
    for (const { model, cost_usd: cost } of trace.steps) {
      if (model === null) continue
      const known = costs.get(model) ?? null
      costs.set(model, cost === null ? known : (known ?? 0) + cost)
    }
    const valuesOf = (of: readonly Row[], field: string) => [
      ...new Set(of.flatMap(({ values }) => values[field] ?? [])),
    ]
    return [
      {
        id: trace.id,
        values: {
          ...ofTrace,
          model: valuesOf(all, 'model'),
          status: [trace.status],
          error_type: valuesOf(all, 'error_type'),
          tool: valuesOf(matching, 'tool'),
          step_name: valuesOf(matching, 'step_name'),
          'metric.verdict': verdicts,
        },
        numbers: {
          count: 1,
          error_rate: trace.status === 'error' ? 1 : 0,
          duration_ms: trace.duration_ms,
          input_tokens: trace.token_usage.input,
          'metric.score': score,
        },
        costs,
        toolCalled: false,
      },
    ]
  }
}

function rowOf(step: ReadStep): Row {
  const usesTool = step.type === 'tool'
  return {
    id: step.id,
    values: {
      step_name: [step.name],
      step_type: [step.type],
      tool: usesTool ? [step.name] : [],
      model: list(step.model),
      status: [step.status],
      error_type: list(step.error?.type),
    },
    numbers: {
      count: 1,
      error_rate: step.status === 'error' ? 1 : 0,
      duration_ms:
        step.started_at === null || step.ended_at === null
          ? null
          : Date.parse(step.ended_at) - Date.parse(step.started_at),
      time_to_first_token_ms:
        (step.metadata as { time_to_first_token_ms?: number } | undefined)?.time_to_first_token_ms ?? null,
      input_tokens: step.token_usage?.input ?? 0,
    },
    costs: new Map([[step.model ?? '', step.cost_usd]]),
    toolCalled: usesTool,
  }
}

function list(value: string | null | undefined): readonly string[] {
  return value === null || value === undefined ? [] : [value]
}

/** A row counts in each of its groups, with the cost of its model there. */
function entriesOf(rows: readonly Row[], fields: readonly string[], measure: string, stat: string): Entry[] {
  const entries = rows.flatMap((row): Entry[] => {
    const lists = fields.map((field) => (row.values[field]?.length ? row.values[field] : [null]))
    const keys = lists.reduce<(string | null)[][]>(
      (all, values) => all.flatMap((key) => values.map((value) => [...key, value])),
      [[]],
    )
    return keys.map((key) => {
      const model = key[fields.indexOf('model')]
      const costs = [...row.costs].filter(([of]) => model === undefined || of === (model ?? '')).map(([, cost]) => cost)
      const known = costs.filter((cost) => cost !== null)
      const cost = known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0)
      return { row, key: JSON.stringify(key), number: measure === 'cost_usd' ? cost : (row.numbers[measure] ?? null) }
    })
  })
  // Rows of unknown cost add nothing to a sum.
  return measure === 'cost_usd' && stat === 'sum' ? entries : entries.filter(({ number }) => number !== null)
}

interface Expected {
  readonly now: readonly Entry[]
  readonly past: readonly Entry[]
  readonly fields: readonly string[]
  readonly measure: string
  readonly stat: string
  readonly order: (typeof ORDERS)[number]
  readonly limit: number
}

type Group = NonNullable<StepSeries['groups']>[number]

function checkAnswer(
  answer: StepSeries,
  { now, past, fields, measure, stat, order, limit }: Expected,
  about: string,
): void {
  const keys = [...new Set([...now, ...past].map(({ key }) => key))]
  const groups = answer.groups ?? []
  const named = groups.filter(({ other }) => other !== true)
  const shown = new Set(named.map((group) => keyOf(group, fields.length)))
  if (fields.length > 0) {
    assert.equal(named.length, Math.min(limit, keys.length), about)
    // Groups of the time before that are not read are not counted.
    const leftOut = (of: readonly Entry[]) => new Set(of.map(({ key }) => key)).size - named.length
    assert.ok(answer.groups_left_out <= keys.length - named.length, about)
    assert.ok(answer.groups_left_out >= Math.max(leftOut(now), leftOut(past)), about)
    assert.equal(answer.groups_left_out > 0, keys.length > named.length, about)
    // What is shown ranks at least as high as what is not.
    const weights = new Map(
      keys.map((key) => [key, weightOf(order, valueOf(now, key, stat), valueOf(past, key, stat))]),
    )
    const lowest = Math.min(...[...shown].map((key) => weights.get(key)!))
    const highest = Math.max(...keys.filter((key) => !shown.has(key)).map((key) => weights.get(key)!))
    assert.ok(!(highest > lowest + 1e-9), `${about}: ${highest} is not shown, ${lowest} is`)
  }
  const isOther = ({ key }: Entry) => !shown.has(key)
  for (const group of groups) {
    const of = (entries: readonly Entry[]) =>
      group.other === true
        ? numbersOf(distinct(entries.filter(isOther), measure === 'cost_usd' ? fields.indexOf('model') : -1), stat)
        : fields.length === 0
          ? numbersOf(entries, stat)
          : valueOf(entries, keyOf(group, fields.length), stat)
    assertNear(group, of(now), about)
    assertNear(group.previous!, of(past), about)
    const point = answer.points.find(
      (each) => each.group === group.group && each.subgroup === group.subgroup && each.other === group.other,
    )
    if (point === undefined) assert.deepEqual([group.count, group.previous!.count], [0, 0], about)
    else assertNear(point, of(now), about)
  }
}

/** A row is once among all groups that are not shown, but with a cost for each of its models. */
function distinct(entries: readonly Entry[], model: number): readonly Entry[] {
  const keyed = entries.map((entry) => {
    const of = (JSON.parse(entry.key) as unknown[])[model]
    return [`${entry.row.id} ${JSON.stringify(of)} ${entry.number}`, entry] as const
  })
  return [...new Map(keyed).values()]
}

function keyOf({ group, subgroup }: Group, fields: number): string {
  return JSON.stringify([group, subgroup].slice(0, fields))
}

interface Value {
  readonly count: number
  readonly value: number | null
}

function valueOf(entries: readonly Entry[], key: string, stat: string): Value {
  return numbersOf(
    entries.filter((entry) => entry.key === key),
    stat,
  )
}

function numbersOf(entries: readonly Entry[], stat: string): Value {
  const numbers = entries.map(({ number }) => number ?? 0).sort((a, b) => a - b)
  const count = new Set(entries.map(({ row }) => row.id)).size
  const sum = numbers.reduce((total, number) => total + number, 0)
  if (stat === 'count' || stat === 'sum') return { count, value: stat === 'count' ? count : sum }
  if (numbers.length === 0) return { count, value: null }
  if (stat === 'mean' || stat === 'rate') return { count, value: sum / numbers.length }
  const share = stat === 'min' ? 0 : stat === 'max' ? 1 : Number(stat.slice(1)) / 100
  const rank = share * (numbers.length - 1)
  const [below, above] = [numbers[Math.floor(rank)]!, numbers[Math.ceil(rank)]!]
  return { count, value: below + (above - below) * (rank - Math.floor(rank)) }
}

function weightOf(order: Expected['order'], now: Value, past: Value): number {
  if (order === 'count') return now.count
  if (order === 'change') return Math.abs((now.value ?? 0) - (past.value ?? 0))
  return now.value ?? -Infinity
}

function assertNear(found: Value, expected: Value, about: string): void {
  assert.equal(found.count, expected.count, about)
  if (found.value === null || expected.value === null) return assert.equal(found.value, expected.value, about)
  const far = Math.abs(found.value - expected.value) > 1e-6 * Math.max(1, Math.abs(expected.value))
  assert.ok(!far, `${about}: ${found.value} is not ${expected.value}`)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
