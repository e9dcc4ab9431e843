import { join } from 'node:path'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import { activeParts, checkPart, type PartCheck } from '../clickhouse/damage/table-part.ts'
import { openChdbEngine } from '../clickhouse/engine/chdb-engine.ts'
import type { DamageRecord } from '../clickhouse/damage/damage-record.ts'
import { checkParts } from '../clickhouse/parts/check-parts.ts'
import type { PartsRecord } from '../clickhouse/parts/parts-record.ts'
import type { CheckResult } from '../../operation/check-result.ts'
import { withCopyFolder } from '../copy-folder.ts'
import { DATA_FILES } from '../data-files.ts'
import { linkTelemetry } from './link-telemetry.ts'

export interface VerifiedPart extends PartCheck {
  readonly table: string
  readonly part: string
  readonly rows: number
}

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
  return withCopyFolder(dataDir, 'check', async (folder) => {
    await linkTelemetry(join(dataDir, DATA_FILES.telemetry), folder)
    const engine = openChdbEngine({ directory: folder, memoryBytes, readers: 1 })
    try {
      await engine.command('SYSTEM STOP MERGES')
      return await checkEngine(engine, record, damage)
    } finally {
      await engine.close()
    }
  })
}

async function checkEngine(engine: TelemetryEngine, record: PartsRecord | null, damage: DamageRecord) {
  const { missing, repaired } = await checkParts(engine, record)
  const problems = [
    ...missing
      .filter(({ table, name }) => !damage.isLost(table, name))
      .map(({ table, name, rows }) => `The part ${name} of ${table} with ${rows} rows cannot be loaded.`),
    ...repaired.map(
      (part) =>
        `The text index of ${part.replace(' ', ' part ')} is damaged; the next start of the service rebuilds it.`,
    ),
  ]
  const notice = damage.notice()
  if (notice?.isLoss === true) problems.push(`${notice.text}.`)
  if (record === null) problems.push('There is no record of the parts, so missing parts cannot be detected.')
  let [parts, rows] = [0, 0]
  await verifyParts(engine, (part) => {
    parts += 1
    rows += part.rows
    if (!part.ok) problems.push(`The part ${part.part} of ${part.table} is damaged: ${part.message}`)
  })
  const detail = [`${parts} parts, ${rows} rows`, ...(notice?.isLoss === false ? [notice.text] : [])].join('; ')
  return { part: 'telemetry', detail, problems }
}

/**
 * Verifies every byte of every part against its checksums, one part at a time, and yields each result at once. Repairs
 * nothing. Parts that are merged away meanwhile are skipped. Rejects when the engine cannot be queried.
 */
export async function verifyParts(
  engine: Pick<TelemetryEngine, 'select'>,
  onPart: (part: VerifiedPart) => void | Promise<void>,
): Promise<void> {
  for (const { table, name, rows } of await activeParts(engine)) {
    const check = await checkPart(engine, { table, name })
    if (check !== null) await onPart({ table, part: name, rows, ...check })
  }
}
