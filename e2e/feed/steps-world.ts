import assert from 'node:assert/strict'
import type { StepSeries, TraceSeries } from '@spoor/contract/schemas/series'
import type { StepFacets } from '@spoor/contract/schemas/traces/trace-facets'
import type { Step } from '@spoor/contract/schemas/traces/step'
import type { StepList } from '@spoor/contract/schemas/traces/step-row'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import type { Client } from '../lib/client.ts'
import type { Random } from '../lib/random.ts'

const NAMES = ['plan', 'look up', "it's", 'write']
const TOOLS = ['search', 'get_weather', 'fly']
const MODELS = ['gpt-4o', 'claude-sonnet-4-5', 'unknown model']
const CITIES = ['Lisbon', 'Köln', '7', 'x'.repeat(300)]
const JSON_TYPE = { 'content-type': 'application/json' }
const HOUR_MS = 3_600_000
const ORDERS = (['created_at', 'started_at', 'duration_ms', 'total_tokens', 'cost_usd'] as const).flatMap((sort) =>
  (['asc', 'desc'] as const).map((order) => [sort, order] as const),
)
const MOST_PAGES = 4
const TEXT_FILTERS = 10

/** What a call says. Each step and span has its own in its metadata, as `truth`. */
interface Truth {
  readonly tools: readonly string[]
  readonly arguments: Readonly<Record<string, readonly string[]>>
}

interface ReadStep extends Step {
  readonly trace: string
  readonly traceName: string
}

/** Writes at random, and compares lists with what reading every trace says. */
export class StepsWorld {
  readonly #random: Random
  readonly #clients: readonly Client[]
  readonly #ids: string[] = []
  readonly #spans: { readonly traceId: string; readonly spanId: string; readonly start: number }[] = []
  #sent: { readonly path: string; readonly body: string }[] = []

  constructor(random: Random, clients: readonly Client[]) {
    this.#random = random
    this.#clients = clients
  }

