import type { Step } from '@spoor/contract/schemas/traces/step'
import { useEffect, useState } from 'react'
import { parseExactJson } from '@spoor/payloads/exact-json'
import type { TraceSource } from '../reading/trace-source.ts'

/** One whole step from the worker; null while loading. */
export function useStep(source: TraceSource | null, index: number): Step | null {
  const [read, setRead] = useState<{
    readonly source: TraceSource
    readonly index: number
    readonly step: Step
  } | null>(null)
  useEffect(() => {
    if (source === null || index === -1) return
    let wanted = true
    void source.stepText(index).then((text) => {
      if (wanted) setRead({ source, index, step: parseExactJson(text) as Step })
    })
    return () => {
      wanted = false
    }
  }, [source, index])
  return read !== null && read.source === source && read.index === index ? read.step : null
}
