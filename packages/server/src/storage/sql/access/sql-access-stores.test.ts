import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  aKey,
  aProject,
  aSession,
  hashOf,
  keyId,
  projectId,
} from '../../../ports/access/access-builders.test-support.ts'
import { testAccessStores } from '../../../ports/access/access-stores.conformance.ts'
import { numberedCommit } from '../../../ports/journal/numbered-commit.test-support.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'
import type { AccessTables } from './access-tables.ts'
import { SqlKeyStore } from './sql-key-store.ts'
import { SqlProjectStore } from './sql-project-store.ts'
import { SqlSessionStore } from './sql-session-store.ts'

testAccessStores(async (context) => temporaryStore(context))

test('statements compile for PostgreSQL', () => {
  for (const Store of [SqlProjectStore, SqlKeyStore, SqlSessionStore]) {
    compiledForPostgresql<AccessTables>((database) => new Store(database))
  }
})

test('a failing disk is reported as storage_unavailable, and its cause to the operator', async (context) => {
  const failures: unknown[] = []
  const { projects, keys, sessions } = temporaryStore(context, { onReadError: (error) => failures.push(error) })
  await projects.create(aProject(1), [aKey(1)])
  const cause = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const fail = () => {
    throw cause
  }
  const statement = context.mock.method(StatementSync.prototype, 'all', fail)
  const version = context.mock.method(StatementSync.prototype, 'get', fail)
  const reads: readonly (() => Promise<unknown>)[] = [
    () => projects.list(null, 10),
    () => projects.find(projectId(1)),
    () => projects.findByName('first'),
    () => keys.listLive(projectId(1), null, 10),
    () => keys.find(keyId(1)),
    () => keys.findBySecretHash(aKey(1).secretHash),
    () => sessions.find(hashOf(1)),
  ]
  for (const read of reads) await assert.rejects(read(), { code: 'storage_unavailable' }, String(read))
  version.mock.restore()
  await assert.rejects(keys.findBySecretHash(aKey(1).secretHash), { code: 'storage_unavailable' })
  assert.deepEqual(failures, Array(reads.length + 1).fill(cause))
  statement.mock.mockImplementation(() => {
    throw new TypeError('a bug')
  })
  await assert.rejects(projects.list(null, 10), TypeError)
  statement.mock.restore()
  assert.deepEqual(await projects.list(null, 10), [aProject(1)])
  assert.deepEqual(await keys.findBySecretHash(aKey(1).secretHash), aKey(1))
})

test('a change of another connection is seen by the next look-up', async (context) => {
  const dataDir = temporaryFolder(context)
  const service = temporaryStore(context, { dataDir })
  const commandLine = temporaryStore(context, { dataDir })
  await service.projects.create(aProject(1), [aKey(1)])
  await service.sessions.create(aSession(1), null, 9)
  assert.equal((await service.keys.findBySecretHash(aKey(1).secretHash))?.revokedAt, null)
  assert.equal(await service.keys.findBySecretHash(aKey(2).secretHash), undefined)
  assert.equal((await service.sessions.find(hashOf(1)))?.key.revokedAt, null)
  await commandLine.keys.revoke(keyId(1), 50)
  await commandLine.keys.create(aKey(2))
  assert.equal((await service.keys.findBySecretHash(aKey(1).secretHash))?.revokedAt, 50)
  assert.deepEqual(await service.keys.findBySecretHash(aKey(2).secretHash), aKey(2))
  assert.equal((await service.sessions.find(hashOf(1)))?.key.revokedAt, 50)
})

test("the service's own commits do not evict cached keys", async (context) => {
  const { projects, keys, journal } = temporaryStore(context)
  await projects.create(aProject(1), [aKey(1)])
  const first = await keys.findBySecretHash(aKey(1).secretHash)
  journal.append(numberedCommit(1))
  assert.equal(await keys.findBySecretHash(aKey(1).secretHash), first, 'the same object: it was not read again')
})
