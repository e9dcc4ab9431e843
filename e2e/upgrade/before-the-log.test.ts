import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { runSpoor } from '../lib/command.ts'
import { Service } from '../lib/service.ts'
import { openTail } from '../lib/tail.ts'
import { assertHolds, unpack } from './old-data-directory.ts'

interface Recorded {
  readonly key: string
  readonly deleted: string
  readonly media: string
  readonly mediaText: string
  /** All events of the first project's tail. */
  readonly told: readonly { readonly id: string; readonly event: string; readonly data: string }[]
  /** `key` null: the key of the first project. */
  readonly answers: readonly { readonly key: string | null; readonly path: string; readonly body: unknown }[]
}

const RECORDED = JSON.parse(
  zstdDecompressSync(readFileSync(new URL('before-the-log.json.zst', import.meta.url))).toString(),
) as Recorded

/**
 * A data directory of commit 369d773, the last before ports, one log and numbered migrations of the telemetry store,
 * ended by `kill -9`: 54 traces of two projects, three of which only the commit log holds, metric events of each kind,
 * monitors, a discovery, media, deliveries that succeeded and a deleted trace. `before-the-log.json.zst` is what that
 * version answered just before, compressed because it would be larger than the directory.
 */
test('a data directory from before the one log opens, and returns the same as before', async (context) => {
  const dataDir = unpack('before-the-log.tar.zst', context)
  const environment = {
    SPOOR_BOOTSTRAP_KEY: RECORDED.key,
    SPOOR_WEBHOOK_ALLOW: '127.0.0.1/32',
    // The directory grows older every year.
    SPOOR_JOURNAL_RETENTION_HOURS: '87600',
    SPOOR_DELIVERY_RETENTION_HOURS: '87600',
  }
  await using service = await Service.start({ dataDir, environment })
  const assertAnswers = async () => {
    for (const { key, path, body } of RECORDED.answers) {
      const client = key === null ? service.client : service.client.as(key)
      const answer = await client.get(path)
      assert.equal(answer.status, 200, `${path}: ${answer.text}`)
      assertHolds(answer.json(), body, path)
      if (key !== null) client.close()
    }
    const media = await service.client.get(`/v1/media/serve?uri=${encodeURIComponent(RECORDED.media)}`)
    assert.equal(media.text, RECORDED.mediaText)
    assert.equal((await service.client.get(`/v1/traces/${RECORDED.deleted}`)).status, 404)
    const tail = await openTail(service.url, RECORDED.key, { 'last-event-id': '0' })
    await tail.until(({ events }) => events.length >= RECORDED.told.length)
    tail.close()
    assertHolds(tail.events.slice(0, RECORDED.told.length), RECORDED.told, 'the tail')
  }
  await assertAnswers()

  // New writes join the old ones: keys count once over the upgrade, too.
  const again = await service.client.postTrace({ name: 'other' }, { 'idempotency-key': 'trace-0' })
  assert.equal(again.status, 409)
  const added = await service.client.postTrace({ name: 'after the upgrade' })
  assert.equal(added.status, 202)

  await service.kill()
  await service.start()
  await service.client.call({ method: 'DELETE', path: `/v1/traces/${added.json<{ id: string }>().id}` })
  await assertAnswers()
  await service.stop()
  const checked = await runSpoor(dataDir, ['check'])
  assert.equal(checked.code, 0, checked.out + checked.error)
})
