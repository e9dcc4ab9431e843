import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS } from '@spoor/contract/operations'
import type { Operation } from '@spoor/contract/operations/operation'
import fc from 'fast-check'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'

const operations = Object.values<Operation>(OPERATIONS).filter((operation) => operation !== OPERATIONS.tailTraces)
const nasty = fc.constantFrom(
  "'",
  '"',
  '\\',
  '\0',
  '\r\n',
  '`',
  ';--',
  '%',
  '{',
  '../',
  '__proto__',
  'constructor',
  '\u{1F600}',
  '0',
  '-1',
  '1e9',
  'true',
)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(nasty, { maxLength: 6 }).map((parts) => parts.join('')),
)
const names = [
  'limit',
  'cursor',
  'q',
  'meta_key',
  'meta_value',
  'start_time',
  'flagged',
  'sort',
  'uri',
  'trace_id',
  'size_bytes',
  '__proto__',
  'toString',
]
const query = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names), text), text), { maxLength: 6 })
const headerText = fc.string({ maxLength: 60 }).map((value) => value.replace(/[^\x20-\x7e]/g, '?'))
const headers = fc.record(
  {
    'x-request-id': headerText,
    'content-type': fc.oneof(
      fc.constantFrom(
        'application/json',
        'application/x-ndjson',
        'application/json; charset=latin1',
        'multipart/form-data; boundary=x',
        'multipart/form-data; boundary="',
      ),
      headerText,
    ),
    accept: fc.oneof(fc.constantFrom('application/x-ndjson', '*/*;q=0'), headerText),
    'idempotency-key': headerText,
    range: headerText,
    'if-none-match': headerText,
    host: fc.oneof(fc.constantFrom('a', 'a/b', '[', '', 'x@y'), headerText),
    'content-encoding': fc.constantFrom('identity', 'gzip', ''),
  },
  { requiredKeys: [] },
)
const body = fc.oneof(
  fc.json(),
  text,
  fc.constantFrom(
    '{"__proto__":{"x":1}}',
    '['.repeat(5000),
    '{"name":1e999}',
    '--x\r\n\r\n\r\n--x--',
    '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--x--',
  ),
)

/** A key, or a cookie: of a session, sometimes with the own origin, or any other. */
function accessBy(token: string) {
  return fc.oneof(
    fc.constant({ 'x-api-key': 'admin' }),
    fc.record(
      {
        cookie: fc.oneof(fc.constantFrom(`spoor_session=${token}`, 'spoor_session=x; spoor_session'), headerText),
        origin: fc.oneof(fc.constantFrom('http://a', 'null'), headerText),
      },
      { requiredKeys: ['cookie'] },
    ),
  )
}

test('no path, query, header or body gets status 500, and every refusal is a problem', async () => {
  const { app, access, logLines } = createHttpWorld()
  after(() => app.close())
  const { token } = await access.signIn({ secret: 'admin', replacedToken: null })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...operations),
      text,
      query,
      headers,
      accessBy(token),
      body,
      async (operation, id, pairs, sent, credential, payload) => {
        const path = operation.path.replace(/:\w+/g, () => encodeURIComponent(id))
        const search = pairs
          .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
          .join('&')
        const answer = await app.inject({
          method: operation.method,
          url: `${path}?${search}`,
          headers: { ...sent, ...credential },
          ...(operation.request === undefined ? {} : { payload }),
        })
        assert.ok(answer.statusCode < 500, `${answer.statusCode} ${answer.payload}`)
        if (answer.statusCode >= 400 && operation.method !== 'HEAD')
          assert.equal(answer.json().status, answer.statusCode)
      },
    ),
    { numRuns: 2000 },
  )
  assert.deepEqual(logLines, [])
})
