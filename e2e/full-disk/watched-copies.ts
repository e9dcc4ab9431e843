import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readParquet } from '../../packages/server/src/cli/import/peers/parquet.ts'
import type { Ledger } from '../crash/ledger.ts'
import type { Workload } from '../crash/workload.ts'
import { type Ended, runSpoor } from '../lib/command.ts'
import type { Random } from '../lib/random.ts'
import type { Service } from '../lib/service.ts'

const PAUSE_MS = 1500
const FORMATS = ['jsonl', 'csv', 'parquet'] as const
/** What a command says that a full disk, or the end of the service, kept from its work. */
const REASONS = /is full|broke off: (?!500)|cannot be copied: /

/** Backups and exports to the small disk and to another one, while the small one is full and afterwards. */
export class WatchedCopies implements Disposable {
  /** How many commands said that they did their work, and that they did not. */
  done = 0
  failed = 0
  readonly #service: Service
  readonly #ledger: Ledger
  readonly #small: string
  readonly #other = mkdtempSync(join(tmpdir(), 'spoor-copies-'))
  /** The number of the newest backup by target: each one that was called good. */
  readonly #newest = new Map<string, number>()

  constructor(service: Service, ledger: Ledger, small: string) {
    this.#service = service
    this.#ledger = ledger
    this.#small = small
    mkdirSync(small)
  }

  async run({ random, killed }: Workload): Promise<void> {
    while (!killed()) {
      await sleep(random.below(PAUSE_MS))
      const folder = random.pick([this.#small, this.#other])
      if (random.chance(0.5)) await this.#backUp(folder)
      else await this.#export(folder, random.pick(FORMATS), random.chance(0.3))
    }
  }

  /** The newest backup must be the one that was called good. There is space and a service: the commands work again. */
  async verify(random: Random): Promise<void> {
    for (const folder of [this.#small, this.#other]) {
      const target = join(folder, 'target')
      const { out, error } = await this.#spoor(['restore', target, '--verify', '--json'])
      const said = /"id":"(\d+)"/.exec(out)?.[1] ?? (error.startsWith('There is no backup in') ? '0' : error)
      const newest = String(this.#newest.get(target) ?? 0)
      if (said !== newest) this.#ledger.violate(`backup ${newest} of ${target} was called good: ${said}`)
      const failed = this.failed
      await this.#backUp(folder)
      await this.#export(folder, random.pick(FORMATS), false)
      if (this.failed > failed) this.#ledger.violate('there is space, and a backup or an export failed')
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#other, { recursive: true, force: true })
  }

  async #backUp(folder: string): Promise<void> {
    const target = join(folder, 'target')
    const newest = this.#newest.get(target) ?? 0
    const ended = await this.#spoor(['backup', target, '--json'])
    if (!this.#worked('backup', ended)) return
    const { id } = JSON.parse(ended.out) as { readonly id: string }
    if (id !== String(newest + 1)) this.#ledger.violate(`backup ${id} of ${target} follows ${newest}`)
    this.#newest.set(target, Number(id))
  }

  /** To a file, or to standard output that a shell writes to it. */
  async #export(folder: string, format: (typeof FORMATS)[number], isShell: boolean): Promise<void> {
    const path = join(folder, `traces.${format}`)
    const args = ['export', 'traces', '--format', format, '--patience', '1']
    const ended = await (isShell ? this.#spoor(args, path) : this.#spoor([...args, '--out', path]))
    const worked = this.#worked(`export of ${format}`, ended)
    const told = /Exported ([\d,]+) rows/.exec(ended.error)?.[1]?.replaceAll(',', '')
    if (worked) {
      const rows = await rowsOf(path, format)
      if (rows !== Number(told)) this.#ledger.violate(`of ${told} rows of ${format}, ${rows} are in the file`)
    } else if (!isShell && existsSync(path)) this.#ledger.violate(`an export of ${format} that failed has a file`)
    if (worked || isShell) rmSync(path, { force: true })
  }

  #worked(what: string, { code, error }: Ended): boolean {
    if (code === 0) this.done += 1
    else this.failed += 1
    if (code !== 0 && (!REASONS.test(error) || /^ +at /m.test(error)))
      this.#ledger.violate(`a ${what} ends with ${code}: ${error}`)
    return code === 0
  }

  #spoor(args: readonly string[], outPath?: string): Promise<Ended> {
    const { dataDir, url, key } = this.#service
    return runSpoor(dataDir, args, { SPOOR_URL: url, SPOOR_API_KEY: key }, outPath === undefined ? {} : { outPath })
  }
}

/** Throws when the file is not whole. */
async function rowsOf(path: string, format: (typeof FORMATS)[number]): Promise<number> {
  let rows = 0
  if (format === 'parquet') {
    for await (const _row of readParquet(path)) rows += 1
    return rows
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  // The last line of jsonl says that it is complete, the first of csv has the names.
  return lines.length - 2
}
