import { isId, type TraceId } from '@spoor/contract/ids'
import { encodeFields, fingerprint, invalidCursor, isCount, readFields, requireQuery } from '../../lib/cursor-fields.ts'
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
  return encodeFields([id, key, snapshot, begunAt, fingerprint(query), ...(prices === null ? [] : [prices])])
}

export function decodeFeedCursor(text: string, query: FeedQuery): FeedCursor {
  const [id, key, snapshot, begunAt, print, prices = null] = readFields(text)
  if (!isId('tr', id) || !isKey(key) || !isCount(snapshot) || !isCount(begunAt)) throw invalidCursor()
  requireQuery(print, query)
  if (prices !== null && typeof prices !== 'string') throw invalidCursor()
  return { id, key, snapshot, begunAt, prices }
}

function isKey(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= UNKNOWN_DURATION
}
