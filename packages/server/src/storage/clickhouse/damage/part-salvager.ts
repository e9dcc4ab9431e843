import type { Clock } from '../../../lib/time/clock.ts'
import { text } from '../engine/literal.ts'
import type { DamageRecord } from './damage-record.ts'
import { dropSalvageLeftovers } from './drop-salvage-leftovers.ts'
import { damageOf, type ReadDamage } from './read-damage.ts'
import { isActive, type SalvageOutcome, salvagePart } from './salvage-part.ts'
import type { SalvageSession } from './salvage-session.ts'
import { activeParts, checkPart, type TablePart } from './table-part.ts'

export interface PartSalvagerOptions {
  readonly session: SalvageSession
  readonly record: DamageRecord
  readonly clock: Clock
  /** Drops damaged parts whose rows will be inserted again (parts/torn-inserts.ts). */
  readonly clearTornInserts: () => Promise<void>
  /** Called with each damaged part and the outcome of its salvage. */
  readonly onDamage: (damage: {
    readonly part: TablePart
    readonly message: string
    readonly outcome: SalvageOutcome
  }) => void
  /** A damaged part could not be set aside. Reads of it fail until it can. */
  readonly onError: (error: unknown, part: TablePart | null) => void
}

/** After a failed salvage (a full disk, for example), reads do not retry it for this long. */
const TRY_AGAIN_MS = 60_000

/** Salvages the damaged parts that reads meet, one part at a time. */
export class PartSalvager {
  readonly #options: PartSalvagerOptions
  readonly #failedAt = new Map<string, number>()
  /** Parts that are detached although their rows are not back in the table: a full disk came between. */
  readonly #unfinished = new Map<string, TablePart>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: PartSalvagerOptions) {
    this.#options = options
  }

  /** Resolves with whether the read that failed with `failure` should be retried. Never rejects. */
  salvageFor(failure: unknown, sql: string): Promise<boolean> {
    const damage = damageOf(failure)
    if (damage === null) return Promise.resolve(false)
    this.#options.record.countFailure()
    const salvaged = this.#last.then(() => this.#salvageReported(damage, sql))
    this.#last = salvaged
    return salvaged
  }

  /** Salvages a part that was found damaged by something other than a read. Never rejects. */
  salvageKnown({ table, name }: Pick<TablePart, 'table' | 'name'>, message: string): Promise<boolean> {
    const { session } = this.#options
    const salvaged = this.#last.then(async () => {
      try {
        const [part] = await activeParts(session, `table = ${text(table)} AND name = ${text(name)}`)
        return part === undefined || (await this.#tryAgain(part, { message }))
      } catch (error) {
        this.#options.onError(error, null)
        return false
      }
    })
    this.#last = salvaged
    return salvaged
  }

  /** Tries again to put back the rows of salvages that a full disk broke off. Never rejects. */
  finish(): Promise<void> {
    if (this.#unfinished.size === 0) return Promise.resolve()
    const finished = this.#last.then(async () => {
      const { session, record, onError } = this.#options
      try {
        await session.alone(() => dropSalvageLeftovers(session))
        for (const part of this.#unfinished.values()) record.reportFailing(part, null)
        this.#unfinished.clear()
      } catch (error) {
        // A part that is not active any more is not reported otherwise.
        for (const part of this.#unfinished.values()) record.reportFailing(part, messageOf(error))
        onError(error, null)
      }
    })
    this.#last = finished
    return finished
  }

  /** Resolves when no salvage is running. */
  async idle(): Promise<void> {
    await this.#last
  }

  async #salvageReported(damage: ReadDamage, sql: string): Promise<boolean> {
    const { session, onError } = this.#options
    try {
      const part =
        damage.partPath === null
          ? await findDamagedPart(session, tablesIn(sql))
          : ((await activeParts(session, `endsWith(path, ${text(damage.partPath)})`))[0] ?? null)
      // If the engine named the part, another read has had it salvaged meanwhile: retry. If not, no part is damaged.
      if (part === null) return damage.partPath !== null
      return await this.#tryAgain(part, damage)
    } catch (error) {
      onError(error, null)
      return false
    }
  }

  async #tryAgain(part: TablePart, damage: Pick<ReadDamage, 'message'>): Promise<boolean> {
    await this.#options.clearTornInserts()
    if (!(await isActive(this.#options.session, part))) return true
    const failedAt = this.#failedAt.get(part.path)
    if (failedAt !== undefined && this.#options.clock.now() - failedAt < TRY_AGAIN_MS) return false
    return this.#salvage(part, damage)
  }

  async #salvage(part: TablePart, { message }: Pick<ReadDamage, 'message'>): Promise<boolean> {
    const { session, record, clock, onDamage, onError } = this.#options
    try {
      const outcome = await salvagePart(session, record, part, message)
      onDamage({ part, message, outcome })
      this.#failedAt.delete(part.path)
      record.reportFailing(part, null)
      return true
    } catch (error) {
      this.#failedAt.set(part.path, clock.now())
      record.reportFailing(part, messageOf(error))
      if (!(await isActive(session, part).catch(() => true))) this.#unfinished.set(part.path, part)
      onError(error, part)
      return false
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The first part of these tables whose content does not match its checksums. Reads all parts. */
async function findDamagedPart(session: SalvageSession, tables: readonly string[]): Promise<TablePart | null> {
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
