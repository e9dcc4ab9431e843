import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'
import type { SpanEvaluation } from '../ports/traces/prepared.ts'
import { idAt, PROJECT } from '../traces/trace-builders.test-support.ts'
import { MemoryMetricEvents } from '../ports/metrics/memory-metrics.test-support.ts'
import type { MetricStore } from '../ports/metrics/metric-store.ts'
import type { DefineMetricDependencies } from './define-metric.ts'
import type { HashedScore } from './metric-recorder.ts'
import { findScore, recordEvaluations } from './record-evaluations.ts'

const NOW = 1_772_323_200_000

const DEFINED = new Map(
  (
    [
      { name: 'passes', kind: 'boolean' },
      { name: 'score', kind: 'numeric', min: 0, max: 1 },
      { name: 'grade', kind: 'enum', options: [{ value: 'good', label: null }] },
    ] as readonly Pick<MetricDefinition, 'name' | 'kind'>[]
  ).map((definition, at) => {
    const whole = { min: null, max: null, options: null, ...definition, id: idAt('met', 1, at) }
    return [definition.name, whole as unknown as MetricDefinition]
  }),
)

const DEFINITIONS: Pick<MetricStore, 'findByName' | 'findById'> = {
  findByName: async (_project, name) => DEFINED.get(name),
  findById: async (_project, id) => [...DEFINED.values()].find((definition) => definition.id === id),
}

const DEFINING: DefineMetricDependencies = {
  metrics: {
    async add(metric) {
      if (DEFINED.size === 100) return { status: 'full' }
      DEFINED.set(metric.name, metric)
      return { status: 'added' }
    },
    async change(_project, name, change) {
      const next = change(DEFINED.get(name)!)
      DEFINED.set(name, next)
      return next
    },
  },
  clock: { now: () => NOW },
  newMetricId: () => idAt('met', 2, DEFINED.size),
  limits: { metricsPerProject: 100 },
}

function evaluation(name: string, fields: Partial<SpanEvaluation>) {
  const ids = { traceId: idAt('tr', 1, 1), stepId: idAt('st', 1, 1) }
  const none = { score: null, label: null, explanation: null, source: null, at: null }
  return { ...ids, ...none, name, key: 'otel:1:0', ...fields }
}

async function record(...evaluations: ReturnType<typeof evaluation>[]) {
  const recorded: HashedScore[] = []
  const notes = await recordEvaluations(
    {
      definitions: DEFINITIONS,
      events: { list: async () => [], findByTraces: async () => [] },
      recorder: {
        async recordMetricEvents(_project, scores) {
          recorded.push(...scores)
          return scores.map(() => ({ status: 'error', code: 'unknown_trace', detail: '' }) as const)
        },
      },
      clock: { now: () => NOW },
      defining: DEFINING,
    },
    PROJECT,
    evaluations,
  )
  return { recorded, notes }
}

test('an evaluation becomes the value that its metric takes', async () => {
  const { recorded, notes } = await record(
    evaluation('passes', { label: 'Pass', score: 0.7 }),
    evaluation('passes', { score: 0, source: 'llm', explanation: 'No.', at: NOW - 5 }),
    evaluation('score', { score: 0.25, label: 'poor' }),
    evaluation('grade', { score: 0.9, label: 'good' }),
    evaluation('undefined', { score: 1 }),
  )
  assert.deepEqual(notes, [])
  assert.deepEqual(
    recorded.map(({ value, source, comment, at, idempotencyKey }) => ({ value, source, comment, at, idempotencyKey })),
    [
      { value: { kind: 'boolean', passed: true }, source: null, comment: null, at: NOW, idempotencyKey: 'otel:1:0' },
      {
        value: { kind: 'boolean', passed: false },
        source: 'llm',
        comment: 'No.',
        at: NOW - 5,
        idempotencyKey: 'otel:1:0',
      },
      { value: { kind: 'numeric', number: 0.25 }, source: null, comment: null, at: NOW, idempotencyKey: 'otel:1:0' },
      { value: { kind: 'enum', option: 'good' }, source: null, comment: null, at: NOW, idempotencyKey: 'otel:1:0' },
    ],
  )
})

test('what the metric does not take is not recorded, and the notes say why, once for each reason', async () => {
  const { recorded, notes } = await record(
    evaluation('passes', { score: 0.7 }),
    evaluation('score', { label: 'high' }),
    evaluation('score', { label: 'low' }),
    evaluation('score', { score: 2 }),
    evaluation('score', { score: 1, at: NOW + 3_600_000 }),
    evaluation('grade', { label: 'bad' }),
  )
  assert.deepEqual(recorded, [])
  assert.equal(notes.length, 5)
  assert.ok(notes.every((note) => /^the evaluation "\w+" is on its step only: /.test(note)))
})

