import type { Step } from '@spoor/contract/schemas/traces/step'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { useRead } from '../../lib/hooks/use-read.ts'
import type { TraceSource } from '../reading/trace-source.ts'

/** One whole step from the worker; null while loading. */
export function useStep(source: TraceSource, index: number): Step | null {
  const readStep = async () => ({ source, index, step: parseExactJson(await source.stepText(index)) as Step })
  const read = useRead(index === -1 ? null : readStep, [source, index])
  return read?.source === source && read.index === index ? read.step : null
}
