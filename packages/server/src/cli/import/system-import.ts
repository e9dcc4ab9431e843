import { randomBytes } from 'node:crypto'
import { OperatorError } from '../../lib/operator-error.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { ImportCommandDependencies } from '../import.ts'
import { openInput } from './open-input.ts'
import { createSendTrace } from './send-trace.ts'
import type { ProgressOutput } from './show-progress.ts'

const ANSWER_TIMEOUT_MS = 10_000

const COLUMNS_OF_A_LOG = 200

export const systemProgress: ProgressOutput = {
  isTerminal: process.stderr.isTTY,
  columns: () => (process.stderr.isTTY ? process.stderr.columns : COLUMNS_OF_A_LOG),
  write: (text) => process.stderr.write(text),
}

/** `spoor import` on this machine: its files, its network, its terminal, its Ctrl-C. */
export function systemImportDependencies(
  configured: ImportCommandDependencies['configured'],
  { print, printError }: Pick<ImportCommandDependencies, 'print' | 'printError'>,
): ImportCommandDependencies {
  return {
    configured,
    openInput,
    checkService,
    createSend: createSendTrace,
    timers: systemTimers,
    random: () => Math.random(),
    newImportId: () => randomBytes(6).toString('hex'),
    onInterrupt(listener) {
      process.on('SIGINT', listener)
      process.on('SIGTERM', listener)
      return () => {
        process.off('SIGINT', listener)
        process.off('SIGTERM', listener)
      }
    },
    progress: systemProgress,
    print,
    printError,
  }
}

/**
 * Sends one request before anything is read: retrying makes no sense if nothing listens at the address. Throws
 * OperatorError.
 */
async function checkService(url: string): Promise<void> {
  try {
    // Any answer is enough: if the service is not ready yet, each line waits for it.
    const answer = await fetch(new URL('healthz', url.endsWith('/') ? url : `${url}/`), {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    await answer.arrayBuffer()
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new OperatorError(
      `No service answers at ${url}${code}. Start it with npm start, or say where it is with --url or SPOOR_URL.`,
      { cause: error },
    )
  }
}
