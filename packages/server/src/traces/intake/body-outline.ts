import type { JsonScanner } from '../../lib/json/json-scan.ts'
import { type ObjectOutline, outlineMembers, outlineObject } from '../../lib/json/object-outline.ts'

export interface TraceOutline extends ObjectOutline {
  /** One for each element of `steps`; null if the element is not an object. */
  readonly steps: readonly (ObjectOutline | null)[]
  /** May exceed the number of outlined steps. */
  readonly stepCount: number
}

/** Outlines a trace body and, in the same pass, at most `mostSteps` of its steps. */
export function outlineTrace(scanner: JsonScanner, mostSteps: number): TraceOutline | null {
  let steps: (ObjectOutline | null)[] = []
  let stepCount = 0
  const outline = outlineMembers(scanner, () => {
    if (!scanner.keyIs('steps') || !scanner.enterArray()) {
      scanner.skipValue()
      return
    }
    // JSON.parse uses the last of two duplicates. The trace is refused for it in any case.
    steps = []
    stepCount = 0
    while (scanner.nextElement()) {
      if (stepCount++ < mostSteps) steps.push(outlineObject(scanner))
      else scanner.skipValue()
    }
  })
  return outline === null ? null : { ...outline, steps, stepCount }
}
