import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { NewStep } from '../../ports/traces/trace-store.ts'
import { ByteWriter } from '../clickhouse/rows/byte-writer.ts'
import { packedStep, STEP_RECORD } from '../clickhouse/rows/step-row.ts'

/** A step with the commit that brought it. */
export interface VersionedStep {
  readonly version: number
  readonly step: StepRecord
}

/** Of each step its version, position and body length, bytes, and the rest as the engine's rows have it. */
type Header = readonly (readonly [version: number, position: number, bodyBytes: number, record: readonly unknown[]])[]

const LENGTH_BYTES = 4
/** Of one step: its ids and the punctuation of the array. */
const LEAST_HEADER_BYTES = 100

const out = new ByteWriter()

/** Steps as bytes: the bodies, a header as JSON, and its length. Valid until the next call. */
export function packSteps(steps: readonly NewStep[]): Buffer {
  const header: Header = steps.map((step) => [
    step.version,
    step.position,
    step.prepared.body.length,
    STEP_RECORD.toArray(packedStep(step)),
  ])
  out.reset()
  for (const { prepared } of steps) out.bytes(prepared.body)
  const headerAt = out.length
  out.text(JSON.stringify(header))
  out.bytes(new Uint8Array(Uint32Array.of(out.length - headerAt).buffer))
  return out.written()
}

/** Without packing them: not more than they would take. */
export function leastPackedBytes(steps: readonly NewStep[]): number {
  return steps.reduce((sum, { prepared }) => sum + LEAST_HEADER_BYTES + prepared.body.length, 0)
}

export function unpackSteps(bytes: Buffer): VersionedStep[] {
  let at = 0
  const headerEnd = bytes.length - LENGTH_BYTES
  const headerAt = headerEnd - bytes.readUInt32LE(headerEnd)
  const header = JSON.parse(bytes.toString('utf8', headerAt, headerEnd)) as Header
  return header.map(([version, position, bodyBytes, record]) => {
    const body = bytes.toString('utf8', at, (at += bodyBytes))
    return { version, step: STEP_RECORD.fromArray(record, { position, body }) }
  })
}
