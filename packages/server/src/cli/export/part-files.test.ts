import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LAST_LINE, PartFiles, type PartTarget } from './part-files.ts'

const QUERY = 'traces jsonl \n'
const ROWS = ['{"id":1}', '{"id":2}', '{"id":3}', '{"id":4}', '{"id":5}']

/** Fails for good after some writes, as if it were killed; `kept` stays. */
function targetOf(kept: Map<string, Buffer>, writes: number): PartTarget {
  let left = writes
  return {
    read: async (name) => kept.get(name) ?? null,
    async write(name, bytes) {
      if (left-- <= 0) throw new Error('killed')
      kept.set(name, bytes)
    },
    close: () => undefined,
  }
}

async function exportTo(target: PartTarget, partBytes: number): Promise<void> {
  const files = await PartFiles.open(target, 'traces', QUERY, partBytes)
  const from = files.written.last === null ? 0 : ROWS.indexOf(files.written.last) + 1
  for (const row of ROWS.slice(from)) await files.write(Buffer.from(`${row}\n`))
  await files.write(Buffer.from(`${LAST_LINE}${ROWS.length}}\n`))
  await files.finish()
}

test('killed after any write, the same export goes on, and its files are what one file would be', async () => {
  const whole = [...ROWS, `${LAST_LINE}${ROWS.length}}`, ''].join('\n')
  for (const partBytes of [1, 12, 25, 1000]) {
    for (let writes = 0; ; writes++) {
      const kept = new Map<string, Buffer>()
      const killed = await exportTo(targetOf(kept, writes), partBytes).then(
        () => false,
        (error: Error) => error.message === 'killed',
      )
      if (killed) await exportTo(targetOf(kept, Infinity), partBytes)
      await assert.rejects(PartFiles.open(targetOf(kept, 0), 'traces', QUERY, partBytes), /it is complete/)
      const { parts, rows } = JSON.parse(String(kept.get('export.json'))) as {
        readonly parts: readonly { readonly name: string }[]
        readonly rows: number
      }
      const text = parts.map(({ name }) => String(kept.get(name))).join('')
      assert.deepEqual([text, rows, kept.size], [whole, ROWS.length, parts.length + 1], `${partBytes}, ${writes}`)
      if (!killed) break
    }
  }
})
