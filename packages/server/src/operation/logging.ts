import { type DestinationStream, destination, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/** Most severe first; the choices of the setting. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/**
 * One JSON object a line, on standard error: standard output belongs to the ready line. Written at once, so that the
 * last line before a crash is there too. Requests are only logged when they fail or are slow, so the cost could not be
 * measured.
 */
export function createLogger(level: LogLevel, stream: DestinationStream = destination({ fd: 2, sync: true })): Logger {
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
