import type { Random } from '../lib/random.ts'
import type { Call } from '../lib/client.ts'
import { anyJson, BROKEN_TEXTS, HOSTILE_TEXTS, hostileText } from './hostile.ts'

const TEXT_FILTERS = ['run_type', 'model', 'name', 'session_id', 'user_id', 'q'] as const
const OTHER_PARAMETERS = ['status', 'flagged', 'start_time', 'end_time', 'sort', 'order', 'limit', 'cursor'] as const
const TIMES = [
  '2026-01-31',
  '0001-01-01',
  '9999-12-31',
  '1969-12-31T23:59:59Z',
  '2300-01-01T00:00:00Z',
  '2026-01-31T12:00:00+14:00',
]
const SORTS = ['created_at', 'duration_ms', 'total_tokens', 'step_count']

/** A request that reads or patches, with unusual text in its path, query or headers. */
export function oddCall(random: Random, traceId: string, cursors: readonly string[]): Call {
  const odd = () => encode(random, hostileText(random))
  switch (random.below(12)) {
    case 0:
      return { path: `/v1/traces/${odd()}` }
    case 1:
      return { path: `/v1/traces/${traceId}/steps?${parameter(random, 'limit')}&cursor=${cursor(random, cursors)}` }
    case 2:
      return { path: `/v1/traces/tail`, headers: { 'last-event-id': headerText(random), accept: 'text/event-stream' } }
    case 3:
      return { path: '/v1/traces', headers: { 'x-api-key': headerText(random) } }
    case 4:
      return { path: `/v1/projects/${odd()}/keys?${parameter(random, random.pick(['limit', 'cursor', 'x']))}` }
    case 5:
      return { method: random.pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS']), path: `/v1/traces/${odd()}` }
    case 6:
      return {
        path: `/v1/media/serve?uri=${random.chance(0.5) ? odd() : `media://${odd()}/${odd()}`}`,
        headers: { range: headerText(random) },
      }
    case 7:
      return {
        path: `/v1/media/signed-url?trace_id=${random.chance(0.5) ? traceId : odd()}&kind=file&filename=${odd()}&content_type=${odd()}&size_bytes=${odd()}&sha256=${odd()}`,
      }
    case 8:
      return { method: 'PUT', path: `/v1/media/direct/${odd()}`, headers: { 'content-type': 'text/plain' }, body: 'x' }
    case 9:
      return {
        method: random.pick(['GET', 'POST', 'DELETE']),
        path: '/v1/session',
        headers: { cookie: headerText(random), origin: headerText(random), 'content-type': 'application/json' },
        body: random.chance(0.5) ? anyJson(random) : JSON.stringify({ key: hostileText(random) }),
      }
    default:
      return { path: `/v1/traces?${feedQuery(random, cursors)}`, headers: { accept: headerText(random) } }
  }
}

function feedQuery(random: Random, cursors: readonly string[]): string {
  const parameters: string[] = []
  if (random.chance(0.5)) parameters.push(`sort=${random.pick(SORTS)}`, `order=${random.pick(['asc', 'desc'])}`)
  const count = 1 + random.below(3)
  for (let i = 0; i < count; i++) {
    const dice = random.next()
    if (dice < 0.5) parameters.push(`${random.pick(TEXT_FILTERS)}=${encode(random, hostileText(random))}`)
    else if (dice < 0.7) {
      parameters.push(`meta_key=${encode(random, hostileText(random))}`)
      if (random.chance(0.7)) parameters.push(`meta_value=${encode(random, hostileText(random))}`)
    } else if (dice < 0.95) parameters.push(parameter(random, random.pick(OTHER_PARAMETERS)))
    else parameters.push(`${encode(random, hostileText(random))}=${encode(random, hostileText(random))}`)
  }
  if (random.chance(0.15)) parameters.push(`cursor=${cursor(random, cursors)}`)
  return parameters.join('&')
}

function parameter(random: Random, name: string): string {
  const odd = () => encode(random, hostileText(random))
  switch (name) {
    case 'status':
      return `status=${random.chance(0.5) ? 'error' : odd()}`
    case 'flagged':
      return `flagged=${random.chance(0.5) ? 'true' : odd()}`
    case 'start_time':
    case 'end_time':
      return `${name}=${random.chance(0.6) ? random.pick(TIMES) : odd()}`
    case 'limit':
      return `limit=${random.pick(['1', '3', '1000', '1001', '0', '-1', '1.5', '1e2', '999999999999999999', '', odd()])}`
    default:
      return `${name}=${odd()}`
  }
}

/** A cursor of another list, one with a changed byte, or an invalid one. */
function cursor(random: Random, cursors: readonly string[]): string {
  const dice = random.next()
  if (dice < 0.3 || cursors.length === 0) return encode(random, hostileText(random))
  const known = random.pick(cursors)
  if (dice < 0.5) return known
  if (dice < 0.6) return known.slice(0, random.below(known.length))
  const fields = JSON.parse(Buffer.from(known, 'base64url').toString()) as unknown
  if (!Array.isArray(fields)) return known
  const value = random.pick<unknown>([
    ...HOSTILE_TEXTS,
    -1,
    0,
    1e300,
    2 ** 53,
    null,
    [],
    {},
    true,
    'tr_7zzzzzzzzzzzzzzzzzzzzzzzzz',
  ])
  fields[random.below(fields.length)] = value
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

function encode(random: Random, text: string): string {
  const dice = random.next()
  // An invalid escape, bytes that are not UTF-8, an overlong slash.
  if (dice < 0.06) return random.pick(['%', '%zz', '%ff%fe', '%c0%af', '%ed%a0%80', '%00', '+'])
  return encodeURIComponent(text.toWellFormed())
}

/** Characters that a header can have. */
export function headerText(random: Random): string {
  const text = random.chance(0.1) ? random.pick(BROKEN_TEXTS) : hostileText(random)
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, random.pick(['', 'é', '\xff'])).trim()
}
