import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { BOUNDARY, FORM_TYPE, formBody, type TestPart } from '../test-world/form.test-support.ts'
import { createHttpWorld, type HttpWorld, type HttpWorldOptions } from '../test-world/http-world.test-support.ts'
import { type Send, type TestAnswer, TRANSPORTS } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own' }
const JSON_OWN = { ...OWN, 'content-type': 'application/json' }
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAYAAABbNsX4AAAAEklEQVR4nGNkYPj/nwENMKILAAA9BgQC2hRqNQAAAABJRU5ErkJggg==',
  'base64',
)

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

interface World extends HttpWorld {
  readonly send: Send
  readonly traceId: string
  readonly stepId: string
}

async function openWorld(connect: (typeof TRANSPORTS)[string], options: HttpWorldOptions = {}): Promise<World> {
  const world = createHttpWorld(options)
  const send = await connect(world.app)
  const body = JSON.stringify({ name: 'run', steps: [{ name: 'a' }, { name: 'b' }] })
  const { id, step_ids } = (await send({ method: 'POST', path: '/v1/traces', headers: JSON_OWN, body })).json()
  return { ...world, send, traceId: id, stepId: step_ids[0] }
}

function upload(send: Send, parts: readonly TestPart[], headers: Record<string, string> = {}) {
  const body = formBody(parts)
  return send({
    method: 'POST',
    path: '/v1/media/upload',
    headers: { ...OWN, 'content-type': FORM_TYPE, ...headers },
    body,
  })
}

function filePart(content: string | Buffer, type = 'image/png', filename = 'shot.png'): TestPart {
  return { name: 'file', filename, type, content }
}

function fieldsFor({ traceId, stepId }: World): TestPart[] {
  return [
    { name: 'trace_id', content: traceId },
    { name: 'step_id', content: stepId },
    { name: 'kind', content: 'image' },
  ]
}

/** Headers of every answer, of artifacts and of errors. */
const SAFETY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

/** Without the headers of the connection and the request id. */
function headersOf({ headers }: TestAnswer): Record<string, unknown> {
  const { date: _, connection: __, 'keep-alive': ___, 'x-request-id': name, ...rest } = headers
  assert.ok(name)
  return { ...rest }
}

function servePath(uri: string): string {
  return `/v1/media/serve?uri=${encodeURIComponent(uri)}`
}

