import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { NewStep } from '../../ports/traces/trace-store.ts'
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

/** Steps in one buffer: the length of a header, the header as JSON, and the bodies one behind the other. */
export function packSteps(steps: readonly NewStep[]): Buffer {
  const header: Header = steps.map((step) => [
    step.version,
    step.position,
    step.prepared.body.length,
    STEP_RECORD.toArray(packedStep(step)),
  ])
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(text.length)
  return Buffer.concat([length, text, ...steps.map(({ prepared }) => prepared.body)])
}

/** Without packing them: not more than they would take. */
export function leastPackedBytes(steps: readonly NewStep[]): number {
  return steps.reduce((sum, { prepared }) => sum + LEAST_HEADER_BYTES + prepared.body.length, 0)
}

export function unpackSteps(bytes: Buffer): VersionedStep[] {
  let at = LENGTH_BYTES + bytes.readUInt32LE()
  const header = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, at)) as Header
  return header.map(([version, position, bodyBytes, record]) => {
    const body = bytes.toString('utf8', at, (at += bodyBytes))
    return { version, step: STEP_RECORD.fromArray(record, { position, body }) }
  })
}
