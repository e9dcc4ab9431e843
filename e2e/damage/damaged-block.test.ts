import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Client } from '../lib/client.ts'
import { flipBitOfPart } from '../lib/faults/damage-store.ts'
import { STEPS_OF_EACH, stoppedServiceWith } from '../lib/faults/damaged-service.ts'
import { Service } from '../lib/service.ts'

const TRACES = 160

/** The second test has a copy: the first damages the store itself. */
const original = await stoppedServiceWith(TRACES)
const copied = mkdtempSync(join(tmpdir(), 'spoor-damaged-'))
cpSync(original.service.dataDir, copied, { recursive: true, verbatimSymlinks: true })
const copy = new Service({ dataDir: copied, environment: { SPOOR_BOOTSTRAP_KEY: original.service.key } })
after(() => rmSync(copied, { recursive: true, force: true }))

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string | null
}

async function listAll(client: Client, query = ''): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const answer = await client.get(`/v1/traces?limit=100${query}${cursor === null ? '' : `&cursor=${cursor}`}`)
    assert.equal(answer.status, 200, answer.text)
    const page = answer.json<{ traces: { id: string }[]; next_cursor: string | null }>()
    ids.push(...page.traces.map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
  return ids
}

async function dataCheck(service: Service): Promise<Check & { status: number }> {
  const answer = await service.client.get('/readyz')
  const check = answer.json<{ checks: Check[] }>().checks.find(({ name }) => name === 'data') as Check
  return { ...check, status: answer.status }
}

async function readWidely(client: Client): Promise<void> {
  for (const path of [
    '/v1/traces?limit=100',
    '/v1/traces?limit=100&sort=total_tokens',
    '/v1/traces?limit=100&sort=duration_ms',
    '/v1/traces?limit=100&sort=cost_usd',
    '/v1/traces?q=needle&limit=100',
    '/v1/traces?status=ok&limit=100',
    '/v1/traces?meta_key=number&meta_value=3',
    '/v1/sessions',
    '/v1/users',
    '/v1/traces/facets?field=name',
    '/v1/traces/series?measure=total_tokens&bucket=5200w&group_by=status',
  ]) {
    const { status, text } = await client.get(path)
    assert.equal(status, 200, `${path}: ${text}`)
  }
}

/** Reads every trace. Returns the damaged ones; all others must be complete. */
async function damagedOf(client: Client, ids: readonly string[]): Promise<Set<string>> {
  const damaged = new Set<string>()
  for (const id of ids) {
    const answer = await client.get(`/v1/traces/${id}`)
    if (answer.status === 200) {
      assert.equal(answer.json<{ steps: unknown[] }>().steps.length, STEPS_OF_EACH)
      continue
    }
    const { code } = answer.json<{ code: string }>()
    assert.deepEqual([answer.status, code], [503, 'storage_damaged'], answer.text)
    damaged.add(id)
  }
  return damaged
}

test('one flipped bit in the rows of traces: their part is set aside, lists and search continue, and the damage is reported', async () => {
  const { ids } = original
  await using running = original.service
  flipBitOfPart(running.dataDir, 'traces', 'largest block')
  await running.start()
  const later = (await running.client.postTrace({ name: 'needle later' })).json<{ id: string }>().id
  await readWidely(running.client)
  // The damaged column may be one that only a later page of these reads.
  for (const query of ['', '&sort=total_tokens', '&q=needle']) await listAll(running.client, query)
  const listed = await listAll(running.client)
  assert.ok(listed.includes(later))
  assert.deepEqual((await listAll(running.client, '&sort=total_tokens')).sort(), listed.toSorted())
  assert.deepEqual((await listAll(running.client, '&q=needle')).sort(), listed.toSorted())

  // Traces that are not listed are damaged, not unknown; all others are complete.
  const damaged = await damagedOf(running.client, ids)
  assert.deepEqual([...damaged].sort(), ids.filter((id) => !listed.includes(id)).sort())
  assert.ok(damaged.size > 0)
  const lost = damaged.size
  const check = await dataCheck(running)
  assert.deepEqual([check.status, check.ok], [503, false])
  assert.equal(
    check.detail,
    `${lost} rows of traces were set aside with 1 damaged part: only a backup has them; see damage.jsonl, run spoor check`,
  )
  const metrics = (await running.client.get('/metrics')).text
  assert.ok(metrics.includes('\nspoor_damaged_parts_total 1\n'))
  assert.ok(metrics.includes(`\nspoor_lost_rows_total{table="traces"} ${lost}\n`))
  assert.match(metrics, /\nspoor_checksum_failures_total [1-9]/)
  const line = JSON.parse(readFileSync(join(running.dataDir, 'damage.jsonl'), 'utf8').trim()) as {
    lost: { id: string }[]
    unnamed: { from: [string, string]; to: [string, string] }[]
  }
  // The bit may be in an id: then the rows are reported as a range between two ids.
  const named = new Set(line.lost.map(({ id }) => id))
  const isSaid = (id: string) => named.has(id) || line.unnamed.some(({ from, to }) => from[1] <= id && id <= to[1])
  assert.deepEqual(
    [...damaged].filter((id) => !isSaid(id)),
    [],
  )

  // Writes continue, and a restart keeps the record.
  assert.equal((await running.client.postTrace({ name: 'needle after' })).status, 202)
  await running.restart()
  assert.equal((await listAll(running.client)).length, listed.length + 1)
  assert.deepEqual(await dataCheck(running), check)
})

test('one flipped bit in the rows of steps: the list is complete, and traces with lost steps are refused', async () => {
  const { ids } = original
  await using running = copy
  flipBitOfPart(running.dataDir, 'steps', 'last column')
  await running.start()
  const damaged = await damagedOf(running.client, ids)
  assert.ok(damaged.size > 0, `${damaged.size} traces`)
  assert.equal((await listAll(running.client)).length, TRACES)
  for (const id of damaged) {
    const answer = await running.client.get(`/v1/traces/${id}/steps`)
    assert.deepEqual([answer.status, answer.json<{ code: string }>().code], [503, 'storage_damaged'])
  }
  assert.equal((await listAll(running.client, '&q=needle')).length, TRACES)
  assert.match(
    (await dataCheck(running)).detail ?? '',
    /^\d+ rows of steps were set aside with 1 damaged part: only a backup has them/,
  )
})
