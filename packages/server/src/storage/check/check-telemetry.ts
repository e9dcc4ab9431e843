import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from '../telemetry/literal.ts'
import { openChdbEngine } from '../telemetry/chdb-engine.ts'
import { checkParts } from '../telemetry/parts/check-parts.ts'
import type { PartsRecord } from '../telemetry/parts/parts-record.ts'
import type { TelemetryEngine } from '../telemetry/telemetry-engine.ts'
import type { CheckResult } from '../../operation/check-result.ts'
import { CHECK_FOLDER_PREFIX, DATA_FILES } from '../data-files.ts'
import { linkTelemetry } from './link-telemetry.ts'

/** Compares the engine's parts with the record of them, and reads every byte of each against its checksums. On a linked copy: the store may be in use, and is not changed. */
export async function checkTelemetry(
  dataDir: string,
  record: PartsRecord | null,
  memoryBytes: number,
): Promise<CheckResult> {
  const folder = await mkdtemp(join(dataDir, CHECK_FOLDER_PREFIX))
  try {
    await linkTelemetry(join(dataDir, DATA_FILES.telemetry), folder)
    const engine = openChdbEngine({ directory: folder, memoryBytes, readers: 1 })
    try {
      await engine.command('SYSTEM STOP MERGES')
      return await checkEngine(engine, record)
    } finally {
      await engine.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function checkEngine(engine: TelemetryEngine, record: PartsRecord | null): Promise<CheckResult> {
  const { missing, repaired } = await checkParts(engine, record)
  const problems = [
    ...missing.map(({ table, name, rows }) => `The part ${name} of ${table} with ${rows} rows cannot be loaded.`),
    ...repaired.map(
      (part) =>
        `The text index of ${part.replace(' ', ' part ')} is damaged; the next start of the service builds it anew.`,
    ),
  ]
  if (record === null) problems.push('There is no record of the parts: whether some are missing cannot be told.')
  const parts = await engine.select(
    'SELECT table, name, rows, bytes_on_disk FROM system.parts WHERE database = currentDatabase() AND active',
  )
  let rows = 0
  let bytes = 0
  for (const [table, name, count, size] of parts) {
    rows += count as number
    bytes += size as number
    const verdicts = await engine.select(`CHECK TABLE ${table as string} PART ${text(name as string)}`)
    for (const verdict of verdicts) {
      const [, passed, message] = verdict
      if (passed !== 1) problems.push(`The part ${name as string} of ${table as string} is damaged: ${String(message)}`)
    }
  }
  return { part: 'telemetry', detail: `${parts.length} parts, ${rows} rows, ${bytes} bytes`, problems }
}
