import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openChdbEngine } from '../clickhouse/engine/chdb-engine.ts'
import type { DamageRecord } from '../clickhouse/damage/damage-record.ts'
import { verifyParts } from '../clickhouse/damage/verify-parts.ts'
import { checkParts } from '../clickhouse/parts/check-parts.ts'
import type { PartsRecord } from '../clickhouse/parts/parts-record.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import type { CheckResult } from '../../operation/check-result.ts'
import { CHECK_FOLDER_PREFIX, DATA_FILES } from '../data-files.ts'
import { linkTelemetry } from './link-telemetry.ts'

/**
 * Compares the engine's parts with the record, and verifies every byte of each against its checksums. Works on a
 * hard-linked copy, so that a store in use is not changed.
 */
export async function checkTelemetry(
  dataDir: string,
  record: PartsRecord | null,
  damage: DamageRecord,
  memoryBytes: number,
): Promise<CheckResult> {
  const folder = await mkdtemp(join(dataDir, CHECK_FOLDER_PREFIX))
  try {
    await linkTelemetry(join(dataDir, DATA_FILES.telemetry), folder)
    const engine = openChdbEngine({ directory: folder, memoryBytes, readers: 1 })
    try {
      await engine.command('SYSTEM STOP MERGES')
      return await checkEngine(engine, record, damage)
    } finally {
      await engine.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function checkEngine(
  engine: TelemetryEngine,
  record: PartsRecord | null,
  damage: DamageRecord,
): Promise<CheckResult> {
  const { missing, repaired } = await checkParts(engine, record)
  const problems = [
    ...missing
      .filter(({ table, name }) => !damage.isSetAside(table, name))
      .map(({ table, name, rows }) => `The part ${name} of ${table} with ${rows} rows cannot be loaded.`),
    ...repaired.map(
      (part) =>
        `The text index of ${part.replace(' ', ' part ')} is damaged; the next start of the service rebuilds it.`,
    ),
  ]
  const notice = damage.notice()
  if (notice !== null) problems.push(`${notice.text}.`)
  if (record === null) problems.push('There is no record of the parts, so missing parts cannot be detected.')
  let parts = 0
  let rows = 0
  await verifyParts(engine, (part) => {
    parts += 1
    rows += part.rows
    if (!part.ok) problems.push(`The part ${part.part} of ${part.table} is damaged: ${part.message}`)
  })
  return { part: 'telemetry', detail: `${parts} parts, ${rows} rows`, problems }
}
