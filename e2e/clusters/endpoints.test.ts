import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerWithWords } from '../../packages/server/src/clusters/word-vectors.test-support.ts'
import {
  type AnswerRequest,
  type AskedRequest,
  sendJson,
  startModelServer,
} from '../../packages/server/src/model-endpoints/model-server.test-support.ts'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'

interface Job {
  readonly status: string
  readonly error: string | null
  readonly result: { readonly clusters: number; readonly created: number; readonly shifted: number } | null
}

interface ListedCluster {
  readonly id: string
  readonly label: string
  readonly size: number
}

const API_KEY = 'sk-of-the-operator'
const TOPICS = ['refund my order please', 'what is the weather like tomorrow', 'translate this into french for me']
const LABELS = ['Refund an order', 'Tell the weather', 'Translate a sentence']

/** Answers with vectors by words, and with names by the topic of the members. */
const answerAll: AnswerRequest = (request, response, number) => {
  if (request.path === '/v1/embeddings') return answerWithWords()(request, response, number)
  const { messages } = JSON.parse(request.body) as { messages: { content: string }[] }
  const { members } = JSON.parse(messages[1]!.content) as { members: string[] }
  const label = LABELS[TOPICS.findIndex((topic) => members[0]?.startsWith(topic))]
  sendJson(response, { choices: [{ message: { content: JSON.stringify({ label, description: 'By a model.' }) } }] })
}

/** As `answerAll`, but one of the two fails. */
const failing =
  (path: string, status: number): AnswerRequest =>
  (request, response, number) =>
    request.path === path ? void response.writeHead(status).end('no such model') : answerAll(request, response, number)

test('clusters use an embedding endpoint and a naming model, and stay when either fails', async () => {
  const server = await startModelServer(answerAll)
  try {
    const environment = {
      SPOOR_EMBEDDINGS_URL: server.url,
      SPOOR_EMBEDDINGS_MODEL: 'words',
      SPOOR_EMBEDDINGS_API_KEY: API_KEY,
      SPOOR_NAMING_URL: server.url,
      SPOOR_NAMING_MODEL: 'chat',
      SPOOR_NAMING_API_KEY: API_KEY,
    }
    await using service = await Service.start({ environment })
    const addTraces = async (count: number, ask: (index: number) => string) => {
      for (let index = 0; index < count; index++) {
        const content = [{ type: 'text', text: ask(index) }]
        const steps = [{ name: 'answer', type: 'llm', messages: [{ role: 'user', content }] }]
        const made = await service.client.postTrace({ name: `run ${index}`, steps })
        assert.equal(made.status, 202, made.text)
      }
    }
    const discover = async (): Promise<Job> => {
      const headers = { 'content-type': 'application/json' }
      const asked = await service.client.call({ method: 'POST', path: '/v1/clusters/discover', headers, body: '{}' })
      assert.equal(asked.status, 202, asked.text)
      const path = `/v1/clusters/discover/${asked.json<{ job_id: string }>().job_id}`
      const read = async () => (await service.client.get(path)).json<Job>()
      await eventually('the discovery ends', async () => ['succeeded', 'failed'].includes((await read()).status))
      return read()
    }
    const clusters = async () =>
      (await service.client.get('/v1/clusters')).json<{ clusters: ListedCluster[] }>().clusters
    const asked = (path: string): AskedRequest[] => server.requests.filter((request) => request.path === path)

    await addTraces(45, (index) => `${TOPICS[index % 3]} ${index}`)
    const first = await discover()
    assert.deepEqual([first.status, first.error, first.result?.clusters], ['succeeded', null, 3])
    const found = await clusters()
    assert.deepEqual(found.map(({ label }) => label).toSorted(), LABELS)
    assert.ok(server.requests.every(({ authorization }) => authorization === `Bearer ${API_KEY}`))
    const { runs } = (await service.client.get('/v1/clusters/runs')).json<{ runs: { embedder_version: string }[] }>()
    assert.equal(runs[0]?.embedder_version, 'endpoint-words.1')
    assert.equal(asked('/v1/chat/completions').length, 3)

    server.requests.length = 0
    assert.equal((await discover()).status, 'succeeded')
    assert.equal(server.requests.length, 0)

    await addTraces(1, () => 'something else')
    server.answer = failing('/v1/embeddings', 404)
    const failed = await discover()
    assert.equal(failed.status, 'failed')
    assert.equal(
      failed.error,
      'The embedding endpoint answered 404: "no such model". Check SPOOR_EMBEDDINGS_URL and SPOOR_EMBEDDINGS_MODEL.',
    )
    assert.deepEqual((await clusters()).map(({ id }) => id).toSorted(), found.map(({ id }) => id).toSorted())

    await addTraces(40, (index) => `book a table for ${index} at the restaurant`)
    server.answer = failing('/v1/chat/completions', 400)
    const unnamed = await discover()
    assert.equal(unnamed.status, 'succeeded', unnamed.error ?? '')
    assert.ok(unnamed.result!.created > 0)
    const labels = (await clusters()).map(({ label }) => label)
    assert.ok(labels.some((label) => /book|table|restaurant/.test(label)), labels.join()) // prettier-ignore

    // A server that never answers does not delay a stop, and the job starts again.
    server.answer = () => undefined
    await addTraces(1, () => 'what has not been asked before')
    server.requests.length = 0
    const waiting = discover()
    await eventually('the endpoint is asked', () => asked('/v1/embeddings').length > 0)
    const broken = assert.rejects(waiting)
    assert.deepEqual(await service.stop(), { code: 0, signal: null })
    await broken
    server.answer = answerAll
    await service.start()
    await eventually('the job succeeds', async () => {
      const { runs: all } = (await service.client.get('/v1/clusters/runs')).json<{ runs: { traces: number }[] }>()
      return all[0]?.traces === 87
    })
    assert.match(service.log, /the naming endpoint returned no name for \d+ clusters/)
    assert.ok(!service.log.includes(API_KEY))
  } finally {
    await server.close()
  }
})
