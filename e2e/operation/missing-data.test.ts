import assert from 'node:assert/strict'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { covers, isInserted } from '../../packages/server/src/storage/clickhouse/parts/part-name.ts'
import { runSpoor } from '../lib/command.ts'
import {
  cutByteOfDatabaseFile,
  flipBitOfDatabaseFile,
  flipBitOfMedia,
  flipBitOfNewestSegment,
  flipBitOfPart,
  recordDamage,
  removeCommitLog,
  removeDatabase,
  removeDatabaseFile,
  removeMedia,
  removePart,
  removePartFile,
  removeTelemetry,
  truncateIndexesOfPart,
  truncateMedia,
} from '../lib/faults/damage-store.ts'
import { eventually } from '../lib/eventually.ts'
import { upload } from '../lib/media/media.ts'
import { Service } from '../lib/service.ts'

/*
 * Missing or damaged files of a data directory are reported by the start, or repaired from another file. An only copy
 * is never removed, and accepting a loss is recorded.
 */

const folder = mkdtempSync(join(tmpdir(), 'spoor-missing-'))
const original = join(folder, 'original')
/** Number of acknowledged traces, each with one step. */
let acknowledged = 0
let key = ''

before(async () => {
  const service = await Service.start({ dataDir: original })
  key = service.key
  const commit = async () => {
    const body = {
      name: 'run',
      steps: [
        { name: 'step', messages: [{ role: 'user', content: [{ type: 'text', text: `some words ${acknowledged}` }] }] },
      ],
    }
    const answer = await service.client.postTrace(body)
    assert.equal(answer.status, 202)
    acknowledged += 1
    return answer.json<{ id: string }>().id
  }
  await upload(service.client, { trace_id: await commit(), kind: 'file' }, { content: 'bytes of a file' })
  // A read of a series waits until committed rows are in the engine, which makes a part for each.
  await eventually('parts of steps and traces are merged and recorded', async () => {
    await commit()
    assert.equal((await service.client.get('/v1/traces/series?measure=count')).status, 200)
    const merged = ['text', 'terms'].every(
      (index) => globSync(join(original, `telemetry/store/*/*/*/skp_idx_${index}_index.*`)).length > 0,
    )
    return merged && /^steps \d+_1_([2-9]|\d\d)/m.test(recordOf(original))
  })
  for (let n = 0; n < 20; n++) await commit()
  await service.kill()
})

after(() => rmSync(folder, { recursive: true }))

