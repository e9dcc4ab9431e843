import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const BODY = JSON.stringify({
  name: 'run',
  steps: [{ name: 'a', messages: [{ role: 'user', content: 'messages' }], metadata: { messages: 1 } }, { name: 'b' }],
})

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`parts of a trace over ${name}`, () => {
    test('without `include` returns everything; with an empty one only the row, and reads no step', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      const { id } = (await send({ method: 'POST', path: '/v1/traces', headers: OWN, body: BODY })).json()
      const row = await send({ path: `/v1/traces/${id}?include=`, headers: OWN })
      assert.equal(row.status, 200)
      assert.deepEqual(row.json(), (await send({ path: '/v1/traces', headers: OWN })).json().traces[0])
      assert.equal(traces.pagesRead, 0)
      const whole = (await send({ path: `/v1/traces/${id}`, headers: OWN })).json()
      assert.ok(traces.pagesRead > 0)
      const all = await send({
        path: `/v1/traces/${id}?include=metric_events,attachments,messages,steps`,
        headers: OWN,
      })
      assert.deepEqual(all.json(), whole)
    })

    test('rows say what went in and came out, and what it cost', async () => {
      const send = await connect(createHttpWorld().app)
      const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
      const ask = {
        name: 'ask',
        model: 'gpt-4o',
        token_usage: { input: 1000, output: 100 },
        messages: [
          said('system', 'be kind'),
          said('user', 'Which\nflight?'),
          said('assistant', ` ${'no '.repeat(100)}`),
        ],
      }
      const failed = { name: 'call', status: 'error', error: { type: 'TimeoutError', message: 'It took too long.' } }
      const post = async (steps: readonly object[], status = 'ok') => {
        const made = await send({
          method: 'POST',
          path: '/v1/traces',
          headers: OWN,
          body: JSON.stringify({ name: 'run', steps }),
        })
        const { id } = made.json()
        const patch = {
          method: 'PATCH',
          path: `/v1/traces/${id}`,
          headers: OWN,
          body: JSON.stringify({ status }),
        } as const
        const row =
          status === 'ok' ? await send({ path: `/v1/traces/${id}?include=`, headers: OWN }) : await send(patch)
        const whole = (await send({ path: `/v1/traces/${id}`, headers: OWN })).json()
        const { input_preview, output_preview, cost_usd } = row.json()
        assert.deepEqual(
          [whole.input_preview, whole.output_preview, whole.cost_usd],
          [input_preview, output_preview, cost_usd],
        )
        return [input_preview, output_preview, cost_usd]
      }
      const answer = `${'no '.repeat(79)}`.trimEnd() + '...'
      assert.deepEqual(await post([ask, failed]), ['Which flight?', answer, 0.0035])
      assert.deepEqual(await post([ask, failed], 'error'), ['Which flight?', 'TimeoutError: It took too long.', 0.0035])
      assert.deepEqual(await post([ask], 'error'), ['Which flight?', answer, 0.0035])
      assert.deepEqual(await post([]), [null, null, null])
    })

    test('returns the named parts and nothing else', async () => {
      const send = await connect(createHttpWorld().app)
      const { id } = (await send({ method: 'POST', path: '/v1/traces', headers: OWN, body: BODY })).json()
      const { steps, attachments, metric_events, unpriced_models, ...head } = (
        await send({ path: `/v1/traces/${id}`, headers: OWN })
      ).json()
      const [{ messages: _, ...bare }, second] = steps
      const costs = { unpriced_models }
      const cases: readonly (readonly [string, object])[] = [
        ['steps', { ...head, ...costs, steps: [bare, second] }],
        // The messages of the steps.
        ['messages', { ...head, ...costs, steps }],
        ['attachments', { ...head, attachments }],
        ['metric_events', { ...head, metric_events }],
        ['metric_events,steps', { ...head, ...costs, steps: [bare, second], metric_events }],
      ]
      for (const [include, expected] of cases) {
        const found = await send({ path: `/v1/traces/${id}?include=${include}`, headers: OWN })
        assert.deepEqual(found.json(), expected, include)
      }
    })

    test('metric events that one part does not hold follow in parts of their own; a part with more is refused', async () => {
      const send = await connect(createHttpWorld().app)
      const post = async (path: string, body: object) =>
        (await send({ method: 'POST', path, headers: OWN, body: JSON.stringify(body) })).json()
      await post('/v1/metrics', { name: 'score', kind: 'numeric' })
      const { id } = await post('/v1/traces', { name: 'run', steps: [{ name: 'a' }, { name: 'b' }] })
      const at = '2023-11-01T12:00:00.000Z'
      const events = Array.from({ length: 1001 }, (_, value) => ({ name: 'score', trace_id: id, value, at }))
      await post('/v1/metrics/events', events)
      const path = `/v1/traces/${id}`
      const first = (await send({ path: `${path}/parts`, headers: OWN })).json()
      const second = (await send({ path: `${path}/parts?cursor=${first.next_cursor}`, headers: OWN })).json()
      assert.deepEqual(first.parts[0].metric_events, events.slice(0, 1000))
      const { from, events_from, trace, metric_events } = second.parts[0]
      assert.deepEqual([from, events_from, trace, metric_events], [2, 1000, { name: 'run' }, events.slice(1000)])
      assert.equal(second.next_cursor, null)

      const other = 'tr_01h2xcejqtf2nbrexx3vqjhp41'
      const refused = await send({
        method: 'PUT',
        path: `/v1/traces/${other}`,
        headers: { ...OWN, 'x-api-key': 'admin' },
        body: JSON.stringify({ ...first.parts[0], id: other, metric_events: events }),
      })
      const [error] = refused.json().errors
      assert.deepEqual([refused.status, error.pointer, error.code], [422, '/metric_events', 'too_many'])
    })

    test('an unknown part is refused by name, and a foreign trace is not found', async () => {
      const send = await connect(createHttpWorld().app)
      const { id } = (await send({ method: 'POST', path: '/v1/traces', headers: OWN, body: BODY })).json()
      for (const include of ['step', 'steps,', ',', 'steps,steps%20', 'Steps']) {
        const answer = await send({ path: `/v1/traces/${id}?include=${include}`, headers: OWN })
        assert.deepEqual([answer.status, answer.json().errors?.[0]?.pointer], [422, '?include'], include)
      }
      const foreign = await send({ path: `/v1/traces/${id}?include=`, headers: { 'x-api-key': 'foreign' } })
      assert.equal(foreign.status, 404)
    })
  })
}
