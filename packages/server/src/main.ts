import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runCheckCommand } from './cli/check.ts'
import { runConnectCommand } from './cli/connect.ts'
import { runBackupCommand } from './cli/backup.ts'
import { runClusterBackupCommand } from './cli/backup-cluster.ts'
import type { ControlCommandDependencies, Printer } from './cli/command.ts'
import { runDoctorCommand } from './cli/doctor.ts'
import { runExportCommand } from './cli/export.ts'
import { runImportCommand } from './cli/import.ts'
import { systemImportDependencies, systemProgress } from './cli/import/system-import.ts'
import { runKeysCommand } from './cli/keys.ts'
import { runMcpCommand, sendOverHttp } from './cli/mcp.ts'
import { runMoveCommand } from './cli/move.ts'
import { runPricesCommand } from './cli/prices.ts'
import { runProjectsCommand } from './cli/projects.ts'
import { runRecoverCommand } from './cli/recover.ts'
import { runRestoreCommand } from './cli/restore.ts'
import { runServeCommand } from './cli/serve.ts'
import { writeOut } from './cli/write-out.ts'
import {
  type BackupConfig,
  type Config,
  ConfigError,
  loadProcessBackupConfig,
  loadProcessClientConfig,
  loadProcessConfig,
} from './config.ts'
import { renderConfigHelp } from './config/render-settings.ts'
import { systemClock } from './lib/time/clock.ts'
import { systemTimers } from './lib/time/timers.ts'
import { createIdGenerator } from './lib/ids/ids.ts'
import { OperatorError } from './lib/operator-error.ts'
import { systemRandomBytes } from './lib/ids/random.ts'
import { createLogger, ignoreLostOutput } from './operation/logging.ts'
import { readAuthorities } from './storage/authorities.ts'
import { acceptedLosses } from './storage/check/accepted-losses.ts'
import { openControlStore } from './storage/sql/open-control-store.ts'

const USAGE = `Usage: spoor COMMAND

  serve      start the service (spoor serve --help lists its settings)
  import     load trace bodies from a JSONL file or standard input
  export     write all traces, steps, metric events or points of a series to a file
  projects   list and create projects
  keys       list, create and revoke API keys
  prices     replace the built-in prices of models by a newer list
  check      verify everything that is stored
  backup     back up everything that is stored, also while the service runs
  restore    restore a backup into a new folder, or verify it
  move       copy the data of a stopped service into a cluster
  recover    make the stores of a cluster fit again after a restore or a failover
  doctor     say what can be reached, and what is wrong
  connect    print what a framework needs to send its traces here, and wait for the first
  mcp        serve the tools of a running service to an agent over standard input and output
  version    print the version

Each command explains itself with --help.`

const PRINTER: Printer = { print, printError }

// By default V8 lets the heap grow to several times the live data before it collects. The storage engine beside it
// needs that memory.
setFlagsFromString('--heap-growing-percent=40')

// Files that the stores make are only for this account, also in a folder that other accounts can read.
process.umask(0o077)

// If the terminal or pipe closes, neither a service nor a command ends half-way.
for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreLostOutput)

// A hanging connection or timer must not keep a stopped service alive.
process.exit(await main(process.argv.slice(2)))

