import { DomainError } from '../../lib/domain-error.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { LeasedPart } from '../../operation/leased-runner.ts'
import type { Environment } from './environment.ts'
import type { StartedTraces } from './start-traces.ts'

/** Between two steps, so that requests go first. */
const PAUSE_MS = 20
/** While nothing can be committed or read. */
const RETRY_MS = 5000
/** A node of an earlier version may still write traces without a digest. */
const LOOK_AGAIN_MS = 10 * 60_000

/** Fills in what lists show of traces that an earlier version stored. At two nodes it would be the same work twice. */
export async function startFilling(
  { logger }: Pick<Environment, 'logger'>,
  traces: Pick<StartedTraces, 'newDigestFiller'>,
): Promise<LeasedPart> {
  const filler = traces.newDigestFiller()
  let isFilling = false
  let cancel: () => void = () => undefined
  let running: Promise<void> | null = null
  let isStopped = false

  /** Resolves with when to continue, milliseconds from now. */
  async function step(): Promise<number> {
    try {
      const isDone = await filler.step()
      if (isDone && isFilling) logger.info('all stored traces have their inputs, outputs and costs')
      if (!isDone && !isFilling) logger.info('filling in inputs, outputs and costs of traces of an earlier version')
      isFilling = !isDone
      return isDone ? LOOK_AGAIN_MS : PAUSE_MS
    } catch (error) {
      if (!(error instanceof DomainError)) logger.error({ error }, 'traces of an earlier version are not filled in yet')
      return RETRY_MS
    }
  }

  function continueIn(ms: number): void {
    if (isStopped) return
    cancel = systemTimers.after(ms, () => {
      running = step().then(continueIn)
    })
  }

  continueIn(0)
  return {
    async stop() {
      isStopped = true
      cancel()
      await running
    },
  }
}
