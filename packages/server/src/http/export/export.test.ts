import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { OPERATIONS } from '@spoor/contract/operations'
import { DomainError } from '../../lib/domain-error.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import type { ReadTraceRowGroup } from '../../traces/read/trace-row-groups.ts'
import { idAt } from '../../traces/trace-builders.test-support.ts'
import { createHttpWorld, type HttpWorld } from '../test-world/http-world.test-support.ts'
import { listen, sendTo } from '../test-world/transports.test-support.ts'
import { columnsOf } from './columns.ts'

const OWN = { 'x-api-key': 'own' }
const [FIRST, LAST] = [idAt('tr', 1), idAt('tr', 2)]
/** Two pages. */
const TRACES = 1003
const METADATA = '{"big":12345678901234567890,"text":"a,\\"b\\"\\n<é>"}'

interface File {
  readonly status: number
  readonly bytes: Buffer
  readonly trailer: string | undefined
  readonly broke: boolean
}

function download(port: number, query: string): Promise<File> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path: `/v1/export?${query}`, headers: OWN, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      const end = (broke: boolean) =>
        resolve({
          status: answer.statusCode ?? 0,
          bytes: Buffer.concat(chunks),
          trailer: answer.trailers['x-export-rows'],
          broke,
        })
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => end(false))
      answer.on('error', () => end(true))
    })
    sent.on('error', reject)
    sent.end()
  })
}

async function filledWorld(world: HttpWorld = createHttpWorld()) {
  for (let i = 0; i < TRACES; i++) {
    const body = Buffer.from(`{"name":"run ${i}","steps":[]}`)
    await world.traces.commit({ projectId: world.ownProject, body, idempotencyKey: null })
  }
  const list = world.traces.list.bind(world.traces)
  world.traces.list = async (query) => {
    const from = Number(query.cursor ?? 0)
    const { traces: found } = await list({ ...query, limit: TRACES })
    if (found.length === 0) return { traces: [], snippets: null, nextCursor: null }
    const [first, ...others] = found
    const all = [{ ...first!, metadata: Buffer.from(METADATA) }, ...others]
    const to = from + query.limit
    return { traces: all.slice(from, to), snippets: null, nextCursor: to < all.length ? String(to) : null }
  }
  return { ...world, port: await listen(world.app) }
}

test('JSON lines are the rows of the list, all of them, and then how many', async () => {
  const { port } = await filledWorld()
  const { bytes, broke } = await download(port, 'what=traces&format=jsonl')
  const lines = bytes.toString().split('\n')
  assert.equal(broke, false)
  assert.equal(lines.pop(), '')
  assert.equal(lines.pop(), `{"complete":true,"rows":${TRACES}}`)
  assert.equal(lines.length, TRACES)
  const listed = await sendTo(port, { path: '/v1/traces?limit=1', headers: OWN })
  assert.equal(`{"traces":[${lines[0]}]`, listed.text.slice(0, listed.text.indexOf(',"next_cursor"')))
  assert.ok(lines[0]?.includes('"big":12345678901234567890'), 'numbers keep their digits')
})

test('CSV has a line for each row, quoted, and the number of rows in a trailer', async () => {
  const { port } = await filledWorld()
  const { bytes, trailer } = await download(port, 'what=traces&format=csv')
  const text = bytes.toString()
  const [head = '', first = ''] = text.split('\r\n')
  const names = head.split(',')
  assert.deepEqual(names.slice(0, 2), ['id', 'name'])
  assert.ok(names.includes('token_usage.input'))
  assert.equal(first.split(',')[1], 'run 0')
  assert.ok(text.includes(`"${METADATA.replaceAll('"', '""')}"`))
  assert.equal(text.split('\r\n').length, TRACES + 2)
  assert.equal(trailer, String(TRACES))
})

test('Parquet has the columns with types', async () => {
  const { port } = await filledWorld()
  const { bytes, trailer } = await download(port, 'what=traces&format=parquet&sort=duration_ms')
  const { parquetReadObjects } = await import('hyparquet')
  const copy = new Uint8Array(bytes).buffer
  const rows = await parquetReadObjects({ file: copy })
  assert.equal(trailer, String(TRACES))
  assert.equal(rows.length, TRACES)
  const { name, metadata, step_count, created_at, growing, session_id } = rows[0]!
  assert.deepEqual(
    { name, metadata, step_count, growing, session_id: session_id ?? null },
    { name: 'run 0', metadata: METADATA, step_count: 0n, growing: false, session_id: null },
  )
  assert.ok(created_at instanceof Date)
})

test('an export that breaks off has neither a last line nor a trailer', async () => {
  const { port, traces } = await filledWorld()
  const list = traces.list.bind(traces)
  traces.list = (query) => (query.cursor === null ? list(query) : Promise.reject(new Error('the engine is gone')))
  for (const format of ['jsonl', 'csv', 'parquet']) {
    const { bytes, trailer, broke } = await download(port, `what=traces&format=${format}&sort=duration_ms`)
    assert.equal(broke, true, format)
    assert.equal(trailer, undefined)
    assert.ok(!bytes.includes('"complete":true') && !bytes.subarray(4).includes('PAR1'))
  }
})

