import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { BackupKills } from './backup-kills.ts'
import { DeletionKills, killExport, killImport, killRuns } from './client-kills.ts'
import { KillPlace } from './kill-place.ts'

export interface KillOptions {
  readonly rounds: number
  /** Of the traces of a long run, this share. Default: 1. */
  readonly share?: number
  readonly seed: number
  readonly progress: (line: string) => void
}

export interface KillReport {
  readonly rounds: number
  readonly killed: number
  readonly ended: number
  readonly violations: readonly string[]
}

/**
 * Kills backups, restores, deletions, exports and imports in turn, each at a random moment, and checks what is left.
 */
export async function runKills({ rounds, share = 1, seed, progress }: KillOptions): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-kills-'))
  try {
    await using service = await Service.start({ dataDir: join(folder, 'data') })
    await using other = await Service.start({ dataDir: join(folder, 'other') })
    const place = new KillPlace(service, folder, createRandom(seed), share)
    await place.commitBase()
    const backups = new BackupKills(place)
    const deletions = new DeletionKills(place)
    const kinds: readonly (readonly [name: string, strike: () => Promise<void>])[] = [
      ['backup', () => backups.full()],
      ['incremental backup', () => backups.incremental()],
      ['restore', () => backups.restore()],
      ['deletion', () => deletions.strike('filter')],
      ['deletion of a user', () => deletions.strike('user')],
      ['export', () => killExport(place)],
      ['import', () => killImport(place)],
      ['export and import of runs', () => killRuns(place, other)],
    ]
    for (let round = 0; round < rounds; round++) {
      const [name, strike] = kinds[round % kinds.length]!
      const [kills, known] = [place.killed, place.violations.length]
      await strike()
      progress(`round ${round + 1}, ${name}: ${place.killed - kills} kills, ${place.violations.length} violations`)
      for (const violation of place.violations.slice(known)) progress(violation)
    }
    const { killed, ended, violations } = place
    return { rounds, killed, ended, violations }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
