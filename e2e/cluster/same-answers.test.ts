import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Nodes } from '../lib/cluster/nodes.ts'
import { startClusterParts } from '../lib/cluster/parts.ts'
import { readLiveDocument } from '../lib/live-operations.ts'
import { createRandom } from '../lib/random.ts'
import { type CheckedAnswer, ContractChecker } from '../openapi/contract-checker.ts'
import { callEverything } from '../openapi/scenario.ts'

const servers = await startClusterParts()
const skip = typeof servers === 'string' ? servers : false

test('three nodes, each call sent to any of them, answer as one process does', { skip }, async () => {
  assert.ok(typeof servers !== 'string')
  await using parts = servers
  const settings = { SPOOR_FULL_TEXT: 'on', SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' }
  const embedded = await answersOf(new Nodes(1, createRandom(1), { environment: settings }))
  const environment = { ...parts.environment, ...settings }
  const cluster = await answersOf(new Nodes(3, createRandom(1), { environment }))
  for (const [index, answer] of embedded.entries()) assert.deepEqual(cluster[index], answer, `answer ${index}`)
  assert.equal(cluster.length, embedded.length)
})

async function answersOf(nodes: Nodes): Promise<readonly CheckedAnswer[]> {
  await using all = nodes
  await all.start()
  const checker = new ContractChecker(await readLiveDocument(all.client))
  await callEverything({ client: all.client, hidden: [all.key] }, checker)
  assert.deepEqual(checker.violations, [])
  return checker.answers
}
