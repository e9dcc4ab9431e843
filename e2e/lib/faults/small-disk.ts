import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A separate file system of the given size. */
export interface SmallDisk extends Disposable {
  readonly path: string
  /** Uses space by a file of this size. */
  fill(mebibytes: number): void
  /** Uses all remaining space, to the last byte. */
  takeRest(): void
  free(): void
}

/** `inodes`: files and folders that it has room for; 0: any number. Returns the reason if mounting is not possible. */
export function mountSmallDisk(mebibytes: number, inodes = 0): SmallDisk | string {
  const path = mkdtempSync(join(tmpdir(), 'spoor-disk-'))
  const limits = `size=${mebibytes}m,nr_inodes=${inodes}`
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', limits, 'spoor-e2e', path], { encoding: 'utf8' })
  if (mounted.status !== 0) {
    rmdirSync(path)
    return `mounting a small tmpfs is not permitted here: ${mounted.error?.message ?? mounted.stderr.trim()}`
  }
  const ballast = join(path, 'ballast')
  return {
    path,
    fill: (size) => writeFileSync(ballast, Buffer.alloc(size * 1024 * 1024, 1)),
    takeRest() {
      const block = Buffer.alloc(1024 * 1024, 1)
      try {
        for (;;) appendFileSync(ballast, block)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]() {
      spawnSync('umount', ['-l', path])
      rmdirSync(path)
    },
  }
}
