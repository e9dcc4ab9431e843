import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { activeParts, checkPart, type PartCheck } from './table-part.ts'

export interface VerifiedPart extends PartCheck {
  readonly table: string
  readonly part: string
  readonly rows: number
}

/**
 * Reads every byte of every part against its checksums, one part at a time, and passes on what it found before it goes
 * on. Mends nothing. Parts that a merge takes away meanwhile are left out. Rejects when the engine cannot be asked at
 * all.
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
