import type { InTurns } from '../../lib/flow/work-turns.ts'

/** Printed in one step of about 50 µs, compared with which reading the clock is cheap. */
const STEP_VERDICTS = 50

/** The verdicts as JSON texts, each followed by `end`. A group of thousands is printed in turns (WorkTurns). */
export async function printVerdicts<V>(
  verdicts: readonly V[],
  toWire: (verdict: V) => object,
  end: string,
  inTurns: InTurns,
): Promise<string> {
  let text = ''
  let printed = 0
  await inTurns(() => {
    for (const verdict of verdicts.slice(printed, printed + STEP_VERDICTS))
      text += JSON.stringify(toWire(verdict)) + end
    printed += STEP_VERDICTS
    return printed < verdicts.length
  })
  return text
}
