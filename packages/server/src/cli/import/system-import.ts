import { randomBytes } from 'node:crypto'
import { systemTimers } from '../../lib/time/timers.ts'
import type { ImportCommandDependencies } from '../import.ts'
import { checkService } from './check-service.ts'
import { openInput } from './open-input.ts'
import { createSendTrace } from './send-trace.ts'

const COLUMNS_OF_A_LOG = 200

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
    progress: {
      isTerminal: process.stderr.isTTY,
      columns: () => (process.stderr.isTTY ? process.stderr.columns : COLUMNS_OF_A_LOG),
      write: (text) => process.stderr.write(text),
    },
    print,
    printError,
  }
}
