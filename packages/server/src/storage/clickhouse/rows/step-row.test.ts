import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../../lib/work/in-slices.ts'
import { jsonString, jsonText, objectText } from '../../../lib/json/json-arbitraries.test-support.ts'
import { BEGIN_MS, idAt, newStep, preparedStep, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { ByteWriter } from './byte-writer.ts'
import { readStepRow, STEP_COLUMNS, writeStepRow } from './step-row.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'

const engine = await temporaryEngine()

test('bodies come back byte for byte, whatever white space, empty lines included', async () => {
  let written = 0
  const empty = '{\n\n"messages":[{}],\n\n\n"metadata":{"a" : "\\n\\n"}\r\n\r\n}'
  const bodies = fc.array(fc.oneof(objectText(jsonString, jsonText), fc.constant(empty)), {
    minLength: 1,
    maxLength: 100,
    size: 'max',
  })
  await fc.assert(
    fc.asyncProperty(bodies, async (batch) => {
      const trace = traceRecord(idAt('tr', BEGIN_MS, written++))
      const out = new ByteWriter()
      for (const [position, body] of batch.entries()) {
        atOnce(
          writeStepRow(out, newStep(trace, position, { prepared: preparedStep({ body: Buffer.from(body) }) }), true),
        )
      }
      await engine.insert('steps', out.written())
      const rows = await engine.select(
        `SELECT ${STEP_COLUMNS} FROM steps WHERE trace_id = '${trace.id}' ORDER BY position`,
      )
      assert.deepEqual(
        rows.map((row) => readStepRow(row).body),
        batch,
      )
    }),
    { numRuns: 12 },
  )
})

test('a long text is written in pieces, whole: no character is torn where two of them meet', () => {
  const trace = traceRecord(idAt('tr', BEGIN_MS, 1_000_000))
  for (const shift of ['', 'a', 'ab']) {
    const text = `${shift}${'😀'.repeat(100_000)}"\\\n\u0001`
    const out = new ByteWriter()
    const work = writeStepRow(out, newStep(trace, 0, { prepared: preparedStep({ searchText: text }) }), true)
    let pieces = 1
    while (work.next().done !== true) pieces += 1
    assert.equal(pieces, 4)
    assert.equal((JSON.parse(out.written().toString()) as { text: string }).text, text)
  }
})
