import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import {
  cutByteOfDatabaseFile,
  flipBitOfDatabaseFile,
  flipBitOfMedia,
  flipBitOfNewestSegment,
  flipBitOfPart,
  removeCommitLog,
  removeDatabase,
  removeDatabaseFile,
  removeMedia,
  removeNewestSegment,
  removePart,
  removePartFile,
  removeTelemetry,
  truncateIndexesOfPart,
  truncateMedia,
  truncateNewestSegment,
} from './damage-store.ts'
import { eventually } from '../eventually.ts'
import { upload } from '../media/media.ts'
import { Service } from '../service.ts'

/** A killed store with everything: parts, a log that has not settled, media. */
const folder = mkdtempSync(join(tmpdir(), 'spoor-damage-'))
const original = join(folder, 'original')
let filesBefore: ReadonlyMap<string, string>

before(async () => {
  const service = await Service.start({ dataDir: original })
  const body = { name: 'run', steps: [{ name: 'step', metadata: { words: 'some words to be found' } }] }
  const { id } = (await service.client.postTrace(body)).json<{ id: string }>()
  await upload(service.client, { trace_id: id, kind: 'file' }, { content: 'bytes of a file' })
  await eventually('a part of steps is merged', async () => {
    assert.equal((await service.client.postTrace(body)).status, 202)
    assert.equal((await service.client.get('/v1/traces/series?measure=count')).status, 200)
    return globSync(join(original, 'telemetry/store/*/*/*/skp_idx_text_index.*')).length > 0
  })
  for (let n = 0; n < 20; n++) assert.equal((await service.client.postTrace(body)).status, 202)
  await service.kill()
  filesBefore = filesOf(original)
})

after(() => rmSync(folder, { recursive: true }))

/** Hashes of the files by path. Links are not followed. */
function filesOf(dataDir: string, folderPath = dataDir): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(folderPath, { withFileTypes: true })) {
    const path = join(folderPath, entry.name)
    if (entry.isDirectory()) for (const [name, hash] of filesOf(dataDir, path)) files.set(name, hash)
    if (entry.isFile())
      files.set(relative(dataDir, path), createHash('sha256').update(readFileSync(path)).digest('hex'))
  }
  return files
}

const DAMAGES: readonly (readonly [name: string, damage: (dataDir: string) => string, where: RegExp])[] = [
  ['checksums', (dir) => removePartFile(dir, 'traces', 'checksums.txt'), /^telemetry\/store\/.*\/checksums\.txt$/],
  ['columns', (dir) => removePartFile(dir, 'steps', 'columns.txt'), /^telemetry\/store\/.*\/columns\.txt$/],
  ['count', (dir) => removePartFile(dir, 'traces', 'count.txt'), /^telemetry\/store\/.*\/count\.txt$/],
  ['marks', (dir) => removePartFile(dir, 'steps', 'marks'), /^telemetry\/store\/.*\.c?mrk\d$/],
  ['data', (dir) => removePartFile(dir, 'steps', 'data'), /^telemetry\/store\/.*\.bin$/],
  ['part', (dir) => removePart(dir, 'traces'), /^telemetry\/store\//],
  ['bit of a part', (dir) => flipBitOfPart(dir, 'steps'), /^telemetry\/store\/.*\.bin$/],
  ['indexes', (dir) => truncateIndexesOfPart(dir, 'steps'), /^telemetry\/store\/.*\/skp_idx_text_index\./],
  ['telemetry', removeTelemetry, /^telemetry\//],
  ['file of control.db', (dir) => removeDatabaseFile(dir, 'control.db'), /^control\.db$/],
  ['control.db', (dir) => removeDatabase(dir, 'control.db'), /^control\.db/],
  ['deliveries.db', (dir) => removeDatabase(dir, 'deliveries.db'), /^deliveries\.db/],
  ['log of control.db', (dir) => removeDatabaseFile(dir, 'control.db-wal'), /^control\.db-wal$/],
  ['bit of the log of control.db', (dir) => flipBitOfDatabaseFile(dir, 'control.db-wal', 0.9), /^control\.db-wal$/],
  ['byte of the log of control.db', (dir) => cutByteOfDatabaseFile(dir, 'control.db-wal'), /^control\.db-wal$/],
  ['commit log', removeCommitLog, /^commit-log\//],
  ['segment', removeNewestSegment, /^commit-log\//],
  ['end of a segment', (dir) => truncateNewestSegment(dir, 10), /^commit-log\//],
  ['bit of a segment', flipBitOfNewestSegment, /^commit-log\//],
  ['media', removeMedia, /^media\/objects\//],
  ['end of media', truncateMedia, /^media\/objects\//],
  ['bit of media', flipBitOfMedia, /^media\/objects\//],
]

for (const [name, damage, where] of DAMAGES) {
  test(`${name}: changes only what it reports`, () => {
    const dataDir = join(folder, 'copy')
    cpSync(original, dataDir, { recursive: true, verbatimSymlinks: true })
    try {
      assert.match(damage(dataDir), /^(removed|flipped|cut|truncated) \S/)
      const filesAfter = filesOf(dataDir)
      const changed = [...filesBefore].filter(([path, hash]) => filesAfter.get(path) !== hash).map(([path]) => path)
      assert.ok(changed.length > 0, 'nothing changed')
      for (const path of changed) assert.match(path, where)
      for (const path of filesAfter.keys()) assert.ok(filesBefore.has(path), `${path} is new`)
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })
}
