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
const BYTE_EVERY_MS = 5000
const MB = 1024 * 1024

/** Each is prefixed by the number of its finding. */
export function attacks({ key, traceId, stepId, largeTraceId }: AttackerProject): Readonly<Record<string, Attack>> {
  const steps = `/v1/traces/${traceId}/steps`
  const emptyLines = (count: number) => ({ type: NDJSON, bytes: Buffer.from('{}\n'.repeat(count)) })
  const json = (text: string) => ({ type: 'application/json', bytes: Buffer.from(text) })
  const repeated = (request: Buffer): Attack => ({ connections: 1, request, manner: { kind: 'repeat' } })
  const commit = (text: string) => repeated(httpRequest('POST', '/v1/traces', key, json(text)))
  const withText = (text: string) => commit(JSON.stringify({ name: 'x', steps: [stepWith(text)] }))
  return {
    '1: 99,999 refused lines': repeated(httpRequest('POST', steps, key, emptyLines(99_999))),
    '1: 1,000,000 refused lines': repeated(httpRequest('POST', steps, key, emptyLines(1_000_000), { accept: NDJSON })),
    '1: 99,999 refused events': repeated(httpRequest('POST', '/v1/metrics/events', key, emptyLines(99_999))),
    '2: 40 slow readers': {
      connections: 40,
      request: httpRequest('GET', `/v1/traces/${largeTraceId}`, key),
      manner: { kind: 'take slowly', everyMs: BYTE_EVERY_MS },
    },
    '3: 100 reads abandoned': {
      connections: 100,
      request: httpRequest('GET', '/v1/metrics/events?limit=1000&meta_key=g&meta_value=g1', key),
      manner: { kind: 'leave', afterMs: 100 },
    },
    '4: 1,000,000 unknown fields': commit(
      `{"name":"x"${Array.from({ length: 1_000_000 }, (_, n) => `,"f${n}":0`).join('')}}`,
    ),
    '4: 15 MB of Greek sigmas': withText('Σς'.repeat((15 * MB) / 4)),
    '4: 15 MB of Thai': withText(thai(15 * MB)),
    '4: step lines of 4 MB of Thai': repeated(
      httpRequest('POST', steps, key, {
        type: NDJSON,
        bytes: Buffer.from(JSON.stringify(stepWith(thai(4 * MB - 1024)))),
      }),
    ),
    '4: 50,000 steps': commit(
      JSON.stringify({ name: 'x', steps: Array.from({ length: 50_000 }, (_, n) => ({ name: `s${n}` })) }),
    ),
    '4: 16 MB of malformed metric events': repeated(
      httpRequest(
        'POST',
        '/v1/metrics/events',
        key,
        json(`[${`{"name":"x","metadata":{"a":[${'{},'.repeat(40_000)}0]}},`.repeat(130)} x]`),
      ),
    ),
    '4: 1 MB of junk to the preview': repeated(
      httpRequest(
        'POST',
        '/v1/monitors/preview',
        key,
        json(`{${Array.from({ length: 75_000 }, (_, n) => `"f${n}":[]`).join(',')}}`),
      ),
    ),
    '5: 300 slow uploads': {
      connections: 300,
      request: uploadParts(key, { traceId, stepId }, 100 * MB).head,
      manner: { kind: 'send slowly', everyMs: BYTE_EVERY_MS },
    },
    '7: an export of 20,000 small traces': repeated(
      httpRequest('POST', '/otlp/v1/traces', key, json(exportOfSmallTraces(20_000))),
    ),
    '6: 500 slow session bodies': {
      connections: 500,
      request: sessionHead(),
      manner: { kind: 'send slowly', everyMs: BYTE_EVERY_MS },
    },
  }
}

function stepWith(text: string): object {
  return { name: 's', messages: [{ role: 'user', content: [{ type: 'text', text }] }] }
}

function exportOfSmallTraces(count: number): string {
  const times = { startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000001000000000' }
  const spans = Array.from({ length: count }, () => {
    return { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex'), name: 'a', ...times }
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
