import { isId, type Id, type IdPrefix } from '@spoor/contract/ids'
import { DomainError } from './domain-error.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null
}

/** What a page is asked for by. */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | null
}

/**
 * One page of a list whose rows are told apart by a place that only grows, or only falls. `parse` gives the place of a text, or undefined when it is none; `read` gives the rows
 * behind a place. Throws DomainError `invalid_cursor`.
 */
export async function readPage<T, Place extends string | number>(
  { limit, cursor }: PageRequest,
  parse: (text: string) => Place | undefined,
  read: (behind: Place | null, limit: number) => Promise<readonly T[]>,
  placeOf: (item: T) => Place,
): Promise<Page<T>> {
  const rows = await read(cursor === null ? null : decode(cursor, parse), limit + 1)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? encode(placeOf(last)) : null }
}

/**
 * One page of a list in the order of its ids, up or down. A walk sees every row that was there when it began and stayed, once: ids grow, so new rows come at the end, or before where it began.
 * Throws DomainError `invalid_cursor`.
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

function encode(place: string | number): string {
  return Buffer.from(String(place), 'utf8').toString('base64url')
}

function decode<Place extends string | number>(cursor: string, parse: (text: string) => Place | undefined): Place {
  const place = parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (place === undefined || encode(place) !== cursor) {
    throw new DomainError('invalid_cursor', 'The cursor was not given out by this list.')
  }
  return place
}
