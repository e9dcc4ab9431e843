import assert from 'node:assert/strict'
import type { Answer, Call, Client } from '../lib/client.ts'
import { fillPath } from '../lib/live-operations.ts'
import { servePath, signedUrlPath, uploadCall } from '../lib/media/media.ts'
import { createKey, firstProjectId } from '../lib/projects.ts'
import { openTail } from '../lib/tail.ts'
import { callClusters } from './cluster-calls.ts'
import type { ContractChecker } from './contract-checker.ts'
import { callMonitors } from './monitor-calls.ts'
import { callSessions } from './session-calls.ts'
import { callWebhooks } from './webhook-calls.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const LINES = { 'content-type': 'application/x-ndjson' }
const NOWHERE = 'tr_01h2xcejqtf2nbrexx3vqjhp41'
const IMPORTED = 'tr_01h2xcejqtf2nbrexx3vqjhp43'
const NO_STEP = 'st_01h2xcejqtf2nbrexx3vqjhp42'
const NO_PROJECT = 'proj_01h2xcejqtf2nbrexx3vqjhp41'

export interface Called {
  /** Of a service without data, whose key has all scopes. */
  readonly client: Client
  /** Texts that the settings must not show. */
  readonly hidden: readonly string[]
}

/** Calls every operation so that each documented answer occurs that one client alone can cause. */
export async function callEverything(called: Called, checker: ContractChecker): Promise<void> {
  const scenario = new Scenario(called, checker)
  await scenario.commit()
  await scenario.append()
  await scenario.read()
  await scenario.parts()
  await scenario.list()
  await scenario.sessionsAndUsers()
  await scenario.metrics()
  await scenario.series()
  await scenario.steps()
  await scenario.change()
  await scenario.media()
  await scenario.prices()
  await scenario.views()
  await scenario.dashboards()
  await scenario.tail()
  await scenario.monitors()
  await scenario.webhooks()
  await scenario.clusters()
  await scenario.facets()
  await scenario.senders()
  await scenario.settings()
  await scenario.projectsAndKeys()
  await scenario.deletions()
  await callSessions(checker, called.client)
  await scenario.publicPaths()
  await scenario.heads()
}

class Scenario {
  readonly checker: ContractChecker
  readonly #client: Client
  readonly #hidden: readonly string[]
  #traceId = ''

  constructor({ client, hidden }: Called, checker: ContractChecker) {
    this.#client = client
    this.#hidden = hidden
    this.checker = checker
  }

