import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { hookOf } from '../../../ports/webhooks/delivery-builders.test-support.ts'
import { EVENTS_PER_BATCH, numberedEvents } from './numbered-events.test-support.ts'
import { openDeliveryStore } from './open-delivery-store.ts'
import { temporaryDeliveryFolder } from './temporary-delivery-store.test-support.ts'

const PROGRAM = join(import.meta.dirname, 'deliver-until-killed.test-support.ts')
const ROUNDS = 6

test(`${ROUNDS} kills during deliveries: events, deliveries and position are stored together, each once`, async () => {
  const dataDir = temporaryDeliveryFolder()
  let before = 0
  for (let round = 0; round < ROUNDS; round++) {
    const reported = await deliverAndKill(dataDir, 1 + round * 9)
    assert.equal(reported[0], before + 1, 'it continued at the stored position')
    const newest = reported.at(-1) ?? 0
    before = await checkStore(dataDir)
    assert.ok(before === newest || before === newest + 1, `reported ${newest}, found ${before}`)
  }
  const database = new DatabaseSync(join(dataDir, 'deliveries.db'))
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
  database.close()
})

test('a write that fails on the disk is reported, stores nothing, and succeeds later', async () => {
  const dataDir = temporaryDeliveryFolder()
  // Limits files of the child to 512 KiB.
  const limited = spawn('bash', ['-c', 'ulimit -f 512; exec "$0" "$@"', process.execPath, PROGRAM, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  limited.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [exitCode] = (await once(limited, 'close')) as [number]
  assert.equal(exitCode, 0)
  const refused = /refused (\d+) (storage_unavailable|disk_full) (\d+)\n$/.exec(output)
  assert.ok(refused, output.slice(-200))
  assert.ok(Number(refused[1]) > 2)
  const last = await checkStore(dataDir)
  assert.equal(Number(refused[3]), last * EVENTS_PER_BATCH)
  assert.ok((await deliverAndKill(dataDir, 2)).includes(last + 1))
  assert.ok((await checkStore(dataDir)) > last)
})

/** Runs a process until it has reported `count` batches, kills it, and returns the reported numbers. */
async function deliverAndKill(dataDir: string, count: number): Promise<number[]> {
  const child = spawn(process.execPath, [PROGRAM, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    if (output.split('\n').length > count) child.kill('SIGKILL')
  }
  const [, signal] = (await closed) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL')
  return output.split('\n').slice(0, -1).map(Number)
}

/** Checks that every batch up to the position is complete and that there is none after it. Returns their number. */
async function checkStore(dataDir: string): Promise<number> {
  const { queue, intake, log, close } = openDeliveryStore({ box: TEST_BOX, dataDir, clock: systemClock })
  const batches = ((await intake.position()) ?? 0) / EVENTS_PER_BATCH
  const query = { eventType: null, status: null, startTime: null, endTime: null, after: null, limit: 1_000_000 }
  const lists = await Promise.all([1, 2, 3].map((hook) => log.list({ ...query, webhookId: hookOf(hook) })))
  const listed = lists.flat()
  const byId = new Map(listed.map((delivery) => [delivery.id, delivery]))
  const events = Array.from({ length: batches }, (_, index) => numberedEvents(index + 1)).flat()
  assert.equal(listed.length, events.length * 2)
  for (const { deliveries, body } of events) {
    for (const { id, webhookId } of deliveries) {
      const listedOne = byId.get(id)
      const found = await log.find(webhookId, id)
      assert.equal(found?.body, Buffer.from(body).toString())
      assert.equal(found.attemptList.length, listedOne?.attempts)
      assert.equal(found.status === 'pending', found.finishedAt === null)
    }
  }
  assert.equal(await queue.pendingCount(), listed.filter(({ status }) => status === 'pending').length)
  const attempts = listed.reduce((sum, { webhookId, ...one }) => sum + (webhookId === hookOf(3) ? one.attempts : 0), 0)
  assert.equal((await queue.health(hookOf(3))).failuresInARow, attempts)
  close()
  return batches
}
