import { systemTimers } from '../../lib/time/timers.ts'
import { DiskGuard, freeBytesOf } from '../../operation/disk-guard.ts'
import type { Readiness } from '../../operation/readiness.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'
import type { MergeSwitch } from './merge-switch.ts'

/**
 * Watches the free space of the data directory, and reports to `readiness` and `merges` when there is too little, and
 * when there is enough again. The caller must stop it.
 */
export async function startDiskGuard(
  { config, dataDir, logger }: EmbeddedEnvironment,
  readiness: Readiness,
  merges: Pick<MergeSwitch, 'setDiskFull'>,
): Promise<DiskGuard> {
  const guard = new DiskGuard({
    freeBytes: () => freeBytesOf(dataDir),
    reserveBytes: config.diskReserveBytes,
    allowMerges: (allowed) => merges.setDiskFull(!allowed),
    onError: (error) => logger.error({ error }, 'the free disk space cannot be read'),
  })
  await guard.start(systemTimers, (problem) => {
    readiness.report('disk', problem)
    if (problem === null) logger.warn('there is disk space again: intake is open')
    else logger.error({ problem }, 'intake is closed')
  })
  readiness.report('disk', guard.problem())
  return guard
}
