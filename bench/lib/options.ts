import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Flags of all benches: `--quick` is the short form, `--store` the folder of archives between runs, `--s3` media in a
 * bucket, `--from` the first seed of draws, `--attack` a part of the names of attacks,
 * `--only` the one of rules or parts, `--days` over how many days a million traces are spread.
 */
export function readOptions(): {
  readonly quick: boolean
  readonly store: string
  readonly minutes: number
  readonly s3: boolean
  readonly from: number
  readonly attack: string | null
  readonly only: string | null
  readonly days: number | null
} {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      store: { type: 'string', default: join(tmpdir(), 'spoor-bench') },
      minutes: { type: 'string', default: '10' },
      s3: { type: 'boolean', default: false },
      from: { type: 'string', default: '0' },
      attack: { type: 'string' },
      only: { type: 'string' },
      days: { type: 'string' },
    },
  })
  return {
    ...values,
    minutes: Number(values.minutes),
    from: Number(values.from),
    attack: values.attack ?? null,
    only: values.only ?? null,
    days: values.days === undefined ? null : Number(values.days),
  }
}

/** Runs `work` with a new folder and removes it afterwards. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
