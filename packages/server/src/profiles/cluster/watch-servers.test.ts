import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { createLogger } from '../../operation/logging.ts'
import { Readiness } from '../../operation/readiness.ts'
import { watchServers } from './watch-servers.ts'

const NAMES = ['postgresql', 'clickhouse', 's3'] as const

async function readinessWithout(away: readonly string[], refusal: DomainError | null = null): Promise<Readiness> {
  const readiness = new Readiness(NAMES)
  const ask = (name: string) => async () => {
    if (away.includes(name)) throw new DomainError('storage_unavailable', 'It is away.')
  }
  const [postgresql, clickhouse, s3] = NAMES.map(ask)
  const servers = {
    database: { version: async () => postgresql?.() },
    shards: [{ select: async () => [] }, { select: async () => (await clickhouse?.(), []) }],
    blobs: { size: async () => (await s3?.(), null) },
    log: { refusal: () => refusal },
  }
  const rounds = await watchServers(servers, readiness, createLogger('silent'))
  await rounds.stop()
  return readiness
}

const noted = (readiness: Readiness) => readiness.parts().flatMap(({ name, detail }) => (detail === null ? [] : [name]))

test('a node whose servers all answer is ready', async () => {
  const readiness = await readinessWithout([])
  assert.deepEqual([readiness.ready, noted(readiness)], [true, []])
})

test('without PostgreSQL a node is not ready', async () => {
  const readiness = await readinessWithout(['postgresql'])
  assert.deepEqual([readiness.ready, noted(readiness)], [false, ['postgresql']])
})

test('without ClickHouse a node is ready with a note, until too much waits to be settled', async () => {
  const readiness = await readinessWithout(['clickhouse'])
  assert.deepEqual([readiness.ready, noted(readiness)], [true, ['clickhouse']])
  assert.match(readiness.parts()[1]?.detail ?? '', /^Shard 2 of ClickHouse does not answer/)
  const full = await readinessWithout(['clickhouse'], new DomainError('storage_unavailable', 'Too much waits.'))
  assert.deepEqual([full.ready, noted(full)], [false, ['clickhouse']])
})

test('without the bucket a node is ready with a note', async () => {
  const readiness = await readinessWithout(['s3'])
  assert.deepEqual([readiness.ready, noted(readiness)], [true, ['s3']])
})
