import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DomainError } from '../../lib/domain-error.ts'
import { BOUNDARY, FORM_TYPE, formBody } from '../test-world/form.test-support.ts'
import { readForm } from './multipart.ts'

interface Seen {
  readonly name: string
  readonly content: string | null
}

async function* cut(body: Buffer, size: number, taken: { bytes: number } = { bytes: 0 }): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size)
    taken.bytes += chunk.length
    yield chunk
  }
}

async function read(source: AsyncIterable<Buffer>, type = FORM_TYPE, fileBytes = 1_000_000): Promise<Seen[]> {
  const seen: Seen[] = []
  for await (const part of readForm(source, type, fileBytes)) {
    if (part.type === 'field') seen.push({ name: part.name, content: part.value })
    else {
      const chunks: Buffer[] = []
      for await (const chunk of part.bytes) chunks.push(chunk)
      seen.push({ name: part.name, content: Buffer.concat(chunks).toString('latin1') })
    }
  }
  return seen
}

test('returns the parts unchanged, however the body is split into chunks', async () => {
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('', '\r\n', `x--${BOUNDARY}`, `\r\n--${BOUNDARY.slice(0, -1)}`, '\r\n--', '--')
      .map((text) => Buffer.from(text)),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 90 }),
      async (files, size) => {
        const parts = files.map((file, number) => ({ name: `f${number}`, filename: 'x', content: file }))
        const seen = await read(cut(formBody(parts), size))
        assert.deepEqual(
          seen,
          parts.map(({ name, content: bytes }) => ({ name, content: bytes.toString('latin1') })),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('no body makes the reader hang or throw anything but a DomainError', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      `--${BOUNDARY}`,
      '--',
      '\r\n',
      '\r\n\r\n',
      'Content-Disposition: form-data; name="a"',
      'Content-Disposition: form-data; name="file"; filename="',
      ': ',
      '\n',
      'Content-Type: text/plain; charset=utf-16',
      "; name*=UTF-8''%ff",
    ),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), fc.integer({ min: 1, max: 200 }), async (pieces, size) => {
      try {
        await read(cut(Buffer.from(pieces.join(''), 'latin1'), size))
      } catch (error) {
        assert.ok(error instanceof DomainError, String(error))
      }
    }),
    { numRuns: 1000 },
  )
})

test('a slow consumer of a file makes the body wait', async () => {
  const body = formBody([{ name: 'file', filename: 'x', content: Buffer.alloc(4_000_000, 1) }])
  const taken = { bytes: 0 }
  const parts = readForm(cut(body, 65_536, taken), FORM_TYPE, 10_000_000)
  const { value: part } = await parts.next()
  assert.ok(part?.type === 'file')
  const bytes = part.bytes[Symbol.asyncIterator]()
  await bytes.next()
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(taken.bytes < 500_000, `${taken.bytes} bytes were taken for one chunk`)
  await parts.return()
})

test('an error of the source reaches the reader of the file', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield formBody([{ name: 'file', filename: 'x', content: 'abc' }]).subarray(0, -30)
    throw new Error('gone')
  }
  await assert.rejects(read(broken()), /gone/)
})

test('refuses a part without a name', async () => {
  const field = { head: 'Content-Disposition: form-data', content: 'x' }
  const file = { head: 'Content-Disposition: form-data; filename="x"', content: Buffer.alloc(200_000) }
  const named = { name: 'kind', content: 'image' }
  for (const parts of [[field], [file], [named, field, named], [named, file, named]]) {
    await assert.rejects(read(cut(formBody(parts), 65_536)), {
      code: 'malformed_multipart',
      message: 'The form could not be read: a part has no name.',
    })
  }
  assert.deepEqual(await read(cut(formBody([{ name: 'undefined', content: 'x' }]), 100)), [
    { name: 'undefined', content: 'x' },
  ])
})

test('bounds the bytes outside of parts', async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(65_536, 0x61)
  }
  await assert.rejects(
    read(endless(), FORM_TYPE, 100),
    (error: unknown) => (error as DomainError).code === 'payload_too_large',
  )
  async function* endlessHeader(): AsyncGenerator<Buffer> {
    yield Buffer.from(`--${BOUNDARY}\r\n`)
    yield* endless()
  }
  await assert.rejects(
    read(endlessHeader(), FORM_TYPE, 100),
    (error: unknown) => (error as DomainError).code === 'payload_too_large',
  )
})
