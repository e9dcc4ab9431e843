import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { getPriority, setPriority, tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import type { BackupConfig } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { systemClock } from '../lib/time/clock.ts'
import { createLogger } from '../operation/logging.ts'
import { BackupTarget } from '../storage/backup/backup-target.ts'
import { backUp } from '../storage/backup/back-up.ts'
import type { Manifest } from '../storage/backup/manifest.ts'
import { restore } from '../storage/backup/restore.ts'
import { verify } from '../storage/backup/verify.ts'
import { openBlobStore } from './embedded/open-blob-store.ts'

/** The service on the same machine goes first. */
const PRIORITY = 10

/**
 * Throws OperatorError when the backup was not made. `dataDir`: null for the configured one. Lowers the priority of the
 * process.
 */
export async function backUpFolder(
  config: BackupConfig,
  place: string,
  dataDir: string | null,
  version: string,
): Promise<Manifest> {
  if (dataDir === null && config.cluster !== null)
    throw new OperatorError('A cluster is backed up by spoor backup -- COMMAND: see docs/operate/cluster-backup.md.')
  const folder = resolve(dataDir ?? config.dataDir)
  if (config.backups === null && `${resolve(place)}${sep}`.startsWith(`${folder}${sep}`))
    throw new OperatorError(`${place} is in the data folder. Name a folder on another disk.`)
  if (getPriority() < PRIORITY) setPriority(PRIORITY)
  return withTarget(config, place, (target) =>
    withBlobs(config, folder, (blobs) =>
      backUp({ dataDir: folder, blobs, target, memoryBytes: config.memoryBytes, clock: systemClock, version }),
    ),
  )
}

/** `number`: null for the newest backup. Throws OperatorError when it was not restored whole. */
export async function restoreFolder(
  config: BackupConfig,
  place: string,
  dataDir: string,
  number: number | null,
): Promise<Manifest> {
  const folder = resolve(dataDir)
  return withBackup(config, place, number, async (target, manifest) => {
    await restore({ target, manifest, dataDir: folder, openBlobs: () => openBlobStore(environmentOf(config, folder)) })
  })
}

/** Restores into a folder for temporary files, and removes it. Throws OperatorError when the backup is not whole. */
export async function verifyBackup(config: BackupConfig, place: string, number: number | null): Promise<Manifest> {
  // Media is restored to the folder, too: the bucket is in use.
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'spoor-verify-'))
  try {
    return await withBackup(config, place, number, async (target, manifest) => {
      const openBlobs = () => openBlobStore(environmentOf({ ...config, s3: null }, folder))
      await verify({ target, manifest, folder, openBlobs, memoryBytes: config.memoryBytes })
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function withBackup(
  config: BackupConfig,
  place: string,
  number: number | null,
  use: (target: BackupTarget, manifest: Manifest) => Promise<void>,
): Promise<Manifest> {
  return withTarget(config, place, async (target) => {
    const chosen = number ?? (await target.newest())
    if (chosen === 0) throw new OperatorError(`There is no backup in ${target.name}.`)
    const manifest = await target.manifest(chosen)
    await use(target, manifest)
    return manifest
  })
}

/** A target is a blob store: its objects have keys like media. */
async function withTarget<T>(
  config: BackupConfig,
  place: string,
  use: (target: BackupTarget) => Promise<T>,
): Promise<T> {
  const spool = await mkdtemp(join(tmpdir(), 'spoor-backup-'))
  try {
    const { blobs, close } = await openBlobStore(
      config.backups === null
        ? environmentOf({ ...config, s3: null }, resolve(place))
        : environmentOf({ ...config, s3: config.backups }, spool),
    )
    try {
      return await use(new BackupTarget(place, blobs))
    } finally {
      close()
    }
  } finally {
    await rm(spool, { recursive: true, force: true })
  }
}

async function withBlobs<T>(
  config: BackupConfig,
  dataDir: string,
  use: (blobs: Awaited<ReturnType<typeof openBlobStore>>['blobs']) => Promise<T>,
): Promise<T> {
  const { blobs, close } = await openBlobStore(environmentOf(config, dataDir))
  try {
    return await use(blobs)
  } finally {
    close()
  }
}

function environmentOf(config: BackupConfig, dataDir: string) {
  return { config, dataDir, clock: systemClock, logger: createLogger(config.logLevel) }
}
