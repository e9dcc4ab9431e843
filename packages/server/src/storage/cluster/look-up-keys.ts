import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { idFromBytes, idToBytes } from '../../lib/ids/typeid.ts'
import type { MetricEventKey, StepKey, TraceKey } from '../../ports/journal/journal.ts'
import type { Known, Unknowns } from '../../ports/log/log.ts'
import { KnownKeys } from '../embedded/known-keys.ts'
import {
  compactKey,
  hashedKey,
  sha256Bytes,
  sha256Hex,
  stepKeyExpires,
  traceKeyExpires,
} from '../sql/journal/compact-key.ts'
import { metricEventKey } from '../sql/journal/journal-rows.ts'
import { columnOf, inParts } from '../sql/kit/column-arrays.ts'
import { readParts } from '../sql/kit/list-statement.ts'
import type { BoundStatement, SqlDatabase } from '../sql/kit/sql-database.ts'
import type { ClusterLogSql, KeyNames } from './cluster-log-statements.ts'

interface StoredStepKey {
  readonly step_id: Uint8Array
  readonly content_hash: Uint8Array
}

interface Wanted {
  readonly id: Uint8Array
  readonly key: Uint8Array
  /** 0 or 1. */
  readonly expire: number
}

/**
 * Answers the unknowns with one query for each kind; thousands of keys of one kind are a few. `isAnyTaken`: whether one
 * of the keys is in the log.
 */
export async function lookUpKeys(
  database: SqlDatabase<unknown>,
  sql: ClusterLogSql,
  unknowns: Unknowns,
): Promise<{ readonly known: Known; readonly isAnyTaken: boolean }> {
  const read = async <Row>(statement: (names: KeyNames) => BoundStatement<Row>, wanted: readonly Wanted[]) => {
    const parts = [...inParts(wanted)].map((part) =>
      database.read(
        statement({ ids: columnOf(part, 'id'), keys: columnOf(part, 'key'), expire: columnOf(part, 'expire') }),
      ),
    )
    return (await Promise.all(parts)).flat()
  }
  const names = new Map<string, string>()
  const wantedTraceKeys = unknowns.traceKeys.map(({ projectId, key }) => {
    const name = hashedKey(key)
    names.set(hex(name), key)
    return { id: idToBytes(projectId), key: name, expire: Number(traceKeyExpires(key)) }
  })
  const wantedStepKeys = [
    ...unknowns.stepKeys.map(({ traceId, key }) => {
      return { id: idToBytes(traceId), key: compactKey(key), expire: Number(stepKeyExpires(key)) }
    }),
    ...unknowns.metricEventKeys.map(({ traceId, key }) => {
      return { id: idToBytes(traceId), key: metricEventKey(key), expire: 0 }
    }),
  ]
  const wantedMedia = unknowns.media.map(({ projectId, sha256 }) => ({
    id: idToBytes(projectId),
    key: sha256Bytes(sha256),
    expire: 0,
  }))
  const counted = sql.attachments([...new Set(unknowns.attachments)].map(idToBytes), {})
  const [traceKeyRows, stepKeyRows, mediaRows, attachmentRows] = await Promise.all([
    read(sql.traceKeys, wantedTraceKeys),
    read(sql.stepKeys, wantedStepKeys),
    read(sql.media, wantedMedia),
    readParts(database, counted),
  ])
  const traceKeys = new Map<string, TraceKey>()
  for (const row of traceKeyRows) {
    const key = names.get(hex(row.key)) as string
    const projectId = idFromBytes('proj', row.project_id)
    const found = { projectId, key, bodyHash: sha256Hex(row.body_hash), traceId: idFromBytes('tr', row.trace_id) }
    traceKeys.set(`${projectId}${key}`, found)
  }
  const stepKeys = new Map<string, StoredStepKey>()
  for (const row of stepKeyRows) stepKeys.set(`${idFromBytes('tr', row.trace_id)}${hex(row.key)}`, row)
  const media = new Set(mediaRows.map((row) => `${idFromBytes('proj', row.project_id)}${sha256Hex(row.sha256)}`))
  const attachments = new Map<TraceId, number>()
  for (const row of attachmentRows) attachments.set(idFromBytes('tr', row.trace_id), Number(row.count))
  const known = new KnownKeys(unknowns, {
    traceKey: (projectId: ProjectId, key: string) => traceKeys.get(`${projectId}${key}`),
    stepKey: (traceId, key) => toStepKey(traceId, key, stepKeys.get(`${traceId}${hex(compactKey(key))}`)),
    metricEventKey: (traceId, key) =>
      toMetricEventKey(traceId, key, stepKeys.get(`${traceId}${hex(metricEventKey(key))}`)),
    hasMedia: (projectId, sha256) => media.has(`${projectId}${sha256}`),
    attachmentsOf: (traceId) => attachments.get(traceId) ?? 0,
  })
  return { known, isAnyTaken: traceKeyRows.length + stepKeyRows.length > 0 }
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
