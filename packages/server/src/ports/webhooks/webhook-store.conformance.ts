import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { aWebhook, FOREIGN_PROJECT, OWN_PROJECT, webhookId } from './webhook-builders.test-support.ts'
import type { WebhookDirectory } from './webhook-directory.ts'
import type { WebhookStore } from './webhook-store.ts'
import type { Webhook } from './webhook.ts'

const SECRET = 'a secret of sixteen'
const NEXT = 'whsec_bmV4dCBzZWNyZXQh'
const THIRD = 'a third secret of all'

/**
 * The contract of every store of subscriptions and its directory. `open` returns an empty one with OWN_PROJECT and
 * FOREIGN_PROJECT.
 */
export function testWebhookStore(open: (context: TestContext) => Promise<WebhookStore & WebhookDirectory>): void {
  test('a subscription is found and listed only in its own project', async (context) => {
    const store = await open(context)
    const first = aWebhook()
    const second = aWebhook({ id: webhookId(1), enabled: false, disabledReason: 'by_request', disabledAt: 5 })
    const foreign = aWebhook({ id: webhookId(2), projectId: FOREIGN_PROJECT })
    for (const one of [second, first, foreign]) assert.equal(await store.create(one, SECRET, 2), true)
    assert.equal(await store.create(aWebhook({ id: webhookId(3) }), SECRET, 2), false)
    assert.deepEqual(await store.findOf(OWN_PROJECT, first.id), first)
    assert.equal(await store.findOf(FOREIGN_PROJECT, first.id), undefined)
    assert.deepEqual(await store.listOf(OWN_PROJECT, null, 10), [first, second])
    assert.deepEqual(await store.listOf(OWN_PROJECT, null, 1), [first])
    assert.deepEqual(await store.listOf(OWN_PROJECT, first.id, 10), [second])
    assert.equal(await store.change(FOREIGN_PROJECT, first.id, (present) => ({ ...present, url: 'x' })), undefined)
    const rotation = { secret: NEXT, now: 1, previousUntil: 2 }
    assert.equal(await store.rotate(FOREIGN_PROJECT, first.id, rotation), undefined)
    assert.equal(await store.remove(FOREIGN_PROJECT, first.id), false)
    assert.deepEqual(await store.findOf(OWN_PROJECT, first.id), first)
  })

  test('a change cannot alter fixed fields; one that throws or returns the same object writes nothing', async (context) => {
    const store = await open(context)
    const one = aWebhook()
    await store.create(one, SECRET, 9)
    const fields = { url: 'https://b.test', events: ['metric.event'], description: '', updatedAt: 7 } as const
    const disabled = { enabled: false, disabledReason: 'by_request', disabledAt: 6, sincePosition: 9 } as const
    const next = { ...one, ...fields, ...disabled }
    assert.deepEqual(await store.change(OWN_PROJECT, one.id, (present) => ({ ...present, ...next })), next)
    assert.deepEqual(await store.findOf(OWN_PROJECT, one.id), next)
    await store.change(OWN_PROJECT, one.id, (present) => ({ ...present, createdAt: 1, previousSecretUntil: 1 }))
    const refuse = () => {
      throw new RangeError('no')
    }
    await assert.rejects(store.change(OWN_PROJECT, one.id, refuse), RangeError)
    assert.deepEqual(await store.change(OWN_PROJECT, one.id, (present) => present), next)
    assert.deepEqual(await store.findOf(OWN_PROJECT, one.id), next)
  })

  test('the directory sees every resolved write', async (context) => {
    const store = await open(context)
    const one = aWebhook()
    const change = (fields: Partial<Webhook>) =>
      store.change(OWN_PROJECT, one.id, (present) => ({ ...present, ...fields }))
    const see = async () => {
      const enabled = await store.enabledOf([OWN_PROJECT, FOREIGN_PROJECT])
      const ids = [...enabled].map(([projectId, webhooks]) => [projectId, webhooks.map(({ id }) => id)])
      const urls = [(await store.find(one.id))?.url, (await store.findSigned(one.id, 0))?.url]
      assert.equal(urls[0], urls[1])
      return [urls[0], ids, await store.anyEnabled()]
    }
    assert.deepEqual(await see(), [undefined, [], false])
    await store.create(one, SECRET, 9)
    assert.deepEqual(await see(), [one.url, [[OWN_PROJECT, [one.id]]], true])
    await change({ url: 'https://b.test', updatedAt: 1001 })
    assert.deepEqual(await see(), ['https://b.test', [[OWN_PROJECT, [one.id]]], true])
    await change({ enabled: false, updatedAt: 1002 })
    assert.deepEqual(await see(), ['https://b.test', [], false])
    await change({ enabled: true, updatedAt: 1003 })
    assert.deepEqual(await see(), ['https://b.test', [[OWN_PROJECT, [one.id]]], true])
    assert.equal(await store.remove(OWN_PROJECT, one.id), true)
    assert.deepEqual(await see(), [undefined, [], false])
    assert.equal(await store.remove(OWN_PROJECT, one.id), false)
  })

  test('enabled subscriptions are grouped by project, in the order of ids', async (context) => {
    const store = await open(context)
    assert.deepEqual(await store.enabledOf([]), new Map())
    const [a, b] = [aWebhook({ id: webhookId(1) }), aWebhook({ id: webhookId(2) })]
    const foreign = aWebhook({ id: webhookId(3), projectId: FOREIGN_PROJECT })
    const off = aWebhook({ id: webhookId(4), enabled: false, disabledReason: 'gone', disabledAt: 1 })
    for (const one of [b, a, foreign, off]) await store.create(one, SECRET, 9)
    assert.deepEqual(await store.enabledOf([OWN_PROJECT]), new Map([[OWN_PROJECT, [a, b]]]))
    const all = await store.enabledOf([FOREIGN_PROJECT, OWN_PROJECT, OWN_PROJECT])
    assert.deepEqual([all.get(OWN_PROJECT), all.get(FOREIGN_PROJECT), all.size], [[a, b], [foreign], 2])
    assert.deepEqual(await store.existing([a.id, off.id, webhookId(9)]), new Set([a.id, off.id]))
    assert.deepEqual(await store.existing([]), new Set())
  })

  test('a subscription is disabled only if it is unchanged, and once', async (context) => {
    const store = await open(context)
    const one = aWebhook()
    await store.create(one, SECRET, 9)
    assert.equal((await store.enabledOf([OWN_PROJECT])).size, 1)
    assert.equal(await store.disable(one.id, 999, 'gone', 2000), false)
    assert.equal(await store.disable(webhookId(9), 1000, 'gone', 2000), false)
    assert.equal(await store.disable(one.id, 1000, 'no_success', 900), true)
    const expected = { ...one, enabled: false, disabledReason: 'no_success', disabledAt: 900, updatedAt: 1001 }
    assert.deepEqual(await store.find(one.id), expected)
    assert.equal((await store.findSigned(one.id, 0))?.enabled, false)
    assert.equal((await store.enabledOf([OWN_PROJECT])).size, 0)
    assert.equal(await store.anyEnabled(), false)
    assert.equal(await store.disable(one.id, 1001, 'gone', 2000), false)
  })

  test('after a rotation both secrets sign until its end, newest first, and never more than two', async (context) => {
    const store = await open(context)
    const { id } = aWebhook()
    await store.create(aWebhook(), SECRET, 9)
    const secrets = async (now: number) => (await store.findSigned(id, now))?.secrets
    assert.deepEqual(await secrets(0), [SECRET])
    const rotated = await store.rotate(OWN_PROJECT, id, { secret: NEXT, now: 1000, previousUntil: 5000 })
    assert.deepEqual([rotated?.previousSecretUntil, rotated?.updatedAt], [5000, 1001])
    assert.deepEqual([await secrets(4999), await secrets(5000)], [[NEXT, SECRET], [NEXT]])
    // A retry of the same rotation: the previous secret still signs.
    assert.deepEqual(await store.rotate(OWN_PROJECT, id, { secret: NEXT, now: 2000, previousUntil: 6000 }), rotated)
    assert.deepEqual(await secrets(4999), [NEXT, SECRET])
    await store.rotate(OWN_PROJECT, id, { secret: THIRD, now: 3000, previousUntil: 7000 })
    assert.deepEqual(await secrets(4000), [THIRD, NEXT])
    assert.equal(await store.dropExpiredSecrets(6999), 0)
    assert.equal(await store.dropExpiredSecrets(7000), 1)
    assert.equal(await store.dropExpiredSecrets(7000), 0)
    assert.equal((await store.find(id))?.previousSecretUntil, null)
    assert.deepEqual(await secrets(4000), [THIRD])
  })

  test('concurrent changes are made one after the other', async (context) => {
    const store = await open(context)
    const { id } = aWebhook()
    await store.create(aWebhook(), SECRET, 9)
    const lengthen = (present: Webhook) => ({ ...present, description: `${present.description}!` })
    await Promise.all([1, 2, 3].map(() => store.change(OWN_PROJECT, id, lengthen)))
    assert.equal((await store.find(id))?.description, `${aWebhook().description}!!!`)
  })
}
