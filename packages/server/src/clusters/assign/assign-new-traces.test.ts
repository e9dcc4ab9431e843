import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECT } from '../../traces/trace-builders.test-support.ts'
import { PARAMETERS, traceId } from '../../ports/clusters/cluster-builders.test-support.ts'
import { clusterSetOf } from '../../ports/clusters/cluster-set.ts'
import type { ListedTrace } from '../../ports/clusters/cluster-traces.ts'
import { AssignNewTraces, type AssignNewDependencies } from './assign-new-traces.ts'

test('traces that cannot be compared end the work, also if none of them failed', async () => {
  let listings = 0
  const dependencies = {
    traces: {
      async *steps() {},
      headings: async () => new Map(),
      async list({ limit }: { readonly limit: number }): Promise<readonly ListedTrace[]> {
        listings += 1
        if (listings > 1) throw new Error('listed again')
        return Array.from({ length: limit }, (_, at) => ({
          id: traceId(at + 1),
          version: 1,
          failed: false,
          createdAt: 0,
        }))
      },
    },
    inputPathOf: async () => null,
    clusters: { currentRun: async () => ({ id: 'run', assignedThrough: traceId(0), parameters: PARAMETERS }) },
    worker: { ask: async () => false },
    clock: { now: () => 1e12 },
    timers: { after: () => () => undefined },
    attempt: (work: () => Promise<void>) => work(),
  } as unknown as AssignNewDependencies
  const assign = new AssignNewTraces(dependencies)
  await assign.catchUp(clusterSetOf(PROJECT, 'failures'))
  await assign.stop()
  assert.equal(listings, 1)
})
