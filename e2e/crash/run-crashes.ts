import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { newTrace } from './content.ts'
import { Ledger } from './ledger.ts'
import { defineMetric } from './metric-events.ts'
import { TailFollower } from './tail-follower.ts'
import { verifyAll, type Verified } from './verify.ts'
import { retryAnswered, retryUnanswered, sendTrace, work, type Workload } from './workload.ts'

export interface CrashOptions {
  readonly rounds: number
  readonly seed: number
  /** Every so many rounds, one round lasts past the service's half-minute housekeeping. */
  readonly longRoundEvery: number
  readonly progress: (line: string) => void
}

export interface CrashReport extends Verified {
  readonly kills: number
  readonly killsWhileStarting: number
  readonly acknowledgedRequests: number
  /** Starts that found unsettled commits in the log. */
  readonly settledAtStart: number
  readonly tailConnections: number
  readonly violations: readonly string[]
}

const WORKERS = 12
const LONGEST_LIFE_MS = 1200
const LONG_LIFE_MS = 34_000
/** Lives on a slow machine last longer, until all together have acknowledged this many requests each. */
const REQUESTS_OF_A_LIFE = 200

/**
 * Kills the service at random moments under load and restarts it on the same directory. In the end everything that it
 * acknowledged must hold.
 */
export async function runCrashes({ rounds, seed, longRoundEvery, progress }: CrashOptions): Promise<CrashReport> {
  const random = createRandom(seed)
  const ledger = new Ledger()
  const follower = new TailFollower()
  await using service = new Service()
  let killsWhileStarting = 0
  for (let round = 1; round <= rounds; round++) {
    // In the second round always, so that a short run has such a kill, too, and on a store with data.
    if (random.chance(0.2) || round === 2) {
      await killWhileStarting(service, random.below(600))
      killsWhileStarting += 1
    }
    await service.start()
    await follower.connect(service)
    let killed = false
    const workload: Workload = { client: service.client, ledger, random, killed: () => killed }
    await defineMetric(service.client, ledger)
    await retryUnanswered(workload)
    await retryAnswered(workload, 5)
    const working = Promise.all(Array.from({ length: WORKERS }, () => work(workload)))
    await sleep(round % longRoundEvery === 0 ? LONG_LIFE_MS : random.below(LONGEST_LIFE_MS))
    while (ledger.acknowledgedRequests < round * REQUESTS_OF_A_LIFE) await sleep(random.below(20))
    killed = true
    await service.kill()
    await working
    await follower.disconnect()
    progress(`round ${round}: ${ledger.acknowledgedRequests} acknowledged, ${ledger.violations.length} violations`)
  }
  await service.start()
  await follower.connect(service)
  await retryUnanswered({ client: service.client, ledger, random, killed: () => false })
  const end = newTrace(ledger, random, true)
  await sendTrace({ client: service.client, ledger, random, killed: () => false }, end)
  await follower.until(end.id as string)
  const verified = await verifyAll(service.client, ledger, follower)
  await follower.disconnect()
  return {
    ...verified,
    kills: rounds + killsWhileStarting,
    killsWhileStarting,
    acknowledgedRequests: ledger.acknowledgedRequests,
    settledAtStart: service.log.match(/settled commits that the last run left in the log/g)?.length ?? 0,
    tailConnections: follower.connections,
    violations: [...ledger.violations, ...errorsIn(service.log)],
  }
}

async function killWhileStarting(service: Service, afterMs: number): Promise<void> {
  const started = service.start().catch(() => undefined)
  await sleep(afterMs)
  await service.kill()
  await started
}

function errorsIn(log: string): string[] {
  return log.split('\n').filter((line) => line.includes('"level":"error"') || line.includes('"level":"fatal"'))
}
