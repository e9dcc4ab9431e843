import type { Clock } from '../../../lib/time/clock.ts'
import { text } from '../engine/literal.ts'
import type { DamageRecord } from './damage-record.ts'
import type { ExclusiveSession } from './exclusive-session.ts'
import { damageOf, type ReadDamage } from './read-damage.ts'
import { type DamageOutcome, isActive, type Reload, setPartAside } from './set-part-aside.ts'
import { activeParts, checkPart, type TablePart } from './table-part.ts'

export interface DamagedPartsOptions {
  readonly session: ExclusiveSession
  readonly record: DamageRecord
  readonly clock: Clock
  /** Drops damaged parts whose rows will be inserted again (parts/torn-inserts.ts). */
  readonly clearTornInserts: () => Promise<void>
  /** Called with each damaged part and what became of it. */
  readonly onDamage: (damage: {
    readonly part: TablePart
    readonly message: string
    readonly outcome: DamageOutcome
  }) => void
  /** A damaged part could not be set aside. Reads of it fail until it can. */
  readonly onError: (error: unknown, part: TablePart | null) => void
}

/** After a failure (a full disk, for example), reads do not try to set the part aside again for this long. */
const TRY_AGAIN_MS = 60_000

/** Sets the damaged parts aside that reads meet, one part at a time. */
export class DamagedParts {
  readonly #options: DamagedPartsOptions
  readonly #failedAt = new Map<string, number>()
  /** Tables that could not be loaded again. */
  readonly #unloaded = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: DamagedPartsOptions) {
    this.#options = options
  }

  /** Resolves with whether the read that failed with `failure` should be retried. Never rejects. */
  setAsideFor(failure: unknown, sql: string): Promise<boolean> {
    const damage = damageOf(failure)
    if (damage === null) return Promise.resolve(false)
    this.#options.record.countFailure()
    return this.#inTurn(() => this.#setReportedAside(damage, sql))
  }

  /** Sets a part aside that was found damaged by something other than a read. Never rejects. */
  setKnownAside({ table, name }: Pick<TablePart, 'table' | 'name'>, message: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const [part] = await activeParts(this.#options.session, `table = ${text(table)} AND name = ${text(name)}`)
      return part === undefined || (await this.#tryAgain(part, { message }))
    })
  }

  /** Loads tables that could not be loaded again after a part was set aside. Never rejects. */
  async finish(): Promise<void> {
    if (this.#unloaded.size === 0) return
    await this.#inTurn(async () => {
      for (const table of this.#unloaded) await this.#load(table)
      return true
    })
  }

  get isLoaded(): boolean {
    return this.#unloaded.size === 0
  }

  /** Resolves when no part is being set aside. */
  async idle(): Promise<void> {
    await this.#last
  }

  #inTurn(work: () => Promise<boolean>): Promise<boolean> {
    const done = this.#last.then(work).catch((error: unknown) => {
      this.#options.onError(error, null)
      return false
    })
    this.#last = done
    return done
  }

  async #setReportedAside(damage: ReadDamage, sql: string): Promise<boolean> {
    const { session } = this.#options
    const part =
      damage.partPath === null
        ? await findDamagedPart(session, tablesIn(sql))
        : ((await activeParts(session, `endsWith(path, ${text(damage.partPath)})`))[0] ?? null)
    // If the engine named the part, another read has had it set aside meanwhile: retry. If not, no part is damaged.
    return part === null ? damage.partPath !== null : await this.#tryAgain(part, damage)
  }

  async #tryAgain(part: TablePart, { message }: Pick<ReadDamage, 'message'>): Promise<boolean> {
    const { session, record, clock, clearTornInserts, onDamage, onError } = this.#options
    await clearTornInserts()
    if (!(await isActive(session, part))) return true
    const failedAt = this.#failedAt.get(part.path)
    if (failedAt !== undefined && clock.now() - failedAt < TRY_AGAIN_MS) return false
    try {
      const reload: Reload = (edit) => this.#reload(part.table, edit)
      const outcome = await setPartAside(session, record, part, { message, reload })
      onDamage({ part, message, outcome })
      this.#failedAt.delete(part.path)
      record.reportFailing(part, null)
      return true
    } catch (error) {
      this.#failedAt.set(part.path, clock.now())
      record.reportFailing(part, error instanceof Error ? error.message : String(error))
      onError(error, part)
      return false
    }
  }

  async #reload(table: string, edit: () => Promise<boolean>): Promise<boolean> {
    this.#unloaded.add(table)
    await this.#options.session.command(`DETACH TABLE ${table}`)
    try {
      return await edit()
    } finally {
      await this.#load(table)
    }
  }

  async #load(table: string): Promise<void> {
    await this.#options.session.command(`ATTACH TABLE IF NOT EXISTS ${table}`)
    this.#unloaded.delete(table)
  }
}

/** The first part of these tables whose content does not match its checksums. Reads all parts. */
async function findDamagedPart(session: ExclusiveSession, tables: readonly string[]): Promise<TablePart | null> {
  if (tables.length === 0) return null
  for (const part of await activeParts(session, `table IN (${tables.map(text).join(', ')})`)) {
    const check = await checkPart(session, part)
    if (check !== null && !check.ok) return part
  }
  return null
}

function tablesIn(sql: string): readonly string[] {
  return [...new Set([...sql.matchAll(/\bFROM (\w+)/g)].map(([, table]) => table as string))]
}
