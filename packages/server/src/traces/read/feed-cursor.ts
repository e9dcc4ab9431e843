import { hash } from 'node:crypto'
import { isId, type TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { UNKNOWN_DURATION } from '../../ports/traces/trace-store.ts'
import type { FeedQuery } from '../use-cases.ts'

/** A position in a walk: paging through the list by cursor. */
export interface FeedCursor {
  /** Last trace returned, and its sort key at `snapshot` (0 for `created_at`). */
  readonly id: TraceId
  readonly key: number
  /**
   * The last commit when the walk began. A walk by a changing key ignores later traces and uses the sort keys of that
   * commit. A walk by `created_at` does not need it.
   */
  readonly snapshot: number
  /** When the walk began, milliseconds. A walk by a changing key expires. */
  readonly begunAt: number
  /** Of a walk by cost the fingerprint of the prices, with which it ends; else null. */
  readonly prices: string | null
}

/** Opaque to clients, and valid only for the query that returned it. */
export function encodeFeedCursor(cursor: FeedCursor, query: FeedQuery): string {
  const { id, key, snapshot, begunAt, prices } = cursor
  const fields = [id, key, snapshot, begunAt, fingerprint(query), ...(prices === null ? [] : [prices])]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

export function decodeFeedCursor(text: string, query: FeedQuery): FeedCursor {
  const [id, key, snapshot, begunAt, print, prices = null] = readFields(text)
  if (!isId('tr', id) || !isKey(key) || !isCount(snapshot) || !isCount(begunAt)) throw invalidCursor()
  if (print !== fingerprint(query)) throw invalidCursor('It belongs to a list with other filters or another order.')
  if (prices !== null && typeof prices !== 'string') throw invalidCursor()
  return { id, key, snapshot, begunAt, prices }
}

export function readFields(text: string): readonly unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (Array.isArray(fields)) return fields
  } catch (error) {
    throw invalidCursor(undefined, error)
  }
  throw invalidCursor()
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isKey(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= UNKNOWN_DURATION
}

export function invalidCursor(detail = 'The cursor does not belong to this list.', cause?: unknown): DomainError {
  return new DomainError('invalid_cursor', detail, { cause })
}

function fingerprint(query: FeedQuery): string {
  const { cursor: _cursor, limit: _limit, ...rest } = query
  return hash('sha256', JSON.stringify(rest), 'base64url').slice(0, 12)
}
