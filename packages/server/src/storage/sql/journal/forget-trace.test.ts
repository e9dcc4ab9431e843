import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { numberedCommit, numberedId } from '../../../ports/journal/numbered-commit.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

test('after a purge no file contains the keys, reasons or file names of the client', async (context) => {
  const dataDir = temporaryFolder(context)
  const { journal, ...control } = temporaryStore(context, { dataDir })
  const commit = numberedCommit(1)
  const [project, traceId, other] = [numberedId('proj', 1), numberedId('tr', 1, 0), numberedId('tr', 1, 1)]
  journal.append({
    ...commit,
    projects: [
      {
        projectId: project,
        events: [
          { type: 'trace.flagged', traceId, reason: 'MARKER-reason' },
          { type: 'trace.flagged', traceId: other, reason: 'another reason' },
        ],
      },
    ],
    traceKeys: [{ projectId: project, key: 'MARKER-key', bodyHash: '0'.repeat(64), traceId }],
    stepKeys: [{ traceId, key: 'kMARKER-step', stepId: numberedId('st', 1), contentHash: '0'.repeat(64) }],
    deleted: [{ projectId: project, traceId }],
  })
  const database = new DatabaseSync(join(dataDir, 'control.db'))
  database
    .prepare(
      `INSERT INTO direct_uploads VALUES (?, ?, ?, NULL, 'file', 'MARKER-file', 'text/plain', 1, ?, NULL, NULL, 0, 0, 9)`,
    )
    .run(new Uint8Array(16), idToBytes(project), idToBytes(traceId), new Uint8Array(32))
  database.close()
  assert.ok(filesWith(dataDir, 'MARKER').length > 0)
  await journal.markPurged([traceId])
  assert.equal(control.emptyLog(), true)
  assert.deepEqual(filesWith(dataDir, 'MARKER'), [])
  assert.equal(journal.findTraceKey(project, 'MARKER-key')?.traceId, traceId, 'a late retry is recognised')
  assert.deepEqual(
    (await journal.read(project, 0, 10)).flatMap(({ events }) => events),
    [
      { type: 'trace.flagged', traceId, reason: null },
      { type: 'trace.flagged', traceId: other, reason: 'another reason' },
    ],
  )
})

test('a log that another connection reads is emptied later, without waiting', async (context) => {
  const dataDir = temporaryFolder(context)
  const store = temporaryStore(context, { dataDir })
  const reader = new DatabaseSync(join(dataDir, 'control.db'))
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM journal').get()
  store.journal.append(numberedCommit(1))
  assert.equal(store.emptyLog(), false)
  reader.exec('ROLLBACK')
  assert.equal(store.emptyLog(), true)
  reader.close()
})

function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(text))
}