function recordOf(dataDir: string): string {
  const path = join(dataDir, 'telemetry.parts')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

type Damage = (dataDir: string) => string

function together(damages: readonly Damage[]): Damage {
  return (dataDir) => damages.map((damage) => damage(dataDir)).join('; ')
}

let copies = 0

/** A damaged copy of the store. */
function damaged(damage: Damage): { readonly dataDir: string; readonly what: string } {
  const dataDir = join(folder, `copy-${(copies += 1)}`)
  cpSync(original, dataDir, { recursive: true, verbatimSymlinks: true })
  return { dataDir, what: damage(dataDir) }
}

function serviceOn(dataDir: string): Service {
  return new Service({ dataDir, environment: { SPOOR_BOOTSTRAP_KEY: key } })
}

/** Removes replaced parts, to which the engine would go back. It removes them itself a minute after a merge. */
function afterCleanUp(dataDir: string, table: 'steps' | 'traces'): void {
  const parts = globSync(join(dataDir, `telemetry/data/spoor/${table}/*_*_*_*`))
  for (const part of parts)
    if (parts.some((other) => other !== part && covers(basename(other), basename(part))))
      rmSync(part, { recursive: true })
}

/** Every trace in the list, and how many of them are returned with their step. */
async function readAll({ client }: Service): Promise<{ listed: number; whole: number }> {
  const { traces } = (await client.get('/v1/traces?limit=1000')).json<{ traces: { id: string }[] }>()
  let whole = 0
  for (const { id } of traces) {
    const answer = await client.get(`/v1/traces/${id}`)
    if (answer.status === 200 && answer.json<{ steps: unknown[] }>().steps.length === 1) whole += 1
  }
  return { listed: traces.length, whole }
}

/** Of independent parts of the store at once. */
const REPAIRED: Record<string, readonly Damage[]> = {
  'a flipped bit in the write-ahead log of control.db, text indexes of steps emptied': [
    (dataDir) => flipBitOfDatabaseFile(dataDir, 'control.db-wal', 0.9),
    (dataDir) => truncateIndexesOfPart(dataDir, 'steps'),
  ],
  'a byte cut from it, text indexes of traces emptied, a recently merged part missing': [
    (dataDir) => cutByteOfDatabaseFile(dataDir, 'control.db-wal'),
    (dataDir) => truncateIndexesOfPart(dataDir, 'traces'),
    (dataDir) => removePart(dataDir, 'steps'),
  ],
  'all of it gone, the list of checksums of a part gone': [
    (dataDir) => removeDatabaseFile(dataDir, 'control.db-wal'),
    (dataDir) => removePartFile(dataDir, 'steps', 'checksums.txt'),
  ],
}

for (const [name, damages] of Object.entries(REPAIRED)) {
  test(`repaired by the start: ${name}`, async () => {
    const { dataDir, what } = damaged(together(damages))
    await using service = serviceOn(dataDir)
    await service.start()
    assert.deepEqual(await readAll(service), { listed: acknowledged, whole: acknowledged }, what)
    const words = (await service.client.get('/v1/traces?q=words&limit=1000')).json<{ traces: unknown[] }>()
    assert.equal(words.traces.length, acknowledged, 'found by their words')
    await service.restart()
    assert.deepEqual(await readAll(service), { listed: acknowledged, whole: acknowledged }, `${what}; later`)
  })
}

const lonePart = (table: 'steps' | 'traces', damage: Damage) => (dataDir: string) => {
  afterCleanUp(dataDir, table)
  return damage(dataDir)
}

/** Of independent parts of the store at once: one start names them all. */
const NAMED: Record<string, readonly (readonly [damage: Damage, named: RegExp])[]> = {
  'a part of steps, one of traces, a record of the commit log, and deliveries.db': [
    [lonePart('steps', (dataDir) => removePart(dataDir, 'steps')), /\d+ rows of the table steps are missing: the part/],
    [lonePart('traces', (dataDir) => removePart(dataDir, 'traces')), /\d+ rows of the table traces are missing/],
    [(dataDir) => flipBitOfNewestSegment(dataDir, 0.98), /does not hold commits? \d+.*is damaged at byte \d+/],
    [(dataDir) => removeDatabase(dataDir, 'deliveries.db'), /deliveries\.db is missing or was emptied/],
  ],
  'the columns of a part of steps, the count of one of traces, and the commit log': [
    [lonePart('steps', (dataDir) => removePartFile(dataDir, 'steps', 'columns.txt')), /rows of the table steps/],
    [lonePart('traces', (dataDir) => removePartFile(dataDir, 'traces', 'count.txt')), /rows of the table traces/],
    [removeCommitLog, /commit log .* does not hold commits? \d+/],
  ],
  'the marks of a part': [
    [lonePart('steps', (dataDir) => removePartFile(dataDir, 'steps', 'marks')), /rows of the table steps/],
  ],
  'all of the engine': [[removeTelemetry, /rows of the table traces are missing/]],
  'the record of the parts': [
    [
      (dataDir) => {
        rmSync(join(dataDir, 'telemetry.parts'))
        return 'removed telemetry.parts'
      },
      /telemetry\.parts is missing/,
    ],
  ],
}

for (const [name, damages] of Object.entries(NAMED)) {
  test(`reported by the start, which continues only when the loss is accepted: ${name}`, async () => {
    const { dataDir, what } = damaged(together(damages.map(([damage]) => damage)))
    const refused = await runSpoor(dataDir, ['serve'], { SPOOR_BOOTSTRAP_KEY: key })
    assert.equal(refused.code, 1, what)
    for (const [, named] of damages) assert.match(refused.error, named)
    assert.match(refused.error, /Nothing was removed\..*--accept-loss/)
    assert.doesNotMatch(refused.error, /^\s+at /m, 'no stack')
    await using service = serviceOn(dataDir)
    await service.start(['--accept-loss'])
    const accepted = readFileSync(join(dataDir, 'accepted-losses.jsonl'), 'utf8')
    for (const [, named] of damages) assert.match(accepted, named)
    assert.equal((await service.client.postTrace({ name: 'continues' })).status, 202)
    await service.restart()
    assert.equal((await service.client.get('/readyz')).status, 200, 'the next start accepts nothing again')
  })
}

test('a part is missed by each start, although the rows of the log would take its name', async () => {
  const { dataDir } = damaged(() => '')
  const recorded = () => [...recordOf(dataDir).matchAll(/^steps (\S+)/gm)].map(([, name]) => name!)
  {
    await using service = serviceOn(dataDir)
    await service.start()
    const earlier = new Set(recorded())
    const isNew = (name: string) => isInserted(name) && !earlier.has(name)
    const commit = () => service.client.postTrace({ name: 'run', steps: [{ name: 'step' }] })
    assert.equal((await commit()).status, 202)
    assert.equal((await service.client.get('/v1/traces/series?measure=count')).status, 200)
    await eventually('its insert is recorded', async () => recorded().some(isNew))
    assert.equal((await commit()).status, 202)
    await service.kill()
    rmSync(join(dataDir, 'telemetry/data/spoor/steps', recorded().find(isNew)!), { recursive: true })
  }
  for (const start of ['first', 'second']) {
    await using service = serviceOn(dataDir)
    await assert.rejects(service.start(), /before it was ready[^]*rows? of the table steps/, `the ${start} start`)
  }
})

test('parts that the last run inserted, and a full disk left torn, are inserted again', async () => {
  const { dataDir } = damaged(() => '')
  const former = join(folder, 'before')
  for (const name of ['telemetry.parts', 'commit-log'])
    cpSync(join(dataDir, name), join(former, name), { recursive: true })
  const partsOf = () => globSync(join(dataDir, 'telemetry/data/spoor/{steps,traces}/*_*_*_*'))
  const earlier = new Set(partsOf())
  {
    await using service = serviceOn(dataDir)
    await service.start()
    await service.kill()
  }
  // As if it had been killed before it recorded them.
  rmSync(join(dataDir, 'commit-log'), { recursive: true })
  cpSync(former, dataDir, { recursive: true })
  const added = partsOf().filter((path) => !earlier.has(path))
  const inserted = added.filter((path) => isInserted(basename(path)))
  assert.equal(inserted.length, 2, added.join())
  // Nor has it merged them.
  for (const path of added) if (!inserted.includes(path)) rmSync(path, { recursive: true })
  // Without a list of checksums, the engine takes the files for whole.
  for (const path of inserted) {
    rmSync(join(path, 'checksums.txt'))
    truncateSync(join(path, 'data.bin'), 300)
  }
  await using service = serviceOn(dataDir)
  await service.start()
  assert.deepEqual(await readAll(service), { listed: acknowledged, whole: acknowledged })
  assert.equal((await service.client.get('/readyz')).status, 200)
  assert.deepEqual(globSync(join(dataDir, 'telemetry/store/*/*/detached/*')), [])
})

test('a start without control.db is refused each time; then the traces in the engine are recovered into a project of their own', async () => {
  const { dataDir } = damaged((copy) => removeDatabase(copy, 'control.db'))
  for (const attempt of ['first', 'second']) {
    const refused = await runSpoor(dataDir, ['serve'], { SPOOR_BOOTSTRAP_KEY: key })
    assert.match(refused.error, /control\.db is missing or empty, beside a store/, attempt)
  }
  await using service = serviceOn(dataDir)
  await service.start(['--accept-loss'])
  const { projects } = (await service.client.get('/v1/projects')).json<{ projects: { id: string; name: string }[] }>()
  const recovered = projects.find(({ name }) => name.startsWith('recovered '))
  assert.ok(recovered !== undefined, JSON.stringify(projects))
  const made = await runSpoor(dataDir, ['keys', 'create', '--project', recovered.id, '--name', 'again', '--json'])
  const { secret } = JSON.parse(made.out) as { secret: string }
  const answer = await fetch(`${service.url}/v1/traces?limit=1000`, { headers: { 'x-api-key': secret } })
  const { traces } = (await answer.json()) as { traces: unknown[] }
  assert.equal(traces.length, acknowledged)
})

test('spoor check finds nothing wrong in an intact store, running or stopped, and names damaged files', async () => {
  const { dataDir } = damaged((copy) => recordDamage(copy, 0))
  const stopped = await runSpoor(dataDir, ['check'])
  assert.deepEqual([stopped.code, stopped.out.trimEnd().split('\n').at(-1)], [0, 'Everything is there and whole.'])
  assert.match(stopped.out, /1 damaged part had to be repaired, without losing a row/)
  const service = serviceOn(dataDir)
  await service.start()
  const running = await runSpoor(dataDir, ['check', '--json'])
  assert.equal(running.code, 0, running.out)
  const parts = running.out.trim().split('\n')
  assert.deepEqual(
    parts.map((line) => (JSON.parse(line) as { part: string }).part),
    ['control.db', 'deliveries.db', 'clusters.db', 'commit-log', 'telemetry', 'media'],
  )
  await service.stop()
  assert.deepEqual(globSync(join(dataDir, '.spoor-check-*')), [], 'no copy remains')
  for (const damages of [
    [
      [(copy: string) => flipBitOfPart(copy, 'steps'), /part \S+ of steps is damaged/],
      [(copy: string) => flipBitOfMedia(copy), /has other bytes than were stored/],
    ],
    [
      [lonePart('traces', (copy) => removePart(copy, 'traces')), /part \S+ of traces with \d+ rows cannot be loaded/],
      [(copy: string) => truncateMedia(copy), /of \d+ bytes/],
      [(copy: string) => recordDamage(copy, 3), /3 rows of steps were set aside with 1 damaged part/],
    ],
    [
      [(copy: string) => flipBitOfNewestSegment(copy, 0.98), /does not hold commits/],
      [(copy: string) => removeMedia(copy), /\S+ is missing/],
      [(copy: string) => removeDatabase(copy, 'deliveries.db'), /deliveries\.db is missing/],
    ],
  ] as const) {
    const { dataDir: copy, what } = damaged(together(damages.map(([damage]) => damage)))
    const { code, out } = await runSpoor(copy, ['check'])
    assert.equal(code, 1, what)
    for (const [, named] of damages) assert.match(out, named, what)
  }
})