  get #client(): Client {
    return this.#random.pick(this.#clients)
  }

  async write(): Promise<void> {
    const random = this.#random
    const dice = random.next()
    if (dice < 0.35 || this.#ids.length < 5) {
      const steps = Array.from({ length: random.below(6) }, () => this.#step())
      const answer = await this.#client.postTrace({ name: random.pick(NAMES), steps })
      assert.equal(answer.status, 202, answer.text)
      this.#ids.push(answer.json<{ id: string }>().id)
    } else if (dice < 0.55) {
      const lines = Array.from({ length: 1 + random.below(3) }, () => JSON.stringify(this.#step())).join('\n')
      const answer = await this.#client.append(random.pick(this.#ids), lines)
      assert.ok([200, 404].includes(answer.status), answer.text)
    } else if (dice < 0.65) {
      await this.#client.call({ method: 'DELETE', path: `/v1/traces/${random.pick(this.#ids)}` })
    } else if (dice < 0.75 && this.#sent.length > 0) await this.#send(random.pick(this.#sent))
    else await this.#export()
  }

  /** A span that is new, or another version of one. */
  async #export(): Promise<void> {
    const random = this.#random
    const isNew = this.#spans.length === 0 || random.chance(0.5)
    const span = isNew
      ? { traceId: hex(random, 32), spanId: hex(random, 16), start: Date.now() - random.below(HOUR_MS) }
      : random.pick(this.#spans)
    if (isNew) this.#spans.push(span)
    const call = this.#call()
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.tool,
      'gen_ai.tool.call.arguments': JSON.stringify(call.input),
      truth: JSON.stringify(truthOf([call])),
    }
    const body = JSON.stringify({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: span.traceId,
                  spanId: span.spanId,
                  name: 'run',
                  startTimeUnixNano: `${span.start}000000`,
                  endTimeUnixNano: `${span.start + random.below(9000)}000000`,
                  status: { code: random.pick([1, 2]) },
                  attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
                },
              ],
            },
          ],
        },
      ],
    })
    this.#sent.push({ path: '/otlp/v1/traces', body })
    await this.#send(this.#sent.at(-1)!)
  }

  async #send({ path, body }: { readonly path: string; readonly body: string }): Promise<void> {
    const answer = await this.#client.call({ method: 'POST', path, headers: JSON_TYPE, body })
    assert.equal(answer.status, 200, answer.text)
  }

  #call() {
    const random = this.#random
    const city = random.pick(CITIES)
    const input = random.chance(0.2)
      ? { place: { cities: [city, 'Porto'] }, fast: random.chance(0.5) }
      : { city, limit: random.below(3), share: 0.5, fast: random.chance(0.5) }
    return { tool: random.pick(TOOLS), input }
  }

  #step(): object {
    const random = this.#random
    const calls = Array.from({ length: random.below(3) }, () => this.#call())
    const start = Date.now() - random.below(HOUR_MS)
    const failed = random.chance(0.3)
    const used = random.chance(0.6)
    const called = calls.length > 0 && random.chance(0.3)
    const messages = called
      ? [{ role: 'assistant', content: [{ type: 'data', data: calls[0]!.input }] }]
      : [
          // The history is not the step's own.
          { role: 'assistant', content: [{ type: 'tool_use', id: 'h', name: 'old', input: { city: 'Oslo' } }] },
          { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
          ...(random.chance(0.5) ? [anthropic(calls)] : [openAi(calls)]),
        ]
    return {
      name: called ? calls[0]!.tool : random.pick(NAMES),
      type: called ? 'tool' : random.pick(['llm', 'agent', 'other']),
      ...(used
        ? { model: random.pick(MODELS), token_usage: { input: 1000 * random.below(9), output: 1000 * random.below(5) } }
        : {}),
      ...(failed ? { status: 'error', error: { type: random.pick(['Timeout', "It's"]), message: 'no' } } : {}),
      ...(random.chance(0.8) ? { started_at: iso(start), ended_at: iso(start + random.below(9000)) } : {}),
      messages,
      metadata: { truth: truthOf(called ? calls.slice(0, 1) : calls) },
    }
  }

  /** Lists with filters at random, walked in pages, after each a few writes. Orders, groups and facets take turns. */
  async check(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      for (let count = 0; count < 3; count++) await this.write()
      const filters = this.#filters(round)
      const [sort, order] = turnOf(ORDERS, round)
      const all = await this.#readAll()
      const passing = all.filter((step) => filters.every(({ passes }) => passes(step)))
      const query = filters.map(({ parameters }) => parameters).join('')
      const about = `sort=${sort}&order=${order}${query}`
      const sign = order === 'asc' ? 1 : -1
      const expected = passing.toSorted(
        (a, b) =>
          sign * (keyOf(a, sort) - keyOf(b, sort) || compare(a.trace, b.trace) || Math.sign(a.position - b.position)),
      )
      const found = await this.#walk(about, Math.max(1 + this.#random.below(40), pageOf(expected.length)))
      assert.deepEqual(
        found.map(({ trace_id: trace, trace_name: name, id }) => ({ trace, name, id })),
        expected.map(({ trace, traceName: name, id }) => ({ trace, name, id })),
        about,
      )
      const [row] = found
      const [step] = expected
      if (row !== undefined && step !== undefined) assertRow(row, step)
      const traces = new Set(passing.map(({ trace }) => trace))
      await this.#checkSeries(turnOf(Object.keys(GROUPS) as (keyof typeof GROUPS)[], round), query, passing)
      await this.#checkFacets(turnOf(Object.keys(FACETS) as (keyof typeof FACETS)[], round), query, passing)
      if (query === '') continue
      const limit = Math.max(7, pageOf(traces.size))
      assert.deepEqual(new Set(await this.#traces(`limit=${limit}${query}`)), traces, query)
      assert.deepEqual(new Set(await this.#traces(`sort=step_count&limit=${limit}${query}`)), traces, query)
      const counted = await this.#client.get(`/v1/traces/series?measure=count&bucket=all${query}`)
      assert.equal(counted.json<TraceSeries>().points[0]?.count ?? 0, traces.size, counted.text)
    }
  }

  /** A group of each series: counts, failures, and sums of what the steps say. */
  async #checkSeries(by: keyof typeof GROUPS, query: string, passing: readonly ReadStep[]): Promise<void> {
    const groups = Map.groupBy(passing, GROUPS[by])
    for (const measure of ['error_rate', 'duration_ms', 'total_tokens', 'cost_usd'] as const) {
      const answer = await this.#client.get(`/v1/steps/series?measure=${measure}&group_by=${by}&bucket=all${query}`)
      assert.equal(answer.status, 200, answer.text)
      const found = answer.json<StepSeries>().points.map((point) => {
        const { group, count, error_rate: rate = 0, max = 0, sum = 0 } = point
        return [group, count, measure === 'error_rate' ? rate : measure === 'duration_ms' ? max : sum]
      })
      const expected = [...groups].flatMap(([group, steps]) => {
        const keys = steps.map((step) => keyOf(step, measure))
        const known = measure === 'duration_ms' ? keys.filter((key) => key >= 0) : keys
        const failed = steps.filter(({ status }) => status === 'error').length
        const sum = keys.reduce((total, key) => total + Math.max(0, key), 0)
        const value =
          measure === 'error_rate' ? failed / steps.length : measure === 'duration_ms' ? Math.max(...known) : sum
        return known.length === 0 ? [] : [[group, known.length, value]]
      })
      const printed = (rows: unknown[][]) =>
        rows.map(([group, count, value]) => `${String(group)} ${String(count)} ${Number(value).toFixed(6)}`).sort()
      assert.deepEqual(printed(found), printed(expected), `${measure} ${by} ${query}`)
    }
  }

  async #checkFacets(field: keyof typeof FACETS, query: string, passing: readonly ReadStep[]): Promise<void> {
    const answer = await this.#client.get(`/v1/steps/facets?field=${field}&limit=100${query}`)
    assert.equal(answer.status, 200, answer.text)
    const found = answer.json<StepFacets>()
    // Those of long values are hashes.
    const values = passing.flatMap((step) => [...new Set(FACETS[field](step))]).filter((value) => value.length < 100)
    const counts = [...Map.groupBy(values, (value) => value)].map(([value, of]) => ({ value, count: of.length }))
    counts.sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)))
    assert.deepEqual(found, { field, values: counts, complete: true }, query)
  }

  async #walk(query: string, limit: number): Promise<StepList['steps']> {
    const steps: StepList['steps'] = []
    for (let cursor = ''; ;) {
      const answer = await this.#client.get(`/v1/steps?${query}&limit=${limit}${cursor}`)
      assert.equal(answer.status, 200, answer.text)
      const page = answer.json<StepList>()
      steps.push(...page.steps)
      if (page.next_cursor === null) return steps
      cursor = `&cursor=${page.next_cursor}`
    }
  }

  async #traces(query: string): Promise<string[]> {
    const ids: string[] = []
    for (let cursor = ''; ;) {
      const answer = await this.#client.get(`/v1/traces?${query}${cursor}`)
      assert.equal(answer.status, 200, answer.text)
      const page = answer.json<TraceFeed>()
      ids.push(...page.traces.map(({ id }) => id))
      if (page.next_cursor === null) return ids
      cursor = `&cursor=${page.next_cursor}`
    }
  }

  async #readAll(): Promise<ReadStep[]> {
    const ids = await this.#traces('limit=1000')
    const read = await Promise.all(
      ids.map(async (id) => (await this.#client.get(`/v1/traces/${id}`)).json<{ name: string; steps: Step[] }>()),
    )
    return read.flatMap(({ name, steps }, at) => steps.map((step) => ({ ...step, trace: ids[at]!, traceName: name })))
  }

  /** Each filter has a turn, also negated or from either side; more come by chance. */
  #filters(round: number) {
    const random = this.#random
    let at = 0
    const filters: { parameters: string; passes: (step: ReadStep) => boolean }[] = []
    const texts = (name: string, values: readonly string[], of: (step: ReadStep) => readonly string[]) => {
      const turn = (round + at++) % TEXT_FILTERS
      const negated = turn === 0 || (turn > 1 && random.chance(0.3))
      const chance = values.filter(() => random.chance(0.4))
      if (turn > 1 && (chance.length === 0 || random.chance(0.8))) return
      const chosen = chance.length === 0 ? [random.pick(values)] : chance
      const parameters = chosen.map((value) => `&${negated ? 'not_' : ''}${name}=${encodeURIComponent(value)}`).join('')
      const isOne = (step: ReadStep) => of(step).some((value) => chosen.includes(value))
      filters.push({ parameters, passes: (step) => isOne(step) !== negated })
    }
    texts('step_name', [...NAMES, ...TOOLS], ({ name }) => [name])
    texts('step_type', ['llm', 'tool'], ({ type }) => [type])
    texts('step_model', MODELS, ({ model }) => (model === null ? [] : [model]))
    texts('step_error_type', ['Timeout', "It's"], errorTypes)
    texts('step_status', ['ok', 'error'], ({ status }) => [status])
    texts('tool', TOOLS, (step) => truth(step).tools)
    texts('argument.city', CITIES, (step) => truth(step).arguments['city'] ?? [])
    texts('argument.place.cities', ['Porto', 'Lisbon'], (step) => truth(step).arguments['place.cities'] ?? [])
    texts('argument.fast', ['true'], (step) => truth(step).arguments['fast'] ?? [])
    texts('argument.limit', ['1', '2'], (step) => truth(step).arguments['limit'] ?? [])
    const bounds = [
      ['step_duration_ms', 'duration_ms', random.below(9000)],
      ['step_tokens', 'total_tokens', 1000 * random.below(12)],
      ['step_cost_usd', 'cost_usd', random.pick([0, 0.01, 0.03])],
    ] as const
    for (const [name, sort, bound] of (round + Math.floor(round / ORDERS.length)) % ORDERS.length < 4
      ? []
      : [turnOf(bounds, round + Math.floor(round / ORDERS.length))]) {
      const side = turnOf(['min', 'max'], round + Math.floor(round / ORDERS.length))
      const passes = (step: ReadStep) => {
        const key = keyOf(step, sort)
        return key >= 0 && (side === 'min' ? key >= bound : key <= bound)
      }
      filters.push({ parameters: `&${side}_${name}=${bound}`, passes })
    }
    return filters
  }
}

