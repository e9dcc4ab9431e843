import { useMemo } from 'react'
import { useTraceSnapshot, useTraceSource } from '../trace/reading/use-trace.ts'

/** The steps of one side, which are read while the pairs are shown already. */
export type Side = ReturnType<typeof useSide>

export function useSide(traceId: string) {
  const { source } = useTraceSource(traceId)
  const snapshot = useTraceSnapshot(source)
  const { steps, count = 0 } = snapshot ?? {}
  const indices = useMemo(
    () => new Map((steps?.ids ?? []).slice(0, count).map((id, index) => [id, index])),
    [steps, count],
  )
  return { traceId, source, steps, indexOf: (id: string | null) => (id === null ? undefined : indices.get(id)) }
}
