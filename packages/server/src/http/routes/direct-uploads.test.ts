import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { createHttpWorld, type HttpWorldOptions } from '../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own' }
const CONTENT = Buffer.from('what happened, line by line\n')
const HASH = createHash('sha256').update(CONTENT).digest('hex')

async function openWorld(connect: (typeof TRANSPORTS)[string], options: HttpWorldOptions = {}) {
  const world = createHttpWorld(options)
  const send = await connect(world.app)
  const body = JSON.stringify({ name: 'run', steps: [{ name: 'a' }] })
  const headers = { ...OWN, 'content-type': 'application/json' }
  const { id, step_ids } = (await send({ method: 'POST', path: '/v1/traces', headers, body })).json()
  const query = {
    trace_id: id as string,
    step_id: step_ids[0] as string,
    kind: 'file',
    content_type: 'text/plain',
    size_bytes: String(CONTENT.length),
    sha256: HASH,
    filename: 'agent.log',
  }
  const sign = (fields: Partial<typeof query> = {}, sent: Record<string, string> = OWN) =>
    send({
      path: `/v1/media/signed-url?${new URLSearchParams({ ...query, ...fields })}`,
      headers: { host: 'spoor.test:1', ...sent },
    })
  const put = (
    url: string,
    content: Buffer | string,
    sent: Record<string, string> = { 'content-type': 'text/plain' },
  ) => send({ method: 'PUT', path: new URL(url).pathname, headers: sent, body: content })
  const count = async () => (await send({ path: `/v1/traces/${id}`, headers: OWN })).json().attachment_count as number
  return { ...world, send, query, sign, put, count }
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`signed uploads over ${name}`, () => {
    test('a signed URL accepts the announced bytes once, without a key', async () => {
      const { sign, put, query, ownProject, blobs, count } = await openWorld(connect)
      const signed = await sign()
      assert.equal(signed.status, 200, signed.text)
      assert.equal(signed.headers['cache-control'], 'no-store')
      const { url, ...rest } = signed.json()
      assert.match(url, /^http:\/\/spoor\.test:1\/v1\/media\/direct\/[\w-]{72}$/)
      assert.deepEqual(rest, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain' },
        uri: `media://${ownProject}/${HASH}`,
        expires_at: '2023-11-14T22:18:20.000Z',
      })
      assert.equal(await count(), 0)
      const made = await put(url, CONTENT)
      assert.equal(made.status, 201, made.text)
      const { id: _, created_at: __, ...record } = made.json()
      assert.deepEqual(record, {
        uri: rest.uri,
        kind: 'file',
        content_type: 'text/plain',
        size_bytes: CONTENT.length,
        width: null,
        height: null,
        sha256: HASH,
        filename: 'agent.log',
        trace_id: query.trace_id,
        step_id: query.step_id,
      })
      const again = await put(url, CONTENT)
      assert.deepEqual([again.status, again.json().code], [403, 'upload_url_used'])
      assert.deepEqual([await count(), blobs.objects.size], [1, 1])
    })

    test('bytes other than announced are refused and not stored, and the right bytes can follow', async () => {
      const { sign, put, blobs, count, mediaService } = await openWorld(connect)
      const { url } = (await sign()).json()
      const other = Buffer.from(CONTENT).fill('x', 0, 1)
      for (const [content, headers] of [
        [other, { 'content-type': 'text/plain' }],
        [CONTENT.subarray(1), { 'content-type': 'text/plain' }],
        [Buffer.concat([CONTENT, CONTENT]), { 'content-type': 'text/plain' }],
        [CONTENT, { 'content-type': 'text/html' }],
        ['', { 'content-type': 'text/plain' }],
      ] as const) {
        const answer = await put(url, content, headers)
        assert.deepEqual([answer.status, answer.json().code], [422, 'upload_mismatch'], answer.text)
      }
      assert.equal((await put(url, CONTENT, { 'content-type': '' })).status, 415)
      await mediaService.close()
      assert.deepEqual([await count(), blobs.objects.size], [0, 0])
      assert.equal((await put(url, CONTENT, { 'content-type': 'Text/Plain; charset=utf-8' })).status, 201)
      assert.deepEqual([await count(), blobs.objects.size], [1, 1])
    })

    test('bytes of another type than announced are refused', async () => {
      const { sign, put, count } = await openWorld(connect)
      const { url } = (await sign({ content_type: 'image/png' })).json()
      const answer = await put(url, CONTENT, { 'content-type': 'image/png' })
      assert.deepEqual([answer.status, answer.json().code], [422, 'upload_mismatch'])
      const generic = (await sign({ content_type: 'application/x-mcap' })).json()
      assert.equal((await put(generic.url, CONTENT, { 'content-type': 'application/x-mcap' })).status, 201)
      assert.equal(await count(), 1)
    })

    test('of two concurrent uploads to one URL one counts', async () => {
      const { sign, put, blobs, count, mediaService } = await openWorld(connect)
      const { url } = (await sign()).json()
      const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const write = blobs.write.bind(blobs)
      blobs.write = async (key, source) => {
        begun.resolve()
        await goOn.promise
        await write(key, source)
      }
      const first = put(url, CONTENT)
      await begun.promise
      const meanwhile = await put(url, CONTENT)
      assert.deepEqual([meanwhile.status, meanwhile.json().code], [409, 'upload_in_progress'])
      goOn.resolve()
      assert.equal((await first).status, 201)
      await mediaService.close()
      assert.deepEqual([await count(), blobs.objects.size], [1, 1])
    })

    test('a URL with any character changed is refused', async () => {
      const { sign, send } = await openWorld(connect)
      const { url } = (await sign()).json()
      const token = new URL(url).pathname.split('/').at(-1) as string
      const put = (path: string) =>
        send({
          method: 'PUT',
          path: `/v1/media/direct/${path}`,
          headers: { 'content-type': 'text/plain' },
          body: CONTENT,
        })
      const changed = (at: number) => `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
      const tokens = [...token].map((_, at) => changed(at))
      for (const wrong of [
        ...tokens,
        token.slice(1),
        `${token}A`,
        `${token}=`,
        'x',
        encodeURIComponent('../x'),
        'a'.repeat(150),
      ]) {
        const answer = await put(wrong)
        assert.deepEqual([answer.status, answer.json().code], [403, 'upload_url_invalid'], wrong)
      }
    })

    test('an expired URL is refused', async () => {
      let now = 1_700_000_000_000
      const { sign, put, count } = await openWorld(connect, { now: () => now })
      const { url } = (await sign()).json()
      now += 300_000
      const answer = await put(url, CONTENT)
      assert.deepEqual([answer.status, answer.json().code, await count()], [403, 'upload_url_expired', 0])
    })

    test('browsers, keys without the scope and invalid requests get no URL', async () => {
      const { sign, send, ids, limits } = await openWorld(connect, { limits: { uploadBytes: 1000 } })
      for (const header of ['origin', 'cookie']) {
        const answer = await sign({}, { ...OWN, [header]: 'x' })
        assert.deepEqual([answer.status, answer.json().code], [403, 'browser_refused'])
      }
      const key = { method: 'POST', path: '/v1/session', body: '{"key":"own"}' }
      const host = 'spoor.test:1'
      const made = await send({ ...key, headers: { host, 'content-type': 'application/json' } })
      const cookie = String(made.headers['set-cookie']).split(';')[0] as string
      for (const headers of [{ cookie }, { cookie, ...OWN }, { cookie, origin: `http://${host}` }]) {
        const answer = await sign({}, headers)
        assert.deepEqual([answer.status, answer.json().code], [403, 'browser_refused'])
      }
      assert.equal((await sign({}, { 'x-api-key': 'writer' })).json().code, 'insufficient_scope')
      assert.equal((await sign({}, {})).status, 401)
      for (const [field, value] of [
        ['trace_id', 'x'],
        ['step_id', ''],
        ['kind', 'picture'],
        ['content_type', 'text'],
        ['content_type', 'text/plain; charset=x'],
        ['content_type', 'text/plain\r\nx: y'],
        ['size_bytes', '-1'],
        ['size_bytes', '1.5'],
        ['size_bytes', String(limits.uploadBytes + 1)],
        ['sha256', HASH.toUpperCase()],
        ['filename', ''],
      ] as const) {
        const answer = await sign({ [field]: value })
        assert.deepEqual(
          [answer.status, answer.json().errors?.[0].pointer],
          [422, `?${field}`],
          `${field} ${answer.text}`,
        )
      }
      assert.equal((await sign({ trace_id: ids.newId('tr') })).status, 404)
      assert.equal((await sign({ step_id: ids.newId('st') })).status, 404)
      assert.equal((await sign({}, { 'x-api-key': 'foreign' })).status, 404)
    })

    test('the URL has the host by which the client reaches the service', async () => {
      const { sign } = await openWorld(connect)
      const behindProxy = await sign({}, { ...OWN, host: 'traces.example', 'x-forwarded-proto': 'https' })
      assert.ok(behindProxy.json().url.startsWith('https://traces.example/v1/media/direct/'))
      assert.equal((await sign({}, { ...OWN, host: 'a/b' })).status, 400)
    })
  })
}

test('if clients can reach the store, the URL leads there, and the upload counts after the first read or the next round', async () => {
  for (const taken of ['read', 'round'] as const) {
    const { sign, send, blobs, count, mediaService } = await openWorld(TRANSPORTS['memory'] as never)
    blobs.directUrl = (key) => `http://store.test/${key}?signature`
    const { url, uri } = (await sign()).json()
    assert.match(url, /^http:\/\/store\.test\//)
    const path = `/v1/media/serve?uri=${encodeURIComponent(uri)}`
    await mediaService.takeInStaged()
    assert.equal((await send({ path, headers: OWN })).status, 404)
    blobs.objects.set(new URL(url).pathname.slice(1) as never, CONTENT)
    if (taken === 'round') await mediaService.takeInStaged()
    const served = await send({ path, headers: OWN })
    assert.deepEqual([served.status, served.text, await count()], [200, CONTENT.toString(), 1])
    assert.equal(blobs.objects.size, 1)
    assert.ok(!blobs.objects.has(new URL(url).pathname.slice(1) as never), 'under a key that no client knows')
  }
})
