import { systemTimers } from '../lib/timers.ts'
import { DiskGuard, freeBytesOf } from '../operation/disk-guard.ts'
import type { Readiness } from '../operation/readiness.ts'
import type { TelemetryEngine } from '../storage/telemetry/telemetry-engine.ts'
import type { Environment } from './environment.ts'

/**
 * Watches the free space of the data directory. While there is too little of it, tells `readiness` and keeps the engine from merging: a merge needs as much space as it merges, and what is left is for commits. To be
 * stopped.
 */
export async function startDiskGuard(
  { config, dataDir, logger }: Environment,
  readiness: Readiness,
  engine: Pick<TelemetryEngine, 'command'>,
): Promise<DiskGuard> {
  const setMerges = (verb: 'START' | 'STOP') =>
    engine
      .command(`SYSTEM ${verb} MERGES`)
      .catch((error: unknown) => logger.error({ error, verb }, 'merges could not be switched'))
  const guard = new DiskGuard({
    freeBytes: () => freeBytesOf(dataDir),
    reserveBytes: config.diskReserveBytes,
    onError: (error) => logger.error({ error }, 'the free disk space cannot be read'),
  })
  await guard.start(systemTimers, (problem) => {
    readiness.report('disk', problem)
    void setMerges(problem === null ? 'START' : 'STOP')
    if (problem === null) logger.warn('there is disk space again: intake goes on')
    else logger.error({ problem }, 'intake is closed')
  })
  readiness.report('disk', guard.problem())
  return guard
}
