import type { DeletionReserve } from '../../operation/deletion-reserve.ts'
import { type Rounds, startRounds } from '../start/rounds.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'

const RESTORE_EVERY_MS = 30_000

/** Keeps space for deletions on a full disk. */
export function startReserve(
  { logger }: Pick<EmbeddedEnvironment, 'logger'>,
  { reserve }: { readonly reserve: Pick<DeletionReserve, 'restore'> },
): Rounds {
  const restore = () => {
    try {
      reserve.restore()
    } catch (error) {
      logger.error({ error }, 'space for deletions on a full disk could not be reserved yet')
    }
  }
  restore()
  return startRounds(RESTORE_EVERY_MS, logger, async () => restore())
}
