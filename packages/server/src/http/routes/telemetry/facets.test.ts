import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`facets over ${name}`, () => {
    async function openWorld() {
      const { app, facets, ids, ownProject, foreignProject } = createHttpWorld()
      const metadata = (value: object) => Buffer.from(JSON.stringify(value))
      const add = (fields: Parameters<typeof traceRecord>[1]) =>
        facets.traces.push(traceRecord(ids.newId('tr'), { projectId: ownProject, ...fields }))
      add({ name: 'refund', models: ['m'], userId: 'u', metadata: metadata({ env: 'prod', 'a.b': 1 }) })
      add({ name: 'refund', models: ['m', 'n'], metadata: metadata({ env: 'test' }) })
      add({ name: 'Refused', metadata: metadata({ env: 'prod' }) })
      add({ name: 'theirs', projectId: foreignProject })
      const send = await connect(app)
      const ask = (query: string, key = 'own') =>
        send({ path: `/v1/traces/facets?${query}`, headers: { 'x-api-key': key } })
      return { ask }
    }

    test('returns values with their counts, the most frequent first', async () => {
      const { ask } = await openWorld()
      const value = (text: string, count: number) => ({ value: text, count })
      for (const [field, values] of [
        ['name', [value('refund', 2), value('Refused', 1)]],
        ['model', [value('m', 2), value('n', 1)]],
        ['run_type', [value('agent', 3)]],
        ['user_id', [value('u', 1)]],
        ['session_id', []],
        ['metadata', [value('env', 3), value('a.b', 1)]],
        ['metadata.env', [value('prod', 2), value('test', 1)]],
        ['metadata.a.b', [value('1', 1)]],
        ['metadata.nothing', []],
      ] as const) {
        const answer = await ask(`field=${field}`)
        assert.deepEqual([answer.status, answer.json()], [200, { field, values, complete: true }])
      }
      const theirs = (await ask('field=name', 'foreign')).json()
      assert.deepEqual(theirs.values, [value('theirs', 1)])
    })

    test('returns only values that contain a text, up to the limit', async () => {
      const { ask } = await openWorld()
      const found = (await ask('field=name&q=FUS')).json()
      assert.deepEqual([found.values.length, found.values[0].value, found.complete], [1, 'Refused', true])
      const first = (await ask('field=name&limit=1')).json()
      assert.deepEqual([first.values.length, first.complete], [1, false])
      assert.equal((await ask('field=name&limit=100000')).status, 200)
    })

    test('refuses unknown fields, and keys that cannot read', async () => {
      const { ask } = await openWorld()
      for (const query of [
        '',
        'field=',
        'field=status',
        'field=metadata.',
        'field=name&limit=0',
        'field=name&x=1',
        'field=name&q=',
      ]) {
        const answer = await ask(query)
        assert.deepEqual([answer.status, answer.json().code], [422, 'validation_failed'], query)
      }
      assert.equal((await ask('field=name', 'writer')).status, 403)
    })
  })
}
