import { isId, type Id, type IdPrefix } from '@spoor/contract/ids'
import { DomainError } from './domain-error.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null
}

export interface PageRequest {
  /** 1 to 1000. */
  readonly limit: number
  readonly cursor: string | null
}

/**
 * One page of a list whose rows are ordered by a unique sort key. `parse` returns the key that a text stands for, or
 * undefined; `read` returns the rows after a key. Throws DomainError `invalid_cursor`.
 */
export async function readPage<T, Key extends string | number>(
  { limit, cursor }: PageRequest,
  parse: (text: string) => Key | undefined,
  read: (after: Key | null, limit: number) => Promise<readonly T[]>,
  keyOf: (item: T) => Key,
): Promise<Page<T>> {
  const rows = await read(cursor === null ? null : decode(cursor, parse), limit + 1)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? encode(keyOf(last)) : null }
}

/**
 * One page of a list ordered by id, ascending or descending. Paging returns every row that existed at the start and was
 * not deleted exactly once: ids grow, so new rows are after the last page or before the first. Throws DomainError
 * `invalid_cursor`.
 */
export function listPage<P extends IdPrefix, T extends { readonly id: Id<P> }>(
  prefix: P,
  cursor: string | null,
  limit: number,
  read: (after: Id<P> | null, limit: number) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const parse = (text: string) => (isId(prefix, text) ? text : undefined)
  return readPage({ limit, cursor }, parse, read, ({ id }) => id)
}

function encode(key: string | number): string {
  return Buffer.from(String(key), 'utf8').toString('base64url')
}

function decode<Key extends string | number>(cursor: string, parse: (text: string) => Key | undefined): Key {
  const key = parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (key === undefined || encode(key) !== cursor) {
    throw new DomainError('invalid_cursor', 'The cursor does not belong to this list.')
  }
  return key
}