test('row groups of the engine are one file, and a failure or a revoked key breaks it off', async () => {
  const { encoderOf } = await import('./formats.ts')
  const row = OPERATIONS.listTraces.responses[200].content['application/json'].properties.traces.items
  const timers = new ManualTimers()
  let failure: Error | null = null
  const asked: unknown[] = []
  const readTraceRowGroup: ReadTraceRowGroup = async ({ order, name }, from) => {
    asked.push({ order, name, after: from?.after ?? null })
    if (from !== null && failure !== null) {
      setImmediate(() => timers.advance(1000))
      throw failure
    }
    const encoder = await encoderOf('parquet', columnsOf(row))
    const line = Buffer.from(JSON.stringify({ name: from === null ? 'first' : 'second' }))
    const file = Buffer.concat([encoder.start(), encoder.page([line]), encoder.end(1)])
    const place = { throughId: LAST, after: FIRST, spanMs: 1, limit: 1 }
    if (from?.after === FIRST) return { file: null, next: { ...place, after: LAST } }
    return { file, next: from === null ? place : null }
  }
  const world = await filledWorld(createHttpWorld({ timers, readTraceRowGroup }))
  const query = 'what=traces&format=parquet&order=asc&name=run'
  const { bytes, trailer } = await download(world.port, query)
  const { parquetReadObjects } = await import('hyparquet')
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  assert.deepEqual([rows.map(({ name }) => name), trailer], [['first', 'second'], '2'])
  assert.deepEqual(
    asked,
    [null, FIRST, LAST].map((after) => ({ order: 'asc', name: 'run', after })),
  )
  for (const error of [new Error('the engine is gone'), new DomainError('storage_unavailable', 'Busy.')]) {
    failure = error
    const { bytes: part, trailer: none, broke } = await download(world.port, query)
    assert.deepEqual([broke, none, part.subarray(4).includes('PAR1')], [true, undefined, false])
  }
  failure = null
  const list = world.traces.list.bind(world.traces)
  let lists = 0
  world.traces.list = async (listed) => {
    if (++lists > 1) throw new DomainError('unauthorized', 'The key was revoked.')
    return list(listed)
  }
  assert.equal((await download(world.port, query)).broke, true)
})

test('exports of row groups, which hold two of them, wait for each other when eight run', async () => {
  const released = Promise.withResolvers<void>()
  let arrived = 0
  let running = 0
  const isThere = Promise.withResolvers<void>()
  const check = () => void (arrived === 9 && running >= 8 && isThere.resolve())
  const readTraceRowGroup: ReadTraceRowGroup = async () => {
    running++
    check()
    await released.promise
    return { file: null, next: null }
  }
  const world = createHttpWorld({ readTraceRowGroup })
  world.app.server.on('request', () => {
    arrived++
    check()
  })
  const { port } = await filledWorld(world)
  const exports = Array.from({ length: 9 }, () => download(port, 'what=traces&format=parquet'))
  await isThere.promise
  // A later request is through.
  await sendTo(port, { path: '/v1/traces?limit=1', headers: OWN })
  const ran = running
  released.resolve()
  for (const { trailer } of await Promise.all(exports)) assert.equal(trailer, '0')
  assert.equal(ran, 8)
})

test('a page that the service is too busy for is asked again', async () => {
  const timers = new ManualTimers()
  const { port, traces } = await filledWorld(createHttpWorld({ timers }))
  const list = traces.list.bind(traces)
  let refused = 0
  traces.list = async (query) => {
    if (query.cursor === null || refused === 3) return list(query)
    refused++
    setImmediate(() => timers.advance(1000))
    throw new DomainError('storage_unavailable', 'Busy.')
  }
  const { bytes, broke } = await download(port, 'what=traces&format=jsonl')
  assert.deepEqual([broke, refused], [false, 3])
  assert.ok(bytes.toString().endsWith(`{"complete":true,"rows":${TRACES}}\n`))
})

test('the list checks its parameters, and an export its own', async () => {
  const { port } = await filledWorld()
  const refusal = async (query: string) => {
    const { status, bytes } = await download(port, query)
    const { code, errors } = JSON.parse(bytes.toString()) as { code: string; errors: { pointer: string }[] }
    return [status, code, errors[0]?.pointer]
  }
  assert.deepEqual(await refusal('what=traces&format=csv&statsu=ok'), [422, 'validation_failed', '?statsu'])
  assert.deepEqual(await refusal('what=steps_of_all&format=csv'), [422, 'validation_failed', '?what'])
  assert.deepEqual(await refusal('what=traces'), [422, 'validation_failed', '?format'])
  for (const what of ['series', 'step_series']) {
    const series = await download(port, `what=${what}&format=csv&measure=count`)
    assert.equal(series.status, 200, series.bytes.toString())
    assert.ok(series.bytes.toString().startsWith('at,group,other,count,'))
  }
})

test('another project exports its own rows, and without the scope nobody does', async () => {
  const { port } = await filledWorld()
  const path = '/v1/export?what=traces&format=jsonl'
  const foreign = await sendTo(port, { path, headers: { 'x-api-key': 'foreign' } })
  assert.equal(foreign.text, '{"complete":true,"rows":0}\n')
  assert.equal((await sendTo(port, { path, headers: { 'x-api-key': 'writer' } })).status, 403)
  assert.equal((await sendTo(port, { path })).status, 401)
})