async function assertNothingKept({ blobs, mediaService, send, traceId }: World): Promise<void> {
  await mediaService.close()
  assert.equal(blobs.objects.size, 0)
  assert.equal(blobs.unfinished.size, 0)
  assert.equal((await send({ path: `/v1/traces/${traceId}`, headers: OWN })).json().attachment_count, 0)
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`media over ${name}`, () => {
    test('an upload is attached to its step, counted, and returned byte for byte', async () => {
      const world = await openWorld(connect)
      const { send, traceId, stepId, ownProject } = world
      const made = await upload(send, [...fieldsFor(world), filePart(PNG)])
      assert.equal(made.status, 201, made.text)
      const { id, ...record } = made.json()
      assert.match(id, /^med_/)
      assert.deepEqual(record, {
        uri: `media://${ownProject}/${sha256(PNG)}`,
        kind: 'image',
        content_type: 'image/png',
        size_bytes: PNG.length,
        width: 5,
        height: 3,
        sha256: sha256(PNG),
        filename: 'shot.png',
        trace_id: traceId,
        step_id: stepId,
        created_at: '2023-11-14T22:13:20.000Z',
      })
      const trace = (await send({ path: `/v1/traces/${traceId}`, headers: OWN })).json()
      assert.deepEqual(
        [trace.attachment_count, trace.attachments, trace.steps.map((step: never) => step['attachments'])],
        [1, [], [[made.json()], []]],
      )
      const page = (await send({ path: `/v1/traces/${traceId}/steps`, headers: OWN })).json()
      assert.deepEqual(page.steps[0].attachments, [made.json()])
      const feed = (await send({ path: '/v1/traces', headers: OWN })).json()
      assert.equal(feed.traces[0].attachment_count, 1)
      const served = await send({ path: servePath(record.uri), headers: OWN })
      assert.equal(served.status, 200)
      assert.equal(served.headers['content-length'], String(PNG.length))
    })

    test('parts can have any order, and without a step the trace owns the upload', async () => {
      const world = await openWorld(connect)
      const [trace, step, kind] = fieldsFor(world) as [TestPart, TestPart, TestPart]
      const file = filePart('a log', 'text/plain', 'a.log')
      for (const parts of [
        [file, kind, trace],
        [kind, file, trace, step],
        [trace, file, kind, { ...step, content: '' }],
      ]) {
        const made = await upload(world.send, parts)
        assert.equal(made.status, 201, made.text)
      }
      const read = (await world.send({ path: `/v1/traces/${world.traceId}`, headers: OWN })).json()
      assert.deepEqual([read.attachments.length, read.steps[0].attachments.length], [1, 1])
      assert.equal(world.blobs.objects.size, 1, 'the same bytes are stored once')
    })

    test('served media have the required headers', async () => {
      const world = await openWorld(connect)
      const { uri } = (
        await upload(world.send, [...fieldsFor(world), filePart(PNG, 'image/png', 'Bild – №1.png')])
      ).json()
      const path = servePath(uri)
      const get = await world.send({ path, headers: OWN })
      const head = await world.send({ method: 'HEAD', path, headers: OWN })
      for (const { headers, status } of [get, head]) {
        assert.equal(status, 200)
        assert.equal(headers['etag'], `"${sha256(PNG)}"`)
        assert.equal(headers['cache-control'], 'private, immutable')
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.equal(headers['content-security-policy'], "default-src 'none'; form-action 'none'; sandbox")
        assert.equal(headers['cross-origin-resource-policy'], 'same-site')
        assert.equal(headers['referrer-policy'], 'no-referrer')
        assert.equal(headers['accept-ranges'], 'bytes')
        assert.equal(headers['content-type'], 'image/png')
        assert.equal(headers['content-length'], String(PNG.length))
        assert.equal(
          headers['content-disposition'],
          'inline; filename="Bild _ _1.png"; filename*=UTF-8\'\'Bild%20%E2%80%93%20%E2%84%961.png',
        )
      }
      assert.equal(head.text, '')
    })

    test('each status has exactly its headers: an error has none of the artifact', async (context) => {
      const world = await openWorld(connect)
      const { send, blobs } = world
      const { uri } = (await upload(send, [...fieldsFor(world), filePart(PNG)])).json()
      const path = servePath(uri)
      const artifact = {
        ...SAFETY,
        'cache-control': 'private, immutable',
        'content-security-policy': "default-src 'none'; form-action 'none'; sandbox",
        'cross-origin-resource-policy': 'same-site',
        'content-type': 'image/png',
        'content-disposition': 'inline; filename="shot.png"',
        'accept-ranges': 'bytes',
        etag: `"${sha256(PNG)}"`,
      }
      const whole = { ...artifact, 'content-length': String(PNG.length) }
      const problem = {
        ...SAFETY,
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'content-type': 'application/problem+json; charset=utf-8',
      }
      const conditional = { 'if-none-match': artifact.etag }
      const range = { range: 'bytes=1-4' }
      const missing = servePath(`media://${world.ownProject}/${'0'.repeat(64)}`)
      const cases: readonly [method: string, path: string, sent: object, status: number, headers: object][] = [
        ['GET', path, {}, 200, whole],
        ['HEAD', path, {}, 200, whole],
        ['HEAD', path, range, 200, whole],
        ['GET', path, range, 206, { ...artifact, 'content-length': '4', 'content-range': `bytes 1-4/${PNG.length}` }],
        ['GET', path, conditional, 304, artifact],
        ['HEAD', path, conditional, 304, artifact],
        ['GET', path, { range: 'bytes=9999-' }, 416, { ...problem, 'content-range': `bytes */${PNG.length}` }],
        ['GET', missing, {}, 404, problem],
        ['HEAD', missing, {}, 404, problem],
        ['GET', missing, conditional, 404, problem],
        ['GET', path, { 'x-api-key': 'foreign' }, 404, problem],
        ['GET', path, { 'x-api-key': 'writer' }, 403, problem],
        ['GET', path, { 'x-api-key': '' }, 401, { ...problem, 'www-authenticate': 'Bearer realm="spoor"' }],
        ['HEAD', path, { 'x-api-key': '' }, 401, { ...problem, 'www-authenticate': 'Bearer realm="spoor"' }],
        ['GET', servePath('x'), {}, 422, problem],
      ]
      const assertAnswer = async ([method, at, sent, status, headers]: (typeof cases)[number]) => {
        const answer = await send({ method, path: at, headers: { ...OWN, ...sent } })
        const label = `${method} ${at} ${JSON.stringify(sent)}`
        assert.equal(answer.status, status, label)
        const left = headersOf(answer)
        if (status >= 400) {
          if (method === 'GET') assert.equal(left['content-length'], String(Buffer.byteLength(answer.text)), label)
          delete left['content-length']
        }
        assert.deepEqual(left, headers, label)
        if (method === 'HEAD' || status === 304) assert.equal(answer.text, '', label)
      }
      for (const one of cases) await assertAnswer(one)
      const unavailable = { ...problem, 'retry-after': '2' }
      blobs.failure = new DomainError('storage_unavailable', 'gone', { retryAfterSeconds: 2 })
      for (const sent of [{}, range]) await assertAnswer(['GET', path, sent, 503, unavailable])
      blobs.failure = null
      context.mock.method(world.mediaStore, 'find', () => {
        throw new DomainError('storage_unavailable', 'gone', { retryAfterSeconds: 2 })
      })
      for (const method of ['GET', 'HEAD']) await assertAnswer([method, path, conditional, 503, unavailable])
    })

    test('answers one range as a range, and everything else with the whole', async () => {
      const world = await openWorld(connect)
      const content = Buffer.from('0123456789')
      const file = filePart(content, 'text/plain', 'digits')
      const { uri } = (await upload(world.send, [...fieldsFor(world), file])).json()
      const get = (headers: Record<string, string>) =>
        world.send({ path: servePath(uri), headers: { ...OWN, ...headers } })
      for (const [range, part, contentRange] of [
        ['bytes=0-0', '0', 'bytes 0-0/10'],
        ['bytes=2-4', '234', 'bytes 2-4/10'],
        ['bytes=7-', '789', 'bytes 7-9/10'],
        ['bytes=8-99', '89', 'bytes 8-9/10'],
        ['bytes=-3', '789', 'bytes 7-9/10'],
        ['bytes=-99', '0123456789', 'bytes 0-9/10'],
      ] as const) {
        const answer = await get({ range })
        assert.deepEqual(
          [answer.status, answer.text, answer.headers['content-range']],
          [206, part, contentRange],
          range,
        )
        assert.equal(answer.headers['content-length'], String(part.length))
      }
      for (const range of ['bytes=0-1,3-4', 'bytes=4-2', 'bytes=x-y', 'bytes=-', 'items=0-1', 'bytes 0-1', '']) {
        const answer = await get({ range })
        assert.deepEqual([answer.status, answer.text], [200, '0123456789'], range)
      }
      for (const range of ['bytes=10-', 'bytes=99-100', 'bytes=-0']) {
        const answer = await get({ range })
        assert.deepEqual([answer.status, answer.headers['content-range']], [416, 'bytes */10'], range)
        assert.equal(answer.json().code, 'range_not_satisfiable')
        assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
        for (const absent of ['etag', 'cache-control', 'content-disposition', 'accept-ranges'])
          assert.equal(answer.headers[absent], undefined, absent)
        assert.equal(answer.headers['x-content-type-options'], 'nosniff')
        assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/)
      }
      const etag = `"${sha256(content)}"`
      assert.equal((await get({ range: 'bytes=0-1', 'if-range': etag })).status, 206)
      for (const other of ['"other"', `W/${etag}`, 'Sat, 31 Jan 2026 12:00:00 GMT']) {
        assert.equal((await get({ range: 'bytes=0-1', 'if-range': other })).status, 200, other)
      }
      for (const matching of [etag, `W/${etag}`, '*', `"x", ${etag}`]) {
        const answer = await get({ 'if-none-match': matching, range: 'bytes=0-1' })
        assert.deepEqual([answer.status, answer.text, answer.headers['etag']], [304, '', etag], matching)
      }
      assert.equal((await get({ 'if-none-match': '"x"' })).status, 200)
    })

    test('uris are validated strictly, and unknown or foreign media are not found', async () => {
      const world = await openWorld(connect)
      const { send, ownProject, foreignProject } = world
      const { uri } = (await upload(send, [...fieldsFor(world), filePart(PNG)])).json()
      const hash = sha256(PNG)
      for (const missing of [`media://${ownProject}/${'0'.repeat(64)}`, `media://${foreignProject}/${hash}`]) {
        for (const method of ['GET', 'HEAD'])
          assert.equal((await send({ method, path: servePath(missing), headers: OWN })).status, 404)
      }
      const foreign = await send({ path: servePath(uri), headers: { 'x-api-key': 'foreign' } })
      assert.equal(foreign.status, 404)
      for (const broken of [
        `${uri}/`,
        uri.toUpperCase(),
        `media:/${ownProject}/${hash}`,
        `media://${ownProject}/../${hash}`,
        `${uri}?x`,
        `media://${ownProject}/${hash}\n`,
        '',
      ]) {
        assert.equal((await send({ path: servePath(broken), headers: OWN })).status, 422, broken)
      }
      assert.equal((await send({ path: '/v1/media/serve', headers: OWN })).json().errors[0].code, 'required')
      assert.equal((await send({ path: `${servePath(uri)}&uri=x`, headers: OWN })).status, 422)
      assert.equal((await send({ path: servePath(uri), headers: { 'x-api-key': 'writer' } })).status, 403)
      assert.equal((await send({ path: servePath(uri) })).status, 401)
    })

    test('only safe types that match the declared type are shown in the browser', async () => {
      const world = await openWorld(connect)
      const html = '<!doctype html><script>alert(1)</script>'
      const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
      const cases: readonly [content: string | Buffer, claimed: string, found: string, shown: string][] = [
        [PNG, 'image/png', 'image/png', 'inline'],
        [PNG, 'IMAGE/PNG; x=y', 'image/png', 'inline'],
        [PNG, 'image/jpeg', 'image/png', 'attachment'],
        [PNG, 'text/html', 'image/png', 'attachment'],
        [PNG, 'application/octet-stream', 'image/png', 'attachment'],
        [Buffer.concat([PNG, Buffer.from(html)]), 'image/png', 'image/png', 'inline'],
        [html, 'text/html', 'text/html', 'attachment'],
        [html, 'image/png', 'text/html', 'attachment'],
        [html, 'text/plain', 'text/html', 'attachment'],
        [html, 'TEXT/HTML', 'text/html', 'attachment'],
        [svg, 'image/svg+xml', 'image/svg+xml', 'attachment'],
        [svg, 'image/png', 'image/svg+xml', 'attachment'],
        ['%PDF-1.7\n/OpenAction << /S /JavaScript >>', 'application/pdf', 'application/pdf', 'attachment'],
        ['line 1\nline 2 ü\n', 'text/plain', 'text/plain; charset=utf-8', 'inline'],
        ['{"a":1}\n', 'application/json', 'text/plain; charset=utf-8', 'inline'],
        ['{"a":1}\n', 'text/html', 'text/plain; charset=utf-8', 'attachment'],
        [Buffer.from([0, 1, 2, 3]), 'text/plain', 'application/octet-stream', 'attachment'],
        ['', 'text/plain', 'application/octet-stream', 'attachment'],
      ]
      for (const [content, claimed, found, shown] of cases) {
        const label = `${String(content).slice(0, 30)} as ${claimed}`
        const made = await upload(world.send, [...fieldsFor(world), filePart(content, claimed, 'x')])
        assert.equal(made.status, 201, made.text)
        assert.equal(made.json().content_type, found.split(';')[0], label)
        const { headers } = await world.send({ path: servePath(made.json().uri), headers: OWN })
        assert.deepEqual(
          [headers['content-type'], headers['content-disposition']],
          [found, `${shown}; filename="x"`],
          label,
        )
        assert.equal(headers['x-content-type-options'], 'nosniff')
      }
    })

    test('a file name is shown and has no other effect', async () => {
      const world = await openWorld(connect)
      for (const [sent, kept] of [
        ['../../etc/passwd', 'passwd'],
        ['C:\\\\fake\\\\a.png', 'a.png'],
        ['..', null],
        ['a\u0001b\u202egnp.exe', 'abgnp.exe'],
        ['%0d%0aSet-Cookie: x', '%0d%0aSet-Cookie: x'],
        ['x; filename=evil', 'x; filename=evil'],
        [`${'n'.repeat(500)}.png`, `${'n'.repeat(196)}.png`],
      ] as const) {
        const made = await upload(world.send, [...fieldsFor(world), filePart(`content of ${kept}`, 'text/plain', sent)])
        assert.equal(made.status, 201, made.text)
        assert.equal(made.json().filename, kept)
        const { headers } = await world.send({ path: servePath(made.json().uri), headers: OWN })
        assert.match(
          String(headers['content-disposition']),
          /^inline(; filename="[^"\\\r\n]*"(; filename\*=UTF-8''[\w.!#$&+^`|~%-]+)?)?$/,
        )
        assert.equal(headers['set-cookie'], undefined)
      }
    })

    test('an invalid form is refused by name, and nothing of it is stored', async () => {
      const world = await openWorld(connect)
      const [trace, step, kind] = fieldsFor(world) as [TestPart, TestPart, TestPart]
      const file = filePart(PNG)
      const cases: readonly [parts: readonly TestPart[], pointer: string, code: string][] = [
        [[step, kind, file], '/trace_id', 'required'],
        [[trace, step, file], '/kind', 'required'],
        [[trace, step, kind], '/file', 'required'],
        [[], '/trace_id', 'required'],
        [[trace, kind, file, file], '/file', 'duplicate_field'],
        [[trace, kind, trace, file], '/trace_id', 'duplicate_field'],
        [[trace, kind, file, kind], '/kind', 'duplicate_field'],
        [[trace, kind, file, { name: 'stepid', content: 'x' }], '/stepid', 'unknown_field'],
        [[trace, kind, { ...file, name: 'upload' }], '/upload', 'unknown_field'],
        [[{ ...trace, content: 'tr_x' }, kind, file], '/trace_id', 'invalid_format'],
        [[trace, { ...step, content: 'x' }, kind, file], '/step_id', 'invalid_format'],
        [[trace, { ...kind, content: 'picture' }, file], '/kind', 'invalid_value'],
        [[file, trace, { ...kind, content: 'x'.repeat(2000) }], '/kind', 'too_long'],
        [[trace, kind, { ...file, name: 'step_id' }], '/step_id', 'wrong_type'],
        [[trace, kind, file, ...Array.from({ length: 40 }, () => step)], '', 'too_many'],
      ]
      for (const [parts, pointer, code] of cases) {
        const answer = await upload(world.send, parts)
        assert.equal(answer.status, 422, answer.text)
        assert.deepEqual(
          answer.json().errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code])[0],
          [pointer, code],
          answer.text,
        )
      }
      await assertNothingKept(world)
    })

    test('an unknown or foreign trace or step is not found, at any position in the form', async () => {
      const world = await openWorld(connect)
      const { send, ids, traceId, stepId } = world
      const field = (at: string, content: string) => ({ name: at, content })
      const kind = field('kind', 'file')
      const file = filePart(PNG)
      const places = [
        [field('trace_id', ids.newId('tr'))],
        [field('trace_id', traceId), field('step_id', ids.newId('st'))],
        [field('trace_id', ids.newId('tr')), field('step_id', stepId)],
      ]
      for (const place of places) {
        for (const parts of [
          [...place, kind, file],
          [kind, file, ...place],
          [place[0] as TestPart, file, kind, ...place.slice(1)],
        ]) {
          const answer = await upload(send, parts)
          assert.equal(answer.status, 404, answer.text)
        }
      }
      const foreign = await upload(send, [field('trace_id', traceId), kind, file], { 'x-api-key': 'foreign' })
      const missing = await upload(send, [field('trace_id', ids.newId('tr')), kind, file], { 'x-api-key': 'foreign' })
      assert.deepEqual([foreign.status, missing.status], [404, 404])
      await assertNothingKept(world)
    })

    test('refuses bodies that are not a form, or are malformed', async () => {
      const world = await openWorld(connect)
      const whole = formBody([...fieldsFor(world), filePart(PNG)])
      const post = (contentType: string, body: Buffer | string) =>
        world.send({ method: 'POST', path: '/v1/media/upload', headers: { ...OWN, 'content-type': contentType }, body })
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'multipart/mixed; boundary=x', '']) {
        assert.equal((await post(type, whole)).status, 415, type)
      }
      for (const [type, body] of [
        ['multipart/form-data', whole],
        [FORM_TYPE, ''],
        [FORM_TYPE, 'no form'],
        [FORM_TYPE, whole.subarray(0, -10)],
        [FORM_TYPE, whole.subarray(0, whole.length / 2)],
        [FORM_TYPE, `--${BOUNDARY}\r\n`],
        [`${FORM_TYPE}x`, whole],
      ] as const) {
        const answer = await post(type, body)
        assert.deepEqual([answer.status, answer.json().code], [400, 'malformed_multipart'], String(body).slice(0, 40))
      }
      assert.equal((await upload(world.send, [], { 'x-api-key': 'reader' })).status, 403)
      await assertNothingKept(world)
    })

    test('a file can have exactly the limit of bytes, and not one more', async () => {
      const world = await openWorld(connect, { limits: { uploadBytes: 100_000 } })
      const most = Buffer.alloc(100_000, 1)
      assert.equal((await upload(world.send, [...fieldsFor(world), filePart(most)])).status, 201)
      const more = await upload(world.send, [...fieldsFor(world), filePart(Buffer.alloc(100_001, 2))])
      assert.deepEqual([more.status, more.json().code], [413, 'payload_too_large'])
      const junk = Buffer.concat([Buffer.alloc(1_200_000, 0x61), formBody(fieldsFor(world))])
      const headers = { ...OWN, 'content-type': FORM_TYPE }
      const announced = await world.send({ method: 'POST', path: '/v1/media/upload', headers, body: junk })
      assert.equal(announced.status, 413)
      await world.mediaService.close()
      assert.equal(world.blobs.objects.size, 1)
    })

    test('a trace has at most the allowed number of attachments', async () => {
      const world = await openWorld(connect, { limits: { attachmentsPerTrace: 2 } })
      for (const [file, status] of [
        ['a', 201],
        ['b', 201],
        ['c', 422],
        // Sent again, it is the same attachment.
        ['b', 201],
      ] as const) {
        const answer = await upload(world.send, [...fieldsFor(world), filePart(file)])
        assert.equal(answer.status, status, answer.text)
      }
    })

    test('a failing store leaves nothing behind, and the answer has Retry-After', async () => {
      const world = await openWorld(connect)
      world.blobs.failure = new DomainError('storage_unavailable', 'gone')
      const answer = await upload(world.send, [...fieldsFor(world), filePart(PNG)])
      assert.deepEqual([answer.status, answer.json().code], [503, 'storage_unavailable'])
      world.blobs.failure = null
      await world.mediaService.keepHouse()
      await assertNothingKept(world)
    })
  })
}
