import type { TraceId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { ExploredQuery } from '../../../ports/traces/explored-series.ts'
import { createHttpWorld, type HttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own' }
const HOUR = 3_600_000
/** The clock of the world is at 2023-11-14T22:13:20Z. */
const NOW = 1_700_000_000_000
const THIS_HOUR = '2023-11-14T22:00:00.000Z'
const LAST_HOUR = '2023-11-14T21:00:00.000Z'
/** The fields that every series has, without `points`. */
const DAY = { start_time: '2023-11-13T22:13:20.001Z', end_time: '2023-11-14T22:13:20.001Z', groups_left_out: 0 }

function filledWorld(): HttpWorld {
  const world = createHttpWorld()
  const { series, ids, ownProject, foreignProject } = world
  const ofProject = (projectId: typeof ownProject) => ({
    ok: { projectId, id: ids.newId('met'), name: 'task success / überprüft', kind: 'boolean' as const, options: null },
    score: { projectId, id: ids.newId('met'), name: 'score', kind: 'numeric' as const, options: null },
    tone: {
      projectId,
      id: ids.newId('met'),
      name: 'tone',
      kind: 'enum' as const,
      options: [{ value: 'kind' }, { value: 'curt' }],
    },
  })
  const own = ofProject(ownProject)
  series.metrics.push(own.ok, own.score, own.tone, { ...ofProject(foreignProject).ok, name: 'theirs' })
  const event = { projectId: ownProject, at: NOW, runType: 'agent', source: null, metadata: {} }
  series.events.push(
    { ...event, metricId: own.ok.id, value: 1, metadata: { task: 'a' } },
    { ...event, metricId: own.ok.id, value: 0, source: 'human' },
    { ...event, metricId: own.ok.id, value: 1, at: NOW - HOUR },
    { ...event, metricId: own.ok.id, value: 1, at: NOW - 25 * HOUR },
    { ...event, metricId: own.score.id, value: 1 },
    { ...event, metricId: own.score.id, value: 4 },
    { ...event, metricId: own.tone.id, value: 'kind' },
    { ...event, metricId: own.tone.id, value: 'kind' },
    { ...event, metricId: own.tone.id, value: 'curt' },
  )
  const trace = { projectId: ownProject, at: NOW, durationMs: 10, tokens: 100, model: 'gpt', metadata: {} }
  series.traces.push(
    { ...trace, status: 'ok' },
    { ...trace, status: 'error', durationMs: 20, tokens: 300, model: 'unknown' },
    { ...trace, status: 'ok', durationMs: null, at: NOW - HOUR },
    { ...trace, status: 'ok', projectId: foreignProject },
  )
  return world
}

const OK_PATH = `/v1/metrics/${encodeURIComponent('task success / überprüft')}/series`

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`series over ${name}`, () => {
    test('each kind of metric has its own aggregates, by default over the last day by the hour', async () => {
      const send = await connect(filledWorld().app)
      const ok = await send({ path: OK_PATH, headers: OWN })
      assert.equal(ok.status, 200)
      assert.deepEqual(ok.json(), {
        name: 'task success / überprüft',
        bucket: '1h',
        ...DAY,
        points: [
          { at: LAST_HOUR, group: null, count: 1, pass_rate: 1 },
          { at: THIS_HOUR, group: null, count: 2, pass_rate: 0.5 },
        ],
      })
      const points = async (path: string) => (await send({ path, headers: OWN })).json().points
      assert.deepEqual(await points('/v1/metrics/score/series'), [
        { at: THIS_HOUR, group: null, count: 2, avg: 2.5, min: 1, max: 4, p50: 2.5, p95: 3.8499999999999996 },
      ])
      const local = await points('/v1/metrics/tone/series?bucket=1d&tz=Asia/Kathmandu')
      assert.equal(local[0].at.slice(11), '18:15:00.000Z')
      assert.deepEqual(await points('/v1/metrics/tone/series?bucket=1w'), [
        { at: '2023-11-13T00:00:00.000Z', group: null, count: 3, counts: { kind: 2, curt: 1 } },
      ])
    })

    test('groups rows, and those without a value as null', async () => {
      const send = await connect(filledWorld().app)
      const groups = async (by: string) => {
        const answer = await send({ path: `${OK_PATH}?bucket=2d&group_by=${by}`, headers: OWN })
        return answer.json().points.map((point: { group: string; count: number }) => [point.group, point.count])
      }
      assert.deepEqual(await groups('source'), [
        [null, 2],
        ['human', 1],
      ])
      assert.deepEqual(await groups('metadata.task'), [
        [null, 2],
        ['a', 1],
      ])
    })

    test('every measure of traces', async () => {
      const send = await connect(filledWorld().app)
      const ask = async (query: string) => (await send({ path: `/v1/traces/series?${query}`, headers: OWN })).json()
      const count = await ask('measure=count')
      assert.deepEqual(count, {
        measure: 'count',
        stat: 'count',
        bucket: '1h',
        ...DAY,
        unpriced_models: [],
        points: [
          { at: LAST_HOUR, group: null, count: 1, value: 1 },
          { at: THIS_HOUR, group: null, count: 2, value: 2 },
        ],
        groups: [{ group: null, count: 3, value: 3 }],
      })
      const last = async (query: string) => (await ask(`${query}&start_time=2023-11-14T22:00:00Z`)).points
      const point = { at: THIS_HOUR, group: null, count: 2 }
      assert.deepEqual(await last('measure=error_rate'), [{ ...point, value: 0.5, error_rate: 0.5 }])
      const durations = { value: 15, sum: 30, avg: 15, min: 10, max: 20, p50: 15, p90: 19, p95: 19.5, p99: 19.9 }
      assert.deepEqual(await last('measure=duration_ms'), [{ ...point, ...durations }])
      const tokens = { value: 400, sum: 400, avg: 200, min: 100, max: 300, p50: 200, p90: 280, p95: 290, p99: 298 }
      assert.deepEqual(await last('measure=total_tokens'), [{ ...point, ...tokens }])
      const cost = await ask('measure=cost_usd&start_time=2023-11-14T22:00:00Z')
      assert.deepEqual([cost.points, cost.unpriced_models], [[{ ...point, value: 0.1, sum: 0.1 }], ['unknown']])
    })

    test('passes filters in the form of the list of traces', async () => {
      const { app, series } = filledWorld()
      const send = await connect(app)
      const query = 'run_type=eval&model=m&meta_key=a&meta_value=1&meta_key=b'
      await send({ path: `${OK_PATH}?${query}&source=code`, headers: OWN })
      const shared = {
        notRunType: null,
        notModel: null,
        runType: 'eval',
        model: 'm',
        metadata: [
          { key: 'a', value: '1' },
          { key: 'b', value: null },
        ],
      }
      assert.deepEqual(series.lastRequest?.filters, { ...shared, source: 'code' })
      const more =
        'measure=count&status=error&flagged=true&name=n&session_id=s&user_id=u&growing=false&min_duration_ms=5&max_step_count=9&q=Two+words'
      await send({ path: `/v1/traces/series?${query}&${more}`, headers: OWN })
      assert.deepEqual(series.lastRequest?.filters, {
        ...toTraceFilters('lists', {}),
        ...shared,
        status: 'error',
        flagged: true,
        name: 'n',
        sessionId: 's',
        userId: 'u',
        growing: false,
        minDurationMs: 5,
        maxStepCount: 9,
      })
      assert.deepEqual(series.lastRequest !== null && 'words' in series.lastRequest && series.lastRequest.words, [
        'two',
        'words',
      ])
    })

    test('filters take several values, up to ten, and have negations', async () => {
      const { app, series } = filledWorld()
      const send = await connect(app)
      const ask = async (query: string) => {
        const { json } = await send({ path: `/v1/traces/series?measure=count&${query}`, headers: OWN })
        return json().errors?.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
      }
      assert.equal(await ask('model=a&not_name=x&model=b&not_name=y&not_name=x&error_type=E'), undefined)
      const { model, notName, errorType } = (series.lastRequest as ExploredQuery).filters
      assert.deepEqual({ model, notName, errorType }, { model: ['a', 'b'], notName: ['x', 'y', 'x'], errorType: 'E' })
      const eleven = Array.from({ length: 11 }, (_, n) => `model=${n}`).join('&')
      assert.deepEqual(await ask(eleven), ['?model too_many'])
      assert.deepEqual(await ask(`name=${'x'.repeat(1001)}`), ['?name too_long'])
      assert.equal(await ask('passed=false&min_value=-1.5&max_value=1e3&option=x'), undefined)
      const byValue = { passed: false, min: -1.5, max: 1000, option: 'x' }
      const scored = { metricId: null, ...byValue, startTime: null, endTime: null }
      assert.deepEqual((series.lastRequest as ExploredQuery).scored, scored)
      assert.deepEqual(await ask('min_value=abc'), ['?min_value wrong_type'])
      assert.deepEqual(await ask('min_value=1e999'), ['?min_value out_of_range'])
      assert.deepEqual(await ask('name=a&name='), ['?name too_short'])
      assert.deepEqual(await ask('status=ok&status=error'), ['?status duplicate_field'])
      assert.deepEqual(await ask('not_status=ok'), ['?not_status unknown_field'])
    })

    test('counts the traces of a cluster within the time; an unknown cluster has none', async () => {
      const { app, series, ids, ownProject } = filledWorld()
      const send = await connect(app)
      const cluster = ids.newId('clu')
      const [before, within, end] = [NOW - 25 * HOUR, NOW, NOW + 1].map((ms) => `${idAtTime('tr', ms).slice(0, -1)}1`)
      series.clusters.put(ownProject, cluster, [before, within, end] as TraceId[])
      const ask = (of: string) => send({ path: `/v1/traces/series?measure=count&cluster=${of}`, headers: OWN })
      assert.equal((await ask(cluster)).json().points.length, 2)
      assert.deepEqual(series.lastRequest !== null && 'among' in series.lastRequest && series.lastRequest.among, [
        within,
      ])
      assert.deepEqual((await ask(ids.newId('clu'))).json().points, [])
    })

    test('refuses invalid requests by name', async () => {
      const send = await connect(filledWorld().app)
      const cases = [
        [`${OK_PATH}?bucket=1x`, '?bucket', 'invalid_format'],
        [`${OK_PATH}?bucket=0h`, '?bucket', 'invalid_format'],
        [`${OK_PATH}?bucket=1d&tz=Nowhere`, '?tz', 'invalid_value'],
        [`${OK_PATH}?bucket=1s`, '?bucket', 'too_many'],
        [`${OK_PATH}?bucket=99999w`, '?bucket', 'out_of_range'],
        [`${OK_PATH}?start_time=2023-11-14&end_time=2023-11-14`, '?start_time', 'invalid_value'],
        [`${OK_PATH}?start_time=2024-01-01`, '?start_time', 'invalid_value'],
        [`${OK_PATH}?start_time=yesterday`, '?start_time', 'invalid_format'],
        [`${OK_PATH}?group_by=status`, '?group_by', 'invalid_value'],
        [`${OK_PATH}?group_by=metadata.`, '?group_by', 'invalid_value'],
        [`${OK_PATH}?source=me`, '?source', 'invalid_value'],
        [`${OK_PATH}?meta_value=1`, '?meta_value', 'invalid_value'],
        [`${OK_PATH}?name=x`, '?name', 'unknown_field'],
        ['/v1/traces/series', '?measure', 'required'],
        ['/v1/traces/series?measure=speed', '?measure', 'invalid_value'],
        ['/v1/traces/series?measure=count&group_by=source', '?group_by', 'invalid_value'],
        ['/v1/traces/series?measure=count&cluster=c', '?cluster', 'invalid_format'],
        ['/v1/traces/series?measure=count&q=...', '?q', 'invalid_value'],
      ] as const
      for (const [path, pointer, code] of cases) {
        const answer = await send({ path, headers: OWN })
        assert.equal(answer.status, 422, path)
        const { errors } = answer.json()
        assert.deepEqual([errors[0].pointer, errors[0].code], [pointer, code], path)
      }
    })

    test('a metric of another project does not exist, and a scope to write does not allow reading', async () => {
      const send = await connect(filledWorld().app)
      for (const path of ['/v1/metrics/theirs/series', '/v1/metrics/none/series']) {
        assert.equal((await send({ path, headers: OWN })).json().code, 'not_found', path)
      }
      for (const path of [OK_PATH, '/v1/traces/series?measure=count']) {
        assert.equal((await send({ path, headers: { 'x-api-key': 'writer' } })).status, 403, path)
        assert.equal((await send({ path })).status, 401, path)
      }
      const theirs = await send({ path: '/v1/traces/series?measure=count', headers: { 'x-api-key': 'foreign' } })
      assert.deepEqual(theirs.json().points, [{ at: THIS_HOUR, group: null, count: 1, value: 1 }])
    })
  })
}
