/**
 * Records so many traces a second for so many seconds and prints their number. After a line of input it sends all and
 * prints the verdicts; after the next it ends.
 *
 *     node e2e/recorder/away/at-a-rate.ts TRACES_A_SECOND SECONDS
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createRecorder } from '@spoor/sdk'
import { STEPS } from './rate-process.ts'

const [rate = 0, seconds = 0] = process.argv.slice(2).map(Number)
const spoor = createRecorder({ onWarning: () => undefined })
const messages = [{ role: 'user', content: 'Where is order A-17? '.repeat(20) }]
const startedAt = performance.now()
let recorded = 0
for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - startedAt) / 1000) {
  for (; recorded < elapsed * rate; recorded++) record(recorded)
  await pause(10)
}
console.log(recorded)

await once(process.stdin, 'data')
let verdicts
do verdicts = await spoor.flush({ timeoutMs: 60_000 })
while (verdicts.spooled + verdicts.pending > 0)
console.log(JSON.stringify(verdicts))
await once(process.stdin, 'data')

function record(at: number): void {
  spoor.trace(`run ${at}`, (trace) => {
    for (let step = 0; step < STEPS; step++) {
      trace.step(`step ${step}`, { type: 'llm', model: 'm' }, (one) => {
        one.messages(messages).usage({ input: 1, output: 1 })
      })
    }
  })
}
