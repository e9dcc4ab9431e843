import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import type { Environment } from './environment.ts'
import { startCompletion } from './start-completion.ts'

const PROJECT = 'prj_taken_over' as ProjectId

test('a node that takes over a project completes its traces, though nothing was committed since', async () => {
  const list = { owners: [null] as unknown[] }
  let isOwn = false
  const rounds: boolean[] = []
  const completion = startCompletion(
    { config: { traceQuietMs: 1 }, logger: { error: assert.fail } } as unknown as Environment,
    {
      traces: {
        refusal: () => null,
        watermark: () => ({ version: 1, lastTraceId: null, idLeadMs: 0 }),
        completeQuiet: async (version, owns = () => false) => {
          assert.equal(version, 1)
          rounds.push(owns(PROJECT))
          return true
        },
      },
      nodes: { list, holdOwn: async () => () => isOwn } as never,
    },
  )
  after(() => completion.stop())
  while (rounds.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  // The former owner is gone.
  isOwn = true
  list.owners = [null]
  while (rounds.length === 1) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual(rounds, [false, true])
})
