import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createLogger } from './logging.ts'
import { createMetrics } from './metrics.ts'
import { Readiness } from './readiness.ts'

const NO_DAMAGE = { damagedParts: 0, checksumFailures: 0, lostRows: () => new Map<string, number>() }

test('metrics show commits, the queue, requests, tails and the current values of the sources', async () => {
  let head = 1
  const metrics = createMetrics({
    version: '1.2.3',
    journalHead: async () => head,
    webhooksBehind: async () => head - 40,
    pendingDeliveries: async () => 5,
    pendingPurges: async () => 6,
    storeSizeBytes: () => 99,
    ingestBufferBytes: () => 7,
    damage: NO_DAMAGE,
    onError: (error) => assert.fail(String(error)),
  })
  metrics.commits.observeCommit({ durationMs: 8, traces: 3, steps: 30, bytes: 1000 })
  metrics.commits.commitFailed()
  metrics.commits.setQueue({ operations: 4, bytes: 500 })
  metrics.requests.observeRequest({ route: '/v1/traces', method: 'POST', status: 202, seconds: 0.02 })
  metrics.webhooks.observeAttempt({ result: 'succeeded', durationMs: 3 })
  metrics.requests.tailOpened()
  metrics.requests.tailOpened()
  metrics.requests.tailClosed()
  metrics.requests.slowReaderEnded()
  metrics.connections.opened()
  metrics.connections.opened()
  metrics.connections.closed()
  metrics.connections.refused()
  head = 42
  const text = await metrics.print()
  for (const line of [
    'spoor_commit_duration_seconds_sum 0.008',
    'spoor_commit_traces_sum 3',
    'spoor_commit_steps_sum 30',
    'spoor_commit_bytes_sum 1000',
    'spoor_commits_failed_total 1',
    'spoor_queue_operations 4',
    'spoor_queue_bytes 500',
    `spoor_build_info{version="1.2.3",node_version="${process.version}"} 1`,
    'spoor_http_request_duration_seconds_bucket{le="0.025",route="/v1/traces",method="POST"} 1',
    'spoor_http_requests_total{route="/v1/traces",method="POST",status="202"} 1',
    'spoor_open_tails 1',
    'spoor_slow_readers_ended_total 1',
    'spoor_open_connections 1',
    'spoor_connections_refused_total 1',
    'spoor_journal_head_position 42',
    'spoor_control_store_readable 1',
    'spoor_webhook_journal_behind 2',
    'spoor_webhook_deliveries_pending 5',
    'spoor_webhook_attempt_duration_seconds_sum{result="succeeded"} 0.003',
    'spoor_store_size_bytes 99',
    'spoor_ingest_buffer_bytes 7',
  ]) {
    assert.ok(text.split('\n').includes(line), line)
  }
  assert.match(text, /^process_resident_memory_bytes \d/m)
  assert.match(text, /^process_start_time_seconds \d{10}/m)
})

test('metrics that the control store cannot give are missing, and the others are reported anyway', async () => {
  const errors: unknown[] = []
  const failure = new Error('database is locked')
  let head: number | null = null
  const metrics = createMetrics({
    version: '1.2.3',
    journalHead: async () => {
      if (head === null) throw failure
      return head
    },
    webhooksBehind: async () => 0,
    pendingDeliveries: async () => 0,
    pendingPurges: async () => 0,
    storeSizeBytes: () => 99,
    ingestBufferBytes: () => 7,
    damage: NO_DAMAGE,
    onError: (error) => errors.push(error),
  })
  const unreadable = await metrics.print()
  assert.match(unreadable, /^spoor_control_store_readable 0$/m)
  assert.match(unreadable, /^spoor_journal_head_position NaN$/im)
  assert.match(unreadable, /^spoor_store_size_bytes 99$/m)
  assert.deepEqual(errors, [failure])
  head = 7
  const readable = await metrics.print()
  assert.match(readable, /^spoor_control_store_readable 1$/m)
  assert.match(readable, /^spoor_journal_head_position 7$/m)
})

const SOURCES = {
  version: '1.2.3',
  journalHead: async () => 0,
  webhooksBehind: async () => 0,
  pendingDeliveries: async () => 0,
  pendingPurges: async () => 0,
  storeSizeBytes: () => 0,
  ingestBufferBytes: () => 0,
  damage: NO_DAMAGE,
  onError: (error: unknown) => assert.fail(String(error)),
}

test('names follow the conventions of Prometheus: base units, and _total only for counters', async () => {
  const text = await createMetrics(SOURCES).print()
  const types = [...text.matchAll(/^# TYPE (spoor_\w+) (\w+)$/gm)]
  assert.ok(types.length > 15)
  for (const [, name = '', type] of types) {
    assert.match(name, /^spoor_[a-z]+(_[a-z]+)*$/)
    assert.equal(name.endsWith('_total'), type === 'counter', name)
    assert.doesNotMatch(name, /_(ms|milliseconds|minutes|kb|mb|percent|count|sum|bucket)(_|$)/)
    assert.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'))
  }
})

test('requests of any method and status add no series beyond those of their route', async () => {
  const { requests, print } = createMetrics(SOURCES)
  const series = async () => (await print()).split('\n').filter((line) => line.startsWith('spoor_http_')).length
  const observe = (method: string, status: number) =>
    requests.observeRequest({ route: 'unmatched', method, status, seconds: 0.1 })
  observe('GET', 404)
  const [duration, count] = [11, 1]
  assert.equal(await series(), duration + count)
  for (const status of [200, 400, 401, 503]) observe('GET', status)
  assert.equal(await series(), duration + 5 * count)
  // Any method that a client invents counts as one.
  for (const method of ['PURGE', 'MKCALENDAR', 'OPTIONS', 'M-SEARCH']) observe(method, 404)
  assert.equal(await series(), 2 * duration + 6 * count)
})

test('ready once every part is, and never again once stopping', () => {
  const readiness = new Readiness(['telemetry'])
  assert.deepEqual(
    [readiness.ready, readiness.parts()],
    [false, [{ name: 'telemetry', ok: false, detail: 'starting' }]],
  )
  readiness.report('telemetry', null)
  assert.equal(readiness.ready, true)
  readiness.report('telemetry', 'disk full')
  assert.equal(readiness.ready, false)
  readiness.report('telemetry', null)
  readiness.beginStop()
  assert.deepEqual([readiness.stopping, readiness.ready], [true, false])
})

test('a log line is one JSON object with its level, time, fields and the cause of an error', () => {
  const lines: string[] = []
  const logger = createLogger(
    'info',
    new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) }),
  )
  logger.debug('not this')
  logger.error({ error: new Error('outer', { cause: new Error('inner') }), status: 500 }, 'request failed')
  assert.equal(lines.length, 1)
  const { level, time, message, status, error } = JSON.parse(lines[0] ?? '')
  assert.deepEqual([level, message, status], ['error', 'request failed', 500])
  assert.match(time, /^\d{4}-\d\d-\d\dT.*Z$/)
  assert.ok(error.stack.includes('outer') && error.stack.includes('inner'))
})
