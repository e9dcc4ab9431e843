import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { DRAFT } from '../../webhooks/subscriptions/webhook-world.test-support.ts'
import { createHttpWorld, type HttpWorld } from '../test-world/http-world.test-support.ts'
import { type Send, TRANSPORTS } from '../test-world/transports.test-support.ts'

async function setUp(world: HttpWorld, send: Send) {
  const { webhook } = await world.webhooks.useCases.create(world.ownProject, DRAFT)
  const root = `/v1/projects/${world.ownProject}/webhooks/${webhook.id}`
  return {
    webhook,
    root,
    dispatch: () => world.webhooks.dispatch(world.ownProject, webhook.id),
    get: (path: string, key = 'own') => send({ path: `${root}${path}`, headers: { 'x-api-key': key } }),
    post: (path: string, body?: object, key = 'own') =>
      send({
        method: 'POST',
        path: `${root}${path}`,
        headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
  }
}

for (const [name, open] of Object.entries(TRANSPORTS)) {
  describe(name, () => {
    test('a ping is due at once, and the log has its request and answer', async () => {
      const world = createHttpWorld()
      const { webhook, get, post } = await setUp(world, await open(world.app))
      const ping = await post('/ping')
      assert.equal(ping.status, 202)
      const { id, event_id, ...rest } = ping.json()
      assert.match(`${id} ${event_id}`, /^dlv_\w+ evt_\w+$/)
      assert.deepEqual(rest, {
        webhook_id: webhook.id,
        event: 'ping',
        status: 'pending',
        reason: null,
        attempt_count: 0,
        last_response_status: null,
        last_error: null,
        last_attempt_at: null,
        next_attempt_at: '2026-03-03T12:00:00.000Z',
        created_at: '2026-03-03T12:00:00.000Z',
        finished_at: null,
      })
      world.webhooks.end(id, 503)
      const { body, attempts, ...delivery } = (await get(`/deliveries/${id}`)).json()
      assert.equal(JSON.parse(body).id, event_id)
      assert.deepEqual(attempts, [
        {
          number: 1,
          started_at: '2026-03-03T12:00:00.000Z',
          duration_ms: 13,
          request: {
            url: DRAFT.url,
            headers: {
              'webhook-id': 'evt_x',
              'webhook-signature': 'v1,c2VjcmV0',
              'x-service-signature': 'sha256=ab',
            },
          },
          response: { status: 503, headers: { server: 'x' }, body: 'seen', truncated: false },
          error: null,
        },
      ])
      assert.deepEqual((await get('/deliveries')).json(), { deliveries: [delivery], next_cursor: null })
      assert.deepEqual(
        [delivery.status, delivery.reason, delivery.attempt_count, delivery.last_response_status],
        ['failed', 'attempts_exhausted', 1, 503],
      )
      world.webhooks.end(id, null)
      const [, last] = (await get(`/deliveries/${id}`)).json().attempts
      assert.deepEqual(
        [last.response, last.error],
        [null, { code: 'connection_refused', detail: 'Nobody listens there.' }],
      )
    })

    test('a key without manage sees neither the path of the URL nor the signatures', async () => {
      const world = createHttpWorld()
      const send = await open(world.app)
      const { get, post } = await setUp(world, send)
      const { id } = (await post('/ping')).json()
      world.webhooks.end(id, 302)
      const read = async (key: string) => (await get(`/deliveries/${id}`, key)).json().attempts[0]
      assert.deepEqual((await read('reader')).request, {
        url: 'https://example.com/…',
        headers: { 'webhook-id': 'evt_x' },
      })
      assert.deepEqual((await read('reader')).response.headers, { server: 'x' })
      assert.equal((await read('own')).request.url, DRAFT.url)
      assert.equal((await read('own')).response.headers.location, DRAFT.url)
    })

    test('the log can be filtered and paged, newest first', async () => {
      const world = createHttpWorld()
      const { get, dispatch, post } = await setUp(world, await open(world.app))
      const made: string[] = []
      for (let i = 0; i < 5; i++) {
        made.unshift(dispatch())
        world.webhooks.now += 60_000
      }
      world.webhooks.end(made[0] as never, 200)
      world.webhooks.end(made[1] as never, null)
      await post('/ping')
      const idsOf = async (query: string) => {
        const { deliveries } = (await get(`/deliveries${query}`)).json()
        return deliveries.map(({ id }: { id: string }) => id)
      }
      assert.deepEqual(await idsOf('?event=trace.committed'), made)
      assert.deepEqual(await idsOf('?status=succeeded'), [made[0]])
      assert.deepEqual(await idsOf('?status=failed&event=trace.committed'), [made[1]])
      assert.deepEqual(await idsOf('?event=cluster.created'), [])
      assert.deepEqual(await idsOf('?start_time=2026-03-03T12:01:00Z&end_time=2026-03-03T12:03:00Z'), [
        made[2],
        made[3],
      ])
      const walk: string[] = []
      for (let cursor = ''; ;) {
        const page = (await get(`/deliveries?event=trace.committed&limit=2${cursor}`)).json()
        walk.push(...page.deliveries.map(({ id }: { id: string }) => id))
        dispatch()
        if (page.next_cursor === null) break
        cursor = `&cursor=${page.next_cursor}`
      }
      assert.deepEqual(walk, made)
      for (const wrong of ['limit=0', 'status=done', 'event=trace', 'start_time=soon', 'cursor=bm8', 'state=x']) {
        assert.equal((await get(`/deliveries?${wrong}`)).status, 422, wrong)
      }
    })

    test('sends one delivery again, or all that failed since a time, but not while the webhook is disabled', async () => {
      const world = createHttpWorld()
      const { get, dispatch, post, webhook } = await setUp(world, await open(world.app))
      const [first, second] = [dispatch(), dispatch()]
      for (const id of [first, second]) world.webhooks.end(id, 500)
      const again = await post(`/deliveries/${first}/redeliver`)
      assert.deepEqual([again.status, again.json().status, again.json().attempt_count], [202, 'pending', 1])
      const all = await post('/deliveries/redeliver-failed', { since: '2026-03-03' })
      assert.deepEqual([all.status, all.json()], [202, { count: 1 }])
      assert.deepEqual((await post('/deliveries/redeliver-failed', { since: '2026-03-03' })).json(), { count: 0 })
      for (const body of [{}, { since: 'soon' }, { since: '2026-03-03', status: 'failed' }]) {
        assert.equal((await post('/deliveries/redeliver-failed', body)).status, 422)
      }
      await world.webhooks.useCases.change(world.ownProject, webhook.id, { enabled: false })
      for (const answer of [
        await post('/ping'),
        await post(`/deliveries/${first}/redeliver`),
        await post('/deliveries/redeliver-failed', { since: '2026-03-03' }),
      ]) {
        assert.deepEqual([answer.status, answer.json().code], [409, 'webhook_disabled'])
      }
      assert.equal((await get(`/deliveries/${first}`)).status, 200)
    })

    test('deliveries of another webhook or project do not exist, and scopes are enforced', async () => {
      const world = createHttpWorld()
      const send = await open(world.app)
      const { get, post, dispatch } = await setUp(world, send)
      const own = dispatch()
      const other = await world.webhooks.useCases.create(world.ownProject, DRAFT)
      const elsewhere = world.webhooks.dispatch(world.ownProject, other.webhook.id)
      const since = { since: '2026-03-03' }
      for (const id of [elsewhere, 'dlv_no', 'dlv_01h2xcejqtf2nbrexx3vqjhp41']) {
        assert.equal((await get(`/deliveries/${id}`)).status, 404)
        assert.equal((await post(`/deliveries/${id}/redeliver`)).status, 404)
      }
      const statuses = async (key: string) => [
        (await get('/deliveries', key)).status,
        (await get(`/deliveries/${own}`, key)).status,
        (await post(`/deliveries/${own}/redeliver`, undefined, key)).status,
        (await post('/deliveries/redeliver-failed', since, key)).status,
      ]
      assert.deepEqual(await statuses('own'), [200, 200, 202, 202])
      assert.deepEqual(await statuses('reader'), [200, 200, 403, 403])
      assert.deepEqual(await statuses('writer'), [403, 403, 403, 403])
      assert.deepEqual(await statuses('foreign'), [404, 404, 404, 404])
      assert.deepEqual(await statuses(''), [401, 401, 401, 401])
    })

    test('an unavailable store is 503 with Retry-After', async () => {
      const world = createHttpWorld()
      const { get, post } = await setUp(world, await open(world.app))
      world.webhooks.deliveries.state.before = () => {
        throw new DomainError('disk_full', 'Full.', { retryAfterSeconds: 10 })
      }
      for (const answer of [await get('/deliveries'), await post('/ping')]) {
        assert.deepEqual([answer.status, answer.json().code, answer.headers['retry-after']], [503, 'disk_full', '10'])
      }
    })
  })
}
