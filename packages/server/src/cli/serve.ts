import { once } from 'node:events'
import { createLogger, type LogLevel } from '../operation/logging.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { Printer } from './command.ts'
import { type Greeted, greeting } from './greeting.ts'

/** The parts of the service that the command needs. */
export interface ServeDependencies<C extends ServeConfig> extends Printer {
  /** Throws an error with `problems`, one line each, when the configuration is wrong. */
  loadConfig(args: readonly string[]): C
  readonly isConfigError: (error: unknown) => error is Error
  readonly settingsHelp: string
  startService(
    config: C,
    logger: ReturnType<typeof createLogger>,
    options: { readonly acceptLoss: boolean },
  ): Promise<ServedService>
}

export interface ServeConfig {
  readonly logLevel: LogLevel
  readonly dataDir: string
  readonly shutdownTimeoutMs: number
  readonly warnings: readonly string[]
}

interface ServedService extends Greeted {
  stop(): Promise<void>
}

/**
 * A flag and not a setting: an operator who has read what is missing gives it once, and it is never left in an
 * environment.
 */
const ACCEPT_LOSS = '--accept-loss'

const USAGE = `Usage: spoor serve [SETTINGS] [--accept-loss]

Starts the service. Each setting is a flag or an environment variable (--data-dir is SPOOR_DATA_DIR).
--accept-loss lets one start go on although acknowledged data is missing, and puts that on record.
`

/**
 * `spoor serve`: runs until SIGTERM or SIGINT. Returns the exit code: 0 stopped as requested, 1 could not run or stop,
 * 2 wrong configuration.
 */
export async function runServeCommand<C extends ServeConfig>(
  args: readonly string[],
  dependencies: ServeDependencies<C>,
): Promise<number> {
  const { print, printError } = dependencies
  if (args.includes('--help') || args.includes('-h')) {
    print(`${USAGE}\n${dependencies.settingsHelp}`)
    return 0
  }
  let config: C
  try {
    config = dependencies.loadConfig(args.filter((argument) => argument !== ACCEPT_LOSS))
  } catch (error) {
    if (!dependencies.isConfigError(error)) throw error
    printError(`${error.message}\n\nspoor serve --help lists all settings.`)
    return 2
  }
  for (const warning of config.warnings) printError(warning)
  const logger = createLogger(config.logLevel)
  const asked = Promise.race(['SIGTERM', 'SIGINT'].map((signal) => once(process, signal).then(() => signal)))
  let service: ServedService
  try {
    service = await dependencies.startService(config, logger, { acceptLoss: args.includes(ACCEPT_LOSS) })
  } catch (error) {
    if (!(error instanceof OperatorError) && !isListenError(error)) throw error
    printError(error.message)
    return 1
  }
  // In one write, so that a reader that stops at the first line has the key as well.
  print(greeting(service, config.dataDir).join('\n'))
  const signal = await asked
  logger.info({ signal }, 'stopping')
  return stopInTime(service, config.shutdownTimeoutMs, logger)
}

/** The port is taken, or the address does not belong to this machine: Node's own message says which. */
function isListenError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
}

async function stopInTime(
  service: ServedService,
  timeoutMs: number,
  logger: ReturnType<typeof createLogger>,
): Promise<number> {
  const late = Symbol('late')
  const timer = Promise.withResolvers<typeof late>()
  const handle = setTimeout(() => timer.resolve(late), timeoutMs)
  try {
    const outcome = await Promise.race([service.stop(), timer.promise])
    if (outcome !== late) return 0
    // No acknowledged data is lost: uncommitted data was not acknowledged.
    logger.error({ timeoutMs }, 'could not stop in time')
    return 1
  } finally {
    clearTimeout(handle)
  }
}
