import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { type TestRequest, TRANSPORTS } from '../test-world/transports.test-support.ts'

const BASIC = { authorization: `Basic ${Buffer.from('pk-lf-any:own').toString('base64')}` }
const TRACE = 'ce3e038f-0f32-41f3-b218-a9e821b99ff4'
const EVENT = { id: 'e1', type: 'trace-create', timestamp: '2026-11-26T23:12:20.378Z', body: { id: TRACE, name: 'a' } }

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = BASIC): TestRequest =>
  ({
    method,
    path: `/api/public${path}`,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }) as TestRequest

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`the ingestion API of Langfuse over ${name}`, () => {
    test('a batch is answered 207 with a verdict on each event', async () => {
      const { app, traces } = createHttpWorld()
      const request = await connect(app)
      for (const key of [BASIC, { authorization: 'Bearer own' }, { 'x-api-key': 'own' }]) {
        const bad = { ...EVENT, id: 'e2', type: 'dance' }
        const answer = await request(send('POST', '/ingestion', { batch: [EVENT, bad] }, key))
        assert.equal(answer.status, 207)
        assert.deepEqual(JSON.parse(answer.text), {
          successes: [{ id: 'e1', status: 201 }],
          errors: [{ id: 'e2', status: 400, message: 'there is no event of the type "dance"', error: 'bad_request' }],
        })
      }
      assert.ok(traces.exports.every(({ encoding }) => encoding === 'langfuse'))
      assert.equal((await request(send('POST', '/ingestion', { batch: 1 }))).status, 400)
      assert.equal((await request(send('POST', '/ingestion', {}, {}))).status, 401)
    })

    test('SDKs check that the service is there, and which project the key has', async () => {
      const { app } = createHttpWorld()
      const request = await connect(app)
      assert.equal((await request(send('GET', '/health', undefined, {}))).status, 200)
      const { data } = JSON.parse((await request(send('GET', '/projects'))).text) as { data: { name: string }[] }
      assert.equal(data.length, 1)
      assert.equal((await request(send('GET', '/projects', undefined, {}))).status, 401)
    })

    test('a score is taken alone too', async () => {
      const { app } = createHttpWorld()
      const request = await connect(app)
      const score = { id: 's1', traceId: TRACE, name: 'helpful', value: 1 }
      const answer = await request(send('POST', '/scores', score))
      assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, { id: 's1' }])
      assert.equal((await request(send('POST', '/scores', { name: 'helpful' }))).status, 400)
    })

    test('a body cannot close its event and begin another', async () => {
      const { app, traces } = createHttpWorld()
      const request = await connect(app)
      const body = `{"traceId":"a","name":"b","value":1}},{"id":"1","type":"trace-create","body":{"id":"c"}`
      for (const path of ['/scores', '/media']) {
        const answer = await request({ ...send('POST', path), body } as TestRequest)
        assert.equal(answer.status, 400, answer.text)
      }
      assert.equal(traces.exports.length, 0)
    })

    test('media without the hash of their bytes are refused', async () => {
      const { app, traces } = createHttpWorld()
      const request = await connect(app)
      const announced = {
        traceId: TRACE,
        field: 'input',
        contentType: 'image/png',
        contentLength: 70,
        sha256Hash: 'YQ==',
      }
      const refused = await request(send('POST', '/media', announced))
      assert.equal(refused.status, 400)
      assert.match(refused.text, /`sha256Hash` of 32 bytes/)
      const sha256Hash = Buffer.alloc(32, 1).toString('base64')
      assert.equal((await request(send('POST', '/media', { ...announced, traceId: 7, sha256Hash }))).status, 400)
      assert.equal((await request(send('PATCH', '/media/x', { uploadHttpStatus: 201 }))).status, 200)
      assert.equal(traces.exports.length, 2)
    })

    test('what is not recording is answered with a sentence that says so', async () => {
      const { app } = createHttpWorld()
      const request = await connect(app)
      for (const path of ['/v2/prompts/a', '/datasets', '/annotation-queues', '/traces']) {
        const answer = await request(send('GET', path))
        assert.equal(answer.status, 404)
        assert.match(answer.text, /it has no prompts, datasets and annotation queues/)
      }
    })
  })
}
