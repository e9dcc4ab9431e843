import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { ClustersWorld } from '../../clusters/clusters-world.test-support.ts'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { type Send, TRANSPORTS } from '../test-world/transports.test-support.ts'

const client = (send: Send, key = 'own') => ({
  get: (path: string) => send({ path, headers: { 'x-api-key': key } }),
  send: (method: string, path: string, body: unknown) =>
    send({
      method,
      path,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
})

const TOPICS = ['refund my order please', 'what is the weather like tomorrow', 'translate this into french for me']

async function discovering(context: TestContext) {
  const clusters = new ClustersWorld()
  context.after(() => clusters.close())
  clusters.clusters.start()
  return { clusters, world: createHttpWorld({ clusters }) }
}

for (const [name, open] of Object.entries(TRANSPORTS)) {
  describe(name, () => {
    test('before the first discovery the lists are empty', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const none = { clusters: [], computed_at: null, failure_by: null, unassigned: 0 }
      assert.deepEqual((await own.get('/v1/clusters')).json(), none)
      assert.deepEqual((await own.get('/v1/clusters/map')).json(), { points: [], computed_at: null })
      assert.deepEqual((await own.get('/v1/clusters/runs')).json(), { runs: [], next_cursor: null })
      assert.deepEqual((await own.get('/v1/clusters/discover')).json(), { jobs: [], next_cursor: null })
      assert.deepEqual((await own.get('/v1/clusters/schedule')).json(), {
        enabled: false,
        every_hours: 24,
        window_hours: 24,
        k_min: 2,
        k_max: 12,
        only_complete: false,
        failure_by: 'status',
        next_run_at: null,
      })
    })

    test('clusters are discovered, listed, read, mapped and in the history of runs', async (context) => {
      const { world, clusters } = await discovering(context)
      const ids = clusters.addTraces(60, (index) => `${TOPICS[index % 3]} ${index}`)
      const own = client(await open(world.app))
      const asked = await own.send('POST', '/v1/clusters/discover', { k_max: 5, only_complete: true })
      assert.equal(asked.status, 202)
      const jobId = asked.json().job_id
      const path = `/v1/clusters/discover/${jobId}`
      assert.equal(asked.headers['location'], path)
      assert.deepEqual(Object.keys(asked.json()), ['job_id', 'selection_id'])
      const [under] = (await own.get('/v1/clusters/discover?limit=1')).json().jobs
      assert.equal(under.id, jobId)
      assert.match(under.status, /^(queued|running)$/)
      assert.match((await own.get(path)).json().status, /^(queued|running)$/)
      await clusters.ended(jobId)
      const job = (await own.get(path)).json()
      assert.deepEqual([job.status, job.error, job.progress], ['succeeded', null, null])
      assert.deepEqual([job.window_hours, job.k_min, job.k_max, job.only_complete], [24, 2, 5, true])
      assert.deepEqual([job.result.reason, job.result.traces, job.result.clusters], [null, 60, 3])
      const { clusters: listed, computed_at: computedAt } = (await own.get('/v1/clusters')).json()
      assert.equal(listed.length, 3)
      const [first] = listed
      assert.deepEqual(Object.keys(first), [
        'id',
        'kind',
        'label',
        'description',
        'size',
        'color',
        'keywords',
        'error_rate',
        'first_seen_at',
        'judged',
        'parent',
        'selection_id',
        'automatic_label',
        'typical_request',
        'other_request',
        'tightness',
        'mixed',
      ])
      const detail = (await own.get(`/v1/clusters/${first.id}`)).json()
      assert.deepEqual(detail.cluster, first)
      assert.equal(detail.computed_at, computedAt)
      assert.ok(detail.centroid.every((part: unknown) => typeof part === 'number'))
      const [typical] = detail.representative_traces
      assert.deepEqual(Object.keys(typical), ['id', 'name', 'request', 'similarity'])
      assert.equal(typical.request, clusters.traces.asked(typical.id))
      assert.equal(first.typical_request, typical.request)
      const of = async (id: string, more = '') =>
        (await own.get(`/v1/clusters?trace_id=${id}${more}`)).json().clusters.map((one: { id: string }) => one.id)
      for (const id of ids.slice(0, 3)) {
        const body = Buffer.from('{"name":"listed"}')
        await world.traces.commit({ projectId: world.ownProject, body, idempotencyKey: null }, id)
        const holding = listed.filter((one: { typical_request: string }) =>
          TOPICS.some((topic) => clusters.traces.asked(id)?.startsWith(topic) && one.typical_request.startsWith(topic)),
        )
        assert.equal(holding.length, 1)
        assert.deepEqual(await of(id), [holding[0].id])
        assert.deepEqual(await of(id, '&kind=failures'), [])
      }
      const inNone = await world.traces.commit({
        projectId: world.ownProject,
        body: Buffer.from('{}'),
        idempotencyKey: null,
      })
      assert.deepEqual(await of(inNone.id), [])
      const map = (await own.get('/v1/clusters/map?limit=50000')).json()
      assert.deepEqual(map.points.map((point: { trace_id: string }) => point.trace_id).toSorted(), ids)
      assert.equal((await own.get('/v1/clusters/map?limit=4')).json().points.length, 4)
      await clusters.discover()
      const page = (await own.get('/v1/clusters/runs?limit=1')).json()
      assert.equal(page.runs.length, 1)
      const rest = (await own.get(`/v1/clusters/runs?cursor=${page.next_cursor}`)).json()
      assert.deepEqual([rest.runs.length, rest.runs[0].id, rest.next_cursor], [1, jobId, null])
      assert.equal(rest.runs[0].clusters[0].size, 20)
      const jobs = (await own.get('/v1/clusters/discover?limit=1')).json()
      assert.notEqual(jobs.jobs[0].id, jobId)
      const older = (await own.get(`/v1/clusters/discover?cursor=${jobs.next_cursor}`)).json()
      assert.deepEqual(older, { jobs: [job], next_cursor: null })
    })

    test('a schedule is set as a whole', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const set = await own.send('PUT', '/v1/clusters/schedule', {
        enabled: true,
        every_hours: 6,
        k_max: 20,
        failure_by: 'metadata:reward=0',
      })
      assert.equal(set.status, 200)
      const { next_run_at: next, ...rest } = set.json()
      assert.deepEqual(rest, {
        enabled: true,
        every_hours: 6,
        window_hours: 24,
        k_min: 2,
        k_max: 20,
        only_complete: false,
        failure_by: 'metadata:reward=0',
      })
      assert.notEqual(next, null)
      assert.deepEqual((await own.get('/v1/clusters/schedule')).json(), set.json())
      const off = await own.send('PUT', '/v1/clusters/schedule', { enabled: false })
      assert.deepEqual([off.json().every_hours, off.json().k_max, off.json().next_run_at], [24, 12, null])
    })

    test('invalid bodies are refused by field', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      for (const [body, pointer] of [
        [{ window_hours: 0 }, '/window_hours'],
        [{ window_hours: 721 }, '/window_hours'],
        [{ k_min: 1 }, '/k_min'],
        [{ k_max: 51 }, '/k_max'],
        [{ k_min: 13 }, '/k_min'],
        [{ k_min: 6, k_max: 5 }, '/k_min'],
        [{ k: 5 }, '/k'],
        [{ failure_by: 'reward' }, '/failure_by'],
        [{ failure_by: 'metric:solved' }, '/failure_by'],
        [{ failure_by: '' }, '/failure_by'],
      ] as const) {
        for (const [method, path, more] of [
          ['POST', '/v1/clusters/discover', {}],
          ['PUT', '/v1/clusters/schedule', { enabled: true }],
        ] as const) {
          const answer = await own.send(method, path, { ...more, ...body })
          assert.equal(answer.status, 422, JSON.stringify(body))
          assert.equal(answer.json().errors[0].pointer, pointer)
        }
      }
      assert.equal((await own.get('/v1/clusters/map?limit=0')).status, 422)
      assert.equal((await own.get('/v1/clusters/runs?cursor=x')).status, 422)
      assert.equal((await own.get('/v1/clusters/discover?cursor=x')).status, 422)
      assert.equal((await own.get('/v1/traces?cluster=abc')).status, 422)
      assert.equal((await own.get('/v1/clusters?trace_id=abc')).status, 422)
    })

    test('a cluster is renamed and reset', async (context) => {
      const { world, clusters } = await discovering(context)
      clusters.addTraces(60, (index) => `${TOPICS[index % 3]} ${index}`)
      const send = await open(world.app)
      const own = client(send)
      await clusters.discover()
      const [{ id, label }] = (await own.get('/v1/clusters')).json().clusters
      const path = `/v1/clusters/${id}`
      const renamed = await own.send('PATCH', path, { label: 'Refunds' })
      assert.equal(renamed.status, 200)
      assert.deepEqual(
        [renamed.json().cluster.label, renamed.json().cluster.automatic_label, renamed.json().failure_by],
        ['Refunds', label, 'status'],
      )
      assert.deepEqual((await own.get(path)).json(), renamed.json())
      const listed = (await own.get('/v1/clusters')).json()
      assert.deepEqual(listed.clusters[0], renamed.json().cluster)
      assert.equal(listed.failure_by, 'status')
      for (const body of [{}, { label: '' }, { label: ' ' }, { label: 7 }, { label: 'x', color: 'ok' }])
        assert.equal((await own.send('PATCH', path, body)).status, 422, JSON.stringify(body))
      assert.equal((await client(send, 'reader').send('PATCH', path, { label: 'x' })).status, 403)
      assert.equal((await client(send, 'foreign').send('PATCH', path, { label: 'x' })).status, 404)
      const reset = await own.send('PATCH', path, { label: null })
      assert.deepEqual([reset.json().cluster.label, reset.json().cluster.automatic_label], [label, null])
    })

    test('another project sees none of it, and scopes are enforced', async (context) => {
      const { world, clusters } = await discovering(context)
      clusters.addTraces(60, (index) => `${TOPICS[index % 3]} ${index}`)
      const send = await open(world.app)
      const job = await clusters.discover()
      const [cluster] = (await client(send).get('/v1/clusters')).json().clusters
      const foreign = client(send, 'foreign')
      assert.deepEqual((await foreign.get('/v1/clusters')).json().clusters, [])
      assert.deepEqual((await foreign.get('/v1/clusters/discover')).json().jobs, [])
      for (const path of [`/v1/clusters/${cluster.id}`, `/v1/clusters/discover/${job.id}`, '/v1/clusters/clu_x']) {
        assert.equal((await foreign.get(path)).status, 404, path)
      }
      const [traceId] = await clusters.membersOf(cluster.id)
      const ofTrace = `/v1/clusters?trace_id=${traceId}`
      assert.equal((await client(send).get(ofTrace)).status, 404)
      const body = Buffer.from('{"name":"x"}')
      await world.traces.commit({ projectId: world.ownProject, body, idempotencyKey: null }, traceId)
      assert.equal((await client(send).get(ofTrace)).json().clusters[0].id, cluster.id)
      assert.equal((await foreign.get(ofTrace)).status, 404)
      const reader = client(send, 'reader')
      assert.equal((await reader.get(`/v1/clusters/${cluster.id}`)).status, 200)
      assert.equal((await reader.send('POST', '/v1/clusters/discover', {})).status, 403)
      assert.equal((await reader.send('PUT', '/v1/clusters/schedule', { enabled: false })).status, 403)
      assert.equal((await client(send, 'writer').get('/v1/clusters')).status, 403)
    })

    test('the list of traces can be filtered by a cluster', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const cluster = world.ids.newId('clu')
      await own.get(`/v1/traces?cluster=${cluster}`)
      assert.equal(world.traces.lastQuery?.cluster, cluster)
      await own.get('/v1/traces')
      assert.equal(world.traces.lastQuery?.cluster, null)
    })
  })
}
