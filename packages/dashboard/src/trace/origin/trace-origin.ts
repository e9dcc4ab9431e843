import type { FeedRequest } from '../../api/client/feed.ts'

/** The page from which the reader came to traces. */
export interface TraceOrigin {
  readonly path: string
  readonly href: string
  /** The list of traces that it showed; null for another page. */
  readonly list: FeedRequest | null
  /** Its place in the history of the tab. */
  readonly index: number
}

interface PageLocation {
  readonly href: string
  readonly pathname: string
  readonly search: object
  readonly state: { readonly __TSR_index?: number }
}

/** In the tab's own storage, so that it survives a reload. */
const NAME = 'spoor.trace-origin'
const LIST = /^\/app\/traces\/?$/
const TRACE = /^\/app\/traces\/(?!compare$)[^/]+$/

/** Remembers where the reader was before the first of several traces. `toList`: what the list requests for its URL. */
export function noteOrigin(
  from: PageLocation | undefined,
  to: PageLocation,
  storage: Storage,
  toList: (search: object) => FeedRequest,
): void {
  if (from === undefined || !TRACE.test(to.pathname) || TRACE.test(from.pathname)) return
  const { pathname: path, href, search, state } = from
  const list = LIST.test(path) ? toList(search) : null
  const origin: TraceOrigin = { path, href, list, index: state.__TSR_index ?? 0 }
  storage.setItem(NAME, JSON.stringify(origin))
}

/** Null if the reader came by a link from elsewhere. */
export function readOrigin(storage: Storage): TraceOrigin | null {
  const text = storage.getItem(NAME)
  return text === null ? null : (JSON.parse(text) as TraceOrigin)
}
