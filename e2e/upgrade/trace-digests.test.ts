import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { firstRequest, lastAnswer, mayAnswer, toPreview } from '@spoor/contract/said-text'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { Service } from '../lib/service.ts'
import { unpack } from './old-data-directory.ts'

const { key } = JSON.parse(readFileSync(new URL('first-wave.json', import.meta.url), 'utf8')) as {
  readonly key: string
}
const FILLED = /all stored traces have their inputs/

/** The traces of 0.1.0 in the directory have no digests. */
test('traces of an earlier version show their inputs, outputs and costs after the upgrade, despite kills', async (context) => {
  const dataDir = unpack('first-wave.tar.zst', context)
  await using service = await Service.start({ dataDir, environment: { SPOOR_BOOTSTRAP_KEY: key } })
  const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
  const before = await walkFeed(service.client)
  for (let kills = 0; kills < 3; kills++) {
    await service.kill()
    await service.start()
  }
  const old = before.find(({ step_count }) => step_count > 0)!
  const line = JSON.stringify({ name: 'more', type: 'llm', messages: [said('assistant', 'after the upgrade')] })
  const append = { method: 'POST', path: `/v1/traces/${old.id}/steps`, body: `${line}\n` }
  assert.equal(
    (await service.client.call({ ...append, headers: { 'content-type': 'application/x-ndjson' } })).status,
    200,
  )
  await eventually('all are filled in', async () => FILLED.test(service.log))

  const rows = await walkFeed(service.client)
  assert.equal(rows.length, before.length)
  let texts = 0
  for (const row of rows) {
    const whole = (await service.client.get(`/v1/traces/${row.id}`)).json<Trace>()
    const first = whole.steps.map(({ messages }) => firstRequest(messages)).find((text) => text !== null) ?? null
    const answers = whole.steps.flatMap(({ type, messages }) => (mayAnswer(type) ? (lastAnswer(messages) ?? []) : []))
    assert.equal(row.input_preview, first === null ? null : toPreview(first), row.name)
    if (row.status === 'ok') assert.equal(row.output_preview, answers.length === 0 ? null : toPreview(answers.at(-1)!))
    assert.equal(row.cost_usd, whole.cost_usd, row.name)
    if (row.input_preview !== null) texts++
    if (row.id !== old.id) assert.equal(row.updated_at, before.find(({ id }) => id === row.id)?.updated_at)
  }
  assert.ok(texts > 0, 'some of them have texts')
  assert.equal(rows.find(({ id }) => id === old.id)?.output_preview, 'after the upgrade')

  await service.stop()
  const logged = service.log.length
  await service.start()
  await eventually('it answers', async () => (await service.client.get('/readyz')).status === 200)
  assert.doesNotMatch(service.log.slice(logged), /filling in inputs/, 'nothing is left')
  await service.stop()
})
