import { isId, type Id, type IdPrefix } from '@spoor/contract/ids'
import { DomainError } from './domain-error.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null
}

/**
 * One page of a list in the order of its ids. A walk sees every row that was there when it began and stayed, once: ids grow, so new rows come at the end.
 * Throws DomainError `invalid_cursor`.
 */
export async function listPage<P extends IdPrefix, T extends { readonly id: Id<P> }>(
  prefix: P,
  cursor: string | null,
  limit: number,
  read: (after: Id<P> | null, limit: number) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const rows = await read(cursor === null ? null : decodeCursor(prefix, cursor), limit + 1)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last.id) : null }
}

function encodeCursor(id: string): string {
  return Buffer.from(id, 'utf8').toString('base64url')
}

function decodeCursor<P extends IdPrefix>(prefix: P, cursor: string): Id<P> {
  const id = Buffer.from(cursor, 'base64url').toString('utf8')
  if (!isId(prefix, id) || encodeCursor(id) !== cursor) {
    throw new DomainError('invalid_cursor', 'The cursor was not given out by this list.')
  }
  return id
}
