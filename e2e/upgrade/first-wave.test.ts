import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'
import { runSpoor } from '../lib/command.ts'
import { assertHolds, unpack } from './old-data-directory.ts'

interface Recorded {
  readonly key: string
  readonly project: string
  readonly deleted: string
  readonly media: string
  readonly answers: readonly { readonly path: string; readonly body: unknown }[]
}

const RECORDED = JSON.parse(readFileSync(new URL('first-wave.json', import.meta.url), 'utf8')) as Recorded

/**
 * A data directory of 0.1.0 as it was before the second wave (commit be23378), ended by `kill -9`: 40 traces, four of
 * which only the commit log holds, and one of everything else. `first-wave.json` is what that version answered just
 * before.
 */
test('a data directory of the first wave opens, and returns the same as before', async (context) => {
  const dataDir = unpack('first-wave.tar.zst', context)

  const environment = { SPOOR_BOOTSTRAP_KEY: RECORDED.key, SPOOR_WEBHOOK_ALLOW: '127.0.0.1/32' }
  await using service = await Service.start({ dataDir, environment })
  const assertAnswers = async () => {
    for (const { path, body } of RECORDED.answers) {
      const answer = await service.client.get(path)
      assert.equal(answer.status, 200, `${path}: ${answer.text}`)
      assertHolds(answer.json(), body, path)
    }
    const media = await service.client.get(`/v1/media/serve?uri=${encodeURIComponent(RECORDED.media)}`)
    assert.equal(media.text, 'hello spoor\n')
    assert.equal((await service.client.get(`/v1/traces/${RECORDED.deleted}`)).status, 404)
  }
  await assertAnswers()

  // New writes join the old ones: keys count once over the upgrade, too.
  const again = await service.client.postTrace({ name: 'other' }, { 'idempotency-key': 'trace-0' })
  assert.equal(again.status, 409)
  const added = await service.client.postTrace({ name: 'after the upgrade' })
  assert.equal(added.status, 202)
  // The secret of its webhook can be decrypted, or nothing would be sent.
  const webhooks = RECORDED.answers.find(({ path }) => path.endsWith('/webhooks'))?.body as {
    webhooks: readonly { id: string }[]
  }
  const webhook = `/v1/projects/${RECORDED.project}/webhooks/${webhooks.webhooks[0]?.id}`
  // It was disabled meanwhile if the test runs days after the directory was made.
  const enabled = { method: 'PATCH', path: webhook, headers: { 'content-type': 'application/json' } }
  assert.equal((await service.client.call({ ...enabled, body: '{"enabled": true}' })).status, 200)
  assert.equal((await service.client.call({ method: 'POST', path: `${webhook}/ping` })).status, 202)
  await eventually('an attempt to deliver', async () => {
    const page = await service.client.get(`${webhook}/deliveries?event=ping`)
    return page
      .json<{ deliveries: readonly { attempt_count: number }[] }>()
      .deliveries.some((one) => one.attempt_count > 0)
  })

  await service.kill()
  await service.start()
  await service.client.call({ method: 'DELETE', path: `/v1/traces/${added.json<{ id: string }>().id}` })
  await assertAnswers()
  await service.stop()
  const checked = await runSpoor(dataDir, ['check'])
  assert.equal(checked.code, 0, checked.out + checked.error)
})
