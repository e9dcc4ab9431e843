import type { JsonScanner } from '../../lib/json/json-scan.ts'
import { type ObjectOutline, outlineMembers, outlineObject } from '../../lib/json/object-outline.ts'

export interface TraceOutline extends ObjectOutline {
  /** One for each element of `steps`; null where the element is no object. */
  readonly steps: readonly (ObjectOutline | null)[]
  /** May be more than were outlined. */
  readonly stepCount: number
}

/** Outlines a trace body and, at the same go, the steps in it: at most `mostSteps` of them. */
export function outlineTrace(scanner: JsonScanner, mostSteps: number): TraceOutline | null {
  let steps: (ObjectOutline | null)[] = []
  let stepCount = 0
  const outline = outlineMembers(scanner, () => {
    if (!scanner.keyIs('steps') || !scanner.enterArray()) {
      scanner.skipValue()
      return
    }
    // Given twice, the last one counts for JSON.parse, and the trace is refused for it anyway.
    steps = []
    stepCount = 0
    while (scanner.nextElement()) {
      if (stepCount++ < mostSteps) steps.push(outlineObject(scanner))
      else scanner.skipValue()
    }
  })
  return outline === null ? null : { ...outline, steps, stepCount }
}
