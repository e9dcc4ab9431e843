import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { systemClock } from '../../packages/server/src/lib/time/clock.ts'
import { openControlStore } from '../../packages/server/src/storage/sql/open-control-store.ts'
import { newPlace, type Place } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { openTail } from '../lib/tail.ts'

async function commit(service: Place, name: string): Promise<string> {
  const answer = await service.client.postTrace({ name })
  assert.equal(answer.status, 202, answer.text)
  return answer.json<{ id: string }>().id
}

function idsOf(events: readonly { readonly data: string }[]): string[] {
  return events.map(({ data }) => (JSON.parse(data) as { id: string }).id)
}

async function tailFrom(service: Place, lastEventId: string) {
  return openTail(service.url, service.key, { 'last-event-id': lastEventId })
}

// Those that stop a service have their own. The first one waits.
describe('the tail', { concurrency: 2 }, () => {
  let shared: Service
  before(async () => void (shared = await Service.start()))
  after(() => shared[Symbol.asyncDispose]())

  test('an idle tail is kept alive by comments', async () => {
    const service = await newPlace(shared)
    const tail = await openTail(service.url, service.key)
    await tail.until(({ comments }) => comments.includes('heartbeat'))
    const id = await commit(service, 'after the heartbeat')
    await tail.until(({ events }) => events.length === 1)
    assert.deepEqual(idsOf(tail.events), [id])
    tail.close()
  })

  test('a reader that reconnects after a restart, even a crash, continues where it was', async () => {
    await using service = await Service.start()
    const sent: string[] = []
    const seen: string[] = []
    let position = '0'
    for (const end of ['stop', 'kill'] as const) {
      const tail = await tailFrom(service, position)
      for (let n = 0; n < 5; n++) sent.push(await commit(service, `live ${n}`))
      await tail.until(({ events }) => events.length >= 3)
      // It disconnects in the middle; the rest and later events follow when it reconnects.
      const taken = tail.events.slice(0, 3)
      tail.close()
      seen.push(...idsOf(taken))
      position = taken.at(-1)?.id as string
      for (let n = 0; n < 5; n++) sent.push(await commit(service, `away ${n}`))
      await service[end]()
      await service.start()
    }
    const tail = await tailFrom(service, position)
    await tail.until(({ events }) => seen.length + events.length >= sent.length)
    seen.push(...idsOf(tail.events))
    tail.close()
    assert.deepEqual(seen, sent)
  })

  test('without Last-Event-ID only new events are sent, in the documented frames', async () => {
    const service = await newPlace(shared)
    await commit(service, 'before')
    const tail = await openTail(service.url, service.key)
    await tail.until(({ text }) => text.includes('\n\n'))
    const id = await commit(service, 'after')
    await tail.until(({ events }) => events.length > 0)
    assert.deepEqual(idsOf(tail.events), [id])
    assert.match(tail.text, /^retry: 3000\n/)
    assert.match(
      tail.text,
      new RegExp(`id: \\d+\\nevent: trace.committed\\ndata: {"id":"${id}","committed_at":"[^"]+Z"}\\n\\n$`),
    )
    assert.equal(tail.headers['x-accel-buffering'], 'no')
    tail.close()
  })

  test('a position older than the retention gets one gap event, then the stream continues, without deleted traces', async () => {
    await using service = await Service.start()
    for (let n = 0; n < 4; n++) await commit(service, `old ${n}`)
    await service.stop()
    await pruneJournal(service.dataDir)
    await service.start()
    const tail = await tailFrom(service, '2')
    const id = await commit(service, 'new')
    await tail.until(({ events }) => events.length === 2)
    const [gap, committed] = tail.events
    assert.deepEqual([gap?.event, JSON.parse(gap?.data ?? '')], ['gap', { from: 2, to: 4 }])
    assert.deepEqual([committed?.event, idsOf(tail.events)[1]], ['trace.committed', id])
    tail.close()
    const again = await tailFrom(service, gap?.id as string)
    await again.until(({ events }) => events.length === 1)
    assert.deepEqual(idsOf(again.events), [id], 'the gap is sent only once')
    again.close()

    const ids = [await commit(service, 'a'), await commit(service, 'b'), await commit(service, 'c')]
    const path = `/v1/traces/${ids[1]}`
    assert.equal((await service.client.call({ method: 'DELETE', path })).status, 204)
    for (const restart of [false, true]) {
      if (restart) await service.restart()
      const later = await tailFrom(service, committed?.id as string)
      await later.until(({ events }) => idsOf(events).includes(ids[2] as string))
      assert.deepEqual(idsOf(later.events), [ids[0], ids[2]])
      later.close()
    }
  })

  /** Like the service's own housekeeping after the retention, which is at least an hour. */
  async function pruneJournal(dataDir: string): Promise<void> {
    const store = openControlStore({ dataDir, clock: systemClock, create: false })
    await store.journal.prune(Date.now() + 1)
    store.close()
  }

  test('a malformed Last-Event-ID is 400; one beyond the journal gets a gap and the stream continues', async () => {
    const service = await newPlace(shared)
    for (const position of ['x', '-1', '1.5', '1e3', '0x1', '1 2', '9'.repeat(30), "1'"]) {
      const tail = await tailFrom(service, position)
      assert.equal(tail.status, 400, position)
      await tail.ended
      assert.equal((JSON.parse(tail.text) as { code: string }).code, 'invalid_position')
    }
    const empty = await tailFrom(service, '')
    assert.equal(empty.status, 200)
    empty.close()
    const beyond = await tailFrom(service, '999999')
    await beyond.until(({ text }) => text.includes('event: gap'))
    const { id } = (await service.client.postTrace({ name: 'after the gap' })).json<{ id: string }>()
    await beyond.until(({ events }) => idsOf(events).includes(id))
    beyond.close()
  })
})
