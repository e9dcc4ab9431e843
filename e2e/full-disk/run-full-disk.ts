import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { summarizeViolations } from '../crash/count-violations.ts'
import { Uploads } from '../crash/uploads.ts'
import type { Load } from '../crash/watched-load.ts'
import type { Verified } from '../crash/verify.ts'
import { WatchedStore } from '../crash/watched-store.ts'
import { eventually } from '../lib/eventually.ts'
import { LoopDisk } from '../lib/faults/loop-disk.ts'
import { fillAtMoments } from './fill-at-moments.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { WatchedCopies } from './watched-copies.ts'
import { WatchedExports } from './watched-exports.ts'

/**
 * What fills the disk: our own load, down to the reserve; another program, down to nothing and several times; such a
 * program at moments when the engine writes a part; or one while the service starts.
 */
export const FILL_KINDS = ['own', 'other', 'moments', 'start'] as const
export type FillKind = (typeof FILL_KINDS)[number]

export interface FullDiskOptions {
  readonly rounds: number
  readonly seed: number
  readonly diskMebibytes: number
  /** Stores alternate between these. */
  readonly reservesMebibytes: readonly number[]
  readonly kinds: readonly FillKind[]
  /** A store is used for this many rounds, or until it lost something. */
  readonly roundsPerStore: number
  /** How long the disk is short of space in each round. */
  readonly secondsFull: number
  /** How long the load continues after space is free again: merges then combine parts from before and after. */
  readonly secondsAfter: number
  /** Does not delete the image of the disk. */
  readonly keep: boolean
  readonly progress: (line: string) => void
}

interface FullDiskReport {
  readonly rounds: number
  readonly roundsWithViolations: number
  readonly acknowledgedRequests: number
  readonly violations: readonly string[]
}

/** A store and everything that uses it at the same time. */
interface Used {
  readonly store: WatchedStore
  readonly uploads: Uploads
  readonly exports: WatchedExports
  readonly copies: WatchedCopies
  /** Errors that the log may have although space is free. */
  readonly expectedErrors: RegExp
}

const SECONDS_BEFORE = 4
/** Characters of the log that are printed. */
const LOG_SHOWN = 4000

/**
 * Fills the disk repeatedly. Each time, after space is free again and once more after a restart, everything that the
 * service acknowledged must hold. Returns the reason if this machine does not allow it.
 */
export async function runFullDisk(options: FullDiskOptions): Promise<FullDiskReport | string> {
  const { rounds, seed, diskMebibytes, reservesMebibytes, kinds, roundsPerStore, keep, progress } = options
  const disk = LoopDisk.mount({ mebibytes: diskMebibytes, mkfsOptions: ['-m', '0'] })
  if (typeof disk === 'string') return disk
  using mounted = disk
  if (keep) mounted.keep()
  const random = createRandom(seed)
  const violations: string[] = []
  let [round, stores, roundsWithViolations, acknowledgedRequests] = [0, 0, 0, 0]
  while (round < rounds) {
    if (round > 0) disk.reformat()
    const reserve = reservesMebibytes[stores % reservesMebibytes.length] ?? 0
    stores += 1
    await using store = await WatchedStore.create(join(disk.path, 'data'), random, {
      SPOOR_DISK_RESERVE_MB: String(reserve),
    })
    const expectedErrors = reserve === 0 ? BROKEN_PARTS_OR_RESERVED : BROKEN_PARTS
    const { ledger } = store
    using copies = new WatchedCopies(store.service, ledger, join(disk.path, 'copies'))
    const used: Used = { store, uploads: new Uploads(), exports: new WatchedExports(), copies, expectedErrors }
    const end = Math.min(rounds, round + roundsPerStore)
    while (round < end && ledger.violations.length === 0) {
      const kind = kinds[round % kinds.length] ?? 'other'
      const what = await liveThroughFullDisk(used, disk, kind, reserve, random, options)
      round += 1
      const there = await verifyTwice(used, random)
      const found = ledger.violations
      progress(
        `round ${round}, reserve ${reserve} MB, filled by ${kind}, ${what}: ${there}; ${summarizeViolations(found)}`,
      )
      if (found.length > 0) roundsWithViolations += 1
    }
    violations.push(...ledger.violations)
    acknowledgedRequests += ledger.acknowledgedRequests
    if (keep && ledger.violations.length > 0) {
      progress(`the store is in ${disk.image}`)
      break
    }
  }
  return { rounds: round, roundsWithViolations, acknowledgedRequests, violations }
}

/**
 * Takes a stopped store through a full disk to a running service with free space. Returns a description of what
 * happened.
 */
