import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import type { StoredKey } from '../../../ports/access/key-store.ts'
import { numberedCommit, numberedId } from '../journal/numbered-commit.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

const PROJECT = { id: numberedId('proj', 1), name: 'first', createdAt: 1 }

function key(number: number): StoredKey {
  return {
    id: numberedId('key', number),
    projectId: PROJECT.id,
    name: `key ${number}`,
    scopes: ['ingest', 'media:sign'],
    secretHash: new Uint8Array(32).fill(number),
    lastFour: 'abcd',
    createdAt: 5,
    expiresAt: number === 2 ? 99 : null,
    revokedAt: null,
  }
}

test('lists of projects and keys answer a failing disk with not now, and tell its cause to the operator', async (context) => {
  const failures: unknown[] = []
  const { projects, keys } = temporaryStore(context, { onReadError: (error) => failures.push(error) })
  await projects.create(PROJECT, [key(1)])
  const cause = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const statement = context.mock.method(StatementSync.prototype, 'all', () => {
    throw cause
  })
  const reads: readonly (() => Promise<unknown>)[] = [
    () => projects.list(null, 10),
    () => projects.find(PROJECT.id),
    () => projects.findByName('first'),
    () => keys.listLive(PROJECT.id, null, 10),
    () => keys.find(key(1).id),
  ]
  for (const read of reads) await assert.rejects(read(), { code: 'storage_unavailable' }, String(read))
  assert.deepEqual(failures, Array(reads.length).fill(cause))
  statement.mock.mockImplementation(() => {
    throw new TypeError('a bug')
  })
  await assert.rejects(projects.list(null, 10), TypeError)
  statement.mock.restore()
  assert.deepEqual(await projects.list(null, 10), [PROJECT])
})

test('a project and its first keys come back as they were given', async (context) => {
  const { projects, keys } = temporaryStore(context)
  await projects.create(PROJECT, [key(1), key(2)])
  assert.deepEqual(await projects.find(PROJECT.id), PROJECT)
  assert.deepEqual(await projects.findByName('first'), [PROJECT])
  assert.deepEqual(await keys.find(key(1).id), key(1))
  assert.deepEqual(await keys.findBySecretHash(key(2).secretHash), key(2))
  assert.deepEqual(await keys.listLive(PROJECT.id, null, 9), [key(1), key(2)])
  assert.deepEqual(await keys.listLive(PROJECT.id, key(1).id, 9), [key(2)])
  assert.deepEqual(await keys.listLive(numberedId('proj', 2), null, 9), [])
})

test('a project whose key cannot be kept is not kept either', async (context) => {
  const { projects } = temporaryStore(context)
  await assert.rejects(projects.create(PROJECT, [key(1), { ...key(2), secretHash: key(1).secretHash }]), /UNIQUE/)
  assert.deepEqual(await projects.list(null, 9), [])
})

test('a key of no project and a secret used twice are refused', async (context) => {
  const { projects, keys } = temporaryStore(context)
  await assert.rejects(keys.create(key(1)), /FOREIGN KEY/)
  await projects.create(PROJECT, [key(1)])
  await assert.rejects(keys.create({ ...key(2), secretHash: key(1).secretHash }), /UNIQUE/)
})

test('projects are listed by age, page by page', async (context) => {
  const { projects } = temporaryStore(context)
  for (const number of [3, 1, 2]) await projects.create({ ...PROJECT, id: numberedId('proj', number) }, [])
  const ids = async (after: number | null, limit: number) =>
    (await projects.list(after === null ? null : numberedId('proj', after), limit)).map((project) => project.id)
  assert.deepEqual(await ids(null, 2), [numberedId('proj', 1), numberedId('proj', 2)])
  assert.deepEqual(await ids(2, 2), [numberedId('proj', 3)])
})

test('a revoked key leaves the list, is still found, and keeps its first time', async (context) => {
  const { projects, keys } = temporaryStore(context)
  await projects.create(PROJECT, [key(1)])
  assert.equal((await keys.findBySecretHash(key(1).secretHash))?.revokedAt, null)
  await keys.revoke(key(1).id, 50)
  await keys.revoke(key(1).id, 60)
  assert.equal((await keys.findBySecretHash(key(1).secretHash))?.revokedAt, 50)
  assert.deepEqual(await keys.listLive(PROJECT.id, null, 9), [])
})

test('what another connection changes is seen by the next look-up', async (context) => {
  const dataDir = temporaryFolder(context)
  const service = temporaryStore(context, { dataDir })
  const commandLine = temporaryStore(context, { dataDir })
  await service.projects.create(PROJECT, [key(1)])
  assert.equal((await service.keys.findBySecretHash(key(1).secretHash))?.revokedAt, null)
  assert.equal(await service.keys.findBySecretHash(key(2).secretHash), undefined)
  await commandLine.keys.revoke(key(1).id, 50)
  await commandLine.keys.create(key(2))
  assert.equal((await service.keys.findBySecretHash(key(1).secretHash))?.revokedAt, 50)
  assert.deepEqual(await service.keys.findBySecretHash(key(2).secretHash), key(2))
})

test("the service's own commits leave what is remembered in place", async (context) => {
  const { projects, keys, journal } = temporaryStore(context)
  await projects.create(PROJECT, [key(1)])
  const first = await keys.findBySecretHash(key(1).secretHash)
  journal.append(numberedCommit(1))
  assert.equal(await keys.findBySecretHash(key(1).secretHash), first, 'the very same object: it was not read again')
})

test('a key that the disk cannot tell is neither refused nor a fault: not now', async (context) => {
  const failures: unknown[] = []
  const { keys } = temporaryStore(context, { onReadError: (error) => failures.push(error) })
  const cause = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const statement = context.mock.method(StatementSync.prototype, 'get', () => {
    throw cause
  })
  await assert.rejects(
    keys.findBySecretHash(key(1).secretHash),
    (error) => error instanceof DomainError && error.code === 'storage_unavailable',
  )
  statement.mock.restore()
  assert.deepEqual(failures, [cause])
})