const FACETS = {
  step_name: ({ name }) => [name],
  step_type: ({ type }) => [type],
  step_model: ({ model }) => (model === null ? [] : [model]),
  step_status: ({ status }) => [status],
  step_error_type: errorTypes,
  tool: (step) => truth(step).tools,
  argument: (step) => Object.keys(truth(step).arguments),
  'argument.city': (step) => truth(step).arguments['city'] ?? [],
} satisfies Readonly<Record<string, (step: ReadStep) => readonly string[]>>

const GROUPS = {
  step_name: ({ name }: ReadStep) => name,
  step_type: ({ type }: ReadStep) => type,
  tool: (step: ReadStep) => (step.type === 'tool' ? (truth(step).tools[0] ?? null) : null),
  model: ({ model }: ReadStep) => model,
  status: ({ status }: ReadStep) => status,
  error_type: ({ error }: ReadStep) => error?.type ?? null,
}

function assertRow(row: StepList['steps'][number], step: ReadStep): void {
  const { tools } = truth(step)
  assert.deepEqual(
    [row.name, row.type, row.model, row.status, row.parent_id, row.cost_usd, row.started_at, row.error?.type],
    [
      step.name,
      step.type,
      step.model,
      step.status,
      step.parent_step_id,
      step.cost_usd,
      step.started_at,
      step.error?.type,
    ],
  )
  assert.equal(row.tool, tools[0] ?? null)
}

