import type { Archive } from './archive.ts'
import { needleOf, TRACE_INTERVAL_MS } from './archive-sql.ts'
import type { ServiceUnderTest } from '../service.ts'
import { seededRandom, word } from '../vocabulary.ts'

/** One kind of read. Its paths differ as those of users would, so that no result is simply repeated. */
export interface ReadCase {
  readonly name: string
  readonly isFullText: boolean
  readonly paths: readonly string[]
  /** Its limit is this many times the time of a filtered page of the list; absent: the limit of all. */
  readonly timesFiltered?: number
}

/** The filtered page that others are compared with. */
export const FILTERED = 'status, 3 of 100'
const PATHS = 100
/** Ranks of words (vocabulary.ts): in about half of the steps, and in one of about 150. */
const COMMON_RANK = 10
const MIDDLING_RANK = 1500

/** Every kind of read that has a limit, in the same order for each archive. */
export async function readCases(service: ServiceUnderTest, archive: Archive): Promise<readonly ReadCase[]> {
  const random = seededRandom(archive.traces)
  const anyTrace = () => Math.floor(random() * archive.traces)
  const feed = (name: string, query: (index: number) => Readonly<Record<string, string>>, isFullText = false) => ({
    name,
    isFullText,
    paths: Array.from({ length: PATHS }, (_, index) => `/v1/traces?${new URLSearchParams(query(index)).toString()}`),
  })
  const text = (name: string, words: (index: number) => readonly string[]) =>
    feed(`text, ${name}`, (index) => ({ q: words(index).join(' ') }), true)
  const sums = (name: string, path: (index: number) => string) => ({
    name,
    isFullText: false,
    paths: Array.from({ length: PATHS }, (_, index) => path(index)),
  })
  const common = (index: number) => word(COMMON_RANK + (index % 20))
  const middling = (index: number) => word(MIDDLING_RANK + index)
  return [
    feed('newest page', () => ({})),
    feed(FILTERED, () => ({ status: 'error' })),
    feed('flagged, 3 of 100', () => ({ flagged: 'true' })),
    feed('run type, common', () => ({ run_type: 'agent' })),
    feed('run type, rarest', () => ({ run_type: 'eval' })),
    feed('model, common', () => ({ model: 'gpt-4o' })),
    feed('model, rarest', () => ({ model: 'qwen-72b' })),
    feed('metadata pair, common', () => ({ meta_key: 'env', meta_value: 'prod' })),
    feed('metadata pair, 1 of 1000', (index) => ({ meta_key: 'task_id', meta_value: `task-${index}` })),
    feed('metadata pair, of one trace', () => ({ meta_key: 'request_id', meta_value: `req-${anyTrace()}` })),
    feed('metadata pair, of none', (index) => ({ meta_key: 'request_id', meta_value: `gone-${index}` })),
    feed('metadata key, of all', () => ({ meta_key: 'attempt' })),
    feed('name', (index) => ({ name: `agent flow ${index % 40}` })),
    feed('session of 3 traces', () => ({ session_id: `sess-${Math.floor(anyTrace() / 3)}` })),
    feed('user', () => ({ user_id: `user-${Math.floor(5000 * random() ** 2)}` })),
    feed('sorted by duration', () => ({ sort: 'duration_ms' })),
    feed('sorted by cost', () => ({ sort: 'cost_usd' })),
    feed('cost at least', () => ({ min_cost_usd: '0.03' })),
    feed('sorted by tokens, model', () => ({ sort: 'total_tokens', model: 'gpt-4o' })),
    { ...sums('sessions, newest page', () => '/v1/sessions'), timesFiltered: 5 },
    { ...sums('sessions with a failed trace', () => '/v1/sessions?status=error'), timesFiltered: 5 },
    { ...sums('one session of 3 traces', () => `/v1/sessions/sess-${Math.floor(anyTrace() / 3)}`), timesFiltered: 5 },
    { name: 'one trace of 10 steps', isFullText: false, paths: await tracePaths(service, archive, anyTrace) },
    text('common word', (index) => [common(index)]),
    text('word of one trace', () => [needleOf(anyTrace())]),
    text('common word and that of one trace', (index) => [common(index), needleOf(anyTrace())]),
    text('two middling words', (index) => [middling(index), middling(index + 1)]),
    text('word of none', (index) => [`absent${index}absent`]),
    text('common word and that of none', (index) => [common(index), `absent${index}absent`]),
  ]
}

/** Paths of traces from the whole archive. */
async function tracePaths(
  { port, key }: ServiceUnderTest,
  archive: Archive,
  anyTrace: () => number,
): Promise<string[]> {
  const paths: string[] = []
  while (paths.length < PATHS) {
    const end = new Date(archive.startedAt + (anyTrace() + 2) * TRACE_INTERVAL_MS).toISOString()
    const response = await fetch(`http://127.0.0.1:${port}/v1/traces?limit=1&end_time=${end}`, {
      headers: { 'x-api-key': key },
    })
    const page = (await response.json()) as { traces?: { id: string }[] }
    const id = page.traces?.[0]?.id
    if (id === undefined) throw new Error(`the archive has no trace before ${end}`)
    paths.push(`/v1/traces/${id}`)
  }
  return paths
}
