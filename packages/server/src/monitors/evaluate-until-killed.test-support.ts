import { writeSync } from 'node:fs'
import type { ProjectId } from '@spoor/contract/ids'
import { systemClock } from '../lib/time/clock.ts'
import { openControlStore } from '../storage/sql/open-control-store.ts'
import { SCORE_NUMBER, scoreAt } from './crash-rows.test-support.ts'
import type { MeasureResult } from '../ports/monitors/monitor-measures.ts'
import { MonitorEvaluator } from './monitor-evaluator.ts'
import { commitRecordOf, INTERVAL_MS } from './monitor-world.test-support.ts'

/**
 * Program of the crash test: evaluates the monitors of a folder for the evaluation times up to `until`, and stops at
 * `seam` of the first state change: `before` its commit, `after` it, or after the `round`. Without a seam it ends by
 * itself.
 */
const [dataDir = '', until = '', seam = ''] = process.argv.slice(2)
const { monitors, leases, journal } = openControlStore({ dataDir, clock: systemClock, create: false })

/** Reports it and waits to be killed: no JavaScript runs any more. */
function stopDead(where: string): void {
  if (where !== seam) return
  writeSync(1, 'here\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const answer = (at: number): MeasureResult => ({ value: scoreAt(at), samples: SCORE_NUMBER })
const evaluator = new MonitorEvaluator({
  store: monitors,
  leases,
  holder: 'the one of this folder',
  measures: {
    measure: async (_projectId: ProjectId, questions) => questions.map(({ until: at }) => answer(at)),
    measureOver: async (_projectId, _question, { firstAt, stepMs, count }) =>
      Array.from({ length: count }, (_, index) => answer(firstAt + index * stepMs)),
  },
  commitTransition: async (transition) => {
    stopDead('before')
    journal.append(commitRecordOf(transition, journal.last().version + 1, Number(until)))
    stopDead('after')
  },
  print: ({ name }) => JSON.stringify({ name }),
  clock: { now: () => Number(until) },
  timers: { now: () => 0, after: () => () => undefined, every: () => () => undefined },
  intervalMs: INTERVAL_MS,
  onError: (error) => {
    throw error
  },
})
evaluator.start()
await evaluator.idle()
stopDead('round')
