import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MIB = 1024 * 1024

/** From `linux/ext4.h`: the file system stops without writing its journal. */
const EXT4_IOC_SHUTDOWN = 0x8004587d
const EXT4_GOING_FLAGS_NOLOGFLUSH = 2

/** Node has no ioctl. Waits for a line of input, so that the start of Python does not delay the cut. */
const CUT_PROGRAM = `
import fcntl, os, struct, sys
disk = os.open(sys.argv[1], os.O_RDONLY)
print('armed', flush=True)
sys.stdin.readline()
fcntl.ioctl(disk, ${EXT4_IOC_SHUTDOWN}, struct.pack('I', ${EXT4_GOING_FLAGS_NOLOGFLUSH}))
`

export interface LoopDiskOptions {
  readonly mebibytes: number
  /** Options of mkfs.ext4 after the defaults. */
  readonly mkfsOptions?: readonly string[]
}

/** An ext4 file system in a file, mounted through a loop device, whose power can be cut. */
export class LoopDisk implements Disposable {
  readonly #folder: string
  readonly #options: LoopDiskOptions
  #mounted = false
  #keeps = false

  private constructor(options: LoopDiskOptions) {
    this.#folder = mkdtempSync(join(tmpdir(), 'spoor-disk-'))
    this.#options = options
  }

  /** Returns the reason if this machine does not allow mounting. */
  static mount(options: LoopDiskOptions): LoopDisk | string {
    const disk = new LoopDisk(options)
    try {
      run('python3', ['-c', 'import fcntl'])
      disk.#format()
      disk.#mount()
      process.once('exit', disk.#dispose)
      return disk
    } catch (error) {
      disk[Symbol.dispose]()
      return `mounting an ext4 file system through a loop device is not possible here: ${(error as Error).message}`
    }
  }

  /** Where it is mounted. */
  get path(): string {
    return join(this.#folder, 'disk')
  }

  get image(): string {
    return join(this.#folder, 'disk.img')
  }

  get #ballast(): string {
    return join(this.path, 'ballast')
  }

  get freeMebibytes(): number {
    const { bavail, bsize } = statfsSync(this.path)
    return Math.floor((bavail * bsize) / MIB)
  }

  /** Prepares a power cut. Calling the result loses all unflushed writes and makes every later access fail. */
  async armCut(): Promise<() => Promise<void>> {
    const child = spawn('python3', ['-c', CUT_PROGRAM, this.path], { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(endedEarly(child)))])
    return async () => {
      child.stdin.end('\n')
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error(`EXT4_IOC_SHUTDOWN failed: python3 ended with ${code}`)
    }
  }

  /** Mounts it again and replays the journal, like after a power loss. No file may be open there. */
  remount(): void {
    this.#unmount()
    this.#mount()
  }

  /** A filler file grows or shrinks until this many MiB are free. */
  leaveFree(mebibytes: number): void {
    const held = sizeOf(this.#ballast)
    const { bavail, bsize } = statfsSync(this.path)
    const size = Math.max(0, held + bavail * bsize - mebibytes * MIB)
    if (size <= held) {
      if (held > 0) truncateSync(this.#ballast, size)
      return
    }
    // Allocated without writing, except for the end: the service may take blocks in between, so that not all of it
    // fits.
    if (size - held > 4 * MIB) spawnSync('fallocate', ['-l', String(size - 2 * MIB), this.#ballast], { cwd: '/' })
    writeUntilFull(this.#ballast, size)
  }

  /** Removes the filler file. */
  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  /** Replaces it by an empty file system of the same size. */
  reformat(): void {
    this.#unmount()
    this.#format()
    this.#mount()
  }

  /** Unmounts it and keeps the image. */
  keep(): void {
    this.#keeps = true
  }

  [Symbol.dispose](): void {
    process.removeListener('exit', this.#dispose)
    this.#dispose()
  }

  readonly #dispose = (): void => {
    if (this.#mounted) spawnSync('umount', ['-l', this.path], { cwd: '/' })
    this.#mounted = false
    if (!this.#keeps) rmSync(this.#folder, { recursive: true, force: true })
  }

  #format(): void {
    rmSync(this.image, { force: true })
    writeFileSync(this.image, '')
    truncateSync(this.image, this.#options.mebibytes * MIB)
    run('mkfs.ext4', ['-q', '-F', ...(this.#options.mkfsOptions ?? []), this.image])
  }

  #mount(): void {
    mkdirSync(this.path, { recursive: true })
    // The loop device of `-o loop` is removed with the mount.
    run('mount', ['-t', 'ext4', '-o', 'loop', this.image, this.path])
    this.#mounted = true
  }

  #unmount(): void {
    run('umount', [this.path])
    this.#mounted = false
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function writeUntilFull(path: string, toBytes: number): void {
  const file = openSync(path, 'a')
  try {
    const piece = Buffer.alloc(64 * 1024, 1)
    for (let at = sizeOf(path); at < toBytes; at += piece.length)
      writeSync(file, piece, 0, Math.min(piece.length, toBytes - at))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(command, args, { cwd: '/', encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim()}`)
}

function endedEarly(child: ChildProcess): Error {
  return new Error(`python3 ended with ${child.exitCode} before the cut`)
}
