import { DomainError } from '../../../lib/domain-error.ts'
import { TEXT_READABLE_SINCE, TEXT_RULES } from '../../../traces/intake/search-text.ts'
import { TERM_RULES } from '../../../traces/intake/terms.ts'
import { integer, text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

export interface SearchRules {
  /** See TERM_RULES. */
  readonly terms: readonly (readonly string[])[]
  /** See TEXT_RULES. */
  readonly text: number
  /** See TEXT_READABLE_SINCE. */
  readonly textReadableSince: number
}

export const SEARCH_RULES: SearchRules = { terms: TERM_RULES, text: TEXT_RULES, textReadableSince: TEXT_READABLE_SINCE }

/** Tables with columns that depend on the search rules, in the order of rewriting: the quickest first. */
export const SEARCHED_TABLES = ['traces', 'metric_points', 'steps'] as const
export type SearchedTable = (typeof SEARCHED_TABLES)[number]

interface Stale {
  readonly rows: number
  readonly oldestRules: number
}

/**
 * Knows which tables have rows of earlier search rules, and refuses reads that would miss such rows: reads with a term
 * of a tag that has changed since, or with words in a table whose text has changed.
 *
 * Every term is a literal in the statement that begins with its tag, and words of steps are in WORDS_OF_STEPS. So the
 * statement itself shows what it needs. A client's value that looks like a term may refuse a correct read, but a
 * read that needs stale rows is always refused.
 */
export class StaleRows {
  readonly rules: SearchRules
  /** Whether words of steps are stored. Otherwise no read needs them. */
  readonly #fullText: boolean
  readonly #stale = new Map<SearchedTable, Stale>()
  #refused: readonly Refused[] = []

  constructor(fullText: boolean, rules: SearchRules = SEARCH_RULES) {
    this.#fullText = fullText
    this.rules = rules
  }

  /** Rows still to be rewritten, in one table or in all. */
  rows(table?: SearchedTable): number {
    if (table !== undefined) return this.#stale.get(table)?.rows ?? 0
    return [...this.#stale.values()].reduce((sum, { rows }) => sum + rows, 0)
  }

  /** Counts stale rows. Call it before the first read and after each rewrite. */
  async count(engine: Pick<TelemetryEngine, 'select'>): Promise<void> {
    for (const table of SEARCHED_TABLES) {
      if (table === 'steps' && !this.#fullText) continue
      const column = rulesColumn(table)
      const [row] = await engine.select(
        `SELECT count(), min(${column}) FROM ${table} WHERE ${column} < ${integer(this.version(table))}`,
      )
      const [rows, oldestRules] = row as [number, number]
      if (rows === 0) this.#stale.delete(table)
      else this.#stale.set(table, { rows, oldestRules })
    }
    this.#refused = [...this.#stale].flatMap(([table, { oldestRules }]) => this.#refusedOf(table, oldestRules))
  }

  /** The current version of the rules for the table. */
  version(table: SearchedTable): number {
    return table === 'steps' ? this.rules.text : this.rules.terms.length
  }

  /** Wraps the engine: reads that need stale rows reject with DomainError `storage_unavailable`. */
  guard<Engine extends Pick<TelemetryEngine, 'select'>>(engine: Engine): Engine {
    const select: Engine['select'] = (sql) => {
      const isRefused = this.#refused.some(({ table, needs }) => sql.includes(table) && sql.includes(needs))
      return isRefused ? Promise.reject(this.#refusal()) : engine.select(sql)
    }
    return { ...engine, select }
  }

  #refusedOf(table: SearchedTable, oldestRules: number): readonly Refused[] {
    const from = `FROM ${table}`
    if (table === 'steps') {
      const isReadable = oldestRules >= this.rules.textReadableSince
      return isReadable ? [] : WORDS_OF_STEPS.map((needs) => ({ table: from, needs }))
    }
    return this.rules.terms
      .slice(oldestRules)
      .flat()
      .map((tag) => ({ table: from, needs: tag.endsWith('\0') ? text(tag).slice(0, -1) : text(tag) }))
  }

  #refusal(): DomainError {
    const detail =
      'After an upgrade the search terms of stored rows are brought up to date. Filters and groups that need them are ' +
      `answered when that is done: ${this.rows()} rows are left.`
    return new DomainError('storage_unavailable', detail, { retryAfterSeconds: 30 })
  }
}

/** How conditions on the words of steps begin (feed/word-conditions.ts). */
const WORDS_OF_STEPS = ['hasAllTokens(text', 'text LIKE']

/** Refuses statements on this table that contain this literal. */
interface Refused {
  readonly table: string
  readonly needs: string
}

export function rulesColumn(table: SearchedTable): 'text_rules' | 'term_rules' {
  return table === 'steps' ? 'text_rules' : 'term_rules'
}
