import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { isDiskFull } from '../lib/disk-full.ts'

export type { Logger } from 'pino'

/** Most severe first; the choices of the setting. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** What waits while the disk with the file of the log is full. */
const MOST_WAITING_BYTES = 1024 * 1024

/** For errors of standard output and error: neither a closed pipe nor a full disk ends the service. Throws others. */
export function ignoreLostOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && !isDiskFull(error)) throw error
}

/**
 * One JSON object a line, on standard error: standard output belongs to the ready line. Written at once, so that the
 * last line before a crash is there too. Requests are only logged when they fail or are slow, so the cost could not be
 * measured.
 */
export function createLogger(level: LogLevel, stream: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      errorKey: 'error',
    },
    stream,
  )
}

function standardError(): DestinationStream {
  const stream = destination({ fd: 2, sync: true, maxLength: MOST_WAITING_BYTES })
  stream.on('error', ignoreLostOutput)
  return stream
}
