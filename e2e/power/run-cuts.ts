import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { summarizeViolations } from '../crash/count-violations.ts'
import type { Verified } from '../crash/verify.ts'
import { WatchedStore } from '../crash/watched-store.ts'
import { LoopDisk } from '../lib/faults/loop-disk.ts'
import { createRandom, type Random } from '../lib/random.ts'

/**
 * When the power is cut: under a long load (the kernel writes back by itself after some 30 s, so this is when most
 * unflushed data is at risk), soon after the load begins, on an idle service, or during a start.
 */
export const CUT_KINDS = ['load', 'early', 'idle', 'starting'] as const
export type CutKind = (typeof CUT_KINDS)[number]

export interface CutOptions {
  readonly cuts: number
  readonly seed: number
  /** For cuts under long load or none: time after the start. */
  readonly fromSeconds: number
  readonly toSeconds: number
  /** Every other cut is of the first kind, those between of the others. */
  readonly kinds: readonly CutKind[]
  /** A store is used for this many cuts, so that old data is at risk too, or until it lost something. */
  readonly cutsPerStore: number
  /** Does not delete the image of the disk. */
  readonly keep: boolean
  readonly progress: (line: string) => void
}

interface CutReport {
  readonly cuts: number
  readonly cutsWithViolations: number
  readonly acknowledgedRequests: number
  readonly violations: readonly string[]
}

const DISK_MEBIBYTES = 2048
const EARLY_MS = 5000
const START_MS = 1500
const LONGEST_LOAD_BEFORE_MS = 5000

/**
 * Cuts the power repeatedly. After each cut everything that the service acknowledged must hold. Returns the reason if
 * this machine does not allow it.
 */
export async function runCuts(options: CutOptions): Promise<CutReport | string> {
  const { cuts, seed, kinds, cutsPerStore, keep, progress } = options
  const disk = LoopDisk.mount({ mebibytes: DISK_MEBIBYTES })
  if (typeof disk === 'string') return disk
  using mounted = disk
  if (keep) mounted.keep()
  const random = createRandom(seed)
  const violations: string[] = []
  let [cut, cutsWithViolations, acknowledgedRequests] = [0, 0, 0]
  while (cut < cuts) {
    if (cut > 0) disk.reformat()
    await using store = await WatchedStore.create(join(disk.path, 'data'), random)
    const { ledger } = store
    const end = Math.min(cuts, cut + cutsPerStore)
    while (cut < end && !ledger.violations.some(isLoss)) {
      const kind = (cut % 2 === 0 ? kinds[0] : kinds[1 + random.below(kinds.length - 1)]) ?? kinds[0] ?? 'load'
      const known = ledger.violations.length
      const afterMs = await liveUntilCut(store, disk, kind, random, options)
      cut += 1
      disk.remount()
      const verified = await startAndVerify(store)
      const found = ledger.violations.slice(known)
      progress(
        `cut ${cut} ${kind} after ${(afterMs / 1000).toFixed(1)} s: ${describe(verified)}; ${summarizeViolations(found)}`,
      )
      if (found.length > 0) cutsWithViolations += 1
      if (random.chance(0.5)) await store.stop()
      else await store.kill()
    }
    violations.push(...ledger.violations)
    acknowledgedRequests += ledger.acknowledgedRequests
    if (keep && ledger.violations.length > 0) {
      progress(`the store is in ${disk.image}`)
      break
    }
  }
  return { cuts: cut, cutsWithViolations, acknowledgedRequests, violations }
}

/** Failed deliveries do not damage the store. */
function isLoss(violation: string): boolean {
  return !violation.startsWith('webhook:')
}

/** Starts a stopped store and cuts its power. Returns how long after the start that was. */
async function liveUntilCut(
  store: WatchedStore,
  disk: LoopDisk,
  kind: CutKind,
  random: Random,
  { fromSeconds, toSeconds }: CutOptions,
): Promise<number> {
  if (kind === 'idle' || kind === 'starting')
    await loadAndKill(store, Math.min(LONGEST_LOAD_BEFORE_MS, toSeconds * 1000))
  const cutPower = await disk.armCut()
  if (kind === 'starting') {
    const afterMs = random.below(START_MS)
    const started = store.start().catch(() => undefined)
    await sleep(afterMs)
    await cutPower()
    await store.kill()
    await started
    return afterMs
  }
  const afterMs =
    kind === 'early' ? random.below(EARLY_MS) : 1000 * (fromSeconds + random.next() * (toSeconds - fromSeconds))
  await store.start()
  const load = kind === 'idle' ? null : store.load()
  await sleep(afterMs)
  load?.expectEnd()
  await cutPower()
  await store.kill()
  await load?.ended
  return afterMs
}

async function loadAndKill(store: WatchedStore, ms: number): Promise<void> {
  await store.start()
  const load = store.load()
  await sleep(ms)
  load.expectEnd()
  await store.kill()
  await load.ended
}

async function startAndVerify(store: WatchedStore): Promise<Verified | null> {
  try {
    await store.start()
  } catch (error) {
    store.ledger.violate(`the start after the cut failed: ${String(error)}`)
    return null
  }
  return store.verify()
}

function describe(verified: Verified | null): string {
  if (verified === null) return 'it does not start'
  const { traces, steps, metricEvents } = verified
  return `${traces} traces, ${steps} steps, ${metricEvents} metric events exist`
}
