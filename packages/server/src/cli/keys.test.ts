import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { authenticate } from '../projects/authenticate.ts'
import { isWellFormedSecret } from '../projects/key-format.ts'
import { numberedCommit } from '../ports/journal/numbered-commit.test-support.ts'
import { temporaryStore } from '../storage/sql/temporary-store.test-support.ts'
import { commandFixture, type CommandFixture } from './control-commands.test-support.ts'
import { runKeysCommand } from './keys.ts'
import { runProjectsCommand } from './projects.ts'

interface KeyJson {
  readonly id: string
  readonly scopes: string[]
  readonly expires_at: string | null
  readonly secret: string
}

async function makeProject({ dependencies, output }: CommandFixture, name: string): Promise<string> {
  assert.equal(await runProjectsCommand(['create', name, '--json'], dependencies), 0)
  return (JSON.parse(output().at(-1) ?? '') as { id: string }).id
}

async function makeKey({ dependencies, output }: CommandFixture, ...flags: string[]): Promise<KeyJson> {
  assert.equal(await runKeysCommand(['create', '--name', 'agent', '--json', ...flags], dependencies), 0)
  return JSON.parse(output().at(-1) ?? '') as KeyJson
}

test('a key is made, listed without its secret, and revoked', async (context) => {
  const fixture = commandFixture(context)
  const { dependencies, output } = fixture
  const project = await makeProject(fixture, 'only')
  const key = await makeKey(fixture, '--scopes', 'admin, read', '--expires', '30d')
  assert.deepEqual(key.scopes, ['read', 'admin'])
  assert.ok(isWellFormedSecret(key.secret))
  assert.equal(await runKeysCommand(['list'], dependencies), 0)
  const table = output().join('\n')
  assert.match(table, new RegExp(`${key.id} +…${key.secret.slice(-4)} +read,admin +${key.expires_at} +agent`))
  assert.ok(!table.includes(key.secret))
  assert.equal(await runKeysCommand(['revoke', key.id], dependencies), 0)
  assert.deepEqual(output(), [`key ${key.id} revoked`])
  assert.equal(await runKeysCommand(['list', '--json'], dependencies), 0)
  assert.deepEqual(output(), ['{"keys":[]}'])
  const target = { kind: 'key', id: key.id }
  const detail = { name: 'agent', scopes: ['read', 'admin'], expires_at: key.expires_at }
  assert.deepEqual((await fixture.audited(project)).slice(0, 2), [
    { actor: 'system', action: 'key.revoked', target, detail: {} },
    { actor: 'system', action: 'key.created', target, detail },
  ])
})

test('an expired key is marked in the list', async (context) => {
  const clock = { time: 1_763_000_000_000, now: () => clock.time }
  const fixture = commandFixture(context, clock)
  await makeProject(fixture, 'only')
  const key = await makeKey(fixture, '--expires', '1h')
  clock.time += 3_600_000
  await runKeysCommand(['list'], fixture.dependencies)
  assert.match(fixture.output().join('\n'), new RegExp(`expired ${key.expires_at}`))
})

test('a project is named by id, by name, or by being the only one', async (context) => {
  const fixture = commandFixture(context)
  const { dependencies, errors } = fixture
  const create = (...flags: string[]) => runKeysCommand(['create', '--name', 'agent', ...flags], dependencies)
  assert.equal(await create(), 1)
  assert.match(errors()[0] ?? '', /no project yet/)
  const first = await makeProject(fixture, 'twice')
  assert.equal(await create(), 0)
  await makeProject(fixture, 'twice')
  assert.equal(await create(), 1)
  assert.match(errors()[0] ?? '', /several projects/)
  assert.equal(await create('--project', 'twice'), 1)
  assert.match(errors()[0] ?? '', /Several projects are named "twice"/)
  assert.equal(await create('--project', 'never'), 1)
  assert.match(errors()[0] ?? '', /no project "never"/)
  assert.equal(await create('--project', first), 0)
})

