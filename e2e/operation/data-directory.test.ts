import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { openChdbEngine } from '../../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import { type Ended, runSpoor } from '../lib/command.ts'
import { Service } from '../lib/service.ts'

/** One for the tests that leave its directory as they found it; it runs at the beginning and end of each. */
let service: Service

before(async () => {
  service = await Service.start()
})

after(() => service[Symbol.asyncDispose]())

async function listed(): Promise<number> {
  return (await service.client.get('/v1/traces')).json<{ traces: unknown[] }>().traces.length
}

/** What the operator sees: a sentence that says what to do, and no stack trace. */
function assertExplained({ code, out, error }: Ended, expected: RegExp): void {
  assert.equal(code, 1, error)
  assert.match(error, expected)
  assert.doesNotMatch(error, /^\s+at .*:\d+:\d+/m)
  assert.doesNotMatch(out, /spoor ready/)
}

test('a data directory that another process uses is refused, and that process continues', async () => {
  const { id } = (await service.client.postTrace({ name: 'first' })).json<{ id: string }>()
  assertExplained(await runSpoor(service.dataDir, ['serve']), /Another Spoor is running on/)
  assert.equal((await service.client.get(`/v1/traces/${id}`)).status, 200)
  assert.equal((await service.client.postTrace({ name: 'second' })).status, 202)
  await service.kill()
  await service.start()
  assert.equal(await listed(), 2)
})

test('a port in use is named, and no process remains on the directory', async () => {
  await using second = new Service()
  const { port } = new URL(service.url)
  assertExplained(
    await runSpoor(second.dataDir, ['serve'], { SPOOR_PORT: port }),
    new RegExp(`127.0.0.1:${port} is in use by process \\d+`),
  )
  await second.start()
  assert.equal((await second.client.postTrace({ name: 'a' })).status, 202)
})

test('a directory that others can write to and a key that others can read end the start with advice', async () => {
  await service.stop()
  chmodSync(service.dataDir, 0o777)
  chmodSync(join(service.dataDir, 'secrets.key'), 0o644)
  const ended = await runSpoor(service.dataDir, ['serve'])
  assertExplained(ended, /Run: chmod go-w \S+\n.*secrets\.key.* Run: chmod go-rwx \S+\n/)
  for (const [, command = ''] of ended.error.matchAll(/Run: (chmod .*)$/gm)) execFileSync('sh', ['-c', command])
  await service.start()
})

test(
  'a directory that cannot be written is named',
  { skip: process.getuid?.() === 0 ? false : 'needs root to become another user' },
  async () => {
    const parent = mkdtempSync(join(tmpdir(), 'spoor-e2e-'))
    try {
      chmodSync(parent, 0o755)
      const nobody = 65_534
      assertExplained(await runSpoor(join(parent, 'data'), ['serve'], {}, { asUser: nobody }), /right to write/)
      const file = join(parent, 'file')
      writeFileSync(file, '')
      assertExplained(await runSpoor(join(file, 'data'), ['serve']), /is a file, not a folder/)
    } finally {
      rmSync(parent, { recursive: true, force: true })
    }
  },
)

test(
  'a telemetry folder that cannot be written is named',
  { skip: process.getuid?.() === 0 ? false : 'needs root to become another user' },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'spoor-e2e-'))
    try {
      const nobody = 65_534
      chownSync(dataDir, nobody, nobody)
      mkdirSync(join(dataDir, 'telemetry'), { mode: 0o755 })
      const ended = await runSpoor(dataDir, ['serve'], {}, { asUser: nobody })
      assert.equal(ended.code, 1, ended.error)
      assert.match(ended.error, /telemetry/)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

test('a control store of a newer version is not changed', async () => {
  const known = await listed()
  assert.equal((await service.client.postTrace({ name: 'a' })).status, 202)
  await service.stop()
  const file = readdirSync(service.dataDir).find((name) => /\.(db|sqlite)$/.test(name))
  assert.ok(file, readdirSync(service.dataDir).join())
  const database = new DatabaseSync(join(service.dataDir, file))
  database.prepare('INSERT INTO schema_versions VALUES (99, ?, 0)').run('from the future')
  database.close()
  assertExplained(await runSpoor(service.dataDir, ['serve']), /newer version of Spoor \(schema 99/)
  const again = new DatabaseSync(join(service.dataDir, file))
  again.prepare('DELETE FROM schema_versions WHERE version = 99').run()
  again.close()
  await service.start()
  assert.equal(await listed(), known + 1)
})

// The last one: it leaves the directory as one that cannot be used.
test('traces of a newer version are not changed', async () => {
  await service.client.postTrace({ name: 'a' })
  await service.stop()
  const directory = join(service.dataDir, 'telemetry')
  const engine = openChdbEngine({ directory, memoryBytes: 400 * 1024 * 1024, readers: 1 })
  await engine.insert('schema_versions', Buffer.from('{"version":99}\n'))
  await engine.close()
  assertExplained(await runSpoor(service.dataDir, ['serve']), /newer version of Spoor \(schema 99/)
})
