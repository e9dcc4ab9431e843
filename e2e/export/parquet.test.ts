import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readParquet } from '../../packages/server/src/cli/import/peers/parquet.ts'
import type { Client } from '../lib/client.ts'
import { createProject } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const JSON_COLUMNS = new Set(['metadata', 'models', 'finding_kinds', 'snippet', 'metric_values', 'error'])

/** The engine writes the first ones, pages of the list make the others. */
const QUERIES = [
  '',
  'order=asc',
  'status=error',
  'not_name=run+3&name=run+3&name=run+4',
  'flagged=true',
  'model=gpt-4o&min_total_tokens=100',
  'min_cost_usd=0.001',
  'meta_key=n&meta_value=7',
  'finding=any',
  'tool=find_order&step_status=ok',
  'metric=score&min_value=1',
  'without_metric=score&status=ok',
  'name=nothing',
  'sort=duration_ms',
  'q=order',
  'metric_values=score',
]

async function post(client: Client, path: string, body: object, method = 'POST'): Promise<{ readonly id: string }> {
  const answer = await client.call({ method, path, headers: JSON_TYPE, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return answer.text === '' ? { id: '' } : answer.json<{ id: string }>()
}

/** Rows of the list as the cells of a file: lists and metadata are JSON. */
async function rowsOf(client: Client, query: string): Promise<readonly unknown[]> {
  const { status, text } = await client.get(`/v1/export?what=traces&format=jsonl&${query}`)
  assert.equal(status, 200, text)
  const lines = text.trimEnd().split('\n')
  assert.deepEqual(JSON.parse(lines.pop()!), { complete: true, rows: lines.length })
  return lines.map((line) => {
    const { token_usage, snippet = null, metric_values = null, ...row } = JSON.parse(line) as Record<string, unknown>
    const tokens = Object.entries(token_usage as object).map(([name, value]) => [`token_usage.${name}`, value] as const)
    return Object.assign(row, { snippet, metric_values }, Object.fromEntries(tokens))
  })
}

const folder = mkdtempSync(join(tmpdir(), 'spoor-parquet-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function cellsOf(client: Client, query: string, what = 'traces'): Promise<readonly object[]> {
  const { status, bytes, text } = await client.get(`/v1/export?what=${what}&format=parquet&${query}`)
  assert.equal(status, 200, status === 200 ? '' : text)
  const path = join(folder, `${what}.parquet`)
  writeFileSync(path, bytes)
  const rows: object[] = []
  for await (const row of readParquet(path)) {
    const cells = Object.entries(row).map(([name, cell]) => {
      const isJson = JSON_COLUMNS.has(name) && typeof cell === 'string'
      return [name, isJson ? (JSON.parse(cell) as unknown) : cell]
    })
    rows.push(Object.fromEntries(cells) as object)
  }
  return rows
}

/** Lines of RFC 4180. */
function linesOf(csv: string): string[][] {
  const lines: string[][] = [[]]
  for (const [, quoted, plain = '', end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== ',') lines.push([])
  }
  assert.deepEqual(lines.pop(), [])
  return lines
}

const valueAt = (row: object, column: string) =>
  column.split('.').reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | null)?.[key] ?? null, row)

/** CSV and Parquet have a column for each field of the rows of a list, with its values. */
async function compareWithList(client: Client, what: string, path: string, query: string): Promise<void> {
  const answer = await client.get(`${path}?${query}`)
  assert.equal(answer.status, 200, answer.text)
  const members = Object.values(answer.json<Readonly<Record<string, readonly object[] | null>>>())
  const rows = members.find((member) => typeof member?.[0] === 'object') ?? []
  assert.ok(rows.length > 1, what)
  const [head, ...lines] = linesOf((await client.get(`/v1/export?what=${what}&format=csv&${query}`)).text)
  for (const field of new Set(rows.flatMap((row) => Object.keys(row))))
    assert.ok(
      head!.some((column) => column === field || column.startsWith(`${field}.`)),
      `${what} has ${field}`,
    )
  // A value of an event is a number or a text, so it is JSON.
  const cellAt = (row: object, column: string) =>
    what === 'events' && column === 'value' ? JSON.stringify(valueAt(row, column)) : valueAt(row, column)
  const asText = (value: unknown) => (typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value))
  assert.deepEqual(
    lines,
    rows.map((row) => head!.map((column) => asText(valueAt(row, column)))),
  )
  assert.deepEqual(
    await cellsOf(client, query, what),
    rows.map((row) => Object.fromEntries(head!.map((column) => [column, cellAt(row, column)]))),
  )
}

