import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepInList, StepListQuery } from '../../../ports/traces/step-list.ts'
import { idAt, newStep, preparedStep, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld, EVERY_TRACE } from '../series/aggregate-world.test-support.ts'
import { ClickHouseStepList } from './clickhouse-step-list.ts'

const BEGIN = Date.UTC(2026, 10, 1)
const world = await aggregateWorld()
const steps = new ClickHouseStepList(world.dependencies)

/** Traces one after the other, with so many steps each. */
async function fill(counts: readonly number[]): Promise<readonly string[]> {
  const traces = counts.map((stepCount, n) =>
    traceRecord(idAt('tr', BEGIN + n, 1), { createdAt: BEGIN + n, version: n + 1, stepCount }),
  )
  const all = traces.flatMap((trace) =>
    Array.from({ length: trace.stepCount }, (_, at) =>
      newStep(trace, at, { prepared: preparedStep({ name: 'step' }) }),
    ),
  )
  await world.addTraces(traces, all)
  return all.map(({ traceId, position }) => `${traceId} ${position}`)
}

async function walk(order: 'asc' | 'desc', limit: number): Promise<readonly string[]> {
  const query: Omit<StepListQuery, 'after'> = {
    ...EVERY_TRACE,
    throughId: idAt('tr', BEGIN + 100_000),
    sort: 'created_at',
    order,
    limit,
  }
  const found: string[] = []
  let after: StepInList | null = null
  for (;;) {
    const places: readonly StepInList[] = await steps.findPlaces({ ...query, after })
    found.push(...places.map(({ traceId, position }) => `${traceId} ${position}`))
    after = places.at(-1) ?? null
    if (places.length < limit || after === null) return found
  }
}

for (const [name, counts] of [
  ['many traces with a step each', Array.from({ length: 700 }, () => 1)],
  ['traces without steps before the others', Array.from({ length: 900 }, (_, n) => (n > 300 && n < 310 ? 2 : 0))],
  ['traces of very different lengths', [3, 2500, 1, 0, 700, 2]],
] as const) {
  test(`a walk has each step once, with ${name}`, async () => {
    await world.clear()
    const all = await fill(counts)
    assert.deepEqual(await walk('asc', 311), all)
    assert.deepEqual(await walk('desc', 311), all.toReversed())
  })
}
