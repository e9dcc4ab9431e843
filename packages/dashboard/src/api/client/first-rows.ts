/** Parameters that the address of a list and its request print alike. */
const PRINTED_ALIKE = /^(\?(q|status|sort)=[a-z_]+\*?)?$/
/** The key in localStorage of the columns and lines of the list of traces. */
export const LOOK_STORED_AS = 'spoor.feed-look'
const WEEK_MS = 7 * 86_400_000

/**
 * The paths that the screen of this address requests for its rows; empty where only the screen knows. What is not
 * printed just as the screen prints it is requested twice. `stored` reads localStorage.
 */
export function firstRows(
  path: string,
  search: string,
  now: number,
  stored: (key: string) => string | null,
): readonly string[] {
  const [, screen, id] = /^\/app\/(traces|sessions|users)(?:\/([\w-]+))?$/.exec(path) ?? []
  if (screen === undefined) return []
  if (screen === 'traces' && id !== undefined) return id.startsWith('tr_') ? [`/v1/traces/${id}`] : []
  if (screen === 'sessions' && id !== undefined) return [`/v1/sessions/${id}?limit=20`]
  // The list that shows new traces is read when their stream opens: it would miss those in between.
  if (screen === 'traces' && search === '') return []
  if (screen !== 'users') {
    if (!PRINTED_ALIKE.test(search)) return []
    // A list with columns of metrics requests their values too. Names in ids are URI-encoded.
    if (screen === 'traces' && stored(LOOK_STORED_AS)?.includes('metric:') === true) return []
    return [`/v1/${screen}${search || '?'}${search && '&'}limit=50`]
  }
  if (search !== '') return []
  const start = `start_time=${encodeURIComponent(new Date(wholeMinute(now) - WEEK_MS).toISOString())}`
  if (id === undefined) return [`/v1/users?${start}&limit=50`]
  return [`/v1/users?user_id=${id}&${start}&limit=1`, `/v1/sessions?user_id=${id}&${start}&limit=50`]
}

/** Lists up to now begin at a whole minute, so that a request sent early is the same as that of the screen. */
export function wholeMinute(now: number): number {
  return now - (now % 60_000)
}
