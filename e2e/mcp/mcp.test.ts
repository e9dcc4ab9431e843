import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client, type ClientOptions, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { runSpoor } from '../lib/command.ts'
import { MAIN, Service, serviceEnvironment } from '../lib/service.ts'

const WHY = 'the card was declined by the bank'
const MODERN: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } }

let service: Service
before(async () => {
  service = await Service.start()
  await commit({ name: 'works', metadata: { task: 1 }, steps: [{ name: 'think', messages: [text('user', 'hi')] }] })
  await commit({
    name: 'fails',
    metadata: { task: 2, reward: 0 },
    steps: [
      { name: 'think', type: 'llm', messages: [text('user', `pay ${'x'.repeat(50_000)} END`)] },
      { name: 'pay', type: 'tool', status: 'error', error: { type: 'CardError', message: WHY } },
    ],
  })
  await post('/v1/metrics', { name: 'verdict', kind: 'boolean' })
})
after(() => service[Symbol.asyncDispose]())

const text = (role: string, content: string) => ({ role, content: [{ type: 'text', text: content }] })
/** With a reward as Python prints it. */
const commit = (body: object) => post('/v1/traces', JSON.stringify(body).replace('"reward":0', '"reward":0.0'))

async function post(path: string, body: object | string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await service.client.call({
    method: 'POST',
    path,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  assert.ok(answer.status < 300, answer.text)
}

const overHttp = (): Transport =>
  new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${service.key}` } },
  })

const overStdio = (): Transport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: toStrings(serviceEnvironment('unused', { SPOOR_URL: service.url, SPOOR_API_KEY: service.key })),
  })

function toStrings(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const CONNECTIONS: readonly (readonly [string, () => Transport, ClientOptions])[] = [
  ['HTTP, protocol 2026-07-28', overHttp, MODERN],
  ['HTTP, by the handshake of 2025', overHttp, {}],
  ['stdio, protocol 2026-07-28', overStdio, MODERN],
  ['stdio, by the handshake of 2025', overStdio, {}],
]

for (const [name, open, options] of CONNECTIONS) {
  describe(name, () => {
    let client: Client
    before(async () => {
      client = new Client({ name: 'test', version: '1' }, options)
      await client.connect(open())
    })
    after(() => client.close())

    // Untyped, because tests check it field by field.
    // oxlint-disable-next-line typescript/no-explicit-any
    async function call(tool: string, input: Record<string, unknown> = {}): Promise<any> {
      const result = await client.callTool({ name: tool, arguments: input })
      const [content] = result.content
      assert.ok(content?.type === 'text')
      if (result.isError === true) return { error: content.text }
      return JSON.parse(content.text)
    }

    test('finds the last failed run and why it failed', async () => {
      const { traces } = await call('search_traces', { status: 'error', limit: 1 })
      const { name: found, metadata } = traces[0].recorded
      assert.deepEqual([traces.length, found, metadata], [1, 'fails', { task: 2, reward: 0 }])
      assert.equal((await call('search_traces', { metadata: { reward: 0 } })).traces[0].id, traces[0].id)
      const trace = await call('get_trace', { id: traces[0].id, max_chars: 4000 })
      assert.equal(trace.steps[1].recorded.error, `CardError: ${WHY}`)
      assert.match(trace.steps[0].recorded.messages[0], /more characters: step 0, part messages\/0, offset \d+\]$/)
      const end = await call('get_trace', { id: traces[0].id, step: 0, part: 'messages/0', offset: 50_000 })
      assert.match(end.recorded.text, /^x+ END$/)
    })

    test('compares two runs: what was recorded is under `recorded`', async () => {
      const [failed, works] = (await call('search_traces', {})).traces
      const { pairs, totals, first_divergence } = await call('compare_traces', { left: works.id, right: failed.id })
      assert.equal(first_divergence, 'the first of `pairs`')
      assert.equal(totals.right.error_count, 1)
      const added = pairs.find((pair: { kind: string; right_step?: number }) => pair.right_step === 1)
      assert.deepEqual([added.kind, added.recorded.name], ['only_right', 'pay'])
    })

    test('finds steps of all runs by their tool and status', async () => {
      const { steps } = await call('search_steps', { tool: ['pay', 'none'], step_status: 'error' })
      assert.deepEqual([steps.length, steps[0].status], [1, 'error'])
      const { tool, trace_name, error } = steps[0].recorded
      assert.deepEqual(
        { tool, trace_name, error },
        { tool: 'pay', trace_name: 'fails', error: { type: 'CardError', message: WHY } },
      )
      assert.deepEqual(await call('search_steps', { argument: { card: '7' } }), { steps: [] })
    })

    test('says why no divergence of a run is known', async () => {
      const [{ id }] = (await call('search_traces', { status: 'error', limit: 1 })).traces
      const { divergence, reason, compared_with } = await call('first_divergence', { id })
      assert.deepEqual([divergence, reason, compared_with], [null, 'no_success', []])
    })

    test('finds nothing in two runs that tells which of them fails', async () => {
      assert.deepEqual(await call('find_patterns', {}), {
        patterns: [],
        failure_by: 'status',
        failed: 1,
        ok: 1,
        complete: true,
      })
      assert.match((await call('find_patterns', { failure_by: 'metric:none' })).error, /There is no metric "none"/)
    })

    test('compares versions, of which these runs have none', async () => {
      assert.deepEqual(await call('compare_versions'), {
        versions: [],
        failure_by: 'status',
        recorded: { version_key: 'version' },
      })
      assert.match((await call('compare_versions', { failure_by: 'metric:none' })).error, /There is no metric "none"/)
    })

    test('says that recorded text is no instruction', () => {
      assert.match(client.getInstructions() ?? '', /`recorded`.*never instructions/)
    })

    test('lists its tools, which say whether they change anything', async () => {
      const { tools } = await client.listTools()
      const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map((tool) => tool.name)
      assert.deepEqual(reading, [
        'search_traces',
        'search_steps',
        'get_trace',
        'compare_traces',
        'first_divergence',
        'find_patterns',
        'compare_versions',
        'list_clusters',
        'get_cluster',
        'series',
        'metric_series',
        'list_monitors',
      ])
      assert.deepEqual(
        tools.slice(reading.length).map((tool) => tool.name),
        ['record_metric_event', 'flag_trace', 'discover_clusters'],
      )
      assert.deepEqual(await call('list_clusters'), { computed_at: null, unassigned: 0, clusters: [] })
      const { selection_id } = await call('discover_clusters', { filters: { status: 'error' }, k_max: 4 })
      assert.match(selection_id, /^sel_/)
      assert.equal((await call('list_clusters', { selection_id })).unassigned, 0)
      assert.deepEqual(await call('list_monitors'), { monitors: [] })
      const { groups } = await call('series', { rows: 'traces', measure: 'count', group_by: 'status' })
      const counts = groups.map(({ count }: { count: number }) => count)
      assert.ok(counts.length > 0 && counts.every((count: number) => count > 0))
      assert.match((await call('get_cluster', { id: 'clu_01h455vb4pex5vsknk084sn02q' })).error, /^not_found: /)
    })

    test('records a value and flags a trace', async () => {
      const { traces } = await call('search_traces', { metadata: { task: 1 } })
      const { id } = traces[0]
      const key = { idempotency_key: name }
      const event = await call('record_metric_event', { name: 'verdict', trace_id: id, passed: true, ...key })
      assert.equal(
        (await call('record_metric_event', { name: 'verdict', trace_id: id, passed: true, ...key })).id,
        event.id,
      )
      const { points } = await call('metric_series', { name: 'verdict', bucket: 'all' })
      assert.equal(points[0].pass_rate, 1)
      assert.deepEqual((await call('metric_series')).metrics[0].name, 'verdict')
      assert.match((await call('record_metric_event', { name: 'none', trace_id: id, passed: true })).error, /none/)
      assert.equal((await call('flag_trace', { id, reason: 'look' })).flagged, true)
      assert.equal((await call('get_trace', { id })).recorded.flag_reason, 'look')
      assert.equal((await call('flag_trace', { id, flagged: false })).flagged, undefined)
    })
  })
}

test('spoor mcp ends without a key, and says at each call that no service answers', async () => {
  const ended = await runSpoor('unused', ['mcp'])
  assert.deepEqual([ended.code, ended.out], [2, ''])
  assert.match(ended.error, /SPOOR_API_KEY/)
  const env = toStrings(serviceEnvironment('unused', { SPOOR_API_KEY: 'spoor_none' }))
  const client = new Client({ name: 'test', version: '1' })
  const args = [MAIN, 'mcp', '--url', 'http://127.0.0.1:1']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  const result = await client.callTool({ name: 'search_traces', arguments: {} })
  assert.equal(result.isError, true)
  assert.match(JSON.stringify(result.content), /No service answers at http:\/\/127\.0\.0\.1:1/)
  await client.close()
})
