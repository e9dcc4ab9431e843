import { parseArgs, type ParseArgsConfig } from 'node:util'
import { createAuditLog, type NewAuditEntry } from '../audit/audit-log.ts'
import type { AuditStore } from '../ports/audit/audit-store.ts'
import type { KeyStore } from '../ports/access/key-store.ts'
import type { ProjectStore } from '../ports/access/project-store.ts'
import { isDiskFull } from '../lib/disk-full.ts'
import { DomainError } from '../lib/domain-error.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { CreateKeyDependencies } from '../projects/create-key.ts'

/** Where a command writes. */
export interface Printer {
  /** Writes one line, without its line end, to standard output. */
  print(line: string): void
  /** Writes one line to standard error. */
  printError(line: string): void
}

/** Dependencies that main.ts passes to the commands on the control store. */
export interface ControlCommandDependencies
  extends Printer, Pick<CreateKeyDependencies, 'clock' | 'ids' | 'randomBytes'> {
  /**
   * Opens the control store of `dataDir`, or the configured one when null. Throws OperatorError when it does not exist
   * or cannot be used. The command closes it. The service may be running on it.
   */
  openStores(dataDir: string | null): CommandStores | Promise<CommandStores>
}

export interface CommandStores {
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly audit: AuditStore
  close(): void | Promise<void>
}

/** The command line was wrong. The message says how, and the usage is printed with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const EXIT = { done: 0, failed: 1, usage: 2 } as const

/**
 * Runs a command. An error that the user can correct becomes a line on standard error and an exit code. Any other error
 * is a bug and is rethrown.
 */
export async function runCommand(
  usage: string,
  { printError }: Pick<Printer, 'printError'>,
  command: () => Promise<void>,
): Promise<number> {
  try {
    await command()
    return EXIT.done
  } catch (error) {
    if (error instanceof UsageError || isParseArgsError(error)) {
      printError(error.message)
      printError('')
      for (const line of usage.split('\n')) printError(line)
      return EXIT.usage
    }
    if (error instanceof DomainError || error instanceof OperatorError) {
      printError(textOf(error))
      return EXIT.failed
    }
    if (isDiskFull(error)) {
      printError(`The disk is full (${String(error)}). Make space and run the command again.`)
      return EXIT.failed
    }
    throw error
  }
}

/** Flags of several commands. */
export const DATA_DIR = { 'data-dir': { type: 'string' } } as const
export const JSON_FLAG = { json: { type: 'boolean', default: false } } as const
const HELP = { help: { type: 'boolean', short: 'h' } } as const

interface Syntax extends Pick<ParseArgsConfig, 'allowPositionals' | 'allowNegative'> {
  readonly usage: string
  /** Flags, besides `--help`. */
  readonly options: NonNullable<ParseArgsConfig['options']>
}

type Parsed<Of extends Syntax> = ReturnType<
  typeof parseArgs<{ options: Of['options']; allowPositionals: true; strict: true }>
>

/** The same for a command whose flags and arguments are parsed first. `--help` prints the usage instead. */
export function runParsed<const Of extends Syntax>(
  { usage, ...syntax }: Of,
  args: readonly string[],
  printer: Printer,
  command: (values: Parsed<Of>['values'], positionals: readonly string[]) => Promise<void> | void,
): Promise<number> {
  return runCommand(usage, printer, async () => {
    const { values, positionals } = parseArgs({ ...syntax, args: [...args], options: { ...syntax.options, ...HELP } })
    if ('help' in values) return printer.print(usage)
    await command(values as Parsed<Of>['values'], positionals)
  })
}

/** Opens the stores while `use` runs. */
export async function withStores(
  dependencies: Pick<ControlCommandDependencies, 'openStores'>,
  dataDir: string | undefined,
  use: (stores: CommandStores) => Promise<void>,
): Promise<void> {
  const stores = await dependencies.openStores(dataDir ?? null)
  try {
    await use(stores)
  } finally {
    await stores.close()
  }
}

/** Records in the audit log what the command line did. */
export function recordCommand(
  { audit }: Pick<CommandStores, 'audit'>,
  { clock, ids, printError }: Pick<ControlCommandDependencies, 'clock' | 'ids' | 'printError'>,
  entry: Pick<NewAuditEntry, 'projectId' | 'action' | 'target' | 'detail'>,
): Promise<void> {
  const onLost = (_entry: NewAuditEntry, error: unknown) => printError(`not in the audit log: ${String(error)}`)
  const log = createAuditLog({ audit, clock, newId: () => ids.newId('aud'), onLost })
  return log.record({ ...entry, actor: { kind: 'system', id: null }, requestId: null })
}

/** Without the pointers of fields, which are names of the API. */
function textOf(error: DomainError | OperatorError): string {
  const fields = error instanceof DomainError ? error.errors : []
  return fields.length > 0 ? fields.map(({ detail }) => detail).join(' ') : error.message
}

function isParseArgsError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
