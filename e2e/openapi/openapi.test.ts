import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Nodes } from '../lib/cluster/nodes.ts'
import { startClusterParts } from '../lib/cluster/parts.ts'
import { readLiveDocument } from '../lib/live-operations.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { type CheckedAnswer, ContractChecker } from './contract-checker.ts'
import { callProtocols } from './protocol-calls.test-support.ts'
import { assertSameAnswers } from './same-answers.ts'
import { callEverything } from './scenario.ts'

/** Invalid HTTP, stalled clients, concurrent uploads, and failures of the service. */
const OF_OTHER_TESTS = new Set([
  'bad_request',
  'request_timeout',
  'internal_error',
  'queue_full',
  'disk_full',
  'storage_unavailable',
  'storage_damaged',
  'starting',
  'too_many_connections',
  'too_many_reads',
  'rate_limited',
  'shutting_down',
])

const SETTINGS = {
  SPOOR_FULL_TEXT: 'on',
  SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8',
  // What becomes so by itself after a while does not in the time of the test, on no machine.
  SPOOR_TRACE_QUIET_SECONDS: '3600',
  SPOOR_MONITOR_INTERVAL_SECONDS: '3600',
}
let embedded: readonly CheckedAnswer[] = []

test('every answer of every operation matches the live document', async () => {
  await using service = await Service.start({ environment: SETTINGS })
  const { client, dataDir, key } = service
  const checker = new ContractChecker(await readLiveDocument(client))
  await callEverything({ client, hidden: [dataDir, key] }, checker)
  assert.deepEqual(checker.violations, [])
  assert.deepEqual(checker.unmet(), [])
  const elsewhere = new Set(['getReadiness 503', 'putDirectUpload 409'])
  const unmet = checker.unmetAnswers(OF_OTHER_TESTS).filter((pair) => !elsewhere.has(pair))
  assert.deepEqual(unmet, [])
  embedded = [...checker.answers, ...(await callProtocols(client))]
})

const servers = await startClusterParts()
const skip = typeof servers === 'string' ? servers : false

test('three nodes, each call sent to the next of them, answer as one process does', { skip }, async () => {
  assert.ok(typeof servers !== 'string')
  await using parts = servers
  let calls = 0
  const inTurn: Random = { ...createRandom(1), pick: (nodes) => nodes[calls++ % nodes.length]! }
  await using nodes = new Nodes(3, inTurn, { environment: { ...parts.environment, ...SETTINGS } })
  await nodes.start()
  const { client, key } = nodes
  const checker = new ContractChecker(await readLiveDocument(client))
  await callEverything({ client, hidden: [key] }, checker)
  assert.deepEqual(checker.violations, [])
  const answers = [...checker.answers, ...(await callProtocols(client))]
  // All of one project, so two of three nodes forward what writes to it. Refused calls are answered where they arrive.
  const writes = answers.filter(({ call }) => !call.startsWith('GET '))
  const forwarded = writes.filter(({ node }) => node !== null)
  assert.ok(forwarded.length * 3 > writes.length, `${forwarded.length} of ${writes.length} were forwarded`)
  assertSameAnswers(answers, embedded)
})

test('with full text disabled, a search is refused as documented', async () => {
  await using service = await Service.start({ environment: { SPOOR_FULL_TEXT: 'off' } })
  const checker = new ContractChecker(await readLiveDocument(service.client))
  for (const path of [
    '/v1/traces?q=word',
    '/v1/traces/series?measure=count&q=word',
    '/v1/steps/series?measure=count&q=word',
    '/v1/steps/facets?field=tool&text=word',
  ]) {
    const answer = await checker.call(service.client, { path })
    assert.equal(answer.json<{ code: string }>().code, 'full_text_disabled', path)
  }
  assert.deepEqual(checker.violations, [])
})