async function liveThroughFullDisk(
  used: Used,
  disk: LoopDisk,
  kind: FillKind,
  reserve: number,
  random: Random,
  { secondsFull, secondsAfter }: FullDiskOptions,
): Promise<string> {
  const { store } = used
  if (kind === 'start') await startWhileItFills(store, disk, reserve, random)
  else await store.start()
  const load = use(used)
  await sleep(SECONDS_BEFORE * 1000)
  if (kind === 'own') {
    disk.leaveFree(reserve + 8)
    await sleep(secondsFull * 1000)
  } else if (kind === 'moments') {
    await fillAtMoments(disk, store.service.dataDir, secondsFull, random)
  } else {
    await growAndShrink(disk, reserve, secondsFull, random)
  }
  const freeMebibytes = disk.freeMebibytes
  const event = random.pick(['kill', 'stop', 'nothing'] as const)
  if (event !== 'nothing') {
    load.expectEnd()
    await (event === 'kill' ? store.kill() : store.stop({ mayFail: true }))
    await load.ended
  }
  const startsFull = event !== 'nothing' && random.chance(0.5) && (await startsOnFullDisk(store))
  disk.free()
  if (event !== 'nothing' && !startsFull) await store.startWithoutWrites()
  await becomesReady(store)
  if (event !== 'nothing') await store.begin()
  store.expectErrorsSoFar()
  const more = event === 'nothing' ? load : use(used)
  await sleep(secondsAfter * 1000)
  more.expectEnd()
  await more.ended
  return `${event} with ${freeMebibytes} MB free`
}

/** The ordinary load with uploads, exports and copies beside it. */
function use({ store, uploads, exports, copies }: Used): Load {
  const load = store.load((status) => status === 503)
  const { workload } = load
  const mayRefuse = (status: number) => workload.mayRefuse?.(status) === true
  const beside = [uploads.run(workload, mayRefuse), exports.run(workload), copies.run(workload)]
  return { ...load, ended: Promise.all([load.ended, ...beside]) }
}

/** Space is free again: the service must be ready within a minute. */
async function becomesReady({ service }: WatchedStore): Promise<void> {
  let said = ''
  const ready = async () => {
    const { status, text } = await service.client.get('/readyz')
    said = text
    return status === 200
  }
  await eventually('it is ready', ready).catch((error: unknown) => {
    throw new Error(`/readyz says ${said}; the service wrote last:\n${service.log.slice(-LOG_SHOWN)}`, { cause: error })
  })
}

/** It may refuse to start where nothing can be written, with a sentence. */
async function startsOnFullDisk(store: WatchedStore): Promise<boolean> {
  try {
    await store.startWithoutWrites()
    return true
  } catch (error) {
    // The stack of this error is that of the test; its message has what the service wrote.
    const { message } = error as Error
    if (/^ +at /m.test(message)) store.ledger.violate(`a start on a full disk ended with a stack: ${message}`)
    await store.kill()
    return false
  }
}

async function growAndShrink(disk: LoopDisk, reserve: number, seconds: number, random: Random): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    disk.leaveFree(random.pick([0, 0, 1, 4, 16, reserve, reserve + 32]))
    await sleep(200 + random.below(2500))
    if (random.chance(0.3)) disk.free()
    await sleep(random.below(800))
  }
  disk.leaveFree(random.pick([0, 2, reserve]))
}

/** The first start of a round: another program fills the disk meanwhile, then there is space again. */
async function startWhileItFills(store: WatchedStore, disk: LoopDisk, reserve: number, random: Random): Promise<void> {
  const [isRunning] = await Promise.all([
    startsOnFullDisk(store),
    growAndShrink(disk, reserve, 1 + random.below(3), random),
  ])
  disk.free()
  if (!isRunning) await store.startWithoutWrites()
  await becomesReady(store)
  await store.begin()
  store.expectErrorsSoFar()
}

/**
 * A part that the full disk left broken is found by its next merge or read, maybe later. Its sources replace it:
 * then nothing is lost, and the service stays ready.
 */
const BROKEN_PARTS = /parts are broken or could not be flushed|a part of the store is damaged/

/** Without a reserve, merges may reserve all that is free; an insert of that moment is tried again. */
const BROKEN_PARTS_OR_RESERVED = new RegExp(`${BROKEN_PARTS.source}|Cannot reserve .* not enough space`)

async function verifyTwice(used: Used, random: Random): Promise<string> {
  const { store, uploads, exports, copies } = used
  await verify(used)
  await becomesReady(store)
  await copies.verify(random)
  await (random.chance(0.5) ? store.stop() : store.kill())
  await store.start()
  const { traces, steps, metricEvents } = await verify(used)
  await becomesReady(store)
  await store.stop()
  const deletions = [...store.ledger.traces.values()].filter(({ deletion }) => deletion === 'acknowledged').length
  return (
    `${traces} traces, ${steps} steps, ${metricEvents} metric events exist ` +
    `(${exports.count} exports, ${uploads.count} uploads, ${deletions} deletions acknowledged, ${copies.done} copies made, ${copies.failed} refused)`
  )
}

async function verify({ store, uploads, exports, expectedErrors }: Used): Promise<Verified> {
  const verified = await store.verify(expectedErrors)
  const sender = { client: store.service.client, ledger: store.ledger }
  await uploads.verify(sender)
  await exports.verify(sender)
  return verified
}
