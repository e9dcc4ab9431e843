import { metadataOfTerm, TERM_TAGS } from '../../../traces/rules/terms.ts'
import { integer, text, texts } from '../engine/literal.ts'

/** Columns of `traces` with the whole value that terms of a tag stand for. */
const COLUMNS: Readonly<Record<string, string>> = {
  s: 'status',
  r: 'run_type',
  n: 'name',
  S: 'session_id',
  u: 'user_id',
  m: 'models',
}

/**
 * Conditions on rows of `traces`: that one term of each group is there (intake/terms.ts). They read the columns of
 * their values, which takes a fraction of the time that `terms` takes, by far the widest column. Only fields without a
 * column, and long values (their term has a hash), are looked up there.
 */
export function termConditions(termGroups: readonly (readonly string[])[]): string[] {
  return termGroups.map(hasOneOf)
}

/**
 * The same by the index of terms, for rows of the whole store: it finds the rows of one or several rare values without
 * reading others. Single terms are in one call, so that it reads their postings together.
 */
export function indexedTermConditions(termGroups: readonly (readonly string[])[]): string[] {
  const needed = termGroups.filter((group) => group.length === 1).flat()
  const choices = termGroups.filter((group) => group.length > 1)
  const conditions = choices.map((group) => `hasAny(terms, [${texts(group)}])`)
  return needed.length === 0 ? conditions : [`hasAll(terms, [${texts(needed)}])`, ...conditions]
}

/**
 * Conditions that hold anyway, for rows of the whole store: by them the index of terms finds the few granules that have
 * these terms at all. They read no column.
 */
export function indexHints(termGroups: readonly (readonly string[])[]): string[] {
  return termGroups.map((terms) => `indexHint(${hasAny('terms', terms)})`)
}

export function hasOneOf(terms: readonly string[]): string {
  const byColumn = [...Map.groupBy(terms, columnOf)].map(([column, ofColumn]) => toCondition(column, ofColumn))
  return byColumn.length === 1 ? byColumn.join('') : `(${byColumn.join(' OR ')})`
}

function columnOf(term: string): string {
  if (term === 'f') return 'flagged'
  if (metadataOfTerm(term) !== null || term.startsWith(TERM_TAGS.metadata_key)) return 'meta'
  const isHashed = term.startsWith('\0', 2)
  return (isHashed ? undefined : COLUMNS[term[0] as string]) ?? 'terms'
}

function toCondition(column: string, terms: readonly string[]): string {
  switch (column) {
    case 'flagged':
      return 'flagged = 1'
    case 'meta':
      return hasMetadata(terms)
    case 'models':
      return hasAny('models', terms.map(valueOf))
    case 'terms':
      return hasAny('terms', terms)
    default:
      return isOneOf(column, terms.map(valueOf))
  }
}

function valueOf(term: string): string {
  return term.slice(2)
}

/** That the column `meta` has one of these terms of metadata, of `traces` or `metric_points`. */
export function hasMetadata(terms: readonly string[]): string {
  const conditions = terms.map((term) => {
    const [key, value] = metadataOfTerm(term) ?? [term.slice(2), null]
    return value === null ? `meta[${text(key)}] != ''` : `meta[${text(key)}] = ${text(value)}`
  })
  return conditions.length === 1 ? conditions.join('') : `(${conditions.join(' OR ')})`
}

export function isOneOf(column: string, values: readonly string[]): string {
  return values.length === 1 ? `${column} = ${texts(values)}` : `${column} IN (${texts(values)})`
}

export function hasAny(column: string, values: readonly string[]): string {
  return values.length === 1 ? `has(${column}, ${texts(values)})` : `hasAny(${column}, [${texts(values)}])`
}

/** The text after the prefix in all terms that have it, without hashes of long values, which begin with a NUL. */
export function termsBehind(prefix: string): string {
  const begins = `startsWith(term, ${text(prefix)}) AND NOT startsWith(term, ${text(`${prefix}\0`)})`
  return `arrayMap(term -> substring(term, ${integer(Buffer.byteLength(prefix) + 1)}), arrayFilter(term -> ${begins}, terms))`
}
