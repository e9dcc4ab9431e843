import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { activeParts, checkPart, type PartCheck } from './table-part.ts'

export interface VerifiedPart extends PartCheck {
  readonly table: string
  readonly part: string
  readonly rows: number
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