  async commit(): Promise<void> {
    const full = {
      name: 'everything',
      run_type: 'eval',
      session_id: 's',
      user_id: 'u',
      status: 'error',
      metadata: { a: 1, b: { c: [null, true, 'x'] } },
      started_at: '2026-01-31T12:00:00Z',
      ended_at: '2026-01-31T12:00:01.5+01:00'.replace('12', '13'),
      steps: [
        { name: 'bare' },
        {
          name: 'full',
          type: 'llm',
          model: 'm',
          status: 'error',
          error: { type: 'T', message: 'M' },
          token_usage: { input: 3, output: 2, cache_read: 1, cache_write: 1, reasoning: 1 },
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'word' },
                { type: 'x', y: 1 },
              ],
            },
          ],
          metadata: { k: 'v' },
          idempotency_key: 'k',
          id: 'st_01h2xcejqtf2nbrexx3vqjhp41',
          started_at: '2026-01-31T12:00:00Z',
          ended_at: '2026-01-31T12:00:00.25Z',
        },
      ],
    }
    this.#traceId = (await this.#post(full, 202, { 'idempotency-key': 'one' })).json<{ id: string }>().id
    await this.#post(full, 202, { 'idempotency-key': 'one' })
    await this.#post({ name: 'other' }, 409, { 'idempotency-key': 'one' })
    for (let i = 0; i < 3; i++) await this.#post({ name: `bare ${i}` }, 202)
    await this.#post({ resourceSpans: [] }, 200)
    // A span without an id is refused alone.
    const spans = [{ traceId: 'ab'.repeat(16), name: 'x', startTimeUnixNano: '1', endTimeUnixNano: '2' }]
    const partial = await this.#post({ resourceSpans: [{ scopeSpans: [{ spans }] }] }, 200)
    assert.equal(partial.json<{ partialSuccess: { rejectedSpans: string } }>().partialSuccess.rejectedSpans, '1')
    await this.#post('{', 400)
    await this.#post(Buffer.from('{"name":"\xff"}', 'latin1'), 400)
    await this.#post({ nam: 'typo', steps: [{ name: 1, type: 'not a slug' }] }, 422)
    await this.#post(Buffer.alloc(17 * 1024 * 1024, 0x20), 413)
    await this.#post('{}', 415, { 'content-type': 'text/plain' })
    await this.#refuseAccess({ method: 'POST', path: '/v1/traces', headers: JSON_BODY, body: '{"name":"x"}' }, ['read'])
  }

  async append(): Promise<void> {
    const path = `/v1/traces/${this.#traceId}/steps`
    const send = (body: string, headers = {}, at = path) =>
      this.checker.call(this.#client, { method: 'POST', path: at, headers: { ...LINES, ...headers }, body })
    assert.equal((await send('{"name":"a"}\n\n{"name":"b"}\n')).status, 200)
    assert.equal((await send('{"name":"a"}\nnot json\n{"name":1}\n{"nme":1}\n')).status, 207)
    const again =
      '{"name":"k","idempotency_key":"k1"}\n{"name":"k","idempotency_key":"k1"}\n{"name":"l","idempotency_key":"k1"}'
    assert.equal((await send(again)).status, 207)
    assert.equal((await send('{"name":"c"}\nbad', { accept: 'application/x-ndjson' })).status, 200)
    assert.equal((await send('')).status, 200)
    assert.equal((await send('{"name":"a"}', {}, `/v1/traces/${NOWHERE}/steps`)).status, 404)
    assert.equal((await send('[]', JSON_BODY)).status, 415)
    // Refused by its announced length.
    const tooLong = await announce(this.#client, path, 257 * 1024 * 1024)
    this.checker.check('POST', path, tooLong)
    assert.equal(tooLong.status, 413)
    await this.#refuseAccess({ method: 'POST', path, headers: LINES, body: '{"name":"x"}' }, ['read'])
  }

  async read(): Promise<void> {
    const path = `/v1/traces/${this.#traceId}`
    await this.#get(path, 200)
    await this.#get(`${path}/steps`, 200)
    const page = await this.#get(`${path}/steps?limit=2`, 200)
    await this.#get(`${path}/steps?limit=2&cursor=${page.json<{ next_cursor: string }>().next_cursor}`, 200)
    await this.#get(`${path}/steps?cursor=junk`, 422)
    await this.#get(`${path}?include=`, 200)
    await this.#get(`${path}?include=steps,metric_events`, 200)
    await this.#get(`${path}?include=everything`, 422)
    for (const missing of [NOWHERE, 'junk']) {
      await this.#get(`/v1/traces/${missing}`, 404)
      await this.#get(`/v1/traces/${missing}/steps`, 404)
    }
    const comparison = `/v1/traces/compare?left=${path.split('/').at(-1)}&right=`
    await this.#get(comparison + path.split('/').at(-1), 200)
    await this.#get(comparison + NOWHERE, 404)
    await this.#get('/v1/traces/compare', 422)
    await this.#refuseAccess({ path: comparison + NOWHERE }, ['ingest'])
    await this.#get('/v1/patterns?status=error', 200)
    await this.#get('/v1/patterns?failure_by=luck', 422)
    await this.#refuseAccess({ path: '/v1/patterns' }, ['ingest'])
    await this.#get('/v1/versions?status=error&limit=3', 200)
    await this.#get('/v1/versions?failure_by=luck', 422)
    await this.#refuseAccess({ path: '/v1/versions' }, ['ingest'])
    const [step] = page.json<{ steps: { id: string }[] }>().steps
    for (const insight of ['divergence', 'similar', `origins?step_id=${step?.id}`]) {
      await this.#get(`${path}/${insight}`, 200)
      await this.#get(`/v1/traces/${NOWHERE}/${insight}`, 404)
      await this.#get(`${path}/${insight.split('?')[0]}?junk=1`, 422)
      await this.#refuseAccess({ path: `${path}/${insight}` }, ['ingest'])
    }
    const place = `/v1/steps/${step?.id}`
    assert.equal((await this.#get(place, 200)).json<{ trace_id: string }>().trace_id, this.#traceId)
    for (const missing of [NO_STEP, 'junk']) await this.#get(`/v1/steps/${missing}`, 404)
    await this.#refuseAccess({ path }, ['ingest'])
    await this.#refuseAccess({ path: place }, ['ingest'])
    await this.#refuseAccess({ path: `${path}/steps` }, ['ingest'])
  }

  async parts(): Promise<void> {
    const at = (id: string) => `/v1/traces/${id}/parts`
    const { parts } = (await this.#get(at(this.#traceId), 200)).json<{ parts: [Record<string, unknown>] }>()
    await this.#get(`${at(this.#traceId)}?cursor=junk`, 422)
    await this.#get(at(NOWHERE), 404)
    await this.#refuseAccess({ path: at(NOWHERE) }, ['ingest'])
    const [part] = parts
    const put = async (body: string | Buffer | object, status: number, id = IMPORTED, headers = JSON_BODY) => {
      const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
      const call = { method: 'PUT', path: `/v1/traces/${id}`, headers, body: sent }
      const answer = await this.checker.call(this.#client, call)
      assert.equal(answer.status, status, answer.text)
    }
    await put(part, 202, this.#traceId)
    await put({ ...part, flag_reason: 'other' }, 409, this.#traceId)
    await put({ id: IMPORTED, from: 0, flagged: false, flag_reason: null, trace: { name: 'imported' } }, 202)
    await put({ ...part, id: IMPORTED, from: -1 }, 422)
    await put(part, 422)
    await put(part, 404, 'junk')
    await put('{', 400)
    await put(Buffer.from('{"id":"\xff"}', 'latin1'), 400)
    await put(Buffer.alloc(17 * 1024 * 1024, 0x20), 413)
    await put('{}', 415, IMPORTED, { 'content-type': 'text/plain' })
    const call = { method: 'PUT', path: `/v1/traces/${IMPORTED}`, headers: JSON_BODY, body: '{}' }
    await this.#refuseAccess(call, ['ingest'])
  }

  async list(): Promise<void> {
    const first = await this.#get('/v1/traces?limit=2', 200)
    await this.#get(`/v1/traces?limit=2&cursor=${first.json<{ next_cursor: string }>().next_cursor}`, 200)
    const filters =
      'status=error&flagged=true&run_type=eval&model=m&model=n&not_model=x&error_type=T&error_type=E&name=everything&session_id=s&user_id=u&meta_key=a&meta_value=1&q=word&start_time=2020-01-01'
    const found = await this.#get(`/v1/traces?${filters}`, 200)
    assert.equal(found.json<{ traces: unknown[] }>().traces.length, 1, found.text)
    for (const value of [
      'metric=m',
      'passed=true',
      'min_cost_usd=0.01&max_cost_usd=5',
      'metric_values=m&metric_values=n',
      'min_value=0.5&max_value=1',
      'option=o',
      'event_start_time=2020-01-01&event_end_time=2030-01-31T12:00:00Z',
    ]) {
      await this.#get(`/v1/traces?${value}`, 200)
    }
    for (const sort of ['duration_ms', 'total_tokens', 'step_count', 'cost_usd', 'created_at']) {
      for (const order of ['asc', 'desc']) await this.#get(`/v1/traces?sort=${sort}&order=${order}`, 200)
    }
    for (const wrong of [
      'limit=0',
      'sort=name',
      'nme=1',
      'meta_value=1',
      'cursor=junk',
      'q=',
      'start_time=soon',
      'event_end_time=2026-02-31',
    ]) {
      await this.#get(`/v1/traces?${wrong}`, 422)
    }
    await this.#refuseAccess({ path: '/v1/traces' }, ['ingest'])
  }

  async series(): Promise<void> {
    const traces = '/v1/traces/series'
    for (const measure of ['count', 'error_rate', 'duration_ms', 'total_tokens', 'cost_usd']) {
      for (const more of ['', '&group_by=model', '&bucket=1w&group_by=metadata.a&status=error']) {
        const answer = await this.#get(`${traces}?measure=${measure}${more}`, 200)
        assert.notDeepEqual(answer.json<{ points: unknown[] }>().points, [], answer.text)
      }
    }
    await this.#get(`${traces}?measure=speed`, 422)
    await this.#refuseAccess({ path: `${traces}?measure=count` }, ['ingest'])
    for (const name of ['re/ward', 'enum', 'boolean']) {
      const since = '2026-01-01T00:00:00Z'
      const path = `/v1/metrics/${encodeURIComponent(name)}/series?start_time=${since}&bucket=1d&group_by=source`
      const answer = await this.#get(path, 200)
      assert.notDeepEqual(answer.json<{ points: unknown[] }>().points, [], answer.text)
    }
    const metric = '/v1/metrics/none/series'
    await this.#get(metric, 404)
    await this.#get(`${metric}?bucket=1x`, 422)
    await this.#refuseAccess({ path: metric }, ['ingest'])
  }

  async change(): Promise<void> {
    const path = `/v1/traces/${this.#traceId}`
    const patch = (body: string | Buffer, headers: Record<string, string> = JSON_BODY, at = path) =>
      this.checker.call(this.#client, { method: 'PATCH', path: at, headers, body })
    assert.equal((await patch('{"flagged":true,"reason":"why","status":"error"}')).status, 200)
    assert.equal((await patch('{')).status, 400)
    assert.equal((await patch('{"reason":"alone"}')).status, 422)
    assert.equal((await patch('{}', { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await patch(Buffer.alloc(2 * 1024 * 1024, 0x20))).status, 413)
    assert.equal((await patch('{"flagged":true}', JSON_BODY, `/v1/traces/${NOWHERE}`)).status, 404)
    await this.#refuseAccess({ method: 'PATCH', path, headers: JSON_BODY, body: '{"flagged":true}' }, ['read'])
    await this.#refuseAccess({ method: 'DELETE', path }, ['read'])
    const remove = (query = '') => this.checker.call(this.#client, { method: 'DELETE', path: path + query })
    const restore = () => this.checker.call(this.#client, { method: 'POST', path: `${path}/restore` })
    assert.deepEqual(
      [(await remove('?grace_seconds=0')).status, (await remove('?grace_seconds=3600')).status],
      [422, 204],
    )
    await this.#refuseAccess({ method: 'POST', path: `${path}/restore` }, ['ingest'])
    assert.deepEqual([(await restore()).status, (await restore()).status], [200, 404])
    assert.deepEqual([(await remove()).status, (await remove()).status], [204, 404])
    await this.#get(path, 404)
  }

  async media(): Promise<void> {
    const step = { name: 's', id: 'st_01h2xcejqtf2nbrexx3vqjhp42' }
    const trace_id = (await this.#post({ name: 'media', steps: [step] }, 202)).json<{ id: string }>().id
    const fields = { trace_id, step_id: step.id, kind: 'file' }
    const file = { content: 'what happened' }
    const send = (call: Call) => this.checker.call(this.#client, call)
    const made = await send(uploadCall(fields, file))
    assert.equal(made.status, 201, made.text)
    const { uri } = made.json<{ uri: string }>()
    const form = uploadCall(fields, file)
    const big = { 'content-length': String(3 * 1024 ** 3), expect: '100-continue' }
    for (const [call, status] of [
      [uploadCall({ ...fields, extra: 'x' }, file), 422],
      [uploadCall({ ...fields, trace_id: NOWHERE }, file), 404],
      [{ ...form, body: 'no form' }, 400],
      [{ ...form, headers: JSON_BODY }, 415],
      [{ method: 'POST', path: form.path, headers: { ...form.headers, ...big } }, 413],
    ] as const) {
      assert.equal((await send(call)).status, status)
    }
    await this.#refuseAccess(form, ['read'])
    await this.#get(`/v1/traces/${trace_id}`, 200)
    await this.#get(`/v1/traces/${trace_id}/steps`, 200)
    const path = servePath(uri)
    const missing = servePath(`${uri.slice(0, -1)}${uri.endsWith('0') ? '1' : '0'}`)
    for (const [target, headers, status] of [
      [path, {}, 200],
      [path, { range: 'bytes=0-3' }, 206],
      [path, { 'if-none-match': '*' }, 304],
      [path, { range: 'bytes=99-' }, 416],
      [missing, {}, 404],
      [servePath('media://x'), {}, 422],
    ] as const) {
      assert.equal((await send({ path: target, headers })).status, status, target)
      // HEAD has no ranges.
      const head = await send({ method: 'HEAD', path: target, headers })
      assert.equal(head.status, status === 206 || status === 416 ? 200 : status)
    }
    await this.#refuseAccess({ path }, ['ingest'])
    await this.#refuseAccess({ method: 'HEAD', path }, ['ingest'])

    const sign = signedUrlPath(fields, 'signed')
    const signed = await this.#get(sign, 200)
    await this.#get(signedUrlPath({ ...fields, trace_id: NOWHERE }, 'signed'), 404)
    await this.#get(`${sign}&x=1`, 422)
    assert.equal((await send({ path: sign, headers: { origin: 'http://x.test' } })).status, 403)
    await this.#refuseAccess({ path: sign }, ['read'])
    const { pathname } = new URL(signed.json<{ url: string }>().url)
    // Else it is of the bucket.
    if (pathname.startsWith('/v1/media/direct/')) await this.#putDirect(pathname, sign)
    else await send({ method: 'DELETE', path: `/v1/traces/${trace_id}` })
  }

  /** `sign`: path that answers a further URL for the same trace. */
  async #putDirect(direct: string, sign: string): Promise<void> {
    const put = (body: string, type = 'text/plain', at = direct) =>
      this.checker.call(this.#client.as(null), { method: 'PUT', path: at, headers: { 'content-type': type }, body })
    assert.equal((await put('singed')).status, 422)
    assert.equal((await put('signed', ';')).status, 415)
    assert.equal((await put('signed')).status, 201)
    assert.equal((await put('signed')).status, 403)
    assert.equal((await put('signed', 'text/plain', '/v1/media/direct/x')).status, 403)
    const late = new URL((await this.#get(sign, 200)).json<{ url: string }>().url).pathname
    const { trace_id: traceId } = Object.fromEntries(new URL(sign, this.#client.url).searchParams)
    await this.checker.call(this.#client, { method: 'DELETE', path: `/v1/traces/${traceId}` })
    assert.equal((await put('signed', 'text/plain', late)).status, 404)
  }

  async metrics(): Promise<void> {
    const send = (method: string, path: string, body: string | Buffer, headers: Record<string, string> = JSON_BODY) =>
      this.checker.call(this.#client, { method, path, headers, body })
    const expect = async (status: number, answer: Promise<Answer>) => {
      const { status: found, text } = await answer
      assert.equal(found, status, text)
    }
    const metrics = '/v1/metrics'
    const one = `${metrics}/${encodeURIComponent('re/ward')}`
    const definition = { name: 're/ward', kind: 'numeric', min: 0, max: 1, unit: 'points', direction: 'higher' }
    await expect(201, send('POST', metrics, JSON.stringify(definition)))
    await expect(200, send('POST', metrics, JSON.stringify(definition)))
    await expect(409, send('POST', metrics, JSON.stringify({ ...definition, max: 2 })))
    for (const extra of [
      { kind: 'boolean' },
      { kind: 'enum', options: [{ value: 'a', label: 'A' }, { value: 'b' }] },
    ]) {
      await expect(201, send('POST', metrics, JSON.stringify({ name: extra.kind, ...extra })))
    }
    await expect(200, send('PATCH', one, '{"max":null,"description":"d"}'))
    await expect(404, send('PATCH', `${metrics}/nowhere`, '{"unit":"s"}'))
    for (const [method, path] of [
      ['POST', metrics],
      ['PATCH', one],
    ] as const) {
      await expect(400, send(method, path, '{'))
      await expect(413, send(method, path, Buffer.alloc(2 * 1024 * 1024, 0x20)))
      await expect(415, send(method, path, '{}', { 'content-type': 'text/plain' }))
      await expect(422, send(method, path, '{"max":"x"}'))
      await this.#refuseAccess({ method, path, headers: JSON_BODY, body: '{}' }, ['read'])
    }
    for (const path of [metrics, one, `${metrics}/events`]) await this.#refuseAccess({ path }, ['ingest'])
    await this.#get(`${metrics}?limit=1`, 200)
    await this.#get(`${metrics}?limit=0`, 422)
    await this.#get(one, 200)
    await this.#get(`${metrics}/nowhere`, 404)

    const events = `${metrics}/events`
    const event = { name: 're/ward', trace_id: this.#traceId, value: 0.5, source: 'code', idempotency_key: 'e' }
    const full = { ...event, comment: 'c', metadata: { a: 1 }, at: '2026-01-31T12:00:00Z', idempotency_key: 'f' }
    const tone = { name: 'enum', trace_id: this.#traceId, value: 'a' }
    const passed = { name: 'boolean', trace_id: this.#traceId, passed: false }
    for (const body of [event, full, tone, passed]) await expect(201, send('POST', events, JSON.stringify(body)))
    const wrong = await send('POST', events, JSON.stringify({ ...event, idempotency_key: 'g' }))
    const path = `${events}/${wrong.json<{ id: string }>().id}`
    await this.#refuseAccess({ method: 'DELETE', path }, ['read'])
    for (const status of [204, 404]) await expect(status, send('DELETE', path, '', {}))
    await expect(200, send('POST', events, JSON.stringify(event)))
    await expect(409, send('POST', events, JSON.stringify({ ...event, value: 1 })))
    await expect(400, send('POST', events, '{'))
    await expect(413, send('POST', events, Buffer.alloc(17 * 1024 * 1024, 0x20)))
    await expect(415, send('POST', events, '{}', { 'content-type': 'text/plain' }))
    for (const more of [{ name: 'x' }, { trace_id: NOWHERE }, { step_id: NO_STEP }, { value: 'x' }, { value: -1 }]) {
      await expect(422, send('POST', events, JSON.stringify({ ...event, ...more })))
    }
    await expect(422, send('POST', events, JSON.stringify({ ...tone, value: 'z' })))
    await expect(200, send('POST', events, JSON.stringify([passed, event])))
    await expect(207, send('POST', events, JSON.stringify([passed, {}, { ...passed, name: 'x' }])))
    await expect(200, send('POST', events, `${JSON.stringify(passed)}\n`, LINES))
    await expect(207, send('POST', events, `${JSON.stringify(passed)}\n{`, LINES))
    const streamed = { ...LINES, accept: 'application/x-ndjson' }
    await expect(200, send('POST', events, `${JSON.stringify(passed)}\n{`, streamed))
    await this.#refuseAccess({ method: 'POST', path: events, headers: JSON_BODY, body: '{}' }, ['read'])
    await this.#get(`${events}?name=boolean&limit=1`, 200)
    await this.#get(`${events}?cursor=x`, 422)
    await this.#get(`/v1/traces/${this.#traceId}`, 200)
  }

  async prices(): Promise<void> {
    const path = '/v1/prices/house%2Fmodel'
    const put = (body: string | Buffer, headers: Record<string, string> = JSON_BODY, at = path) =>
      this.checker.call(this.#client, { method: 'PUT', path: at, headers, body })
    const rates = '{"input_usd_per_million":1,"output_usd_per_million":2,"cache_read_usd_per_million":null}'
    const tooLong = `/v1/prices/${'m'.repeat(1001)}`
    assert.equal((await put(rates)).status, 200)
    assert.equal((await put('{')).status, 400)
    assert.equal((await put('{"input_usd_per_million":1}')).status, 422)
    assert.equal((await put(rates, { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await put(Buffer.alloc(2 * 1024 * 1024, 0x20))).status, 413)
    assert.equal((await put(rates, JSON_BODY, tooLong)).status, 404)
    await this.#refuseAccess({ method: 'PUT', path, headers: JSON_BODY, body: rates }, ['read'])
    const first = await this.#get('/v1/prices?limit=2', 200)
    await this.#get(`/v1/prices?cursor=${first.json<{ next_cursor: string }>().next_cursor}`, 200)
    await this.#get('/v1/prices?model=house%2Fmodel', 200)
    await this.#get('/v1/prices?cursor=%20', 422)
    await this.#refuseAccess({ path: '/v1/prices' }, ['ingest'])
    const priced = { name: 's', model: 'house/model', token_usage: { input: 5, output: 1 } }
    const unpriced = { ...priced, model: 'nobody knows it' }
    const { id } = (await this.#post({ name: 'priced', steps: [priced, unpriced] }, 202)).json<{ id: string }>()
    await this.#get(`/v1/traces/${id}`, 200)
    await this.#get(`/v1/traces/${id}/steps`, 200)
    await this.#refuseAccess({ method: 'DELETE', path }, ['read'])
    const remove = () => this.checker.call(this.#client, { method: 'DELETE', path })
    assert.deepEqual([(await remove()).status, (await remove()).status], [204, 404])
  }

  async dashboards(): Promise<void> {
    const write = (method: 'POST' | 'PATCH', path: string, body: string | Buffer, headers = JSON_BODY) =>
      this.checker.call(this.#client, { method, path, headers, body })
    const all = '/v1/dashboards'
    const { dashboards } = (await this.#get(all, 200)).json<{ dashboards: { id: string }[] }>()
    const path = `${all}/${dashboards[0]!.id}`
    assert.equal((await write('PATCH', path, '{"name":"a"}')).status, 200)
    const body =
      '{"name":"b","range":"7d","tiles":[{"x":0,"y":0,"w":6,"h":4,"view_id":"view_01h2xcejqtf2nbrexx3vqjhp41"}]}'
    assert.equal((await write('POST', all, body)).status, 201)
    assert.equal((await write('PATCH', `${all}/dash_01h2xcejqtf2nbrexx3vqjhp41`, '{"name":"c"}')).status, 404)
    for (const [method, at] of [
      ['POST', all],
      ['PATCH', path],
    ] as const) {
      assert.equal((await write(method, at, body)).status, 409)
      assert.equal((await write(method, at, '{')).status, 400)
      assert.equal((await write(method, at, '{"tiles":[{}]}')).status, 422)
      assert.equal((await write(method, at, '{}', { 'content-type': 'text/plain' })).status, 415)
      assert.equal((await write(method, at, Buffer.alloc(2 * 1024 * 1024, 0x20))).status, 413)
      await this.#refuseAccess({ method, path: at, headers: JSON_BODY, body: '{}' }, ['read'])
    }
    const first = await this.#get(`${all}?limit=1`, 200)
    await this.#get(`${all}?cursor=${first.json<{ next_cursor: string }>().next_cursor}`, 200)
    await this.#get(`${all}?cursor=%20`, 422)
    await this.#refuseAccess({ path: all }, ['ingest'])
    await this.#refuseAccess({ method: 'DELETE', path }, ['read'])
    const remove = () => this.checker.call(this.#client, { method: 'DELETE', path })
    assert.deepEqual([(await remove()).status, (await remove()).status], [204, 404])
  }

  async views(): Promise<void> {
    const write = (method: 'POST' | 'PATCH', path: string, body: string | Buffer, headers = JSON_BODY) =>
      this.checker.call(this.#client, { method, path, headers, body })
    const saved = await write('POST', '/v1/views', '{"name":"a","query":{"q":"x","metadata":{"k":null}}}')
    assert.equal(saved.status, 201)
    const path = `/v1/views/${saved.json<{ id: string }>().id}`
    assert.equal((await write('POST', '/v1/views', '{"name":"b","query":{},"display":{"range":"24h"}}')).status, 201)
    for (const [method, at] of [
      ['POST', '/v1/views'],
      ['PATCH', path],
    ] as const) {
      assert.equal((await write(method, at, '{"name":"b","query":{}}')).status, 409)
      assert.equal((await write(method, at, '{')).status, 400)
      assert.equal((await write(method, at, '{"query":{"colour":"red"}}')).status, 422)
      assert.equal((await write(method, at, '{}', { 'content-type': 'text/plain' })).status, 415)
      assert.equal((await write(method, at, Buffer.alloc(2 * 1024 * 1024, 0x20))).status, 413)
      await this.#refuseAccess({ method, path: at, headers: JSON_BODY, body: '{}' }, ['read'])
    }
    assert.equal((await write('PATCH', path, '{"name":"c"}')).status, 200)
    const first = await this.#get('/v1/views?limit=1', 200)
    await this.#get(`/v1/views?cursor=${first.json<{ next_cursor: string }>().next_cursor}`, 200)
    await this.#get('/v1/views?cursor=%20', 422)
    await this.#refuseAccess({ path: '/v1/views' }, ['ingest'])
    await this.#refuseAccess({ method: 'DELETE', path }, ['read'])
    const remove = () => this.checker.call(this.#client, { method: 'DELETE', path })
    assert.deepEqual([(await remove()).status, (await remove()).status], [204, 404])
    assert.equal((await write('PATCH', path, '{"name":"c"}')).status, 404)
  }

  async tail(): Promise<void> {
    const tail = await openTail(this.#client.url, this.#client.key as string, { 'last-event-id': '0' })
    await tail.until(({ events }) => events.length >= 3)
    tail.close()
    this.checker.check('GET', '/v1/traces/tail', tail)
    for (const { data } of tail.events) this.checker.checkNamed('TailCommitted', JSON.parse(data))
    const path = '/v1/traces/tail'
    for (const [headers, status] of [
      [{ 'last-event-id': 'junk' }, 400],
      [{ accept: 'application/json' }, 406],
    ] as const) {
      assert.equal((await this.checker.call(this.#client, { path, headers })).status, status)
    }
    const beyond = await openTail(this.#client.url, this.#client.key as string, { 'last-event-id': '999999999999' })
    await beyond.until(({ events }) => events.some(({ event }) => event === 'gap'))
    beyond.close()
    await this.#refuseAccess({ path }, ['ingest'])
  }

  async steps(): Promise<void> {
    const steps = '/v1/steps?step_status=error'
    const found = await this.#get(`${steps}&sort=started_at&argument.city=Oslo`, 200)
    assert.deepEqual(found.json<{ steps: unknown[] }>().steps, [])
    assert.notDeepEqual((await this.#get(steps, 200)).json<{ steps: unknown[] }>().steps, [])
    await this.#get('/v1/steps?sort=speed', 422)
    await this.#get('/v1/steps?step_status=ok&step_status=error&not_step_status=ok', 200)
    await this.#get('/v1/steps?not_step_status=bad', 422)
    await this.#refuseAccess({ path: steps }, ['ingest'])
    const series = '/v1/steps/series?measure=count&group_by=step_type'
    assert.notDeepEqual((await this.#get(series, 200)).json<{ points: unknown[] }>().points, [])
    await this.#get('/v1/steps/series?measure=speed', 422)
    await this.#refuseAccess({ path: series }, ['ingest'])
    for (const what of ['traces', 'steps', 'events', 'series&measure=count', 'step_series&measure=count']) {
      for (const format of ['jsonl', 'csv', 'parquet']) {
        assert.notEqual((await this.#get(`/v1/export?what=${what}&format=${format}`, 200)).text, '')
      }
    }
    await this.#get('/v1/export?what=traces', 422)
    await this.#refuseAccess({ path: '/v1/export?what=traces&format=csv' }, ['ingest'])
  }

  async facets(): Promise<void> {
    const facets = '/v1/traces/facets'
    for (const field of [
      'run_type',
      'model',
      'error_type',
      'name',
      'user_id',
      'session_id',
      'metadata',
      'metadata.a',
    ]) {
      await this.#get(`${facets}?field=${field}&limit=3`, 200)
    }
    await this.#get(`${facets}?field=metadata.b&q=c`, 200)
    await this.#get(facets, 422)
    const ofSteps = '/v1/steps/facets'
    for (const field of ['step_type', 'tool', 'argument', 'argument.city'])
      await this.#get(`${ofSteps}?field=${field}`, 200)
    await this.#get(`${ofSteps}?field=speed`, 422)
    await this.#refuseAccess({ path: `${ofSteps}?field=tool` }, ['ingest'])
    await this.#refuseAccess({ path: `${facets}?field=name` }, ['ingest'])
  }

  async senders(): Promise<void> {
    await this.#get('/v1/senders', 200)
    await this.#refuseAccess({ path: '/v1/senders' }, ['ingest'])
  }

  async sessionsAndUsers(): Promise<void> {
    for (const [list, one] of [
      ['/v1/sessions', '/v1/sessions/s'],
      ['/v1/users', '/v1/users/u'],
    ] as const) {
      const rows = await this.#get(`${list}?limit=1&status=error`, 200)
      assert.match(rows.text, /"trace_count":1/)
      await this.#get(one, 200)
      await this.#get(`${one}-unknown`, 404)
      await this.#get(`${list}?limit=0`, 422)
      await this.#get(`${one}?limit=0`, 422)
      for (const path of [list, one]) await this.#refuseAccess({ path }, ['ingest'])
    }
  }

  async settings(): Promise<void> {
    const answer = await this.#get('/v1/settings', 200)
    for (const hidden of this.#hidden) assert.ok(!answer.text.includes(hidden))
    await this.#refuseAccess({ path: '/v1/settings' }, ['ingest'])
  }

  async projectsAndKeys(): Promise<void> {
    const projectId = await firstProjectId(this.#client)
    const keys = `/v1/projects/${projectId}/keys`
    const bodies: readonly [string | Buffer, Record<string, string>, number][] = [
      ['{', JSON_BODY, 400],
      ['{"name":1}', JSON_BODY, 422],
      ['{}', { 'content-type': 'text/plain' }, 415],
      [Buffer.alloc(2 * 1024 * 1024, 0x20), JSON_BODY, 413],
    ]
    const goods = {
      '/v1/projects': '{"name":"second"}',
      [keys]: '{"name":"k","scopes":["read"],"expires_at":"2099-01-01T00:00:00Z"}',
    }
    for (const [path, good] of Object.entries(goods)) {
      for (const [body, headers, status] of [[good, JSON_BODY, 201] as const, ...bodies]) {
        const answer = await this.checker.call(this.#client, { method: 'POST', path, headers, body })
        assert.equal(answer.status, status, answer.text)
      }
      await this.#refuseAccess({ method: 'POST', path, headers: JSON_BODY, body: good }, ['ingest'])
      await this.#get(path, 200)
      await this.#get(`${path}?limit=1`, 200)
      await this.#get(`${path}?limit=x`, 422)
    }
    await this.#patch(
      `/v1/projects/${projectId}`,
      '{"span_filter":"keep","version_key":"version","retention":{"days":30,"media_days":null}}',
      '{"retention":{"days":0}}',
      `/v1/projects/${NO_PROJECT}`,
    )
    const expired = `/v1/projects/${projectId}/expired`
    await this.#get(`${expired}?days=1&media_days=7`, 200)
    await this.#get(`${expired}?days=0`, 422)
    await this.#get(`/v1/projects/${NO_PROJECT}/expired`, 404)
    await this.#refuseAccess({ path: expired }, ['read'])
    await this.#changes(
      'POST',
      `/v1/projects/${projectId}/masking/preview`,
      '{"masking":{"fields":["**.token"],"detectors":["email"],"patterns":[]},"traces":5}',
      '{"masking":{"fields":[],"detectors":[],"patterns":[{"name":"a","pattern":"("}]}}',
      `/v1/projects/${NO_PROJECT}/masking/preview`,
    )
    await this.#refuseAccess({ path: keys }, ['read'])
    assert.equal((await this.checker.call(this.#client.as(null), { path: '/v1/projects' })).status, 401)
    await this.#get(`/v1/projects/${NO_PROJECT}/keys`, 404)
    const nowhere = {
      method: 'POST',
      path: `/v1/projects/${NO_PROJECT}/keys`,
      headers: JSON_BODY,
      body: goods[keys] as string,
    }
    assert.equal((await this.checker.call(this.#client, nowhere)).status, 404)
    await this.#get('/v1/audit?action=key.created&limit=1', 200)
    await this.#get('/v1/audit?action=nothing', 422)
    await this.#refuseAccess({ path: '/v1/audit' }, ['read'])
    const { id } = await createKey(this.#client, projectId, { scopes: ['read'] })
    await this.#patch(
      `${keys}/${id}`,
      '{"requests_per_second":5}',
      '{"requests_per_second":0}',
      `${keys}/key_${NO_PROJECT.slice(5)}`,
    )
    await this.#refuseAccess({ method: 'DELETE', path: `${keys}/${id}` }, ['read'])
    const revoke = () => this.checker.call(this.#client, { method: 'DELETE', path: `${keys}/${id}` })
    assert.deepEqual([(await revoke()).status, (await revoke()).status], [204, 404])
  }

  #patch(path: string, good: string, bad: string, nowhere: string): Promise<void> {
    return this.#changes('PATCH', path, good, bad, nowhere)
  }

  async #changes(method: string, path: string, good: string, bad: string, nowhere: string): Promise<void> {
    for (const [body, headers, status] of [
      [good, JSON_BODY, 200],
      ['{', JSON_BODY, 400],
      [bad, JSON_BODY, 422],
      [good, { 'content-type': 'text/plain' }, 415],
      [Buffer.alloc(2 * 1024 * 1024, 0x20), JSON_BODY, 413],
    ] as const) {
      const answer = await this.checker.call(this.#client, { method, path, headers, body })
      assert.equal(answer.status, status, answer.text)
    }
    const call = { method, headers: JSON_BODY, body: good }
    await this.#refuseAccess({ ...call, path }, ['ingest'])
    assert.equal((await this.checker.call(this.#client, { ...call, path: nowhere })).status, 404)
  }

  async deletions(): Promise<void> {
    const path = '/v1/traces/delete'
    const send = (body: string | Buffer, headers: Record<string, string> = JSON_BODY) =>
      this.checker.call(this.#client, { method: 'POST', path, headers, body })
    assert.equal((await send('{"name":"nothing","dry_run":true}')).status, 200)
    assert.equal((await send('{}')).status, 422)
    assert.equal((await send('{')).status, 400)
    assert.equal((await send('{}', { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await send(Buffer.alloc(2 * 1024 * 1024, 0x20))).status, 413)
    const made = await send('{"name":"nothing"}')
    assert.equal(made.status, 202, made.text)
    await this.#refuseAccess({ method: 'POST', path, headers: JSON_BODY, body: '{"name":"nothing"}' }, ['read'])
    const ofNobody = { method: 'DELETE', path: '/v1/users/nobody-at-all' }
    assert.equal((await this.checker.call(this.#client, ofNobody)).status, 404)
    await this.#refuseAccess(ofNobody, ['read'])
    await this.checker.call(this.#client, {
      method: 'POST',
      path: '/v1/traces',
      headers: JSON_BODY,
      body: '{"name":"own","user_id":"to-be-deleted"}',
    })
    const ofUser = { method: 'DELETE', path: '/v1/users/to-be-deleted' }
    assert.equal((await this.checker.call(this.#client, ofUser)).status, 202)
    const job = `/v1/jobs/${made.json<{ job_id: string }>().job_id}`
    const nowhere = `/v1/jobs/job_${NO_PROJECT.slice(5)}`
    await this.#get(job, 200)
    await this.#get(nowhere, 404)
    await this.#refuseAccess({ path: job }, ['read'])
    await this.#refuseAccess({ method: 'DELETE', path: job }, ['read'])
    const cancel = (at: string) => this.checker.call(this.#client, { method: 'DELETE', path: at })
    assert.deepEqual([(await cancel(job)).status, (await cancel(nowhere)).status], [200, 404])
  }

  async monitors(): Promise<void> {
    const projectId = await firstProjectId(this.#client)
    const { secret } = await createKey(this.#client, projectId, { scopes: ['ingest'] })
    await callMonitors(this.checker, this.#client, this.#client.as(secret))
  }

  async webhooks(): Promise<void> {
    const projectId = await firstProjectId(this.#client)
    const { secret } = await createKey(this.#client, projectId, { scopes: ['ingest'] })
    const [checker, client, stranger] = [this.checker, this.#client, this.#client.as(secret)]
    await callWebhooks({ checker, client, stranger, projectId })
  }

  async clusters(): Promise<void> {
    const projectId = await firstProjectId(this.#client)
    const { secret } = await createKey(this.#client, projectId, { scopes: ['ingest'] })
    await callClusters(this.checker, this.#client, this.#client.as(secret))
  }

  async publicPaths(): Promise<void> {
    const anyone = this.#client.as(null)
    for (const path of [
      '/healthz',
      '/readyz',
      '/metrics',
      '/openapi.json',
      '/docs',
      '/problems',
      '/problems/required',
    ]) {
      for (const accept of ['*/*', 'text/html, */*;q=0.1']) {
        const answer = await this.checker.call(anyone, { path, headers: { accept } })
        assert.equal(answer.status, 200, `${path} ${answer.status}`)
      }
    }
    assert.equal((await this.checker.call(anyone, { path: '/problems/nothing' })).status, 404)
  }

  /** Every operation first refuses unknown query parameters and an Accept header that excludes its answer. */
  async heads(): Promise<void> {
    const projectId = await firstProjectId(this.#client)
    for (const { method, path } of this.checker.documented()) {
      const filled = fillPath(path, (name) => (name === 'project_id' ? projectId : 'x'))
      for (const [target, accept] of [
        [`${filled}?no_such_parameter=1`, '*/*'],
        [filled, 'image/png'],
      ] as const) {
        await this.checker.call(this.#client, { method, path: target, headers: { accept } })
      }
    }
  }

  async #post(body: object | Buffer | string, status: number, headers: Record<string, string> = {}): Promise<Answer> {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const call = { method: 'POST', path: '/v1/traces', headers: { ...JSON_BODY, ...headers }, body: text }
    const answer = await this.checker.call(this.#client, call)
    assert.equal(answer.status, status, answer.text)
    return answer
  }

  async #get(path: string, status: number): Promise<Answer> {
    const answer = await this.checker.call(this.#client, { path })
    assert.equal(answer.status, status, `${path}: ${answer.text}`)
    return answer
  }

  /** 401 without a key, 403 with a key that has only these scopes. */
  async #refuseAccess(call: Parameters<ContractChecker['call']>[1], scopes: readonly string[]): Promise<void> {
    const { secret } = await createKey(this.#client, await firstProjectId(this.#client), { scopes })
    assert.equal((await this.checker.call(this.#client.as(null), call)).status, 401)
    assert.equal((await this.checker.call(this.#client.as(secret), call)).status, 403)
  }
}

/** Announces a body and waits for the answer before sending its first bytes: a node that forwards it asks for them. */
async function announce(client: Client, path: string, bytes: number): Promise<Answer> {
  const headers = { ...LINES, 'content-length': String(bytes), expect: '100-continue', connection: 'close' }
  return client.call({ method: 'POST', path, headers, body: '\n' })
}