test('Parquet has the cells of JSON lines for all filters: rows just committed, changed, deleted and scored', async () => {
  await using service = await Service.start()
  const { client } = service
  await post(client, '/v1/prices/own-model', { input_usd_per_million: 0.1, output_usd_per_million: 1 / 3 }, 'PUT')
  await post(client, '/v1/metrics', { name: 'score', kind: 'numeric' })
  const other = await createProject(client, 'other')
  await post(client.as(other.key), '/v1/traces', { name: 'of another project' })
  const ids: string[] = []
  const commit = async (n: number) => {
    const call = { type: 'tool_use', id: `call ${n}`, name: 'find_order', input: { id: n % 2 } }
    const messages = [
      { role: 'user', content: [{ type: 'text', text: `Where is order \\ud83d ${n}? 😀 "/"` }] },
      { role: 'assistant', content: [call] },
    ]
    const usage = { input: 100 * n, output: 7, cache_read: n }
    const model = ['gpt-4o', 'own-model', 'unpriced'][n % 3]
    const step = { name: 'ask', type: 'llm', status: n % 5 === 0 ? 'error' : 'ok', model, token_usage: usage, messages }
    const found = {
      name: 'find_order',
      type: 'tool',
      messages: [{ role: 'tool', tool_call_id: `call ${n}`, content: [{ type: 'text', text: 'none' }] }],
    }
    const steps = Array.from({ length: n % 4 }, () => [step, found]).flat()
    const times = n % 2 === 0 ? {} : { started_at: '1970-01-01T00:00:00.001Z', ended_at: '2026-01-01T00:00:00Z' }
    const people = n % 7 === 0 ? {} : { session_id: `s ${n % 3}`, user_id: 'ü' }
    const body = { name: `run ${n % 9}`, metadata: { n, big: 1e300, list: [null, 'a'] }, steps, ...times, ...people }
    ids.push((await post(client, '/v1/traces', body)).id)
    if (n % 6 === 0) await post(client, '/v1/metrics/events', { name: 'score', trace_id: ids[n], value: n / 30 })
    if (n % 11 === 0) await post(client, `/v1/traces/${ids[n]}`, { flagged: true, reason: 'look' }, 'PATCH')
  }
  for (let n = 0; n < 40; n++) await commit(n)
  const [gone, graced, restored] = ids as [string, string, string]
  await client.call({ method: 'DELETE', path: `/v1/traces/${gone}` })
  await client.call({ method: 'DELETE', path: `/v1/traces/${graced}?grace_seconds=3600` })
  await client.call({ method: 'DELETE', path: `/v1/traces/${restored}?grace_seconds=3600` })
  assert.equal((await cellsOf(client, '')).length, 37)
  await post(client, `/v1/traces/${restored}/restore`, {})
  assert.equal((await cellsOf(client, '')).length, 38)
  for (let n = 40; n < 60; n++) await commit(n)
  for (const query of QUERIES) {
    const rows = await rowsOf(client, query)
    assert.deepEqual(await cellsOf(client, query), rows, query)
    if (query === '') assert.equal(rows.length, 58)
    if (query === 'name=nothing') assert.equal(rows.length, 0)
    else assert.ok(rows.length > 0, query)
  }
  const failed = { name: 'pay', status: 'error', error: { type: 'Full', message: '"no", it said' } }
  await post(client, '/v1/traces', { name: 'run 3', steps: [failed] })
  await compareWithList(client, 'steps', '/v1/steps', 'name=run+3')
  const said = { comment: 'a, "b"\n<é>', metadata: { list: [1, 'a'] }, source: 'human' }
  await post(client, '/v1/metrics/events', { name: 'score', trace_id: ids[59], value: 0.1, ...said })
  await compareWithList(client, 'events', '/v1/metrics/events', 'name=score')
  const now = Date.now()
  const span = `start_time=${new Date(now - 7_200_000).toISOString()}&end_time=${new Date(now).toISOString()}`
  const series = `compare=previous&bucket=1h&group_by=name&group_by=status&${span}`
  await compareWithList(client, 'series', '/v1/traces/series', `measure=duration_ms&limit=4&${series}`)
  await compareWithList(client, 'step_series', '/v1/steps/series', `measure=total_tokens&${series}`)
  await service.kill()
  await service.start()
  const { client: again } = service
  assert.deepEqual(await cellsOf(again, ''), await rowsOf(again, ''))
})

test('the file of a service that was killed has no footer', async () => {
  await using service = await Service.start()
  const text = () => randomBytes(180_000).toString('base64')
  for (let n = 0; n < 100; n++) await post(service.client, '/v1/traces', { name: 'large', metadata: { text: text() } })
  const chunks: Buffer[] = []
  const broke = await new Promise<boolean>((resolve, reject) => {
    const url = `${service.url}/v1/export?what=traces&format=parquet`
    const sent = request(url, { headers: { 'x-api-key': service.key } }, (answer) => {
      // Then nothing is read until the service is gone.
      answer.once('data', () => {
        answer.pause()
        service.kill().then(() => answer.resume(), reject)
      })
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve(false)).on('error', () => resolve(true))
    })
    sent.on('error', reject).end()
  })
  assert.deepEqual([broke, Buffer.concat(chunks).subarray(4).includes('PAR1')], [true, false])
})