async function main([command, ...args]: readonly string[]): Promise<number> {
  switch (command) {
    case 'serve':
      return runServeCommand(args, {
        loadConfig: loadProcessConfig,
        isConfigError: (error) => error instanceof ConfigError,
        settingsHelp: renderConfigHelp(),
        // The storage engine takes half a second and 200 MB to load, and no other command needs it. Nothing of the
        // cluster profile is loaded for a data folder.
        startService: async (config, logger, options) => {
          const { startService } =
            config.cluster === null ? await import('./profiles/embedded.ts') : await import('./profiles/cluster.ts')
          return startService(config, logger, version(), options)
        },
        print: (line) => process.stdout.write(`${line}\n`),
        printError,
      })
    case 'import':
      return runImportCommand(args, systemImportDependencies(loadProcessClientConfig(), { print, printError }))
    case 'export':
      return runExportCommand(args, {
        configured: loadProcessClientConfig(),
        timers: systemTimers,
        progress: systemProgress,
        async openBucket(bucket, prefix) {
          const { s3, tlsCaFile } = processConfig(['--s3-bucket', bucket, '--s3-prefix', prefix])
          const { NamedObjects } = await import('./storage/blobs/s3/named-objects.ts')
          return new NamedObjects({ ...s3!, ca: readAuthorities(tlsCaFile) }, systemTimers)
        },
        print,
        printError,
      })
    case 'projects':
      return runProjectsCommand(args, controlDependencies())
    case 'keys':
      return runKeysCommand(args, controlDependencies())
    case 'check':
      return runCheckCommand(args, {
        async *check(dataDir) {
          const config = processConfig()
          if (dataDir === null && config.cluster !== null) {
            throw new OperatorError(
              'spoor check verifies a data folder; of a cluster, spoor doctor examines the servers.',
            )
          }
          const { checkStore } = await import('./storage/check/check-store.ts')
          const { openBlobStore } = await import('./profiles/embedded/open-blob-store.ts')
          const folder = resolve(dataDir ?? config.dataDir)
          const environment = { config, dataDir: folder, clock: systemClock, logger: createLogger(config.logLevel) }
          yield* checkStore(folder, config.memoryBytes, () => openBlobStore(environment))
        },
        acceptedLosses: (dataDir) => acceptedLosses(resolve(dataDir ?? processConfig().dataDir)),
        ...PRINTER,
      })
    case 'prices':
      return runPricesCommand(args, {
        async install(file, dataDir) {
          const { cluster, dataDir: configured } = processConfig()
          if (dataDir === null && cluster !== null)
            throw new OperatorError('Nodes have no data folder: give each the file by SPOOR_PRICES_FILE.')
          const { installPrices } = await import('./profiles/price-list.ts')
          return installPrices(file, resolve(dataDir ?? configured))
        },
        ...PRINTER,
      })
    case 'backup':
      return args.includes('--') ? backUpCluster(args) : backUpOrRestore(command, args)
    case 'restore':
      return backUpOrRestore(command, args)
    case 'move':
      return runMoveCommand(args, {
        async move(dataDir, onProgress) {
          const config = processConfig()
          const { moveDataDirectory } = await import('./profiles/move.ts')
          return moveDataDirectory(config, resolve(dataDir ?? config.dataDir), onProgress)
        },
        now: () => systemClock.now(),
        ...PRINTER,
      })
    case 'recover':
      return runRecoverCommand(args, {
        async withRecovery(use) {
          const { withRecovery } = await import('./profiles/cluster/recover-cluster.ts')
          await withRecovery(processConfig(), use)
        },
        async verify(recordPath) {
          const { verifyRestoredCluster } = await import('./profiles/cluster/recover-cluster.ts')
          return verifyRestoredCluster(processConfig(), recordPath)
        },
        ...PRINTER,
      })
    case 'doctor':
      return runDoctorCommand(args, {
        async *examine(dataDir) {
          const config = processConfig()
          if (dataDir === null && config.cluster !== null) {
            const { examineCluster } = await import('./profiles/cluster/examine-cluster.ts')
            yield* examineCluster(config)
          } else {
            const { examineDataFolder } = await import('./storage/check/examine-data-folder.ts')
            yield* examineDataFolder(resolve(dataDir ?? config.dataDir), config.dataAccess, systemClock)
          }
        },
        ...PRINTER,
      })
    case 'connect':
      return runConnectCommand(args, {
        configured: loadProcessClientConfig(),
        isTerminal: process.stdout.isTTY,
        send: sendOverHttp,
        pause: (ms) => setTimeout(ms),
        ...PRINTER,
      })
    case 'mcp':
      return runMcpCommand(args, { configured: loadProcessClientConfig(), version: version(), print, printError })
    case 'version':
    case '--version':
      print(version())
      return 0
    case 'help':
    case '--help':
    case '-h':
      print(USAGE)
      return 0
    default:
      printError(command === undefined ? USAGE : `There is no command "${command}".\n\n${USAGE}`)
      return 2
  }
}

function backUpOrRestore(command: 'backup' | 'restore', args: readonly string[]): Promise<number> {
  const profile = () => import('./profiles/backup.ts')
  if (command === 'backup') {
    return runBackupCommand(args, {
      backUp: async (target, dataDir) =>
        (await profile()).backUpFolder(backupConfig(target), target, dataDir, version()),
      ...PRINTER,
    })
  }
  return runRestoreCommand(args, {
    async restore(target, dataDir, number) {
      const { restoreFolder, verifyBackup } = await profile()
      const config = backupConfig(target)
      return dataDir === null ? verifyBackup(config, target, number) : restoreFolder(config, target, dataDir, number)
    },
    ...PRINTER,
  })
}

function backUpCluster(args: readonly string[]): Promise<number> {
  return runClusterBackupCommand(args, {
    async backUp(given, recordPath) {
      const profile = await import('./profiles/cluster/back-up-cluster.ts')
      return profile.backUpCluster(processConfig(), given, recordPath)
    },
    ...PRINTER,
  })
}

function controlDependencies(): ControlCommandDependencies {
  return {
    async openStores(dataDir) {
      const { cluster, tlsCaFile, dataDir: configured } = processConfig()
      if (dataDir === null && cluster !== null) {
        const { openCommandStores } = await import('./profiles/cluster/open-command-stores.ts')
        return openCommandStores(cluster, tlsCaFile)
      }
      return openControlStore({ dataDir: dataDir ?? configured, clock: systemClock, create: false })
    },
    clock: systemClock,
    ids: createIdGenerator(systemClock, systemRandomBytes),
    randomBytes: systemRandomBytes,
    ...PRINTER,
  }
}

/** `flags`: as of `spoor serve`. Throws OperatorError when they or the environment set anything wrong. */
function processConfig(flags: readonly string[] = []): Config {
  return explained(() => loadProcessConfig(flags))
}

/** Throws OperatorError when the environment sets anything wrong. */
function backupConfig(target: string): BackupConfig {
  return explained(() => loadProcessBackupConfig(target))
}

function explained<T extends Config>(load: () => T): T {
  try {
    const config = load()
    for (const warning of config.warnings) printError(warning)
    return config
  } catch (error) {
    if (error instanceof ConfigError) throw new OperatorError(error.message, { cause: error })
    throw error
  }
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return (manifest as { version: string }).version
}

function print(line: string): void {
  writeOut(`${line}\n`)
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`)
}
