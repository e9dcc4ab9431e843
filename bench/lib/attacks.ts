import { randomBytes } from 'node:crypto'
import type { Attack } from './workers/attack-process.ts'
import { httpRequest } from './http-request.ts'
import { uploadParts } from './media-requests.ts'

/** The project of an attacker. */
export interface AttackerProject {
  readonly key: string
  readonly traceId: string
  readonly stepId: string
  /** A trace of about 15 MB. */
  readonly largeTraceId: string
}

const NDJSON = 'application/x-ndjson'
const BYTE_EVERY_MS = 3000
const MB = 1024 * 1024
/** Differs in each request; see attack-process.ts. */
const FRESH = 'f00dfeed'

/** By the words that choose one. */
export function attacks({ key, traceId, stepId, largeTraceId }: AttackerProject): Readonly<Record<string, Attack>> {
  const steps = `/v1/traces/${traceId}/steps`
  const get = (path: string, headers = {}) => httpRequest('GET', path, key, undefined, headers)
  const post = (path: string, body: string, type = 'application/json', headers = {}) =>
    httpRequest('POST', path, key, { type, bytes: Buffer.from(body) }, headers)
  const repeated = (request: Buffer | readonly Buffer[], connections = 1): Attack => {
    return { connections, requests: [request].flat(), manner: { kind: 'repeat' } }
  }
  const commit = (text: string, connections = 1) => repeated(post('/v1/traces', text), connections)
  const withText = (text: string) => commit(JSON.stringify({ name: 'x', steps: [stepWith(text)] }), 3)
  const queries = [
    '/v1/metrics/events?limit=1000&meta_key=g&meta_value=g1',
    '/v1/traces?limit=1000&sort=duration_ms',
    '/v1/traces?limit=1000&sort=cost_usd',
    '/v1/traces?limit=100&q=zzzz+yyyy',
    '/v1/traces?limit=1000&meta_key=attempt&meta_value=1',
    '/v1/traces/series?measure=cost_usd&group_by=model&bucket=1h',
    '/v1/metrics/score/series?bucket=1h',
    '/v1/traces/facets?field=user_id',
  ].map((path) => get(path))
  const upload = uploadParts(key, { traceId, stepId }, MB)
  const callTool = (name: string, input: object) =>
    post(
      '/mcp',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
      'application/json',
      { accept: 'application/json, text/event-stream' },
    )
  return {
    '99,999 refused lines': repeated(post(steps, '{}\n'.repeat(99_999), NDJSON), 3),
    '1,000,000 refused lines': repeated(post(steps, '{}\n'.repeat(1_000_000), NDJSON, { accept: NDJSON })),
    '99,999 refused events': repeated(post('/v1/metrics/events', '{}\n'.repeat(99_999), NDJSON), 3),
    '60 slow readers': {
      connections: 60,
      requests: [get(`/v1/traces/${largeTraceId}`)],
      manner: { kind: 'take slowly', everyMs: BYTE_EVERY_MS },
    },
    '30 queries abandoned': { connections: 30, requests: queries, manner: { kind: 'leave', afterMs: 80 } },
    '40 queries that stay': repeated(queries, 40),
    '4 searches by prefix': repeated(
      ['bab*', 'cac*', 'dad*', 'lal*'].map((q) => get(`/v1/traces?limit=100&q=${q}`)),
      4,
    ),
    '8 wide aggregates': repeated(
      ['count', 'duration_ms', 'total_tokens', 'cost_usd'].map((measure) =>
        get(`/v1/traces/series?measure=${measure}&group_by=name&bucket=1m`),
      ),
      8,
    ),
    '1,000,000 unknown fields': commit(
      `{"name":"x"${Array.from({ length: 1_000_000 }, (_, n) => `,"f${n}":0`).join('')}}`,
    ),
    '400,000 unknown fields': commit(
      `{"name":"x"${Array.from({ length: 400_000 }, (_, n) => `,"f${n}":0`).join('')}}`,
      3,
    ),
    '12 MB of Greek sigmas': withText('Σς'.repeat(3 * MB)),
    '12 MB of Thai': withText(thai(12 * MB)),
    'step lines of 4 MB of Thai': repeated(post(steps, JSON.stringify(stepWith(thai(4 * MB - 1024))), NDJSON)),
    '20,000 steps to one trace': repeated(post(steps, '{"name":"s"}\n'.repeat(20_000), NDJSON)),
    '50,000 steps of one trace': commit(
      JSON.stringify({ name: 'x', steps: Array.from({ length: 50_000 }, (_, n) => ({ name: `s${n}` })) }),
    ),
    '16 MB of malformed metric events': repeated(
      post('/v1/metrics/events', `[${`{"name":"x","metadata":{"a":[${'{},'.repeat(40_000)}0]}},`.repeat(130)} x]`),
    ),
    '1 MB of junk to the preview': repeated(
      post('/v1/monitors/preview', `{${Array.from({ length: 75_000 }, (_, n) => `"f${n}":[]`).join(',')}}`),
    ),
    '300 slow uploads': {
      connections: 300,
      requests: [uploadParts(key, { traceId, stepId }, 100 * MB).head],
      manner: { kind: 'send slowly', everyMs: BYTE_EVERY_MS },
    },
    '400 slow sign-ins': {
      connections: 400,
      requests: [sessionHead()],
      manner: { kind: 'send slowly', everyMs: BYTE_EVERY_MS },
    },
    '8 senders of media': repeated(
      Buffer.concat([upload.head, Buffer.from(FRESH.repeat(MB / FRESH.length)), upload.tail]),
      8,
    ),
    '12 MCP clients that read a large trace': repeated(callTool('get_trace', { id: largeTraceId }), 12),
    '1,000 tails from the beginning': {
      connections: 1000,
      requests: [get('/v1/traces/tail', { accept: 'text/event-stream', 'last-event-id': '0' })],
      manner: { kind: 'stay' },
    },
    '16 senders of small exports': repeated(post('/otlp/v1/traces', exportOfSmallTraces(10)), 16),
    '1 sender of 20,000 small traces': repeated(post('/otlp/v1/traces', exportOfSmallTraces(20_000))),
    '3 senders of 20,000 small traces': repeated(post('/otlp/v1/traces', exportOfSmallTraces(20_000)), 3),
    'discoveries of many clusters': repeated(
      post('/v1/clusters/discover', '{"window_hours":720,"k_min":2,"k_max":50}'),
    ),
  }
}

function stepWith(text: string): object {
  return { name: 's', messages: [{ role: 'user', content: [{ type: 'text', text }] }] }
}

function exportOfSmallTraces(count: number): string {
  const times = { startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000001000000000' }
  const spans = Array.from({ length: count }, () => {
    return {
      traceId: FRESH + randomBytes(12).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      name: 'a',
      ...times,
    }
  })
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
}

/** At most this many bytes of the text. */
function thai(bytes: number): string {
  return 'สวัสดีชาวโลก'.repeat(Math.floor(bytes / 36))
}

/** The head of a request whose body is announced and never sent; without a key. */
function sessionHead(): Buffer {
  const head =
    'POST /v1/session HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n'
  return Buffer.from(head)
}