test('senders with scores of their own define metrics, and options, by them', async () => {
  const { recorded, notes } = await record(
    evaluation('helpful', { score: 1, defines: 'boolean' }),
    evaluation('warmth', { score: 0.5, defines: 'numeric' }),
    evaluation('mood', { label: 'glad', defines: 'enum' }),
    evaluation('grade', { label: 'bad', defines: 'enum' }),
    evaluation('warmth', { label: 'high', defines: 'enum' }),
    evaluation('\u0001', { score: 1, defines: 'numeric' }),
  )
  assert.deepEqual(
    recorded.map(({ value }) => value),
    [
      { kind: 'boolean', passed: true },
      { kind: 'numeric', number: 0.5 },
      { kind: 'enum', option: 'glad' },
      { kind: 'enum', option: 'bad' },
    ],
  )
  assert.deepEqual(DEFINED.get('grade')?.options, [
    { value: 'good', label: null },
    { value: 'bad', label: null },
  ])
  assert.equal(notes.length, 2)
  assert.ok(notes.every((note) => /^the evaluation "[^"]+" is not recorded: /.test(note)))
  const again = await record(evaluation('mood', { label: 'sad', defines: 'enum' }))
  assert.deepEqual(again.recorded[0]?.value, { kind: 'enum', option: 'sad' })
})

test('of a score that its sender changes the latest value counts, in any order and however often it comes', async () => {
  let made = 0
  const events = new MemoryMetricEvents({
    locate: () => 'found',
    newEventId: () => idAt('mev', 3, (made += 1)),
    now: () => NOW,
  })
  const dependencies = {
    definitions: DEFINITIONS,
    events,
    recorder: events,
    clock: { now: () => NOW },
    defining: DEFINING,
  }
  const send = (...sent: ReturnType<typeof evaluation>[]) => recordEvaluations(dependencies, PROJECT, sent)
  const score = (value: number, at: number | null) =>
    evaluation('score', { score: value, at, key: 'langfuse:s1', defines: 'numeric' })
  const values = () => events.events.map(({ value }) => (value.kind === 'numeric' ? value.number : null))
  const batch = [score(0.1, NOW - 30), score(0.2, NOW - 20), score(0.1, NOW - 10)]
  for (let times = 0; times < 3; times++) assert.deepEqual(await send(...batch), [])
  assert.deepEqual(values(), [0.1, 0.2, 0.1])
  // The same value once more, an older one that comes late, and one without a time.
  assert.deepEqual(await send(score(0.1, NOW - 5), score(0.7, NOW - 25), score(0.2, null)), [])
  assert.deepEqual(values(), [0.1, 0.2, 0.1])
  assert.deepEqual(await send(score(0.9, null)), [])
  assert.deepEqual((await findScore(dependencies, PROJECT, 'langfuse:s1'))?.score, 0.9)
  assert.equal(await findScore(dependencies, PROJECT, 'langfuse:s2'), null)
  assert.equal(await findScore(dependencies, idAt('proj', 9, 9), 'langfuse:s1'), null)
  const at = events.events.map((event) => event.at)
  assert.deepEqual(at, at.toSorted())
  // Of an instrumentation that sends no scores of its own.
  const otel = (value: number) => evaluation('score', { score: value })
  assert.deepEqual(await send(otel(0.3), otel(0.4)), ['an evaluation was recorded before with another value'])
})

test('changed scores of many traces are found with a read for a hundred traces, however many events one has', async () => {
  let made = 0
  const store = new MemoryMetricEvents({
    locate: () => 'found',
    newEventId: () => idAt('mev', 4, (made += 1)),
    now: () => NOW,
  })
  const reads: number[] = []
  const events: Pick<MemoryMetricEvents, 'list' | 'findByTraces'> = {
    list: (query) => store.list(query),
    findByTraces: (query) => {
      reads.push(query.traceIds.length)
      return store.findByTraces(query)
    },
  }
  const dependencies = {
    definitions: DEFINITIONS,
    events,
    recorder: store,
    clock: { now: () => NOW },
    defining: DEFINING,
  }
  const score = (trace: number, value: number, key = 'first') => {
    const fields = { score: value, at: NOW, key: `langfuse:${trace} ${key}`, defines: 'numeric' as const }
    return { ...evaluation('score', fields), traceId: idAt('tr', 2, trace) }
  }
  const traces = Array.from({ length: 250 }, (_, trace) => trace)
  const others = traces.map((other) => score(0, 0.5, `other ${other}`))
  const first = traces.map((trace) => score(trace, 0.1))
  assert.deepEqual(await recordEvaluations(dependencies, PROJECT, [...others, ...first]), [])
  const changed = traces.map((trace) => score(trace, 0.2))
  for (let times = 0; times < 2; times++) assert.deepEqual(await recordEvaluations(dependencies, PROJECT, changed), [])
  assert.deepEqual(reads, [100, 100, 50, 100, 100, 50])
  const latest = await store.latestOf(
    PROJECT,
    [DEFINED.get('score')!.id],
    traces.slice(1).map((trace) => idAt('tr', 2, trace)),
  )
  assert.deepEqual(new Set(latest.map(({ value }) => value.kind === 'numeric' && value.number)), new Set([0.2]))
  assert.equal(store.events.length, others.length + first.length + changed.length)
})
