import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { type Send, type TestAnswer, TRANSPORTS } from '../test-world/transports.test-support.ts'

const MONITOR = {
  name: 'score',
  source: { kind: 'metric', metric: 'score' },
  aggregation: 'avg',
  window_seconds: 60,
  comparison: 'gt',
  threshold: 10,
}
const PASS_RATE = {
  ...MONITOR,
  source: { kind: 'metric', metric: 'passed' },
  aggregation: 'pass_rate',
  comparison: 'lt',
  threshold: 0.5,
}
const ERRORS = {
  ...MONITOR,
  source: { kind: 'traces', measure: 'error_rate' },
  threshold: 0.2,
}
const COUNT = {
  ...MONITOR,
  source: { kind: 'traces', measure: 'count' },
  aggregation: 'count',
}
const SHARE = { ...PASS_RATE, source: { kind: 'metric', metric: 'mood', option: 'bad' }, aggregation: 'share' }
const of = (metric: string) => ({ source: { kind: 'metric', metric } })
const traces = (measure: string) => ({ source: { kind: 'traces', measure } })

const client = (send: Send, key = 'own') => ({
  get: (path: string) => send({ path, headers: { 'x-api-key': key } }),
  send: (method: string, path: string, body?: unknown) =>
    send({
      method,
      path,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
})

const pointers = (answer: TestAnswer): string[] =>
  answer.json().errors.map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`)

for (const [name, open] of Object.entries(TRANSPORTS)) {
  describe(name, () => {
    test('a monitor is created, read, listed, changed and deleted', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const made = await own.send('POST', '/v1/monitors', {
        ...MONITOR,
        filters: {
          run_type: ['agent'],
          not_model: ['a', 'b'],
          q: 'refun* order',
          source: 'llm',
          metadata: { env: 'prod', attempt: 1, old: false, any: null },
        },
        resolve_threshold: 5,
      })
      assert.equal(made.status, 201)
      const { id, created_at, updated_at, state_since, ...rest } = made.json()
      assert.match(id, /^mon_/)
      assert.ok(created_at === updated_at && created_at === state_since)
      assert.deepEqual(rest, {
        ...MONITOR,
        filters: {
          run_type: 'agent',
          not_model: ['a', 'b'],
          q: 'refun* order',
          source: 'llm',
          metadata: { env: 'prod', attempt: '1', old: 'false', any: null },
        },
        resolve_threshold: 5,
        for_each: null,
        min_samples: 1,
        consecutive: 1,
        no_data: 'hold',
        enabled: true,
        state: 'normal',
        last_value: null,
        last_samples: null,
        last_evaluated_at: null,
        revision: 1,
      })
      assert.deepEqual((await own.get(`/v1/monitors/${id}`)).json(), made.json())
      const second = (await own.send('POST', '/v1/monitors', ERRORS)).json().id
      const page = (await own.get('/v1/monitors?limit=1')).json()
      assert.deepEqual(page.monitors, [made.json()])
      const next = (await own.get(`/v1/monitors?limit=1&cursor=${page.next_cursor}`)).json()
      assert.deepEqual([next.monitors.map((one: { id: string }) => one.id), next.next_cursor], [[second], null])
      const changed = await own.send('PATCH', `/v1/monitors/${id}`, {
        threshold: 20,
        resolve_threshold: null,
        filters: {},
      })
      assert.equal(changed.status, 200)
      const { threshold, resolve_threshold, filters, revision } = changed.json()
      assert.deepEqual([threshold, resolve_threshold, filters, revision], [20, null, {}, 2])
      assert.equal((await own.send('DELETE', `/v1/monitors/${id}`)).status, 204)
      assert.equal((await own.get(`/v1/monitors/${id}`)).status, 404)
      assert.equal((await own.send('DELETE', `/v1/monitors/${id}`)).status, 404)
    })

    test('history is paged, and a preview evaluates the past', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const { monitoring } = world
      const { id } = (await own.send('POST', '/v1/monitors', { ...COUNT, comparison: 'gte', threshold: 1 })).json()
      const evaluator = monitoring.newEvaluator()
      evaluator.start()
      await evaluator.idle()
      for (let i = 0; i < 5; i++) {
        monitoring.measures.add(world.ownProject, { at: monitoring.now() + 1000 })
        await monitoring.pass(evaluator, 150_000)
      }
      await evaluator.stop()
      const walk: { to: string; at: string; value: number; cause: string; threshold: number }[] = []
      for (let cursor = ''; ;) {
        const page = (await own.get(`/v1/monitors/${id}/history?limit=3${cursor}`)).json()
        walk.push(...page.history)
        if (page.next_cursor === null) break
        cursor = `&cursor=${page.next_cursor}`
      }
      assert.equal(walk.length, 10)
      walk.forEach(({ to, value, cause, threshold }, index) => {
        assert.deepEqual(
          [to, value, cause, threshold],
          [...(index % 2 === 0 ? ['normal', 0] : ['fired', 1]), 'evaluation', 1],
        )
      })
      assert.deepEqual(
        walk.map(({ at }) => at),
        walk
          .map(({ at }) => at)
          .toSorted()
          .toReversed(),
      )
      const preview = await own.send('POST', '/v1/monitors/preview', {
        ...COUNT,
        comparison: 'gte',
        threshold: 1,
        start_time: '2026-03-03T12:00:00Z',
      })
      assert.equal(preview.status, 200)
      const { transitions, evaluations, step_seconds } = preview.json()
      assert.equal(step_seconds, 15)
      assert.equal(evaluations.length, 51)
      assert.deepEqual(
        transitions,
        walk.toReversed().map(({ at, to, value }) => ({ at, group: null, to, value })),
      )
      const nameless = { ...COUNT, name: undefined, end_time: '2026-03-03' }
      assert.equal((await own.send('POST', '/v1/monitors/preview', nameless)).status, 200)
      assert.equal((await own.get(`/v1/monitors/${id}/history?cursor=bm8`)).json().code, 'invalid_cursor')
      assert.equal((await own.get('/v1/monitors?cursor=bm8')).json().code, 'invalid_cursor')
    })

    test('a monitor of steps for each tool lists its groups, and its history names them', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const { monitoring } = world
      const body = { ...COUNT, source: { kind: 'steps', measure: 'count' }, for_each: 'tool', threshold: 1 }
      const made = await own.send('POST', '/v1/monitors', { ...body, comparison: 'gte', filters: { user_id: 'u1' } })
      assert.equal(made.status, 201, made.text)
      const { id, source, for_each, groups } = made.json()
      assert.deepEqual([source, for_each, groups], [body.source, 'tool', []])
      const evaluator = monitoring.newEvaluator()
      evaluator.start()
      await evaluator.idle()
      const filterable = { tool: 'search', userId: 'u1' }
      monitoring.measures.add(world.ownProject, { at: monitoring.now() + 1000, filterable })
      await monitoring.pass(evaluator, 15_000)
      await evaluator.stop()
      const found = (await own.get(`/v1/monitors/${id}`)).json()
      const [group] = found.groups
      assert.deepEqual([found.state, group.group, group.state, group.last_value], ['fired', 'search', 'fired', 1])
      const [entry] = (await own.get(`/v1/monitors/${id}/history`)).json().history
      assert.deepEqual([entry.group, entry.to, entry.value], ['search', 'fired', 1])
    })

    test('refuses invalid combinations by name', async () => {
      const own = client(await open(createHttpWorld().app))
      const refused: readonly (readonly [object, ...string[]])[] = [
        [{ ...MONITOR, treshold: 3 }, '/treshold unknown_field'],
        [{ ...MONITOR, source: { kind: 'metric', metric: 'score', mesure: 1 } }, '/source/mesure unknown_field'],
        [{ ...MONITOR, filters: { modle: 'x' } }, '/filters/modle unknown_field'],
        [{ ...MONITOR, filters: { model: [] } }, '/filters/model too_short'],
        [{ ...MONITOR, filters: { model: 7 } }, '/filters/model wrong_type'],
        [{ ...MONITOR, name: ' \t' }, '/name too_short'],
        [{ ...MONITOR, name: 'a\u0007' }, '/name invalid_format'],
        [{ ...MONITOR, threshold: undefined }, '/threshold required'],
        [{ ...MONITOR, threshold: '10' }, '/threshold wrong_type'],
        [{ ...MONITOR, threshold: null }, '/threshold wrong_type'],
        [{ ...MONITOR, window_seconds: 14 }, '/window_seconds out_of_range'],
        [{ ...MONITOR, window_seconds: 30 * 24 * 3600 + 1 }, '/window_seconds out_of_range'],
        [{ ...MONITOR, window_seconds: 60.5 }, '/window_seconds wrong_type'],
        [{ ...MONITOR, consecutive: 0 }, '/consecutive out_of_range'],
        [{ ...MONITOR, consecutive: 101 }, '/consecutive out_of_range'],
        [{ ...MONITOR, min_samples: 0 }, '/min_samples out_of_range'],
        [{ ...MONITOR, no_data: 'alert' }, '/no_data invalid_value'],
        [{ ...MONITOR, comparison: 'eq' }, '/comparison invalid_value'],
        [{ ...MONITOR, aggregation: 'p42' }, '/aggregation invalid_value'],
        [{ ...MONITOR, source: { kind: 'logs' } }, '/source/kind invalid_value'],
        [{ ...MONITOR, source: { kind: 'metric' } }, '/source/metric required'],
        [{ ...MONITOR, source: { kind: 'traces' } }, '/source/measure required'],
        [{ ...MONITOR, source: { kind: 'traces', measure: 'cost' } }, '/source/measure invalid_value'],
        [
          { ...MONITOR, source: { kind: 'metric', metric: 'score', measure: 'count' } },
          '/source/measure unknown_field',
        ],
        [{ ...COUNT, source: { kind: 'traces', measure: 'count', metric: 'score' } }, '/source/metric unknown_field'],
        [{ ...COUNT, source: { kind: 'traces', measure: 'count', option: 'x' } }, '/source/option unknown_field'],
        // The side of the resolve threshold.
        [{ ...MONITOR, resolve_threshold: 11 }, '/resolve_threshold invalid_value'],
        [{ ...MONITOR, comparison: 'gte', resolve_threshold: 10.5 }, '/resolve_threshold invalid_value'],
        [{ ...MONITOR, comparison: 'lt', resolve_threshold: 9 }, '/resolve_threshold invalid_value'],
        [{ ...PASS_RATE, comparison: 'lte', resolve_threshold: 0.4 }, '/resolve_threshold invalid_value'],
        // Thresholds that could never be crossed, or never again.
        [{ ...PASS_RATE, threshold: 90 }, '/threshold out_of_range'],
        [{ ...PASS_RATE, comparison: 'gt', threshold: 90 }, '/threshold out_of_range'],
        [{ ...PASS_RATE, threshold: 0 }, '/threshold out_of_range'],
        [{ ...PASS_RATE, comparison: 'lte', resolve_threshold: 1 }, '/resolve_threshold out_of_range'],
        [{ ...ERRORS, threshold: -1 }, '/threshold out_of_range'],
        [{ ...ERRORS, threshold: 1 }, '/threshold out_of_range'],
        [{ ...COUNT, comparison: 'lt', threshold: 0 }, '/threshold out_of_range'],
        [{ ...COUNT, comparison: 'gte', threshold: 5, resolve_threshold: 0 }, '/resolve_threshold out_of_range'],
        // The aggregations of each source.
        [{ ...MONITOR, ...of('score'), aggregation: 'pass_rate' }, '/aggregation invalid_value'],
        [{ ...MONITOR, ...of('score'), aggregation: 'share' }, '/aggregation invalid_value'],
        [{ ...MONITOR, ...of('passed'), aggregation: 'p95' }, '/aggregation invalid_value'],
        [{ ...MONITOR, ...of('mood'), aggregation: 'avg' }, '/aggregation invalid_value'],
        [{ ...MONITOR, ...traces('count'), aggregation: 'p95' }, '/aggregation invalid_value'],
        [{ ...MONITOR, ...traces('count'), aggregation: 'avg' }, '/aggregation invalid_value'],
        [{ ...MONITOR, ...traces('error_rate'), aggregation: 'p50' }, '/aggregation invalid_value'],
        [{ ...MONITOR, ...traces('duration_ms'), aggregation: 'pass_rate' }, '/aggregation invalid_value'],
        [{ ...SHARE, source: { kind: 'metric', metric: 'mood' } }, '/source/option required'],
        [{ ...SHARE, source: { kind: 'metric', metric: 'mood', option: 'ugly' } }, '/source/option invalid_value'],
        [{ ...PASS_RATE, source: { kind: 'metric', metric: 'passed', option: 'bad' } }, '/source/option unknown_field'],
        [{ ...COUNT, source: { kind: 'metric', metric: 'mood', option: 'bad' } }, '/source/option unknown_field'],
        // Fields that do not apply to a count.
        [{ ...COUNT, min_samples: 2 }, '/min_samples invalid_value'],
        [{ ...COUNT, no_data: 'fire' }, '/no_data invalid_value'],
        // Filters of the other source.
        [{ ...ERRORS, filters: { source: 'human' } }, '/filters/source unknown_field'],
        [{ ...ERRORS, filters: { metric: 'nothing' } }, '/filters/metric undefined_metric'],
        [{ ...ERRORS, for_each: 'source' }, '/for_each invalid_value'],
        [{ ...MONITOR, for_each: 'tool' }, '/for_each invalid_value'],
        [{ ...MONITOR, for_each: 'metric.nothing' }, '/for_each undefined_metric'],
        [{ ...MONITOR, for_each: 'metric.score' }, '/for_each invalid_value'],
        [{ ...ERRORS, source: { kind: 'steps', measure: 'recovered_errors' } }, '/source/measure invalid_value'],
        [{ ...ERRORS, source: { kind: 'steps', measure: 'wasted_tokens' } }, '/source/measure invalid_value'],
        [{ ...ERRORS, source: { kind: 'steps', measure: 'wasted_cost_usd' } }, '/source/measure invalid_value'],
        [{ ...MONITOR, ...traces('cost_usd'), aggregation: 'count' }, '/aggregation invalid_value'],
        [{ ...MONITOR, ...traces('time_to_first_token_ms') }, '/source/measure invalid_value'],
        [{ ...MONITOR, filters: { q: ' ' } }, '/filters/q too_short'],
        [{ ...MONITOR, filters: { event_start_time: '2026-01-31' } }, '/filters/event_start_time unknown_field'],
        [{ ...MONITOR, filters: { source: 'me' } }, '/filters/source invalid_value'],
        [{ ...MONITOR, filters: { metadata: { a: [1] } } }, '/filters/metadata/a wrong_type'],
        [{ ...MONITOR, filters: { metadata: { a: 2 ** 60 } } }, '/filters/metadata/a out_of_range'],
      ]
      for (const [body, ...expected] of refused) {
        for (const path of ['/v1/monitors', '/v1/monitors/preview']) {
          const answer = await own.send('POST', path, body)
          assert.equal(answer.status, 422, JSON.stringify(body))
          assert.equal(answer.json().code, 'validation_failed')
          assert.deepEqual(pointers(answer), expected, JSON.stringify(body))
        }
      }
      assert.deepEqual((await own.get('/v1/monitors')).json().monitors, [])
    })

    test('refuses invalid numbers and undefined metrics', async () => {
      const own = client(await open(createHttpWorld().app))
      const text = (number: string) => JSON.stringify(MONITOR).replace('"threshold":10', `"threshold":${number}`)
      for (const number of ['NaN', 'Infinity', '-Infinity']) {
        assert.equal((await own.send('POST', '/v1/monitors', text(number))).json().code, 'malformed_json')
      }
      for (const number of ['1e400', '-1e400']) {
        assert.deepEqual(pointers(await own.send('POST', '/v1/monitors', text(number))), ['/threshold out_of_range'])
        const filtered = JSON.stringify({ ...MONITOR, filters: { metadata: { a: 7 } } }).replace(':7', `:${number}`)
        assert.deepEqual(pointers(await own.send('POST', '/v1/monitors', filtered)), [
          '/filters/metadata/a out_of_range',
        ])
      }
      const zero = await own.send('POST', '/v1/monitors', text('-0'))
      assert.match(zero.text, /"threshold":0,/)
      const missing = await own.send('POST', '/v1/monitors', { ...MONITOR, ...of('scores') })
      assert.deepEqual([missing.status, missing.json().code], [422, 'undefined_metric'])
      assert.deepEqual(pointers(missing), ['/source/metric undefined_metric'])
      const { id } = zero.json()
      for (const [body, pointer] of [
        [{ resolve_threshold: 3 }, '/resolve_threshold invalid_value'],
        [{ aggregation: 'share' }, '/aggregation invalid_value'],
        [{ ...of('passed') }, null],
        [{ ...traces('count') }, '/aggregation invalid_value'],
        [{}, ' invalid_value'],
        [{ state: 'fired' }, '/state unknown_field'],
      ] as const) {
        const answer = await own.send('PATCH', `/v1/monitors/${id}`, body)
        assert.equal(answer.status, pointer === null ? 200 : 422, answer.text)
        if (pointer !== null) assert.deepEqual(pointers(answer), [pointer])
      }
    })

    test('a project has at most the allowed number of monitors', async () => {
      const own = client(await open(createHttpWorld({ limits: { monitorsPerProject: 2 } }).app))
      assert.equal((await own.send('POST', '/v1/monitors', MONITOR)).status, 201)
      assert.equal((await own.send('POST', '/v1/monitors', MONITOR)).status, 201)
      const third = await own.send('POST', '/v1/monitors', MONITOR)
      assert.equal(third.status, 422)
      assert.deepEqual(pointers(third), [' too_many'])
    })

    test('a monitor of another project does not exist, and scopes are enforced', async () => {
      const world = createHttpWorld()
      const send = await open(world.app)
      const own = client(send)
      const made = await own.send('POST', '/v1/monitors', MONITOR)
      const path = `/v1/monitors/${made.json().id}`
      const foreign = client(send, 'foreign')
      for (const answer of [
        await foreign.get(path),
        await foreign.get(`${path}/history`),
        await foreign.send('PATCH', path, { name: 'mine' }),
        await foreign.send('DELETE', path),
        await own.get('/v1/monitors/mon_no'),
      ]) {
        assert.deepEqual([answer.status, answer.json().code], [404, 'not_found'])
      }
      assert.deepEqual((await foreign.get('/v1/monitors')).json().monitors, [])
      assert.equal((await foreign.send('POST', '/v1/monitors', MONITOR)).json().code, 'undefined_metric')
      assert.deepEqual((await own.get(path)).json(), made.json())
      const statuses = await forbidden(send, path)
      assert.deepEqual(statuses, {
        reader: [403, 200, 200, 403, 403, 200, 200],
        writer: [403, 403, 403, 403, 403, 403, 403],
        '': [401, 401, 401, 401, 401, 401, 401],
      })
    })
  })
}

async function forbidden(send: Send, path: string): Promise<Record<string, number[]>> {
  const statuses: Record<string, number[]> = {}
  for (const key of ['reader', 'writer', '']) {
    const { get, send: write } = client(send, key)
    const answers = [
      await write('POST', '/v1/monitors', ERRORS),
      await get('/v1/monitors'),
      await get(path),
      await write('PATCH', path, { name: 'x' }),
      await write('DELETE', path),
      await get(`${path}/history`),
      await write('POST', '/v1/monitors/preview', ERRORS),
    ]
    statuses[key] = answers.map(({ status }) => status)
  }
  return statuses
}
