/**
 * Records one trace after the other, until it is killed. After each acknowledged flush it prints the number of the
 * trace, which must be in the service then.
 *
 *     node e2e/recorder/recording-process.ts FIRST
 */
import { createRecorder } from '@spoor/sdk'

const STEPS = 5

const spoor = createRecorder({ delayMs: 1, shutdownTimeoutMs: 60_000, onWarning: () => undefined })
for (let at = Number(process.argv[2]); ; at++) {
  await spoor.trace(`run ${at}`, { metadata: { at } }, async (trace) => {
    for (let step = 0; step < STEPS; step++) {
      await trace.step(`step ${step}`, { type: 'llm', model: 'm' }, (one) => void one.usage({ input: 1, output: 1 }))
    }
  })
  let stored = 0
  let verdicts
  // A service that takes longer than a flush waits is no loss.
  do {
    verdicts = await spoor.flush({ timeoutMs: 60_000 })
    stored += verdicts.stored
  } while (verdicts.pending > 0 && verdicts.refused + verdicts.dropped === 0)
  if (!verdicts.ok || stored !== STEPS + 1)
    throw new Error(`trace ${at}: ${stored} stored, ${JSON.stringify(verdicts)}`)
  console.log(at)
}
