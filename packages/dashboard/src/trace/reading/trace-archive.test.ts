import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TraceArchive } from './trace-archive.ts'
import { metadataOf } from './trace-head.ts'

const STEPS = Array.from({ length: 5 }, (_, position) => ({
  id: `st_${position}`,
  position,
  name: `step ${position}`,
  type: 'llm',
  model: null,
  status: position === 3 ? 'error' : 'ok',
  started_at: position === 0 ? null : `2026-01-01T00:00:0${position}.000Z`,
  ended_at: null,
  parent_step_id: null,
  parent_inferred: false,
  cost_usd: null,
  messages: [{ role: 'user', content: [{ type: 'text', text: `Größe ${position}` }] }],
  ...(position === 3 ? { error: { type: 'Timeout', message: 'too late' } } : {}),
}))
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

function read(bytes: Uint8Array, pieceLength: number) {
  const archive = new TraceArchive()
  const names: string[] = []
  const heads: unknown[] = []
  for (let at = 0; at < bytes.length; at += pieceLength) {
    const { head, batch } = archive.push(bytes.subarray(at, at + pieceLength))
    if (head !== null) heads.push({ head, before: names.length })
    names.push(...(batch?.names ?? []))
  }
  return { archive, names, heads }
}

test('the trace is known before its steps, these as they arrive, and the text is exact at the end', () => {
  const trace = { id: 'tr_1', name: 'n', steps: STEPS, cost_usd: 12 }
  for (const pieceLength of [3, 50, 10_000]) {
    const { archive, names, heads } = read(encode(trace), pieceLength)
    assert.deepEqual(heads, [{ head: { id: 'tr_1', name: 'n', steps: [] }, before: 0 }])
    assert.deepEqual(names, ['step 0', 'step 1', 'step 2', 'step 3', 'step 4'])
    assert.deepEqual(archive.end(), { ...trace, steps: [] })
    assert.deepEqual(JSON.parse(archive.stepText(2)), STEPS[2])
    assert.equal(archive.text(), JSON.stringify(trace))
  }
})

test('columns contain what the list shows', () => {
  const batch = new TraceArchive().push(encode({ id: 'tr_1', steps: STEPS })).batch
  assert.deepEqual(batch?.failed, [false, false, false, true, false])
  assert.equal(batch.errors[3], 'Timeout: too late')
  assert.deepEqual(batch.starts.slice(0, 2), [NaN, Date.parse('2026-01-01T00:00:01Z')])
})

test('numbers keep their digits, in metadata and for a search', () => {
  const text = `{"id":"tr_1","metadata":{"n":9007199254740993},"steps":[{"id":"st_1","messages":[],"metadata":{"x":1.50}}],"cost_usd":0}`
  const { archive, heads } = read(new TextEncoder().encode(text), 10_000)
  assert.equal(heads.length, 1)
  const head = structuredClone(archive.end())
  assert.equal(JSON.stringify(metadataOf(head)), '{"n":9007199254740993}')
  assert.deepEqual(archive.search('1.50', 0, 1), [0])
})

test('a truncated response is reported', () => {
  const bytes = encode({ id: 'tr_1', steps: STEPS })
  assert.throws(() => read(bytes.subarray(0, -1), 64).archive.end(), /truncated/)
})

test('later pages add only new steps', () => {
  const { archive } = read(encode({ id: 'tr_1', steps: STEPS.slice(0, 3), cost_usd: 1 }), 64)
  archive.end()
  const { batch, nextCursor } = archive.pushPage(encode({ steps: STEPS, next_cursor: 'c' }))
  assert.deepEqual(batch?.names, ['step 3', 'step 4'])
  assert.equal(nextCursor, 'c')
  assert.equal(archive.pushPage(encode({ steps: STEPS, next_cursor: null })).batch, null)
  assert.deepEqual(JSON.parse(archive.text()), { id: 'tr_1', steps: STEPS, cost_usd: 1 })
})

test('a search covers names, errors and messages in any letter case, but no field names', () => {
  const { archive } = read(encode({ id: 'tr_1', steps: STEPS }), 64)
  assert.deepEqual(archive.search('GRÖSSE'.replace('SS', 'ß'), 0, 99), [0, 1, 2, 3, 4])
  assert.deepEqual(archive.search('too LATE', 0, 99), [3])
  assert.deepEqual(archive.search('step 4', 2, 99), [4])
  assert.deepEqual(archive.search('content', 0, 99), [])
})

test('what the root says is the exchange of a run; without one root, the first and the last step say it', () => {
  const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
  const asked = { ...STEPS[1], type: 'chain', messages: [said('user', 'question'), said('assistant', 'answer')] }
  const last = { ...STEPS[2], type: 'chain', messages: [said('assistant', 'end')] }
  const archiveOf = (parents: object) =>
    read(encode({ id: 'tr_1', steps: [asked, { ...last, ...parents }] }), 50).archive
  const root = { stepId: 'st_1', text: 'question' }
  assert.deepEqual(archiveOf({ parent_step_id: 'st_1' }).exchange(), {
    input: root,
    output: { stepId: 'st_1', text: 'answer' },
  })
  for (const parents of [{}, { parent_step_id: 'st_1', parent_inferred: true }])
    assert.deepEqual(archiveOf(parents).exchange(), { input: root, output: { stepId: 'st_2', text: 'end' } })
})
