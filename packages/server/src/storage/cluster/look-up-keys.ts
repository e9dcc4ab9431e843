import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { idFromBytes, idToBytes } from '../../lib/ids/typeid.ts'
import type { MetricEventKey, StepKey, TraceKey } from '../../ports/journal/journal.ts'
import type { Known, Unknowns } from '../../ports/log/log.ts'
import { KnownKeys } from '../embedded/known-keys.ts'
import { compactKey, hashedKey, sha256Bytes, sha256Hex } from '../sql/journal/compact-key.ts'
import { metricEventKey } from '../sql/journal/journal-rows.ts'
import { readParts } from '../sql/kit/list-statement.ts'
import type { SqlDatabase } from '../sql/kit/sql-database.ts'
import type { ClusterLogSql } from './cluster-log-statements.ts'

interface StoredStepKey {
  readonly step_id: Uint8Array
  readonly content_hash: Uint8Array
}

/** Answers the unknowns with one query for each project or trace and kind of key. */
export async function lookUpKeys(
  database: SqlDatabase<unknown>,
  sql: ClusterLogSql,
  unknowns: Unknowns,
): Promise<Known> {
  const traceKeys = new Map<string, TraceKey>()
  for (const [projectId, wanted] of Map.groupBy(unknowns.traceKeys, (key) => key.projectId)) {
    const names = new Map(
      wanted.flatMap(({ key }) => [hashedKey(key), compactKey(key)].map((name) => [hex(name), key])),
    )
    const parts = sql.traceKeys([...names.keys()].map(unhex), { projectId: idToBytes(projectId) })
    for (const row of await readParts(database, parts)) {
      const key = names.get(hex(row.key)) as string
      const found = { projectId, key, bodyHash: sha256Hex(row.body_hash), traceId: idFromBytes('tr', row.trace_id) }
      traceKeys.set(`${projectId}${key}`, found)
    }
  }
  const stepKeys = new Map<string, StoredStepKey>()
  const wantedStepKeys = [
    ...unknowns.stepKeys.map(({ traceId, key }) => ({ traceId, name: compactKey(key) })),
    ...unknowns.metricEventKeys.map(({ traceId, key }) => ({ traceId, name: metricEventKey(key) })),
  ]
  for (const [traceId, wanted] of Map.groupBy(wantedStepKeys, (key) => key.traceId)) {
    const parts = sql.stepKeys(
      wanted.map(({ name }) => name),
      { traceId: idToBytes(traceId) },
    )
    for (const row of await readParts(database, parts)) stepKeys.set(`${traceId}${hex(row.key)}`, row)
  }
  const media = new Set<string>()
  for (const [projectId, wanted] of Map.groupBy(unknowns.media, (one) => one.projectId)) {
    const parts = sql.media(
      wanted.map(({ sha256 }) => sha256Bytes(sha256)),
      { projectId: idToBytes(projectId) },
    )
    for (const row of await readParts(database, parts)) media.add(`${projectId}${sha256Hex(row.sha256)}`)
  }
  const counted = sql.attachments([...new Set(unknowns.attachments)].map(idToBytes), {})
  const attachments = new Map<TraceId, number>()
  for (const row of await readParts(database, counted)) {
    attachments.set(idFromBytes('tr', row.trace_id), Number(row.count))
  }
  return new KnownKeys(unknowns, {
    traceKey: (projectId: ProjectId, key: string) => traceKeys.get(`${projectId}${key}`),
    stepKey: (traceId, key) => toStepKey(traceId, key, stepKeys.get(`${traceId}${hex(compactKey(key))}`)),
    metricEventKey: (traceId, key) =>
      toMetricEventKey(traceId, key, stepKeys.get(`${traceId}${hex(metricEventKey(key))}`)),
    hasMedia: (projectId, sha256) => media.has(`${projectId}${sha256}`),
    attachmentsOf: (traceId) => attachments.get(traceId) ?? 0,
  })
}

function toStepKey(traceId: TraceId, key: string, row: StoredStepKey | undefined): StepKey | undefined {
  if (row === undefined) return undefined
  return { traceId, key, stepId: idFromBytes('st', row.step_id), contentHash: sha256Hex(row.content_hash) }
}

function toMetricEventKey(traceId: TraceId, key: string, row: StoredStepKey | undefined): MetricEventKey | undefined {
  if (row === undefined) return undefined
  return { traceId, key, eventId: idFromBytes('mev', row.step_id), contentHash: sha256Hex(row.content_hash) }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

function unhex(text: string): Uint8Array {
  return Buffer.from(text, 'hex')
}