function errorTypes({ error }: ReadStep): readonly string[] {
  return error?.type === undefined ? [] : [error.type]
}

/** Each value in its turn. */
function turnOf<T>(values: readonly T[], turn: number): T {
  return values[turn % values.length] as T
}

function pageOf(rows: number): number {
  return Math.ceil(rows / MOST_PAGES)
}

function truth({ metadata }: ReadStep): Truth {
  const found = (metadata as { truth: Truth | string }).truth
  return typeof found === 'string' ? (JSON.parse(found) as Truth) : found
}

function truthOf(calls: readonly { readonly tool: string; readonly input: object }[]): Truth {
  const found: Record<string, string[]> = {}
  const add = (key: string, value: unknown) => (found[key] ??= []).push(String(value))
  for (const { input } of calls) {
    for (const [key, value] of Object.entries(input)) {
      if (key !== 'place') add(key, value)
      else for (const city of (value as { cities: string[] }).cities) add('place.cities', city)
    }
  }
  return { tools: [...new Set(calls.map(({ tool }) => tool))], arguments: found }
}

function openAi(calls: readonly { readonly tool: string; readonly input: object }[]) {
  const listed = calls.map(({ tool, input }, at) => ({
    id: `c${at}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(input) },
  }))
  return { role: 'assistant', content: [{ type: 'text', text: 'I call.' }], tool_calls: listed }
}

function anthropic(calls: readonly { readonly tool: string; readonly input: object }[]) {
  const parts = calls.map(({ tool, input }, at) => ({ type: 'tool_use', id: `c${at}`, name: tool, input }))
  return { role: 'assistant', content: [{ type: 'text', text: 'I call.' }, ...parts] }
}

function keyOf(step: ReadStep, sort: string): number {
  if (sort === 'created_at') return 0
  if (sort === 'total_tokens') return (step.token_usage?.input ?? 0) + (step.token_usage?.output ?? 0)
  if (sort === 'cost_usd') return step.cost_usd ?? -1
  const start = step.started_at === null ? null : Date.parse(step.started_at)
  if (sort === 'started_at') return start ?? -1
  return start === null || step.ended_at === null ? -1 : Date.parse(step.ended_at) - start
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => random.below(16).toString(16)).join('')
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
