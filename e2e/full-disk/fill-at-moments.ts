import { type FSWatcher, globSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoopDisk } from '../lib/faults/loop-disk.ts'
import type { Random } from '../lib/random.ts'

/** Too little for merges, or just enough for some. */
const FREE_MEBIBYTES = [2, 4, 8, 16, 68, 90]

/**
 * Another program leaves some space, and takes all of it for a moment when the engine begins a part: by an insert, a
 * merge or a mutation. Then the part lacks the files that are written last.
 */
export async function fillAtMoments(disk: LoopDisk, dataDir: string, seconds: number, random: Random): Promise<void> {
  let free = 0
  let taken: Promise<void> | null = null
  const take = async () => {
    await sleep(random.below(6))
    disk.leaveFree(0)
    await sleep(random.pick([5, 20, 100, 600]))
    disk.leaveFree(free)
    taken = null
  }
  const watchers = globSync(join(dataDir, 'telemetry/store/*/*')).map((folder): FSWatcher =>
    watch(folder, (_event, name) => {
      if (name?.startsWith('tmp_') === true && random.chance(0.6)) taken ??= take()
    }),
  )
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    free = random.pick(FREE_MEBIBYTES)
    if (taken === null) disk.leaveFree(free)
    await sleep(500 + random.below(2500))
  }
  for (const watcher of watchers) watcher.close()
  await taken
}