test('a wrong command line is reported with the usage, exit code 2, before any file is opened', async (context) => {
  const { dependencies, errors } = commandFixture(context)
  const untouched = { ...dependencies, openStores: () => assert.fail('it opened the store') }
  const wrong = [
    [],
    ['make'],
    ['create'],
    ['create', 'x', '--name', 'y'],
    ['list', '--name', 'x'],
    ['revoke'],
    ['revoke', 'key_1'],
  ]
  for (const args of [...wrong, ['create', '--name', 'x', '--expires', 'soon'], ['list', '--wrong']]) {
    assert.equal(await runKeysCommand(args, untouched), 2, args.join(' '))
    assert.match(errors().join('\n'), /Usage: spoor keys list/)
  }
})

test('bad values and unknown keys are reported in one line, exit code 1', async (context) => {
  const fixture = commandFixture(context)
  const { dependencies, errors } = fixture
  await makeProject(fixture, 'only')
  assert.equal(await runKeysCommand(['create', '--name', 'x', '--scopes', 'root'], dependencies), 1)
  assert.match(errors().join('\n'), /^"root" is not a scope; there are ingest, read/)
  assert.equal(await runKeysCommand(['create', '--name', 'x', '--expires', '2001-01-01'], dependencies), 1)
  assert.deepEqual(errors(), ['The expiry must be in the future.'])
  assert.equal(await runKeysCommand(['revoke', dependencies.ids.newId('key')], dependencies), 1)
  assert.deepEqual(errors(), ['There is no such key.'])
})

test('a generated key has the form of a key and is stored nowhere', async (context) => {
  const { dependencies, output } = commandFixture(context)
  const untouched = { ...dependencies, openStores: () => assert.fail('it opened the store') }
  assert.equal(await runKeysCommand(['generate'], untouched), 0)
  assert.ok(isWellFormedSecret(output()[0] ?? ''))
})

test('while the service appends, keys are made and revoked beside it and take effect at once', async (context) => {
  const fixture = commandFixture(context)
  await makeProject(fixture, 'only')
  const service = temporaryStore(context, { dataDir: fixture.dataDir })
  const deps = { keys: service.keys, clock: fixture.dependencies.clock }
  let version = 0
  for (let round = 0; round < 10; round++) {
    for (let count = 0; count < 5; count++) service.journal.append(numberedCommit(++version))
    const key = await makeKey(fixture)
    assert.equal((await authenticate(deps, key.secret)).keyId, key.id)
    service.journal.append(numberedCommit(++version))
    assert.equal(await runKeysCommand(['revoke', key.id], fixture.dependencies), 0)
    await assert.rejects(authenticate(deps, key.secret), { code: 'unauthorized' })
  }
  assert.equal(service.journal.last().version, version)
  assert.equal(await service.journal.headPosition(), version * 3)
})

test('keys are made beside a process that appends without a pause', async (context) => {
  const fixture = commandFixture(context)
  await makeProject(fixture, 'only')
  const program = join(import.meta.dirname, '../storage/sql/journal/append-until-killed.test-support.ts')
  const writer = spawn(process.execPath, [program, fixture.dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  context.after(() => writer.kill('SIGKILL'))
  const closed = once(writer, 'close')
  let reported = ''
  writer.stdout.setEncoding('utf8').on('data', (text: string) => (reported += text))
  await once(writer.stdout, 'data')
  const made: string[] = []
  while (made.length < 50) made.push((await makeKey(fixture)).id)
  const before = reported.length
  while (reported.length === before) await once(writer.stdout, 'data')
  writer.kill('SIGKILL')
  assert.deepEqual(await closed, [null, 'SIGKILL'])
  const { journal, keys } = temporaryStore(context, { dataDir: fixture.dataDir })
  for (const id of made) assert.ok(await keys.find(id as Parameters<typeof keys.find>[0]))
  const { version } = journal.last()
  assert.ok(version >= Number(reported.trimEnd().split('\n').at(-1)))
  assert.equal(await journal.headPosition(), version * 3)
})
