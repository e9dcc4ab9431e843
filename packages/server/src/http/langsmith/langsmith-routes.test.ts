import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { type TestRequest, TRANSPORTS } from '../test-world/transports.test-support.ts'

const KEY = { 'x-api-key': 'own' }
const JSON_TYPE = { ...KEY, 'content-type': 'application/json' }
const ID = '01a21a21-3072-71dc-9316-87aed2b4c901'
const run = { id: ID, trace_id: ID, name: 'agent', run_type: 'chain' }

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = JSON_TYPE): TestRequest =>
  ({
    method,
    path,
    headers,
    ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  }) as TestRequest

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`the run API of LangSmith over ${name}`, () => {
    test('runs are taken at both bases, in every form', async () => {
      const { app, traces } = createHttpWorld()
      const request = await connect(app)
      const form = `--b\r\nContent-Disposition: form-data; name="post.${ID}"\r\n\r\n${JSON.stringify(run)}\r\n--b--\r\n`
      const formType = { ...KEY, 'content-type': 'multipart/form-data; boundary=b' }
      for (const base of ['', '/api/v1']) {
        const info = await request(send('GET', `${base}/info`, undefined, {}))
        assert.equal((JSON.parse(info.text) as Info).batch_ingest_config.use_multipart_endpoint, true)
        const sent = [
          send('POST', `${base}/runs`, run),
          send('PATCH', `${base}/runs/${ID}`, { end_time: 1 }),
          send('POST', `${base}/runs/batch`, Buffer.from(`\n ${JSON.stringify({ post: [run] })}`)),
          send('POST', `${base}/runs/batch`, gzipSync(JSON.stringify({ post: [run] })), {
            ...JSON_TYPE,
            'content-encoding': 'gzip',
          }),
          send('POST', `${base}/runs/multipart`, Buffer.from(form), formType),
        ]
        for (const one of sent) {
          const answer = await request(one)
          assert.deepEqual([answer.status, answer.text], [202, '{}'], `${one.method} ${one.path}`)
        }
      }
      assert.equal(traces.exports.length, 10)
      assert.ok(traces.exports.every(({ encoding }) => encoding === 'langsmith'))
      assert.deepEqual(JSON.parse(traces.exports[1]!.body.toString()), ['patch', ID, [{ end_time: 1 }]])
    })

    test('a run that is refused has the reason; of several, the others are taken', async () => {
      const { app } = createHttpWorld()
      const request = await connect(app)
      for (const one of [send('POST', '/runs', { id: 'seven' }), send('PATCH', '/runs/seven', { end_time: 1 })]) {
        const answer = await request(one)
        assert.equal(answer.status, 400)
        assert.match(answer.text, /must be a UUID/)
      }
      const both = await request(send('POST', '/runs/batch', { post: [run, { id: 'seven' }] }))
      assert.deepEqual(JSON.parse(both.text), { refused: 1, reasons: ['the `id` of a run must be a UUID'] })
      assert.equal((await request(send('POST', '/runs/batch', 'no object'))).status, 400)
      const one = JSON.stringify(run)
      for (const path of ['/runs', '/feedback'])
        for (const body of ['', `${one},${one}`, `${one}],[${one}`, `${one}]],"x":[[${one}`, `${one}],0,[${one}`])
          assert.equal((await request(send('POST', path, Buffer.from(body)))).status, 400, `${path} ${body}`)
      assert.equal((await request(send('POST', '/runs', run, { ...KEY, 'content-type': 'text/plain' }))).status, 415)
      assert.equal((await request(send('POST', '/runs', run, { 'content-type': 'application/json' }))).status, 401)
      assert.equal((await request(send('POST', '/runs/batch', {}, { ...JSON_TYPE, 'x-api-key': 'other' }))).status, 401)
    })

    test('what is not recording is answered with a sentence that says so', async () => {
      const { app } = createHttpWorld()
      const request = await connect(app)
      for (const path of ['/datasets', '/api/v1/datasets/1/examples', '/commits/me/prompt', '/annotation-queues']) {
        const answer = await request(send('GET', path))
        assert.equal(answer.status, 404)
        assert.match(answer.text, /it has no datasets, prompts and annotation queues/)
      }
    })

    test('feedback that names a run alone needs a run that is stored', async () => {
      const { app } = createHttpWorld()
      const request = await connect(app)
      const feedback = { id: ID, run_id: ID, key: 'helpful', score: 1 }
      const unknown = await request(send('POST', '/feedback', feedback))
      assert.equal(unknown.status, 404)
      assert.match(unknown.text, /There is no run 01a21a21/)
      assert.equal((await request(send('POST', '/feedback', { ...feedback, trace_id: ID }))).status, 202)
      assert.equal((await request(send('POST', '/feedback', { ...feedback, run_id: 'seven' }))).status, 400)
      const change = await request(send('PATCH', `/feedback/${ID}`, { score: 0 }))
      assert.equal(change.status, 404)
      assert.match(change.text, /There is no feedback 01a21a21/)
      assert.equal((await request(send('PATCH', `/feedback/${ID}`, [0]))).status, 400)
      assert.equal((await request(send('POST', '/feedback', { run_id: ID, trace_id: ID, score: 1 }))).status, 400)
      const comment = 'x'.repeat(2 * 1024 * 1024)
      assert.equal((await request(send('POST', '/feedback', { ...feedback, comment }))).status, 413)
    })
  })
}

interface Info {
  readonly batch_ingest_config: { readonly use_multipart_endpoint: boolean }
}
