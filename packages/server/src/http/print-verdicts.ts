import type { InTurns } from '../lib/work-turns.ts'

/** The verdicts as JSON texts, each with `end` behind it. A group of thousands is printed in turns. */
export async function printVerdicts<V>(
  verdicts: readonly V[],
  toWire: (verdict: V) => object,
  end: string,
  inTurns: InTurns,
): Promise<string> {
  let text = ''
  const rest = verdicts.values()
  await inTurns(() => {
    const next = rest.next()
    if (next.done !== true) text += JSON.stringify(toWire(next.value)) + end
    return next.done !== true
  })
  return text
}
