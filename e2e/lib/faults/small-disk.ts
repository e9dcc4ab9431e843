import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own, as small as wanted. */
export interface SmallDisk extends Disposable {
  readonly path: string
  /** Takes up space with a file of this size. */
  fill(mebibytes: number): void
  /** Takes up all that is free now, to the last byte, beside what it takes up already. */
  takeRest(): void
  free(): void
}

/** A reason in words when this machine does not let us mount one. */
export function mountSmallDisk(mebibytes: number): SmallDisk | string {
  const path = mkdtempSync(join(tmpdir(), 'spoor-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'spoor-e2e', path], {
    encoding: 'utf8',
  })
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
