import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { printSender, type StepMark } from '../../../ports/traces/sender-counts.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import {
  BEGIN_MS,
  idAt,
  newStep,
  OTHER_PROJECT,
  preparedStep,
  PROJECT,
  traceRecord,
} from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld } from './aggregate-world.test-support.ts'
import { ClickHouseSenderCounts } from './clickhouse-sender-counts.ts'

const world = await aggregateWorld()
const store = new ClickHouseSenderCounts(world.dependencies)
afterEach(() => world.clear())

const SPAN = { startTime: BEGIN_MS, endTime: BEGIN_MS + 1000 }
const trace = (at: number, fields: Partial<TraceRecord> = {}) =>
  traceRecord(idAt('tr', BEGIN_MS + at), { createdAt: BEGIN_MS + at, ...fields })

function sent(version: string, kinds: readonly StepMark['kind'][] = [], model: string | null = null) {
  const marks = kinds.map((kind) => ({ kind, attribute: kind === 'content' ? 'my.answer' : null }))
  return { prepared: preparedStep({ model, sender: printSender({ scope: 'ai', version, marks }) }) }
}

async function counted(projectId = PROJECT) {
  const { counts, complete } = await store.senderCounts(projectId, SPAN)
  assert.equal(complete, true)
  return counts.map(({ scope, version, marks, model, steps }) => {
    assert.equal(scope, 'ai')
    return [version, marks.map(({ kind, attribute }) => attribute ?? kind).join(' '), model, steps]
  })
}

test('steps are counted by sender, marks and model, most first', async () => {
  const [first, second] = [trace(0), trace(1)]
  const steps = [
    newStep(first, 0, sent('1', ['billed'], 'gpt-5')),
    newStep(first, 1, sent('2', ['other', 'content'])),
    newStep(second, 0, sent('1', ['billed'], 'o3')),
    newStep(second, 1, sent('1', ['billed'], 'gpt-5')),
    newStep(second, 2),
  ]
  await world.addTraces([first, second], steps)
  assert.deepEqual(await counted(), [
    ['1', 'billed', 'gpt-5', 2],
    ['1', 'billed', 'o3', 1],
    ['2', 'other my.answer', '', 1],
  ])
})

test('a step that was replaced counts once, as it is now', async () => {
  const old = trace(0)
  await world.addTraces([old], [newStep(old, 0, sent('1')), newStep(old, 1, sent('1'))])
  const now = { ...old, version: 2 }
  await world.addTraces([now], [newStep(now, 0, { ...sent('1', ['tokens'], 'o3'), replaces: true })])
  assert.deepEqual(await counted(), [
    ['1', 'tokens', 'o3', 1],
    ['1', '', '', 1],
  ])
})

test('steps of other projects, of deleted traces and of other times do not count', async () => {
  const own = trace(0)
  const gone = trace(1)
  const theirs = trace(2, { projectId: OTHER_PROJECT })
  const all = [own, gone, theirs, trace(-1), trace(1000)]
  const versions = ['own', 'gone', 'theirs', 'earlier', 'later']
  await world.addTraces(
    all,
    all.map((of, at) => newStep(of, 0, sent(versions[at]!))),
  )
  assert.equal((await counted()).length, 2)
  await world.addTombstone(gone)
  assert.deepEqual(await counted(), [['own', '', '', 1]])
  assert.deepEqual(await counted(OTHER_PROJECT), [['theirs', '', '', 1]])
})

test('ids that are ahead of the clock count by the creation time', async () => {
  world.allowLead(5000)
  const ahead = traceRecord(idAt('tr', BEGIN_MS + 3000), { createdAt: BEGIN_MS + 10 })
  const later = traceRecord(idAt('tr', BEGIN_MS + 3001), { createdAt: BEGIN_MS + 2000 })
  await world.addTraces([ahead, later], [newStep(ahead, 0, sent('ahead')), newStep(later, 0, sent('later'))])
  assert.deepEqual(await counted(), [['ahead', '', '', 1]])
})

test('of too many senders those with the most steps are counted, and the answer says so', async () => {
  const one = trace(0)
  const steps = Array.from({ length: 5003 }, (_, at) => newStep(one, at, sent(at < 3 ? 'large' : `small ${at}`)))
  await world.addTraces([one], steps)
  const { counts, complete } = await store.senderCounts(PROJECT, SPAN)
  assert.equal(complete, false)
  assert.deepEqual([counts.length, counts[0]?.version, counts[0]?.steps], [5000, 'large', 3])
})

test('counting waits for what is committed', async () => {
  await counted()
  assert.deepEqual(world.waits, ['settled'])
})
